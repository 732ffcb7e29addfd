"""The tokens of a vocabulary as a trie in flat arrays, level by level and from left to right.

A node is a prefix of tokens. The nodes of one length stand together, in the order of their bytes;
so do the children of one node, the nodes below it in depth-first order, and its tokens in `order`.

The bytes of tokens stand at places in the trie: nodes, and sets of nodes that are followed as one
(`Places`). A token that ends one lexeme and begins the next is walked from the place where it
crosses: the nodes at which any token crosses there are one place, so that what follows is walked
once for all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]
    Bytes: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Trie:
    """A trie over bytes; node 0 is the root, the empty prefix. All arrays are read-only.

    A node's children are `child[node]` to `child[node + 1]`, and `levels[d]` to `levels[d + 1]` are
    the nodes of `d` bytes. Below a node, itself included, are those whose `first` is in the range
    from its own `first` to its `last`; its tokens and theirs are `order[low[node]:high[node]]`, of
    which the first, up to `own[node]`, end at the node itself.
    """

    levels: Ints
    """Where each level begins, and where the last one ends."""
    parent: Ints
    """The node of one byte less; that of the root is -1."""
    byte: Bytes
    """The last byte of a node; that of the root means nothing."""
    child: Ints
    """The first child of each node, and one more: the end of the last node's."""
    first: Ints
    """The number of each node in depth-first order, children in the order of their bytes."""
    last: Ints
    """The number behind the last one below a node."""
    order: Ints
    """The numbers of all tokens, in the order of their bytes, then of their numbers."""
    low: Ints
    """Where the tokens of a node, and of all below it, begin in `order`."""
    own: Ints
    """Where those end that end at the node itself."""
    high: Ints
    """Where those end that end at it or below it."""

    def __len__(self) -> int:
        """How many nodes there are, the root included."""
        return len(self.byte)

    @property
    def depth(self) -> int:
        """The length of the longest token, in bytes."""
        return len(self.levels) - 2

    def find(self, data: bytes) -> int | None:
        """The node of some bytes; None if no token begins with them."""
        node: int | None = 0
        for byte in data:
            if node is None:
                break
            node = self.step(node, byte)
        return node

    def step(self, node: int, byte: int) -> int | None:
        """The node of one byte more; None if no token goes on so."""
        start, end = int(self.child[node]), int(self.child[node + 1])
        at = start + int(np.searchsorted(self.byte[start:end], byte))
        return at if at < end and self.byte[at] == byte else None

    def tokens_at(self, node: int) -> Ints:
        """The tokens that end at a node."""
        return self.order[self.low[node] : self.own[node]]

    def tokens_below(self, node: int) -> Ints:
        """The tokens that end at a node or below it."""
        return self.order[self.low[node] : self.high[node]]


def build(tokens: Sequence[bytes], kept: Sequence[int]) -> Trie:
    """The trie of those tokens whose numbers are `kept`; those without bytes are left out."""
    held = [token for token in kept if tokens[token]]
    held.sort(key=tokens.__getitem__)  # stable, so that equal ones stay in order
    texts = [tokens[token] for token in held]
    sizes = np.fromiter(map(len, texts), np.int32, len(texts))
    blob = np.frombuffer(b"".join(texts), np.uint8)
    levels, parent, byte, low, high, node = _levels(blob, sizes)
    counts = np.bincount(node, minlength=len(byte)).astype(np.int32)
    child = _children(parent)
    first, last = _depth_first(levels, parent, child)
    order = np.array(held, np.int32)
    arrays = (levels, parent, byte, child, first, last, order, low, low + counts, high)
    for array in arrays:
        array.flags.writeable = False
    return Trie(*arrays)


def _levels(blob: Bytes, sizes: Ints) -> tuple[Ints, Ints, Bytes, Ints, Ints, Ints]:
    """Levels, parents, bytes and tokens of the nodes, and the node of each token.

    One look at each byte: on a level, a node begins where the node above or the byte changes.
    """
    starts = np.cumsum(sizes, dtype=np.int64) - sizes
    node = np.zeros(len(sizes), np.int32)
    longer = np.arange(len(sizes), dtype=np.int32)
    root = np.zeros(1, np.int32)
    parents, bytes_, lows = [root - 1], [root.astype(np.uint8)], [root]
    highs, levels = [root + np.int32(len(sizes))], [0, 1]
    for depth in range(int(sizes.max(initial=0))):
        longer = longer[sizes[longer] > depth]
        above, byte = node[longer], blob[starts[longer] + depth]
        new = np.ones(len(longer), np.bool_)
        new[1:] = (above[1:] != above[:-1]) | (byte[1:] != byte[:-1])
        node[longer] = np.cumsum(new, dtype=np.int32) + np.int32(levels[-1] - 1)
        ends = np.append(new[1:], True)
        parents.append(above[new])
        bytes_.append(byte[new])
        lows.append(longer[new])
        highs.append(longer[ends] + np.int32(1))
        levels.append(levels[-1] + len(parents[-1]))
    parent, low, high = (np.concatenate(one) for one in (parents, lows, highs))
    return np.array(levels, np.int32), parent, np.concatenate(bytes_), low, high, node


def _children(parent: Ints) -> Ints:
    """The first child of each node: they are in the order of their parents."""
    nodes = np.arange(len(parent) + 1, dtype=np.int32)
    return (np.searchsorted(parent[1:], nodes) + 1).astype(np.int32)


def _depth_first(levels: Ints, parent: Ints, child: Ints) -> tuple[Ints, Ints]:
    """The depth-first number of each node, and the one behind all below it."""
    sizes = np.ones(len(parent), np.int32)
    for start, end in _from_below(levels):
        sizes[parent[start] : parent[end - 1] + 1] += _sums(sizes, parent, start, end)
    before = np.cumsum(sizes, dtype=np.int64) - sizes
    first = np.zeros(len(parent), np.int64)
    for start, end in reversed(_from_below(levels)):
        above = parent[start:end]
        first[start:end] = first[above] + 1 + before[start:end] - before[child[above]]
    return first.astype(np.int32), (first + sizes).astype(np.int32)


def _from_below(levels: Ints) -> list[tuple[int, int]]:
    """The levels but the root's, the deepest first."""
    return list(pairwise(levels.tolist()))[:0:-1]


def _sums(sizes: Ints, parent: Ints, start: int, end: int) -> Ints:
    """What the nodes of one level hold for each node above, from the first that has children."""
    above = parent[start:end] - parent[start]
    return np.bincount(above, weights=sizes[start:end]).astype(np.int32)


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
