"""A text that grows at its end, of which any beginning can be had later."""

from __future__ import annotations

_MANY = 4096  # pieces that are joined to one block


class Growing:
    """Adding costs no more than the piece; the text is put together when it is asked for."""

    __slots__ = ("_blocks", "_length", "_pieces", "_whole")

    def __init__(self) -> None:
        self._whole = ""
        self._blocks: list[str] = []
        self._pieces: list[str] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, piece: str) -> None:
        """Append a piece."""
        self._length += len(piece)
        self._pieces.append(piece)
        if len(self._pieces) >= _MANY:
            self._blocks.append("".join(self._pieces))
            self._pieces.clear()

    def upto(self, length: int) -> str:
        """The first characters; those of an earlier moment are the same later."""
        if self._blocks or self._pieces:
            self._whole = "".join([self._whole, *self._blocks, *self._pieces])
            self._blocks.clear()
            self._pieces.clear()
        return self._whole[:length]

    def __str__(self) -> str:
        return self.upto(self._length)
