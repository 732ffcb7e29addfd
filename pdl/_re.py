"""The module `re`, with patterns that are compiled when they are first used.

Most patterns of a module are not needed for most replies, and compiling one takes longer than
searching with it.
"""

from __future__ import annotations

import re
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    Match,
    Pattern,
    escape,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import Any, cast

__all__ = [
    "ASCII",
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "Match",
    "Pattern",
    "compile",
    "escape",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _Lazy:
    """A pattern that is compiled when one of its methods is first accessed."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self.flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def compile(pattern: str, flags: int = 0) -> Pattern[str]:  # noqa: A001 - the name in `re`
    """Return a pattern that is compiled when first used, which can raise `re.error`."""
    return cast("Pattern[str]", _Lazy(pattern, flags))
