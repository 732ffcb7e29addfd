"""A walk over all tokens below a place at once, level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.masks.found import MOST, Found, joined, nothing
from pdl.masks.places import children, token_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.masks.places import Columns

    Ints: TypeAlias = NDArray[np.int32]
    Bytes: TypeAlias = NDArray[np.uint8]
    Counts: TypeAlias = NDArray[np.uint16]
    Rows: TypeAlias = tuple[Ints, Counts, Bytes]

_UNKNOWN = -1
_DEAD = -2


class OverlapError(Exception):
    """A rule that is repeated may end where it may also go on."""


class Scan:
    """The configurations of one lexeme, by numbers, and where each class of bytes leads.

    With `repeated`, the lexeme begins anew where it ends. Raises OverlapError if it need not.
    """

    def __init__(self, matcher: Matcher, start: Configuration, *, repeated: bool) -> None:
        self._matcher = matcher
        self._repeated = repeated
        classes = matcher.automaton.classes
        self._classes = np.frombuffer(classes, np.uint8)
        self._bytes = [classes.index(number) for number in range(classes[-1] + 1)]
        self._held: list[Configuration] = []
        self._numbers: dict[Configuration, int] = {}
        self._rows = np.full((8, len(self._bytes)), _UNKNOWN, np.int32)
        self._ends = np.zeros(8, np.bool_)
        self._number(start)

    def run(self, columns: Columns, nodes: Ints, size: int) -> Found:
        """What becomes of the tokens below some nodes, in a vocabulary of a size."""
        trie = columns.trie
        here = np.zeros(len(nodes), np.int32)
        rounds = np.zeros(len(nodes), np.uint16)
        firsts = np.zeros(len(nodes), np.uint8)
        tokens: list[Rows] = [nothing()]
        ends: list[Rows] = [nothing()]
        is_first = True
        while len(nodes):
            nodes, above = children(trie, nodes)
            bytes_ = trie.byte[nodes]
            there = self._stepped(here[above], self._classes[bytes_])
            alive = np.flatnonzero(there >= 0)
            nodes, above, here = nodes[alive], above[alive], there[alive]
            firsts = bytes_[alive] if is_first else firsts[above]
            is_first = False
            ended = self._ends[here]
            rounds, begun = self._counted(rounds[above], ended)
            if self._repeated:
                here[ended] = 0
            numbers, rows = token_rows(trie, nodes)
            tokens.append((numbers, begun[rows], firsts[rows]))
            at = np.flatnonzero(ended)
            ends.append((nodes[at], rounds[at], firsts[at]))
        return Found(columns, joined(tokens), joined(ends), size)

    def _counted(self, rounds: Counts, ended: NDArray[np.bool_]) -> tuple[Counts, Counts]:
        """The rounds that are complete, and those that are begun; none, if none are counted."""
        if not self._repeated:
            return rounds, np.ones_like(rounds)
        begun = np.minimum(rounds, np.uint16(MOST - 1)) + np.uint16(1)
        return np.where(ended, begun, rounds), begun

    def _stepped(self, here: Ints, classes: Bytes) -> Ints:
        there = self._rows[here, classes]
        missing = np.flatnonzero(there == _UNKNOWN)
        if len(missing):
            width = len(self._bytes)
            pairs = np.unique(here[missing] * width + classes[missing])
            for pair in pairs.tolist():
                number, one = divmod(pair, width)
                found = self._matcher.step(self._held[number], self._bytes[one])
                reached = _DEAD if found.dead else self._number(found)
                self._rows[number, one] = reached
            there = self._rows[here, classes]
        return there

    def _number(self, found: Configuration) -> int:
        number = self._numbers.get(found)
        if number is None:
            if self._repeated and found.complete and found.items:
                raise OverlapError
            number = self._numbers[found] = len(self._held)
            self._held.append(found)
            if number == len(self._rows):
                self._rows = np.concatenate([self._rows, np.full_like(self._rows, _UNKNOWN)])
                self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
            self._ends[number] = found.complete
        return number
