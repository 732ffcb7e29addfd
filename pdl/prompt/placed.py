"""Rendered text back to the file: a source whose anchors come from marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.prompt.marks import CLOSE, HERE, OPEN
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from pdl.prompt.marks import Marks, Place

_LITERAL = {OPEN: "<|", CLOSE: "|>"}


def placed_source(text: str, marks: Marks, name: str) -> Source:
    """The text without marks, with anchors into the templates that it was rendered from."""
    out: list[str] = []
    anchors: list[Anchor] = []
    length = 0
    place: Place | None = None
    at = 0
    for match in marks.pattern.finditer(text):
        length = _copy(text[at : match.start()], place, length, out, anchors)
        at = match.end()
        place = marks.place(match[2])
        if match[1] != HERE:
            literal = _LITERAL.get(match[1], "")
            length = _copy(literal, place, length, out, anchors)
            place = place.after(len(literal)) if place else None
    _copy(text[at:], place, length, out, anchors)
    return Source("".join(out), name, tuple(anchors))


def _copy(piece: str, place: Place | None, at: int, out: list[str], anchors: list[Anchor]) -> int:
    """Append a piece, and an anchor for as much of it as stands at that place of the source."""
    out.append(piece)
    if place is not None:
        same = _shared(piece, place.source.text, place.offset)
        anchors.append(Anchor(at, same, place.source, place.offset))
    return at + len(piece)


def _shared(piece: str, text: str, offset: int) -> int:
    """How many characters of the piece stand at that offset of the text."""
    if text.startswith(piece, offset):
        return len(piece)
    pairs = enumerate(zip(piece, text[offset : offset + len(piece)], strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(piece), len(text) - offset))
