"""Rounds of a lexeme from one node on, as a part of what was found from the root on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import numpy as np

from pdl.masks.crossing import Crossed
from pdl.masks.places import place

if TYPE_CHECKING:
    from pdl.masks.bags import Bag
    from pdl.masks.found import Found
    from pdl.masks.places import Place

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
