"""Halves of a character that came apart: JSON may say one as two escapes, in two events."""

from __future__ import annotations

_FIRST, _LAST = "\ud800", "\udbff"


class Halves:
    """Joins halves that follow each other in the pieces of a text (RFC 8259, section 7)."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The piece with what was held before it; a first half at its end is held."""
        if not piece:
            return ""
        piece = self._held + piece
        if not piece.isascii():
            piece = whole(piece)
        self._held = piece[-1] if _FIRST <= piece[-1] <= _LAST else ""
        return piece[: len(piece) - len(self._held)]

    def close(self) -> str:
        """The first half whose second one never came."""
        held, self._held = self._held, ""
        return held


def whole(text: str) -> str:
    """A text in which first and second halves beside each other are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def joined(pieces: list[str]) -> str:
    """Pieces of a text as one, halves between them joined."""
    halves = Halves()
    return "".join([*map(halves.feed, pieces), halves.close()])
