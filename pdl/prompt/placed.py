"""Rendered text back to the file: a source whose anchors come from marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.prompt.marks import HALF, LINE, MARK, WHOLE, number_of
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from pdl.prompt.marks import Entry, Marks

_COMMENT = "//"
_SIGNS = re.compile(r"""\\.|["'\n\r]|//""", re.DOTALL)
_LINE_ENDS = re.compile("[\r\n]")


def placed_source(text: str, marks: Marks, name: str) -> Source:
    """The text without marks, with anchors into the templates that it was rendered from.

    A value's line breaks do not end a `//` comment of the file: there they are blanks.
    """
    split = MARK.split(text)
    writer = _Writer()
    writer.add(split[0], None)
    for kind, digits, piece in zip(split[1::3], split[2::3], split[3::3], strict=True):
        entry = marks.entry(number_of(digits)) if kind != HALF else None
        if kind == WHOLE and entry is not None:
            writer.add(f"<|{entry.text}|>", entry)
            entry = entry._replace(start=entry.end)
        elif kind == HALF:
            writer.add(chr(number_of(digits)), None)
        writer.add(piece, entry, begins_line=kind == LINE)
    return Source("".join(writer.out), name, tuple(writer.anchors))


class _Writer:
    """Puts pieces of text one after the other, and notes where they were copied from."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.anchors: list[Anchor] = []
        self._length = 0
        self._within = ""  # the quote or the `//` that is open in the file's own text

    def add(self, piece: str, entry: Entry | None, *, begins_line: bool = False) -> None:
        """Append a piece: what stands at that entry's place of the source, and then a value."""
        same = 0
        if entry is not None:
            same = _shared(piece, entry.source.text, entry.start)
            anchor = Anchor(self._length, same, entry.source, entry.start, begins_line)
            self.anchors.append(anchor)
        if begins_line:
            self._within = ""
        self._read(piece[:same])
        value = piece[same:]
        if self._within == _COMMENT:
            value = _LINE_ENDS.sub(" ", value)
        self.out += (piece[:same], value)
        self._length += len(piece)

    def _read(self, text: str) -> None:
        """Follow quotes and comments through text of the file."""
        for match in _SIGNS.finditer(text):
            sign = match.group()
            if sign in ("\n", "\r"):
                self._within = "" if self._within == _COMMENT else self._within
            elif self._within in ("", sign) and sign[0] != "\\":
                self._within = "" if self._within == sign != _COMMENT else sign


def _shared(piece: str, text: str, offset: int) -> int:
    """How many characters of the piece stand at that offset of the text."""
    if text.startswith(piece, offset):
        return len(piece)
    pairs = enumerate(zip(piece, text[offset : offset + len(piece)], strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(piece), len(text) - offset))
