"""The ends of a lexeme as a place, from which tokens go on with what is behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.masks.below import Below
    from pdl.masks.found import Found
    from pdl.masks.places import Place


class Crossing:
    """The ends of a lexeme as a place; the tokens that end there are the lexeme's own."""

    __slots__ = ("_found", "_high", "_kids", "_low", "_of")

    def __init__(self, found: Found | Below, low: int, high: int, of: bytes | None) -> None:
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
