"""A vocabulary's trie as it is walked, and sets of its tokens."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pdl.masks.protocol import WORD, packed, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.masks.vocabulary import Ints, Trie, Vocabulary

    Flags: TypeAlias = NDArray[np.bool_]

_MANY = 1000  # nodes of which the tokens are faster noted all at once
_BIT = (1 << np.arange(8)).astype(np.uint8)
_DENSE = 300  # numbers of a mask that are kept as the whole mask


class TrieWalk:
    """A vocabulary's trie, and of each node how many bytes are below it at most."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.trie = trie = vocabulary.trie
        self.words = words_of(len(vocabulary))
        self.grown = 0
        """The memory of all kids that were ever found, in bytes."""
        self.height = np.zeros(len(trie), np.int32)
        for start, end in zip(trie.levels[-2:0:-1], trie.levels[:1:-1], strict=True):
            above = trie.parent[start:end]
            np.maximum.at(self.height, above, self.height[start:end] + np.int32(1))
        self.kids = view(trie.child)
        self.bytes = trie.byte.tobytes()
        self.heights = view(self.height)
        roots = slice(int(trie.child[0]), int(trie.child[1]))
        self.weights = np.zeros(256, np.int64)
        self.weights[trie.byte[roots]] = trie.last[roots] - trie.first[roots]

    @cached_property
    def is_leaf(self) -> Flags:
        """Which nodes have no children."""
        found: Flags = self.trie.child[:-1] == self.trie.child[1:]
        return found

    @cached_property
    def text(self) -> tuple[Ints, Ints]:
        """The tokens that are text, and the node at which each ends."""
        return token_rows(self.trie, np.arange(len(self.trie), dtype=np.int32))

    @cached_property
    def _token(self) -> Ints | None:
        """The token of each node, -1 if it has none; None if a node has several."""
        tokens, nodes = self.text
        found = np.full(len(self.trie), -1, np.int32)
        found[nodes] = tokens
        return found if np.count_nonzero(found >= 0) == len(tokens) else None

    @cached_property
    def with_byte(self) -> list[Ints]:
        """The nodes of each byte, in order."""
        order = self.trie.byte.argsort(kind="stable").astype(np.int32)
        ends = np.bincount(self.trie.byte, minlength=256).cumsum()
        return [part[part > 0] for part in np.split(order, ends[:-1])]

    def inner(self, nodes: Ints) -> Ints:
        """Those of some nodes that have children."""
        found: Ints = nodes[~self.is_leaf[nodes]]
        return found

    def tokens(self, nodes: Ints) -> TokenSet:
        """The tokens that end at some nodes."""
        return TokenSet(self.mask_of(nodes))

    def mask_of(self, nodes: Ints) -> Ints:
        """The same as a mask."""
        marks = np.zeros(self.words * WORD, np.bool_)
        marks[token_rows(self.trie, nodes)[0]] = True
        return packed(marks)

    def mark(self, nodes: list[Ints], mask: Ints) -> None:
        """Add the tokens that end at some nodes to a mask."""
        if not nodes:
            return
        held = np.concatenate(nodes)
        if len(held) > _MANY or self._token is None:
            mask |= self.mask_of(held)
        else:
            tokens = self._token[held]
            tokens = tokens[tokens >= 0]
            np.bitwise_or.at(mask.view(np.uint8), tokens >> 3, _BIT[tokens & 7])


def view(array: NDArray[Any]) -> Any:
    """An array whose items are had as Python's numbers, three times as fast."""
    return memoryview(array)  # type: ignore[arg-type]  # numpy's types do not say that it may be


