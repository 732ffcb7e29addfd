"""Where the bytes of tokens stand in a trie: nodes, and sets of nodes that are followed as one.

A token that ends one lexeme and begins the next is walked from the place where it crosses: the
nodes at which any token crosses there are one place, so that what follows is walked once for all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.masks.trie import Trie
    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]
    Bytes: TypeAlias = NDArray[np.uint8]

Place: TypeAlias = "int | Places"
"""A node of a trie, by its number, or several."""
ROOT = 0

_SIZE = 300  # of a place of several nodes, in bytes
_FEW = 16  # tokens that are kept as Python's numbers
_MOST = 16  # times all nodes: so many may be below the nodes of one place, which may be nested
_SEVERAL = 4  # nodes that are best made one place


class TangledError(Exception):
    """A grammar has so many ways to read a text that they are best followed together."""


class Places:
    """Nodes of a trie, below each of which the same may follow.

    `few` and `many` are the tokens that end here: a tuple if they are few, else an array; `below`
    is how many nodes there are below.
    """

    __slots__ = ("_columns", "_kids", "_rows", "below", "few", "many", "nodes")

    def __init__(self, columns: Columns, nodes: Ints) -> None:
        self._columns = columns
        self.nodes = nodes
        self._kids: dict[tuple[int, int], tuple[Place, ...]] = {}
        self._rows: tuple[Bytes, Ints] | None = None
        trie = columns.trie
        tokens, _ = token_rows(trie, nodes)
        is_few = len(tokens) <= _FEW
        self.few: tuple[int, ...] = tuple(tokens.tolist()) if is_few else ()
        self.many = None if is_few else tokens
        self.below = int((trie.last[nodes] - trie.first[nodes] - 1).sum(dtype=np.int64))
        if self.below > _MOST * len(trie):
            raise TangledError
        columns.spent += _SIZE + 4 * len(nodes) + 8 * len(tokens)

    def toward(self, low: int, high: int) -> tuple[Place, ...]:
        """The place behind one more byte of a range, if there is any."""
        known = self._kids.get((low, high))
        if known is None:
            known = self._kids[low, high] = self._grown(low, high)
            self._columns.spent += _SIZE // 4
        return known

    def _grown(self, low: int, high: int) -> tuple[Place, ...]:
        columns = self._columns
        if self._rows is None:
            kids, _ = children(columns.trie, self.nodes)
            bytes_ = columns.trie.byte[kids]
            order = bytes_.argsort(kind="stable")
            self._rows = (bytes_[order], kids[order])
            columns.spent += 5 * len(kids)
        bytes_, kids = self._rows
        start, end = bytes_.searchsorted((low, high + 1)).tolist()
        return (place(columns, kids[start:end]),) if start < end else ()


def place(columns: Columns, nodes: Ints) -> Place:
    """The place of some nodes, each of which may be there several times."""
    if len(nodes) > 1:
        nodes = np.sort(nodes)
        new = nodes[1:] != nodes[:-1]
        if not new.all():
            nodes = nodes[np.append(True, new)]
    return int(nodes[0]) if len(nodes) == 1 else Places(columns, nodes)


def is_nested(trie: Trie, nodes: Ints) -> bool:
    """Whether one of some nodes is below another one."""
    order = trie.first[nodes].argsort()
    firsts, lasts = trie.first[nodes][order], trie.last[nodes][order]
    return bool((firsts[1:] < np.maximum.accumulate(lasts)[:-1]).any())


def children(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """The children of some nodes, and the index of the parent of each."""
    return spans(trie.child[nodes], trie.child[nodes + 1])


def spans(starts: NDArray[Any], ends: NDArray[Any]) -> tuple[Ints, Ints]:
    """The numbers of some spans, and the index of the span of each."""
    counts = ends - starts
    rows = np.arange(len(starts), dtype=np.int32).repeat(counts)
    skipped = (starts - (counts.cumsum() - counts)).astype(np.int32)
    return skipped[rows] + np.arange(len(rows), dtype=np.int32), rows


def by_byte(trie: Trie, nodes: Ints) -> list[tuple[int, Ints]]:
    """Some nodes by their last bytes, each part in the order of the numbers."""
    bytes_ = trie.byte[nodes]
    order = bytes_.argsort(kind="stable")
    held = nodes[order]
    values, starts = np.unique(bytes_[order], return_index=True)
    return list(zip(values.tolist(), np.split(held, starts[1:]), strict=True))


def token_rows(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """The tokens that end at some nodes, and the index of the node of each."""
    lows = trie.low[nodes]
    counts = trie.own[nodes] - lows
    rows = counts.nonzero()[0].astype(np.int32)
    lows, counts = lows[rows], counts[rows]
    if len(rows) and counts.max() > 1:
        rows = rows.repeat(counts)
        inner = np.arange(len(rows), dtype=np.int32) - (counts.cumsum() - counts).repeat(counts)
        lows = lows.repeat(counts) + inner
    return trie.order[lows], rows


def view(array: NDArray[Any]) -> memoryview[int]:
    """An array whose items are had as Python's numbers, three times as fast."""
    return memoryview(array)  # type: ignore[arg-type]  # numpy's types do not say that it may be


