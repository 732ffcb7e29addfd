"""What the tokens of a vocabulary do inside a lexeme: which stay in it, and where others leave.

These are the context-independent tokens of Dong et al., "XGrammar: Flexible and Efficient
Structured Generation Engine for Large Language Models", 2024. `LexemeTokens` stores them from a
position on; `SubtrieView` derives those of repeated lexemes from one node on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.masks.protocol import WORD, packed, words_of
from pdl.masks.trie_index import LexemeView, children, position_of, spans, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.masks.trie_index import Position, TokenSetBuilder, TrieIndex
    from pdl.masks.vocabulary import Bytes, Counts, Ints

    Rows: TypeAlias = tuple[Ints, Counts, Bytes]
    """Nodes or tokens, a count of each, and the byte with which each continues at the position."""


_MANY = 4  # nodes of the trie for each that is accepting


class AcceptingNodes:
    """The nodes at which a lexeme may end, depth first, and the rounds complete at each."""

    def __init__(self, index: TrieIndex, rows: Rows) -> None:
        nodes, rounds, firsts = rows
        positions = index.trie.first[nodes]
        order = positions.argsort(kind="stable")
        self.index = index
        self._positions = positions[order]
        self._rows: Rows = (nodes[order], rounds[order], firsts[order])
        self._views = (view(self._positions), view(self._rows[1]))
        self._kids: tuple[Bytes, Rows] | None = None
        self.size = 11 * len(nodes)

    def __bool__(self) -> bool:
        return len(self._positions) > 0

    def at(self, node: int) -> int | None:
        """The rounds that are complete at a node; None if it is not accepting."""
        positions, rounds = self._views
        position = self.index.first[node]
        at = bisect_left(positions, position)
        return rounds[at] if at < len(positions) and positions[at] == position else None

    def most(self, node: int) -> int:
        """The most rounds that are complete at an accepting node below a node, or 0."""
        positions, rounds = self._views
        start = bisect_left(positions, self.index.first[node] + 1)
        end = bisect_left(positions, self.index.last[node], start)
        return max(rounds[start:end], default=0)

    def rounds_at(self, nodes: Ints) -> Counts | None:
        """The rounds that are complete at each of some nodes; None if one is not accepting."""
        first = self.index.trie.first[nodes]
        at = np.minimum(self._positions.searchsorted(first), max(len(self._positions) - 1, 0))
        if not self or (self._positions[at] != first).any():
            return None
        return self._rows[1][at]

    def below(self, nodes: Ints) -> tuple[Ints, Counts, Ints]:
        """The accepting nodes below each of some nodes, their rounds, the index of that node."""
        trie = self.index.trie
        starts = self._positions.searchsorted(trie.first[nodes] + 1)
        at, rows = spans(starts, self._positions.searchsorted(trie.last[nodes]))
        return self._rows[0][at], self._rows[1][at], rows

    def next_nodes(self, low: int, high: int) -> Rows:
        """The nodes one byte of a range after an accepting one."""
        if self._kids is None:
            kids, above = children(self.index.trie, self._rows[0])
            bytes_ = self.index.trie.byte[kids]
            order = bytes_.argsort(kind="stable")
            above = above[order]
            rounds, firsts = self._rows[1][above], self._rows[2][above]
            self._kids = bytes_[order], (kids[order], rounds, firsts)
            self.index.spent += 8 * len(kids)
        bytes_, (nodes, rounds, firsts) = self._kids
        start, end = bytes_.searchsorted((low, high + 1))
        return nodes[start:end], rounds[start:end], firsts[start:end]


class DenseAcceptingNodes(AcceptingNodes):
    """A large part of all nodes: a count for each node, in depth-first order."""

    def __init__(self, index: TrieIndex, rows: Rows) -> None:
        nodes, rounds, firsts = rows
        positions = index.trie.first[nodes]
        self.index = index
        self._counts = np.zeros(len(index.trie), np.uint16)
        self._counts[positions] = rounds + np.uint16(1)
        self._firsts = np.zeros(len(index.trie), np.uint8)
        self._firsts[positions] = firsts
        self._view = view(self._counts)
        self.are_all = int(np.count_nonzero(self._counts)) == len(nodes)
        """Whether no node was there twice."""
        self.size = 3 * len(index.trie)

    def __bool__(self) -> bool:
        return True

    def at(self, node: int) -> int | None:
        """The rounds that are complete at a node; None if it is not accepting."""
        count = self._view[self.index.first[node]]
        return count - 1 if count else None

    def most(self, node: int) -> int:
        """The most rounds that are complete at an accepting node below a node, or 0."""
        index = self.index
        counts = self._view[index.first[node] + 1 : index.last[node]]
        return max(1, max(counts, default=1)) - 1

    def rounds_at(self, nodes: Ints) -> Counts | None:
        """The rounds that are complete at each of some nodes; None if one is not accepting."""
        found = self._counts[self.index.trie.first[nodes]]
        return found - np.uint16(1) if found.all() else None

    def below(self, nodes: Ints) -> tuple[Ints, Counts, Ints]:
        """The accepting nodes below each of some nodes, their rounds, the index of that node."""
        trie = self.index.trie
        positions, rows = spans(trie.first[nodes] + 1, trie.last[nodes])
        counts = self._counts[positions]
        held = counts.nonzero()[0]
        return self.index.by_position[positions[held]], counts[held] - np.uint16(1), rows[held]

    def next_nodes(self, low: int, high: int) -> Rows:
        """The nodes one byte of a range after an accepting one."""
        trie = self.index.trie
        kids = np.concatenate([self.index.ending(byte) for byte in range(low, high + 1)])
        above = trie.first[trie.parent[kids]]
        counts = self._counts[above]
        held = counts.nonzero()[0]
        return kids[held], counts[held] - np.uint16(1), self._firsts[above[held]]


def accepting_nodes(index: TrieIndex, rows: Rows) -> AcceptingNodes:
    """The accepting nodes of some rows; a node may be there several times if they are few."""
    if len(rows[0]) * _MANY < len(index.trie):
        return AcceptingNodes(index, rows)
    found = DenseAcceptingNodes(index, rows)
    return found if found.are_all else AcceptingNodes(index, rows)


_SEVERAL = 8  # bytes of a range that are looked at one by one


class SubtrieView(LexemeView):
    """A view of `LexemeTokens` below a node at which some number of rounds is `done`.

    It has no arrays, since there are many such nodes with few tokens below each.
    """

    ends = True
    size = 300

    def __init__(self, whole: LexemeTokens, node: int, done: int) -> None:
        index = whole.index
        self._whole = whole
        self._index = index
        self._node = node
        self._done = done
        self._depth = bisect_right(index.levels, node) - 1
        self._exits = {}
        begun = whole.begun
        held = index.order[index.own[node] : index.high[node]]
        self._tokens = [(token, begun[token] - done) for token in held if begun[token]]
        stay = max((count for _, count in self._tokens), default=0)
        self.most = max(stay, whole.ends.most(node) - done)

    def add(self, builder: TokenSetBuilder, most: int, firsts: bytes | None) -> None:
        """Add the tokens that begin at most so many rounds, with one of some bytes first."""
        if firsts is None:
            builder.few += [token for token, count in self._tokens if count <= most]
            return
        byte_of, depth = self._index.one_byte, self._depth
        builder.few += [
            token
            for token, count in self._tokens
            if count <= most and firsts[byte_of(token, depth)]
        ]

    def position(
        self, span: tuple[int, int], low: int, high: int, firsts: bytes | None
    ) -> Position | None:
        """The position after one more byte of a range; None if no token gets there."""
        first, last = span
        if last - first > _SEVERAL:
            whole = self._whole.below(np.array([self._node], np.int32))
            return whole.position(span, low, high, firsts) if whole else None
        held: list[int] = []
        for byte in range(first, last + 1):
            held += self._next_nodes(byte, low, high, firsts)
        return position_of(self._index, np.array(sorted(held), np.int32)) if held else None

    def _next_nodes(self, byte: int, low: int, high: int, firsts: bytes | None) -> list[int]:
        """The nodes one byte after an accepting one."""
        index, node, done = self._index, self._node, self._done
        positions, nodes, rounds = self._whole.by_depth(byte)
        start = bisect_left(positions, index.first[node] + 1)
        end = bisect_left(positions, index.last[node], start)
        found = [nodes[at] for at in range(start, end) if max(low, 1) <= rounds[at] - done <= high]
        if firsts is None:
            return found
        byte_of, depth = index.one_byte, self._depth
        return [one for one in found if firsts[byte_of(index.order[index.low[one]], depth)]]


MOST = 65_534
"""The most rounds that are counted; no count is as good as that."""
_DENSE = 16  # a lexeme that takes more than one in so many tokens has its own mask
_FEW = 300  # tokens below a node that are looked at one by one


class LexemeTokens(LexemeView):
    """The tokens that a lexeme takes from a position on, and the nodes at which it may end.

    A lexeme may be a rule that is repeated. Of each token is known how many rounds it begins, of
    each accepting node how many are complete, and of both the byte with which they begin there.
    """

    def __init__(self, index: TrieIndex, tokens: Rows, ends: Rows, size: int) -> None:
        self.index = index
        self._size = size
        self.ends = accepting_nodes(index, ends)
        self._inside: dict[tuple[int, bytes | None], Ints] = {}
        self._exits = {}
        self._sorted: dict[int, tuple[memoryview[int], memoryview[int], memoryview[int]]] = {}
        numbers, begun, firsts = tokens
        self.most = int(max(begun.max(initial=0), ends[1].max(initial=0)))
        dense = self._spread(tokens) if len(numbers) * _DENSE > size else None
        self.dense = dense is not None
        self._begun, self._first = dense or (begun, firsts)
        numbers = numbers[:0] if dense else numbers
        self._numbers = numbers
        held = (numbers, self._begun, self._first)
        self.size = 500 + self.ends.size + sum(one.nbytes for one in held)

    def _spread(self, tokens: Rows) -> tuple[Counts, Bytes] | None:
        """The counts and first bytes of all tokens; None if one is there twice.

        As it may be below nodes of which one is below the other.
        """
        words = words_of(self._size) * WORD
        numbers, begun, firsts = tokens
        counts = np.zeros(words, np.uint16)
        counts[numbers] = begun
        if np.count_nonzero(counts) < len(numbers):
            return None
        bytes_ = np.zeros(words, np.uint8)
        bytes_[numbers] = firsts
        return counts, bytes_

    def begin(self, node: int) -> SubtrieView | None:
        """The same from one node on, if a round is complete there, and few tokens are below."""
        index = self.index
        if index.high[node] - index.own[node] > _FEW:
            return None
        done = self.ends.at(node)
        return None if done is None else SubtrieView(self, node, done)

    @cached_property
    def begun(self) -> memoryview[int]:
        """How many rounds each token begins, 0 if it is not in the lexeme."""
        return view(self._by_token)

    def by_depth(self, byte: int) -> tuple[memoryview[int], memoryview[int], memoryview[int]]:
        """The nodes one byte after an accepting one: their depth-first numbers, in order, and they.

        And the rounds that are complete at each.
        """
        known = self._sorted.get(byte)
        if known is None:
            nodes, rounds, _ = self.ends.next_nodes(byte, byte)
            positions = self.index.trie.first[nodes]
            order = positions.argsort()
            self.index.spent += 10 * len(order)
            known = (view(positions[order]), view(nodes[order]), view(rounds[order]))
            self._sorted[byte] = known
        return known

    def below(self, nodes: Ints) -> LexemeTokens | None:
        """The same from other nodes on; None if a round is not complete at one of them.

        Of a lexeme in rounds from the root on, of which each token's path is another one.
        """
        trie = self.index.trie
        done = self.ends.rounds_at(nodes)
        if done is None:
            return None
        depths = trie.levels.searchsorted(nodes, side="right") - 1
        at, rows = spans(trie.own[nodes], trie.high[nodes])
        numbers = trie.order[at]
        begun = self._by_token[numbers]
        kept = begun.nonzero()[0]
        numbers, rows = numbers[kept], rows[kept]
        firsts = self.index.byte_of(numbers, depths[rows])
        tokens = (numbers, begun[kept] - done[rows], firsts)
        held, rounds, rows = self.ends.below(nodes)
        firsts = self.index.byte_of(trie.order[trie.low[held]], depths[rows])
        return LexemeTokens(self.index, tokens, (held, rounds - done[rows], firsts), self._size)

    @cached_property
    def _by_token(self) -> Counts:
        """How many rounds each token begins, 0 if it is not in the lexeme."""
        if self.dense:
            return self._begun
        found = np.zeros(self._size, np.uint16)
        found[self._numbers] = self._begun
        self.index.spent += found.nbytes
        return found

    def add(self, builder: TokenSetBuilder, most: int, firsts: bytes | None) -> None:
        """Add the tokens that begin at most so many rounds, with one of some bytes first."""
        held = self.inside(most, firsts)
        if self.dense:
            builder.masks.append(held)
        elif len(held):
            builder.many.append(held)

    def inside(self, most: int, firsts: bytes | None) -> Ints:
        """The tokens that begin at most so many rounds, with one of some bytes first.

        A mask if `dense`, else their numbers. `firsts` has a byte that is 1 for each that may be.
        """
        if most >= self.most and firsts is None and not self.dense:
            return self._numbers
        key = (min(most, self.most), firsts)
        known = self._inside.get(key)
        if known is None:
            kept = self._begun - np.uint16(1) < most
            if firsts is not None:
                kept &= np.frombuffer(firsts, np.bool_)[self._first]
            known = self._inside[key] = packed(kept) if self.dense else self._numbers[kept]
            self.index.spent += known.nbytes + 200
        return known

    def position(
        self, span: tuple[int, int], low: int, high: int, firsts: bytes | None
    ) -> Position | None:
        """The position after one more byte of a range; None if no token gets there."""
        kids, rounds, first = self.ends.next_nodes(*span)
        if low > 1 or high < self.most:
            held = (rounds >= low) & (rounds <= high)
            kids, first = kids[held], first[held]
        if firsts is not None:
            kids = kids[np.frombuffer(firsts, np.bool_)[first]]
        return position_of(self.index, kids) if len(kids) else None


def nothing() -> Rows:
    """No tokens, or no nodes."""
    return np.zeros(0, np.int32), np.zeros(0, np.uint16), np.zeros(0, np.uint8)


def joined(parts: Sequence[Rows]) -> Rows:
    """Some rows, one after the other."""
    if len(parts) == 1:
        return parts[0]
    numbers, counts, firsts = zip(*parts, strict=True)
    return np.concatenate(numbers), np.concatenate(counts), np.concatenate(firsts)
