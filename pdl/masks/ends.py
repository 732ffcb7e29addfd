"""The nodes of a trie at which a lexeme may end, with the rounds that are complete at each.

`Crossing` is the ends of a lexeme as one place, from which tokens go on with what follows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.masks.trie import children, spans, view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.masks.trie import Columns, Place

    Ints: TypeAlias = NDArray[np.int32]
    Bytes: TypeAlias = NDArray[np.uint8]
    Counts: TypeAlias = NDArray[np.uint16]
    Rows: TypeAlias = tuple[Ints, Counts, Bytes]
    """Nodes or tokens, a count of each, and the byte with which each goes on at the place."""


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


_MANY = 4  # nodes of the trie for one that is an end


class Ends:
    """Some ends, in depth-first order."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        nodes, rounds, firsts = rows
        places = columns.trie.first[nodes]
        order = places.argsort(kind="stable")
        self.columns = columns
        self._places = places[order]
        self._rows: Rows = (nodes[order], rounds[order], firsts[order])
        self._views = (view(self._places), view(self._rows[1]))
        self._kids: tuple[Bytes, Rows] | None = None
        self.size = 11 * len(nodes)

    def __bool__(self) -> bool:
        return len(self._places) > 0

    def at(self, node: int) -> int | None:
        """The rounds that lie behind a node; None if it is no end."""
        places, rounds = self._views
        place = self.columns.first[node]
        at = bisect_left(places, place)
        return rounds[at] if at < len(places) and places[at] == place else None

    def most(self, node: int) -> int:
        """The most rounds that lie behind an end below a node, 0 if there is none."""
        places, rounds = self._views
        start = bisect_left(places, self.columns.first[node] + 1)
        end = bisect_left(places, self.columns.last[node], start)
        return max(rounds[start:end], default=0)

    def behind(self, nodes: Ints) -> Counts | None:
        """The rounds that lie behind each of some nodes; None if one of them is no end."""
        first = self.columns.trie.first[nodes]
        at = np.minimum(self._places.searchsorted(first), max(len(self._places) - 1, 0))
        if not self or (self._places[at] != first).any():
            return None
        return self._rows[1][at]

    def below(self, nodes: Ints) -> tuple[Ints, Counts, Ints]:
        """The ends below each of some nodes, their rounds, and the index of the node of each."""
        trie = self.columns.trie
        starts = self._places.searchsorted(trie.first[nodes] + 1)
        at, rows = spans(starts, self._places.searchsorted(trie.last[nodes]))
        return self._rows[0][at], self._rows[1][at], rows

    def crossing(self, low: int, high: int) -> Rows:
        """The nodes behind an end by one more byte of a range."""
        if self._kids is None:
            kids, above = children(self.columns.trie, self._rows[0])
            bytes_ = self.columns.trie.byte[kids]
            order = bytes_.argsort(kind="stable")
            above = above[order]
            rounds, firsts = self._rows[1][above], self._rows[2][above]
            self._kids = bytes_[order], (kids[order], rounds, firsts)
            self.columns.spent += 8 * len(kids)
        bytes_, (nodes, rounds, firsts) = self._kids
        start, end = bytes_.searchsorted((low, high + 1))
        return nodes[start:end], rounds[start:end], firsts[start:end]


class ManyEnds(Ends):
    """Ends that are a large part of all nodes: a count for each node, in depth-first order."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        nodes, rounds, firsts = rows
        places = columns.trie.first[nodes]
        self.columns = columns
        self._counts = np.zeros(len(columns.trie), np.uint16)
        self._counts[places] = rounds + np.uint16(1)
        self._firsts = np.zeros(len(columns.trie), np.uint8)
        self._firsts[places] = firsts
        self._view = view(self._counts)
        self.are_all = int(np.count_nonzero(self._counts)) == len(nodes)
        """Whether no node was there twice."""
        self.size = 3 * len(columns.trie)

    def __bool__(self) -> bool:
        return True

    def at(self, node: int) -> int | None:
        """The rounds that lie behind a node; None if it is no end."""
        count = self._view[self.columns.first[node]]
        return count - 1 if count else None

    def most(self, node: int) -> int:
        """The most rounds that lie behind an end below a node, 0 if there is none."""
        columns = self.columns
        counts = self._view[columns.first[node] + 1 : columns.last[node]]
        return max(1, max(counts, default=1)) - 1

    def behind(self, nodes: Ints) -> Counts | None:
        """The rounds that lie behind each of some nodes; None if one of them is no end."""
        found = self._counts[self.columns.trie.first[nodes]]
        return found - np.uint16(1) if found.all() else None

    def below(self, nodes: Ints) -> tuple[Ints, Counts, Ints]:
        """The ends below each of some nodes, their rounds, and the index of the node of each."""
        trie = self.columns.trie
        places, rows = spans(trie.first[nodes] + 1, trie.last[nodes])
        counts = self._counts[places]
        held = counts.nonzero()[0]
        return self.columns.by_place[places[held]], counts[held] - np.uint16(1), rows[held]

    def crossing(self, low: int, high: int) -> Rows:
        """The nodes behind an end by one more byte of a range."""
        trie = self.columns.trie
        kids = np.concatenate([self.columns.ending(byte) for byte in range(low, high + 1)])
        above = trie.first[trie.parent[kids]]
        counts = self._counts[above]
        held = counts.nonzero()[0]
        return kids[held], counts[held] - np.uint16(1), self._firsts[above[held]]


def ends_of(columns: Columns, rows: Rows) -> Ends:
    """The ends of some rows; a node may be there several times if they are few."""
    if len(rows[0]) * _MANY < len(columns.trie):
        return Ends(columns, rows)
    found = ManyEnds(columns, rows)
    return found if found.are_all else Ends(columns, rows)
