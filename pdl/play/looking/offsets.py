"""Offsets of pdl as those of a page: JavaScript counts code units of UTF-16."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl._types import Json


class Offsets:
    """The offsets of a text in code units, from those in code points."""

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [at for at, one in enumerate(text) if one > "\uffff"]

    def units(self, offset: int) -> int:
        """Return an offset in code units."""
        return offset + bisect_right(self._wide, offset - 1)

    def span(self, span: tuple[int, int] | None) -> Json:
        """Return a span as a list of its start and end; None if it is not known."""
        return None if span is None else [self.units(span[0]), self.units(span[1])]
