"""Places that bytes lead to, by numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.masks.trie import Trie

    Ints: TypeAlias = NDArray[np.int32]


class Table:
    """Where each byte leads from each place: a row for a place, a column for a byte."""

    def __init__(self, table: Ints) -> None:
        self._table = table
        self._rows: list[list[int]] = table.tolist()

    def run(self, place: int, data: bytes) -> int:
        """The place behind some bytes."""
        for byte in data:
            place = self._rows[place][byte]
        return place

    def along(self, place: int, trie: Trie) -> Ints:
        """The place at each node of a trie."""
        places = np.full(len(trie), place, np.int32)
        for start, end in list(pairwise(trie.levels.tolist()))[1:]:
            above = places[trie.parent[start:end]]
            places[start:end] = self._table[above, trie.byte[start:end]]
        return places
