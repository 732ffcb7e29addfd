"""Patterns of JSON Schema: ECMA-262, unanchored, run by the `regex` library under a timeout.

Imported only when a schema has a pattern, for the library takes 8 ms to import.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from pdl.reply.validation.compiled import PatternTimeout, UnusablePattern
from pdl.schema.ecma import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 0.2
"""How long one pattern may look at one string."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """The question whether the pattern matches anywhere in a string.

    Raises UnusablePattern, a ValueError, for a bad pattern. The question raises `PatternTimeout`
    if the answer takes longer than `SECONDS`.
    """
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
