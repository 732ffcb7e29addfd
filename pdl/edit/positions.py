"""Offsets of a text to an editor's lines and columns, in the units that it counts, and back."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

Encoding = Literal["utf-8", "utf-16", "utf-32"]
"""What a column counts: bytes, code units of UTF-16, or code points."""

_LINE_END = re.compile(r"\r\n?|\n")
_MARK = "\ufeff"


class Position(NamedTuple):
    """A line and a column, both from 0."""

    line: int
    character: int


class Positions:
    """The lines of a text as an editor has it, with its byte order mark and its line ends.

    Offsets are those of pdl: of the text without the mark, with LF as the only line end. A line
    ends at LF, CRLF or CR, and nowhere else (Language Server Protocol 3.17, "Text Documents").
    """

    def __init__(self, raw: str, encoding: Encoding = "utf-16") -> None:
        self.raw = raw
        self.encoding: Encoding = encoding
        mark = len(_MARK) if raw.startswith(_MARK) else 0
        ends = list(_LINE_END.finditer(raw))
        self._raw_starts = [mark, *(end.end() for end in ends)]
        self._raw_ends = [*(end.start() for end in ends), len(raw)]
        self._starts = [0]
        for start, end in zip(self._raw_starts, self._raw_ends, strict=True):
            self._starts.append(self._starts[-1] + end - start + 1)
        self._starts.pop()
        self._mark = mark

    def raw_offset(self, offset: int) -> int:
        """Return the offset in the raw text of an offset, kept inside of the text."""
        line = max(bisect_right(self._starts, offset) - 1, 0)
        column = max(offset - self._starts[line], 0)
        return min(self._raw_starts[line] + column, self._raw_ends[line])

    def position(self, offset: int) -> Position:
        """Return the position of an offset, kept inside of the text."""
        line = max(bisect_right(self._starts, offset) - 1, 0)
        before = self.raw[self._raw_starts[line] : self.raw_offset(offset)]
        mark = 0 if line else units(_MARK[: self._mark], self.encoding)
        return Position(line, mark + units(before, self.encoding))

    def raw_at(self, position: Position) -> int:
        """Return the offset in the raw text of a position; past a line's end, that end."""
        if position.line >= len(self._raw_starts):
            return len(self.raw)
        line = max(position.line, 0)
        begin, end = self._raw_starts[line] if line else 0, self._raw_ends[line]
        return begin + characters(self.raw[begin:end], position.character, self.encoding)

    def offset(self, position: Position) -> int:
        """Return the offset of a position."""
        raw = self.raw_at(position)
        line = min(max(position.line, 0), len(self._raw_starts) - 1)
        return self._starts[line] + max(raw - self._raw_starts[line], 0)


def characters(line: str, count: int, encoding: Encoding) -> int:
    """Return how many characters of a line are whole within so many units; at most all of them."""
    if encoding == "utf-32" or line.isascii():
        return min(max(count, 0), len(line))
    for at, character in enumerate(line):
        count -= units(character, encoding)
        if count < 0:
            return at
    return len(line)


def units(text: str, encoding: Encoding) -> int:
    """Return how many units of an encoding a text has; a lone surrogate counts as a character."""
    if text.isascii() or encoding == "utf-32":
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(character > "\uffff" for character in text)
    return len(text.encode("utf-8", "surrogatepass"))