class Columns:
    """A trie as it is followed node by node, and how much was learned of it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.trie = vocabulary.trie
        self.child = view(self.trie.child)
        self.byte = self.trie.byte.tobytes()
        self.first = view(self.trie.first)
        self.last = view(self.trie.last)
        self.low = view(self.trie.low)
        self.own = view(self.trie.own)
        self.order = view(self.trie.order)
        self.high = view(self.trie.high)
        self.levels = view(self.trie.levels)
        self._bytes = vocabulary.tokens.blob
        self._begins = view(vocabulary.tokens.ends)
        self._blob = np.frombuffer(vocabulary.tokens.blob, np.uint8)
        self._starts = vocabulary.tokens.ends
        self.forget()

    def forget(self) -> None:
        """Let go of what was learned."""
        self.spent = 0
        """The memory of what was learned, in bytes."""
        self._kids: dict[tuple[int, int], tuple[Place, ...]] = {}

    def below(self, place: Place) -> int:
        """How many nodes there are below a place."""
        if isinstance(place, Places):
            return place.below
        return self.last[place] - self.first[place] - 1

    def nodes(self, place: Place) -> Ints:
        """The nodes of a place."""
        return place.nodes if isinstance(place, Places) else np.array([place], np.int32)

    def toward(self, place: Place, low: int, high: int) -> tuple[Place, ...]:
        """The place behind one more byte of a range below a node, if there is any."""
        if isinstance(place, Places):
            return place.toward(low, high)
        start, end = self.child[place], self.child[place + 1]
        if low == high:
            at = self.byte.find(low, start, end)
            return () if at < 0 else (at,)
        first = bisect_left(self.byte, low, start, end)
        last = bisect_right(self.byte, high, first, end)
        if last - first <= _SEVERAL:
            return tuple(range(first, last))
        known = self._kids.get((first, last))
        if known is None:
            nodes = np.arange(first, last, dtype=np.int32)
            known = self._kids[first, last] = (Places(self, nodes),)
        return known

    def one_byte(self, token: int, depth: int) -> int:
        """The byte at some depth of a token that is longer than that."""
        return self._bytes[self._begins[token] + depth]

    def byte_of(self, tokens: Ints, depth: NDArray[Any]) -> Bytes:
        """The byte at some depth of tokens that are longer than that."""
        found: Bytes = self._blob[self._starts[tokens] + depth]
        return found

    @cached_property
    def by_place(self) -> Ints:
        """The nodes in depth-first order."""
        found = np.empty(len(self.trie), np.int32)
        found[self.trie.first] = np.arange(len(self.trie), dtype=np.int32)
        return found

    @cached_property
    def _sorted(self) -> dict[int, Ints]:
        nodes = np.arange(1, len(self.trie), dtype=np.int32)
        return dict(by_byte(self.trie, nodes))

    def ending(self, byte: int) -> Ints:
        """The nodes of a last byte, in the order of their numbers."""
        return self._sorted.get(byte, np.zeros(0, np.int32))
