"""The text that is at hand, and where reading stands in it."""

from __future__ import annotations

_KEPT = 2048  # characters behind which are kept: no reader looks back further
_TRIM = 8192  # characters that have been read, beyond which the older ones are dropped


class Cursor:
    """A window on a reply: `text` from offset `base` of the reply on, read as far as `at`.

    Readers move `at`. One that needs to see more than there is leaves it where it is and says so;
    it decides by what stands there, never by where the window ends, so that the pieces in which a
    reply comes make no difference. None waits for more than a bounded number of characters.
    """

    __slots__ = ("at", "base", "end", "text")

    def __init__(self, base: int) -> None:
        self.text = ""
        self.base = base
        self.at = self.end = 0

    def add(self, piece: str) -> None:
        """Append a piece, and drop what nobody will look at again."""
        if self.at > _TRIM:
            drop = self.at - _KEPT
            self.text = self.text[drop:]
            self.base += drop
            self.at -= drop
        self.text += piece
        self.end = len(self.text)

    @property
    def offset(self) -> int:
        """The offset in the reply of what is to be read next."""
        return self.base + self.at
