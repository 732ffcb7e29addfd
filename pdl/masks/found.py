"""What the tokens of a vocabulary do inside a lexeme: which stay in it, and where others leave.

`Found` tells it from the root of the trie on; `Below` tells it of the rounds from one node on, as a
part of what was found from the root on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.masks.bags import packed
from pdl.masks.ends import Crossed, ends_of
from pdl.masks.protocol import WORD
from pdl.masks.trie import place, spans, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pdl.masks.bags import Bag
    from pdl.masks.trie import Columns, Place

    Ints: TypeAlias = NDArray[np.int32]
    Bytes: TypeAlias = NDArray[np.uint8]
    Counts: TypeAlias = NDArray[np.uint16]
    Rows: TypeAlias = tuple[Ints, Counts, Bytes]


_SEVERAL = 8  # bytes of a range that are looked at one by one


class Below(Crossed):
    """What `Found` tells, of the tokens below a node at which a number of rounds is `done`.

    It takes no arrays of its own, for there are many such nodes with few tokens below each.
    """

    ends = True
    size = 300

    def __init__(self, whole: Found, node: int, done: int) -> None:
        columns = whole.columns
        self._whole = whole
        self._columns = columns
        self._node = node
        self._done = done
        self._depth = bisect_right(columns.levels, node) - 1
        self._behind = {}
        begun = whole.begun
        held = columns.order[columns.own[node] : columns.high[node]]
        self._tokens = [(token, begun[token] - done) for token in held if begun[token]]
        stay = max((count for _, count in self._tokens), default=0)
        self.most = max(stay, whole.ends.most(node) - done)

    def add(self, bag: Bag, most: int, firsts: bytes | None) -> None:
        """Add the tokens that begin at most so many rounds, with one of some bytes first."""
        if firsts is None:
            bag.few += [token for token, count in self._tokens if count <= most]
            return
        byte_of, depth = self._columns.one_byte, self._depth
        bag.few += [
            token
            for token, count in self._tokens
            if count <= most and firsts[byte_of(token, depth)]
        ]

    def place(
        self, span: tuple[int, int], low: int, high: int, firsts: bytes | None
    ) -> Place | None:
        """The place behind one more byte of a range; None if no token comes there."""
        first, last = span
        if last - first > _SEVERAL:
            whole = self._whole.below(np.array([self._node], np.int32))
            return whole.place(span, low, high, firsts) if whole else None
        held: list[int] = []
        for byte in range(first, last + 1):
            held += self._crossing(byte, low, high, firsts)
        return place(self._columns, np.array(sorted(held), np.int32)) if held else None

    def _crossing(self, byte: int, low: int, high: int, firsts: bytes | None) -> list[int]:
        """The nodes behind an end by one more byte."""
        columns, node, done = self._columns, self._node, self._done
        places, nodes, rounds = self._whole.by_depth(byte)
        start = bisect_left(places, columns.first[node] + 1)
        end = bisect_left(places, columns.last[node], start)
        found = [nodes[at] for at in range(start, end) if max(low, 1) <= rounds[at] - done <= high]
        if firsts is None:
            return found
        byte_of, depth = columns.one_byte, self._depth
        return [one for one in found if firsts[byte_of(columns.order[columns.low[one]], depth)]]


MOST = 65_534
"""The most rounds that are counted; no count is as good as that."""
_DENSE = 16  # a lexeme that takes more than one of so many tokens has a mask of its own
_FEW = 300  # tokens below a node that are looked at one by one


class Found(Crossed):
    """The tokens that a lexeme takes from a place on, and the nodes at which it may end.

    A lexeme may be a rule that is repeated. Of each token is known how many rounds it begins, of
    each end how many lie behind it, and of both the byte with which they begin at the place.
    """

    def __init__(self, columns: Columns, tokens: Rows, ends: Rows, size: int) -> None:
        self.columns = columns
        self._size = size
        self.ends = ends_of(columns, ends)
        self._inside: dict[tuple[int, bytes | None], Ints] = {}
        self._behind = {}
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
        words = -(-self._size // WORD) * WORD
        numbers, begun, firsts = tokens
        counts = np.zeros(words, np.uint16)
        counts[numbers] = begun
        if np.count_nonzero(counts) < len(numbers):
            return None
        bytes_ = np.zeros(words, np.uint8)
        bytes_[numbers] = firsts
        return counts, bytes_

    def begin(self, node: int) -> Below | None:
        """The same from one node on, if a round is complete there, and few tokens are below."""
        columns = self.columns
        if columns.high[node] - columns.own[node] > _FEW:
            return None
        done = self.ends.at(node)
        return None if done is None else Below(self, node, done)

    @cached_property
    def begun(self) -> memoryview[int]:
        """How many rounds each token begins, 0 if it is none of the lexeme."""
        return view(self._by_token)

    def by_depth(self, byte: int) -> tuple[memoryview[int], memoryview[int], memoryview[int]]:
        """The nodes behind an end by one more byte, depth first: their places in that order first.

        And the rounds that lie behind each.
        """
        known = self._sorted.get(byte)
        if known is None:
            nodes, rounds, _ = self.ends.crossing(byte, byte)
            places = self.columns.trie.first[nodes]
            order = places.argsort()
            self.columns.spent += 10 * len(order)
            known = (view(places[order]), view(nodes[order]), view(rounds[order]))
            self._sorted[byte] = known
        return known

    def below(self, nodes: Ints) -> Found | None:
        """The same from other nodes on; None if a round is not complete at one of them.

        Of a lexeme in rounds from the root on, of which each token's path is another one.
        """
        trie = self.columns.trie
        done = self.ends.behind(nodes)
        if done is None:
            return None
        depths = trie.levels.searchsorted(nodes, side="right") - 1
        at, rows = spans(trie.own[nodes], trie.high[nodes])
        numbers = trie.order[at]
        begun = self._by_token[numbers]
        kept = begun.nonzero()[0]
        numbers, rows = numbers[kept], rows[kept]
        firsts = self.columns.byte_of(numbers, depths[rows])
        tokens = (numbers, begun[kept] - done[rows], firsts)
        held, rounds, rows = self.ends.below(nodes)
        firsts = self.columns.byte_of(trie.order[trie.low[held]], depths[rows])
        return Found(self.columns, tokens, (held, rounds - done[rows], firsts), self._size)

    @cached_property
    def _by_token(self) -> Counts:
        """How many rounds each token begins, 0 if it is none of the lexeme."""
        if self.dense:
            return self._begun
        found = np.zeros(self._size, np.uint16)
        found[self._numbers] = self._begun
        self.columns.spent += found.nbytes
        return found

    def add(self, bag: Bag, most: int, firsts: bytes | None) -> None:
        """Add the tokens that begin at most so many rounds, with one of some bytes first."""
        held = self.inside(most, firsts)
        if self.dense:
            bag.masks.append(held)
        elif len(held):
            bag.many.append(held)

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
            self.columns.spent += known.nbytes + 200
        return known

    def place(
        self, span: tuple[int, int], low: int, high: int, firsts: bytes | None
    ) -> Place | None:
        """The place behind one more byte of a range; None if no token comes there."""
        kids, rounds, first = self.ends.crossing(*span)
        if low > 1 or high < self.most:
            held = (rounds >= low) & (rounds <= high)
            kids, first = kids[held], first[held]
        if firsts is not None:
            kids = kids[np.frombuffer(firsts, np.bool_)[first]]
        return place(self.columns, kids) if len(kids) else None


def nothing() -> Rows:
    """No tokens, or no nodes."""
    return np.zeros(0, np.int32), np.zeros(0, np.uint16), np.zeros(0, np.uint8)


def joined(parts: Sequence[Rows]) -> Rows:
    """Some rows, one after the other."""
    if len(parts) == 1:
        return parts[0]
    numbers, counts, firsts = zip(*parts, strict=True)
    return np.concatenate(numbers), np.concatenate(counts), np.concatenate(firsts)
