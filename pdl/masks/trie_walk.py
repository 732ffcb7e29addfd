"""A vocabulary's trie as it is walked, and sets of its nodes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pdl.masks.protocol import WORD, packed, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.masks.vocabulary import Ints, Trie, Vocabulary

    Flags: TypeAlias = NDArray[np.bool_]


class TrieWalk:
    """A vocabulary's trie, and of each node how many bytes are below it at most."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.trie = trie = vocabulary.trie
        self.words = words_of(len(vocabulary))
        self.grown = 0
        """The memory of all children that were ever found, in bytes."""
        self.height = np.zeros(len(trie), np.int32)
        for start, end in zip(trie.levels[-2:0:-1], trie.levels[:1:-1], strict=True):
            above = trie.parent[start:end]
            np.maximum.at(self.height, above, self.height[start:end] + np.int32(1))
        self.kids: Any = memoryview(trie.child)  # type: ignore[arg-type]  # fast numbers
        self.heights: Any = memoryview(self.height)  # type: ignore[arg-type]  # the same
        self.bytes = trie.byte.tobytes()
        roots = slice(int(trie.child[0]), int(trie.child[1]))
        self.weights = np.zeros(256, np.int64)
        self.weights[trie.byte[roots]] = trie.last[roots] - trie.first[roots]

    @cached_property
    def root(self) -> NodeSet:
        """The root alone."""
        return NodeSet(self, np.zeros(1, np.int32))

    @cached_property
    def with_byte(self) -> list[Ints]:
        """The nodes of each byte, in order."""
        order = self.trie.byte.argsort(kind="stable").astype(np.int32)
        ends = np.bincount(self.trie.byte, minlength=256).cumsum()
        return [part[part > 0] for part in np.split(order, ends[:-1])]

    @cached_property
    def _tokens(self) -> tuple[Ints, Ints, Ints]:
        """The first token at each node, or -1; the other ones, and the first of each's node."""
        trie = self.trie
        none = np.int32(-1)
        first = np.where(trie.own > trie.low, np.append(trie.order, none)[trie.low], none)
        more = np.maximum(trie.own - trie.low - 1, 0)
        return first, trie.order[spans(trie.low + 1, more)], first.repeat(more)

    def mask_of(self, nodes: Ints) -> Ints:
        """The mask of the tokens that end at some nodes."""
        first, others, same = self._tokens
        marks = np.zeros(self.words * WORD + WORD, np.bool_)  # of which -1 is the last
        marks[first[nodes]] = True
        marks[others] = marks[same]
        return packed(marks)[:-1]

    def mask_below(self, nodes: Ints) -> Ints:
        """The mask of the tokens that end at some nodes or below them."""
        marks = np.zeros(self.words * WORD, np.bool_)
        low = self.trie.low[nodes]
        marks[self.trie.order[spans(low, self.trie.high[nodes] - low)]] = True
        return packed(marks)


def children(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """The children of some nodes, and how many each of these has."""
    starts = trie.child[nodes]
    counts = trie.child[nodes + 1] - starts
    return spans(starts, counts), counts


def spans(starts: Ints, counts: Ints) -> Ints:
    """So many numbers from each start on."""
    skipped = counts.cumsum(dtype=np.int32)
    size = int(skipped[-1]) if len(skipped) else 0
    found: Ints = (starts - skipped + counts).repeat(counts) + np.arange(size, dtype=np.int32)
    return found


def set_bits(mask: Ints, tokens: Ints) -> None:
    """Add some tokens to a mask."""
    np.bitwise_or.at(mask.view(np.uint8), tokens >> 3, (1 << (tokens & 7)).astype(np.uint8))


class NodeSet:
    """Nodes that have children, known by identity."""

    def __init__(self, walk: TrieWalk, nodes: Ints) -> None:
        self._walk = walk
        self._nodes = nodes
        self._kids: dict[int, tuple[Ints, NodeSet]] = {}

    @property
    def nodes(self) -> Ints:
        """The nodes."""
        return self._nodes

    @property
    def most(self) -> int:
        """How many nodes there are at most."""
        return len(self._nodes)

    @cached_property
    def height(self) -> int:
        """How many bytes are below a node at most."""
        return int(self._walk.height[self.nodes].max(initial=0))

    def kids(self, byte: int) -> tuple[Ints, NodeSet]:
        """Their children after a byte, and those of these that have children."""
        found = self._kids.get(byte)
        if found is None:
            walk = self._walk
            kids = self._found(byte)
            found = self._kids[byte] = kids, NodeSet(walk, kids[walk.height[kids] > 0])
            walk.grown += kids.nbytes + found[1].size
        return found

    def _found(self, byte: int) -> Ints:
        trie, kids = self._walk.trie, self._walk.with_byte[byte]
        is_one = np.zeros(len(trie), np.bool_)
        is_one[self._nodes] = True
        found: Ints = kids[is_one[trie.parent[kids]]]
        return found

    @property
    def size(self) -> int:
        """The memory that they take, in bytes."""
        kids = sum(kids.nbytes + inner.size for kids, inner in self._kids.values())
        return self._nodes.nbytes + kids + 300


class RestOfNodes(NodeSet):
    """Those of another set that are neither among some nodes, nor others or below these.

    They share what that set knows, as it may have most nodes of the trie.
    """

    def __init__(self, walk: TrieWalk, base: NodeSet, nodes: Ints, above: Ints) -> None:
        trie = walk.trie
        starts = np.concatenate([[-1], trie.first[nodes], trie.first[above]])
        order = starts.argsort()
        super().__init__(walk, starts[order])
        self._ends = np.concatenate([[0], trie.first[nodes] + 1, trie.last[above]])[order]
        self._base = base
        self.height = base.height

    @property
    def nodes(self) -> Ints:
        """The nodes."""
        held = self._base.nodes
        return held[self._kept(held)]

    @property
    def most(self) -> int:
        """How many nodes there are at most."""
        return self._base.most

    def _kept(self, nodes: Ints) -> Flags:
        """Which nodes are in no span."""
        first = self._walk.trie.first[nodes]
        kept: Flags = first >= self._ends[self._nodes.searchsorted(first, "right") - 1]
        return kept

    def _found(self, byte: int) -> Ints:
        kids, _ = self._base.kids(byte)
        return kids[self._kept(self._walk.trie.parent[kids])]
