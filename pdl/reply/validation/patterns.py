"""Patterns of JSON Schema: ECMA-262, unanchored, run by the `regex` library under a timeout."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 0.2
"""How long one pattern may look at one string."""


class PatternTimeout(Exception):  # noqa: N818 - it ends a check with a reason; nobody else sees it
    """A pattern took too long on one string."""


class UnusablePattern(ValueError):  # noqa: N818 - it ends a check with a reason, as the other does
    """A pattern of the schema is not a valid one."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """The question whether the pattern matches anywhere in a string.

    Raises UnusablePattern, a ValueError, for an invalid pattern. The question raises
    `PatternTimeout` if the answer takes longer than `SECONDS`.
    """
    import regex  # noqa: PLC0415 - takes 8 ms, and few schemas have patterns

    from pdl.schema.ecma import compiled  # noqa: PLC0415 - imports `regex`

    try:
        ready = compiled(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise UnusablePattern(str(error)) from error

    def test(text: str) -> bool:
        try:
            return ready.search(text, timeout=SECONDS, concurrent=False) is not None
        except TimeoutError as error:
            raise PatternTimeout from error

    return test
