"""Places of pdl as those of a page: JavaScript counts code units of UTF-16."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from pdl.edit.positions import Positions, units

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.source import Source, Span


class Offsets:
    """The offsets of a text in code units, from those in code points."""

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [at for at, one in enumerate(text) if one > "\uffff"]

    def units(self, offset: int) -> int:
        """Return an offset in code units."""
        return offset + bisect_left(self._wide, offset)

    def span(self, span: tuple[int, int] | None) -> Json:
        """Return a span as a list of its start and end; None if it is not known."""
        return None if span is None else [self.units(span[0]), self.units(span[1])]


class Lines:
    """The lines and columns, from 1, of a text as a page has it, and of other texts."""

    def __init__(self, raw: str, source: Source) -> None:
        self._source = source
        self._raw = Positions(raw)

    def is_of(self, source: Source) -> bool:
        """Return whether a source is this text, with LF as its line end and without its mark."""
        return source.name == self._source.name and source.text == self._source.text

    def range(self, span: Span) -> tuple[int, int, int, int]:
        """Return the line and column where a span begins, and those where it ends."""
        ends = (span.start, max(span.end, span.start))
        first, last = (self._place(span.source, one) for one in ends)
        return (*first, *last)

    def _place(self, source: Source, offset: int) -> tuple[int, int]:
        if self.is_of(source):
            line, column = self._raw.position(offset)
            return line + 1, column + 1
        line, column = source.position(offset)
        return line, units(source.line(line)[: column - 1], "utf-16") + 1
