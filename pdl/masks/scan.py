"""A walk over all tokens below a place at once, level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pdl.masks.found import MOST, Found, joined, nothing
from pdl.masks.trie import children, is_nested, token_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.masks.trie import Columns, Trie

    Ints: TypeAlias = NDArray[np.int32]
    Bytes: TypeAlias = NDArray[np.uint8]
    Counts: TypeAlias = NDArray[np.uint16]
    Flags: TypeAlias = NDArray[np.bool_]
    Rows: TypeAlias = tuple[Ints, Counts, Bytes]

_UNKNOWN = -1
_DEAD = -2


class OverlapError(Exception):
    """A rule that is repeated may end where it may also go on."""


class _Front(NamedTuple):
    """Nodes of one depth, each with the state of the lexeme and the rounds that lie behind.

    `firsts` are the bytes with which they go on at their places, which `fresh` ones have not done;
    `ended` says whether a round is complete.
    """

    nodes: Ints
    states: Ints
    rounds: Counts
    firsts: Bytes
    ended: Flags
    fresh: Flags


def _begin(nodes: Ints) -> _Front:
    """The front at places."""
    none = np.zeros(len(nodes), np.bool_)
    zeros = np.zeros(len(nodes), np.int32)
    return _Front(nodes, zeros, zeros.astype(np.uint16), zeros.astype(np.uint8), none, ~none)


def _joined(one: _Front, other: _Front) -> _Front:
    if not len(one.nodes):
        return other
    pairs: Iterable[tuple[Any, Any]] = zip(one, other, strict=True)
    return _Front._make(np.concatenate(pair) for pair in pairs)


def _once(front: _Front, begun: Counts) -> Ints:
    """Where each part of a front stands first, if it is there several times."""
    numbers = front.nodes.astype(np.int64)
    for column in (front.states, front.rounds, begun, front.firsts):
        values, column_numbers = np.unique(column, return_inverse=True)
        numbers = numbers * len(values) + column_numbers
    _, found = np.unique(numbers, return_index=True)
    return np.sort(found).astype(np.int32)


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
        """What becomes of the tokens below some nodes, in a vocabulary of a size.

        Of nodes of which one is below another one, what comes of both at one node is one.
        """
        trie = columns.trie
        starts = np.unique(nodes)
        nested = is_nested(trie, starts)
        at = np.searchsorted(starts, trie.levels)
        tokens: list[Rows] = [nothing()]
        ends: list[Rows] = [nothing()]
        front = _begin(starts[:0])
        for depth in range(int(np.searchsorted(at, 0, side="right")) - 1, trie.depth):
            if at[depth] < at[depth + 1]:
                front = _joined(front, _begin(starts[at[depth] : at[depth + 1]]))
            elif not len(front.nodes):
                if at[depth] == len(starts):
                    break
                continue
            front, begun = self._following(trie, front, nested=nested)
            numbers, rows = token_rows(trie, front.nodes)
            tokens.append((numbers, begun[rows], front.firsts[rows]))
            ended = front.ended.nonzero()[0]
            ends.append((front.nodes[ended], front.rounds[ended], front.firsts[ended]))
        return Found(columns, joined(tokens), joined(ends), size)

    def _following(self, trie: Trie, front: _Front, *, nested: bool) -> tuple[_Front, Counts]:
        """The front one level below, and the rounds that are begun at each of its nodes."""
        nodes, above = children(trie, front.nodes)
        bytes_ = trie.byte[nodes]
        there = self._stepped(front.states[above], self._classes[bytes_])
        alive = (there >= 0).nonzero()[0]
        nodes, above, states = nodes[alive], above[alive], there[alive]
        firsts = np.where(front.fresh[above], bytes_[alive], front.firsts[above])
        ended = self._ends[states]
        rounds, begun = self._counted(front.rounds[above], ended)
        if self._repeated:
            states[ended] = 0
        found = _Front(nodes, states, rounds, firsts, ended, np.zeros(len(nodes), np.bool_))
        if not nested:
            return found, begun
        once = _once(found, begun)
        return _Front._make(column[once] for column in found), begun[once]

    def _counted(self, rounds: Counts, ended: NDArray[np.bool_]) -> tuple[Counts, Counts]:
        """The rounds that are complete, and those that are begun; none, if none are counted."""
        if not self._repeated:
            return rounds, np.ones_like(rounds)
        begun = np.minimum(rounds, np.uint16(MOST - 1)) + np.uint16(1)
        return np.where(ended, begun, rounds), begun

    def _stepped(self, here: Ints, classes: Bytes) -> Ints:
        there = self._rows[here, classes]
        missing = (there == _UNKNOWN).nonzero()[0]
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
