"""Texts with names, and positions in them: only here are line, column and caret derived."""

from __future__ import annotations

import codecs
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WINDOW = 100  # characters of a line that an excerpt shows at most


class Anchor(NamedTuple):
    """`length` characters from `start` on were copied from `source`, from `offset` on.

    `begins_line` says that the newline before them was copied too.
    """

    start: int
    length: int
    source: Source
    offset: int
    begins_line: bool = False


@dataclass(frozen=True)
class Source:
    """A text and its name in errors.

    `anchors`, sorted by start, say where parts of the text were copied from: a text that a template
    rendered has them, so that its errors point into the template's file.
    """

    text: str = field(repr=False)
    name: str = "<string>"
    anchors: tuple[Anchor, ...] = field(default=(), repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column, both from 1, columns in code points."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int, column: int = 1) -> int:
        """Return the offset of a line and a column, both from 1; kept inside the text."""
        starts = self._line_starts
        line = min(max(line, 1), len(starts))
        return min(starts[line - 1] + max(column, 1) - 1, len(self.text))

    def line(self, number: int) -> str:
        """Return the line of that number (from 1), without its newline."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")

    def span(self, start: int, end: int | None = None) -> Span:
        """Return the span from `start` to `end` (one character by default)."""
        return Span(self, start, start + 1 if end is None else end)


class Span(NamedTuple):
    """A half-open range of characters of a source."""

    source: Source
    start: int
    end: int

    def origin(self) -> Span:
        """Return the span in the text that this one was copied from, itself if that is unknown."""
        anchors = self.source.anchors
        index = bisect_right([anchor.start for anchor in anchors], self.start) - 1
        if index < 0:
            return self
        anchor = anchors[index]
        inside = self.start - anchor.start
        # After the copied characters comes a value that the template inserted; the position
        # where it was inserted is the nearest in the file.
        start = anchor.offset + min(inside, anchor.length)
        length = self.end - self.start if inside + (self.end - self.start) <= anchor.length else 1
        return Span(anchor.source, start, start + max(length, 1)).origin()

    @property
    def line(self) -> int:
        """The line of its start, from 1, in its own source."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column of its start, from 1, in its own source."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The characters it covers."""
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """Return the line of its start with carets under it, each indented by two spaces."""
        line, column = self.source.position(self.start)
        text = self.source.line(line)
        at = column - 1
        width = max(1, min(self.end - self.start, len(text) - at))
        first = max(0, at - _WINDOW // 2) if len(text) > _WINDOW else 0
        shown = text[first : first + _WINDOW]
        width = max(1, min(width, len(shown) - (at - first)))
        prefix = "…" if first else ""
        suffix = "…" if first + _WINDOW < len(text) else ""
        number = str(line)
        pad = _padding(prefix + shown[: at - first])
        marked = shown[at - first : at - first + width]
        caret = "^" * max(1, _cells(marked))
        return (
            f"  {number} | {prefix}{_visible(shown)}{suffix}\n  {' ' * len(number)} | {pad}{caret}"
        )


def _visible(text: str) -> str:
    return "".join(c if c == "\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _padding(text: str) -> str:
    """Spaces as wide as the text on a terminal; tabs stay, since the line above has them too."""
    return "".join("\t" if c == "\t" else " " * _cells(c) for c in text)


def _cells(text: str) -> int:
    """Columns of a terminal that the text takes; wide characters take two (UAX #11)."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def encoding_fault(error: UnicodeDecodeError) -> str:
    """Return what is wrong with the byte at an error, in a text that was read as UTF-8."""
    if error.object.startswith(_UTF16):
        return "this text is in UTF-16, not in UTF-8"
    return f"this byte ({error.object[error.start]:#04x}) is not UTF-8"