def children(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """The children of some nodes, and the index of the parent of each."""
    return spans(trie.child[nodes], trie.child[nodes + 1])


def spans(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The numbers of some spans, and the index of the span of each."""
    counts = ends - starts
    rows = np.arange(len(starts), dtype=np.int32).repeat(counts)
    skipped = (starts - (counts.cumsum() - counts)).astype(np.int32)
    return skipped[rows] + np.arange(len(rows), dtype=np.int32), rows


def token_rows(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """The tokens that end at some nodes, and the index of the node of each."""
    at, rows = spans(trie.low[nodes], trie.own[nodes])
    return trie.order[at], rows


def set_bits(mask: Ints, tokens: Iterable[int]) -> None:
    """Add some tokens to a mask."""
    bits = mask.view(np.uint8)
    for token in tokens:
        bits[token >> 3] |= 1 << (token & 7)


class TokenSet:
    """Tokens as a mask; of a sparse one, only the numbers with any token."""

    __slots__ = ("_mask", "_places")

    def __init__(self, mask: Ints) -> None:
        places = mask.nonzero()[0]
        is_dense = len(places) > _DENSE
        self._places = None if is_dense else places
        self._mask = mask if is_dense else mask[places]

    def add_to(self, mask: Ints) -> None:
        """Add them to a mask."""
        if self._places is None:
            mask |= self._mask
        elif len(self._places):
            mask[self._places] |= self._mask

    @property
    def size(self) -> int:
        """The memory that they take, in bytes."""
        return self._mask.nbytes * (1 if self._places is None else 3) + 300


class Kids:
    """Some nodes of one byte: the tokens that end there, and those that have children."""

    __slots__ = ("inner", "nodes", "tokens")

    def __init__(self, walk: TrieWalk, nodes: Ints) -> None:
        self.nodes = nodes
        self.tokens = walk.tokens(nodes)
        self.inner = Exits(walk, walk.inner(nodes))
        walk.grown += self.size

    @property
    def size(self) -> int:
        """The memory that they take, in bytes."""
        return self.nodes.nbytes + self.tokens.size + self.inner.size


class Exits:
    """Nodes that have children, at which a lexeme may end, or a rule begin."""

    def __init__(self, walk: TrieWalk, nodes: Ints) -> None:
        self._walk = walk
        self._nodes: Ints | None = nodes
        self._kids: dict[int, Kids] = {}

    @property
    def nodes(self) -> Ints:
        """The nodes, in order."""
        assert self._nodes is not None
        return self._nodes

    @property
    def most(self) -> int:
        """How many nodes there are at most."""
        return len(self.nodes)

    def kids(self, byte: int) -> Kids:
        """Their children after a byte."""
        found = self._kids.get(byte)
        if found is None:
            found = self._kids[byte] = Kids(self._walk, self._found(byte))
        return found

    def _found(self, byte: int) -> Ints:
        nodes = self.nodes
        kids = self._walk.with_byte[byte]
        parents = self._walk.trie.parent[kids]
        at = nodes.searchsorted(parents)
        at[at == len(nodes)] = 0
        found: Ints = kids[nodes[at] == parents]
        return found

    @property
    def size(self) -> int:
        """The memory that they take, in bytes."""
        nodes = 0 if self._nodes is None else self._nodes.nbytes
        return nodes + sum(one.size for one in self._kids.values()) + 300


class OtherExits(Exits):
    """Those of another lexeme, but for the nodes at which the two differ."""

    def __init__(self, walk: TrieWalk, base: Exits, touched: Ints, lost: Ints) -> None:
        super().__init__(walk, touched[:0])
        self._nodes = None
        self._base = base
        self._touched = touched
        trie = walk.trie
        firsts = trie.first[lost]
        order = firsts.argsort()
        self._firsts, self._lasts = firsts[order], trie.last[lost][order]

    @property
    def nodes(self) -> Ints:
        """The nodes, in order."""
        if self._nodes is None:
            held = self._base.nodes
            self._nodes = held[self._kept(held)]
        return self._nodes

    @property
    def most(self) -> int:
        """How many nodes there are at most."""
        return self._base.most

    def _kept(self, nodes: Ints) -> Flags:
        """Which nodes are the same."""
        kept = np.ones(len(nodes), np.bool_)
        if len(self._touched):
            at = self._touched.searchsorted(nodes)
            at[at == len(self._touched)] = 0
            kept = self._touched[at] != nodes
        if len(self._firsts):
            first = self._walk.trie.first[nodes]
            at = self._firsts.searchsorted(first, "right") - 1
            kept &= (at < 0) | (first >= self._lasts[at])
        return kept

    def _found(self, byte: int) -> Ints:
        held = self._base.kids(byte).nodes
        return held[self._kept(self._walk.trie.parent[held])]
