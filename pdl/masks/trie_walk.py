"""A vocabulary's trie as it is walked level by level, and what tokens do in a lexeme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pdl.masks.protocol import WORD, packed, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.masks.vocabulary import Ints, Trie, Vocabulary

    Flags: TypeAlias = NDArray[np.bool_]

LEAVES, REFUSES = 254, 255
"""Targets in the table of a lexeme, where they are no members."""


class TrieWalk:
    """A vocabulary's trie, and of each node how many bytes are below it at most."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.trie = trie = vocabulary.trie
        self.size = words_of(len(vocabulary)) * WORD
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

    @property
    def highest(self) -> int:
        """The length of the longest token."""
        return self.trie.depth

    def marks(self) -> Flags:
        """No token."""
        return np.zeros(self.size, np.bool_)

    def mark(self, nodes: list[Ints], marks: Flags, *, value: bool = True) -> None:
        """Mark the tokens that end at some nodes."""
        if nodes:
            marks[token_rows(self.trie, np.concatenate(nodes))[0]] = value


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


class Lexeme(NamedTuple):
    """What tokens do in a lexeme: those that stay inside, and where others leave it.

    `exits` are the nodes after each byte that leads out, by the number of the member and the byte.
    """

    inside: Ints
    exits: dict[tuple[int, int], Ints]

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes."""
        held = sum(nodes.nbytes + 200 for nodes in self.exits.values())
        return self.inside.nbytes + held + 500


def scan_lexeme(walk: TrieWalk, table: bytes) -> Lexeme:
    """Follow all tokens in a lexeme, of which the table has the target of each byte and member."""
    trie = walk.trie
    rows = np.frombuffer(table, np.uint8).reshape(-1, 256)
    nodes, members = np.zeros(1, np.int32), np.zeros(1, np.uint8)
    inside: list[Ints] = []
    left: list[tuple[Ints, Ints]] = []
    while len(nodes):
        kids, above = children(trie, nodes)
        bytes_ = trie.byte[kids]
        targets = rows[members[above], bytes_]
        out = targets == LEAVES
        keys = members[above[out]].astype(np.int32) << 8 | bytes_[out]
        left.append((kids[out], keys))
        stay = targets < LEAVES
        nodes, members = kids[stay], targets[stay]
        inside.append(nodes)
    marks = walk.marks()
    walk.mark(inside, marks)
    kids, keys = (np.concatenate(part) for part in zip(*left, strict=True))
    order = keys.argsort(kind="stable")
    found, starts = np.unique(keys[order], return_index=True)
    parts = np.split(kids[order], starts[1:]) if len(found) else []
    exits = {divmod(key, 256): part for key, part in zip(found.tolist(), parts, strict=True)}
    return Lexeme(packed(marks), exits)


def set_bits(mask: Ints, tokens: Iterable[int]) -> None:
    """Add some tokens to a mask."""
    bits = mask.view(np.uint8)
    for token in tokens:
        bits[token >> 3] |= 1 << (token & 7)
