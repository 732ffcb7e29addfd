"""The tokens of a vocabulary as a trie in flat arrays, level by level and from left to right.

A node is a prefix of tokens. The nodes of one length stand together, in the order of their bytes;
so do the children of one node, the nodes below it in depth-first order, and its tokens in `order`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
