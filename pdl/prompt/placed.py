"""Rendered text back to the file: a source whose anchors come from marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.prompt.marks import LINE, MARK, WHOLE, number_of
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from pdl.prompt.marks import Entry, Marks


def placed_source(text: str, marks: Marks, name: str) -> Source:
    """The text without marks, with anchors into the templates that it was rendered from."""
    out: list[str] = []
    anchors: list[Anchor] = []
    length = 0
    split = MARK.split(text)
    length = _copy(split[0], None, length, out, anchors)
    for kind, digits, piece in zip(split[1::3], split[2::3], split[3::3], strict=True):
        entry = marks.entry(number_of(digits))
        begins = kind == LINE
        if kind == WHOLE and entry is not None:
            literal = f"<|{entry.text}|>"
            length = _copy(literal, entry, length, out, anchors)
            entry = entry._replace(start=entry.end)
        length = _copy(piece, entry, length, out, anchors, begins_line=begins)
    return Source("".join(out), name, tuple(anchors))


def _copy(  # noqa: PLR0913  (what it adds to, and what it adds)
    piece: str,
    entry: Entry | None,
    at: int,
    out: list[str],
    anchors: list[Anchor],
    *,
    begins_line: bool = False,
) -> int:
    """Append a piece, and an anchor for as much of it as stands at that place of the source."""
    out.append(piece)
    if entry is not None:
        same = _shared(piece, entry.source.text, entry.start)
        anchors.append(Anchor(at, same, entry.source, entry.start, begins_line))
    return at + len(piece)


def _shared(piece: str, text: str, offset: int) -> int:
    """How many characters of the piece stand at that offset of the text."""
    if text.startswith(piece, offset):
        return len(piece)
    pairs = enumerate(zip(piece, text[offset : offset + len(piece)], strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(piece), len(text) - offset))
