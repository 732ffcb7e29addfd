"""Patterns that are compiled when they are first asked: most replies ask few of them."""

from __future__ import annotations

import re
import sys
from functools import cached_property


class Delayed:
    """A pattern without regard to case; compiling takes far longer than reading its source."""

    def __init__(self, source: str) -> None:
        self._source = source

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._source, re.IGNORECASE)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self._pattern.match(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self._pattern.search(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """As `re.Pattern.fullmatch`."""
        return self._pattern.fullmatch(text, start, end)
