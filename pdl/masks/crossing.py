"""The ends of a lexeme as a place, from which tokens go on with what is behind it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.masks.places import Place


class Crossing:
    """The ends of a lexeme as a place; the tokens that end there are the lexeme's own."""

    __slots__ = ("_found", "_high", "_kids", "_low", "_of")

    def __init__(self, found: Crossed, low: int, high: int, of: bytes | None) -> None:
        self._found = found
        self._low = low
        self._high = high
        self._of = of
        self._kids: dict[tuple[int, int], tuple[Place, ...]] = {}

    def toward(self, low: int, high: int) -> Iterable[Place]:
        """The place behind one more byte of a range, if any token comes there."""
        known = self._kids.get((low, high))
        if known is None:
            found = self._found.place((low, high), self._low, self._high, self._of)
            known = self._kids[low, high] = () if found is None else (found,)
        return known


class Crossed(ABC):
    """Tokens in rounds of a lexeme, at most so many, and the places of its ends."""

    most: int
    _behind: dict[tuple[int, int, bytes | None], Crossing]

    def behind(self, low: int, high: int, firsts: bytes | None) -> Crossing:
        """The place of all ends with some counts of rounds, both included."""
        key = (low, min(high, self.most), firsts)
        known = self._behind.get(key)
        if known is None:
            known = self._behind[key] = Crossing(self, low, high, firsts)
        return known

    @abstractmethod
    def place(
        self, span: tuple[int, int], low: int, high: int, firsts: bytes | None
    ) -> Place | None:
        """The place behind one more byte of a range; None if no token comes there."""
