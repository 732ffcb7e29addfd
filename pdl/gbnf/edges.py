"""The edges of a network's states: for bytes and tokens, into rules, and without reading anything.

A rule is compiled to records. A repetition is compiled once (`pdl.gbnf.repetitions`); the edges of
its other copies are derived when a text gets there.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.gbnf.byte_classes import utf8
from pdl.gbnf.nodes import Literal
from pdl.gbnf.repetitions import CountedRepetitions

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable

    from pdl.gbnf.nodes import Item, TokenRef
    from pdl.gbnf.repetitions import Repetition


ByteEdges: TypeAlias = tuple[tuple[int, int, int], ...]
"""Ranges of bytes, each with its target."""


class CallEdge(NamedTuple):
    """Match a rule, then continue at a state; `last`: nothing of this rule is left then."""

    rule: int
    return_state: int
    last: bool


class Origin(NamedTuple):
    """What a state represents: an item of a rule, and how many code points of it were read."""

    item: Item
    done: int


MOVES, SPLIT, CALL, END, LITERAL, REPETITION = range(1, 7)
"""The kinds of records that a rule is compiled to: integers, which the kernel reads as they are.

Each is its state, its kind, the length of what follows, and that:

- `MOVES`: ranges of bytes, each with its target; none if the state takes a token.
- `SPLIT`: the targets of epsilon edges.
- `CALL`: a rule, and the state to continue at.
- `END`: nothing; the rule is complete.
- `LITERAL`: a target, and the bytes of a text, the last one first. Each has a state; the first of
  these leads to the target, each other one to the state before it.
- `REPETITION`: the size of a copy, their number, their `entry` and `following`, and 1 if they are
  optional (`pdl.gbnf.repetitions`). The state is the first one.
"""


Mapped: TypeAlias = "tuple[int, int, int, Item]"
"""States that represent an item: the first, how many they are, and how many bytes of the item the
first has read; each other one has read one byte less."""


class CompiledRule(NamedTuple):
    """The number of a rule, its states, its records, and what its states represent."""

    number: int
    states: range
    records: array[int]
    mapped: list[Mapped]


class Edges:
    """The edges of states that need no byte, or a token."""

    __slots__ = ("calls", "ends", "repetitions", "splits", "tokens")

    def __init__(self) -> None:
        self.splits: dict[int, tuple[int, ...]] = {}
        self.calls: dict[int, CallEdge] = {}
        self.tokens: dict[int, tuple[TokenRef, int]] = {}
        self.ends: dict[int, int] = {}
        self.repetitions = CountedRepetitions()

    def drop(self, first: int) -> None:
        """Drop those of the states from one on."""
        held: tuple[dict[int, Any], ...] = (self.tokens, self.ends)
        for edges in held:
            for state in [state for state in list(edges) if state >= first]:
                del edges[state]
        self.repetitions.outer.drop(first)


class Moves(dict[int, ByteEdges]):
    """The edges of states for bytes.

    A state gets all its edges when it is asked for those for bytes: from the records of its rule,
    or, in a copy that is not the first, from those of its equal in first copies.
    """

    __slots__ = ("_firsts", "_rules", "edges")

    def __init__(self) -> None:
        self.edges = Edges()
        self._firsts: list[int] = []
        self._rules: list[CompiledRule] = []

    def add(self, rule: CompiledRule) -> None:
        """Add a rule whose states are after all others."""
        del self._rules[len(self._firsts) :]  # one that an interrupt has left
        self._rules.append(rule)
        self._firsts.append(rule.states.start)

    def rule_at(self, state: int) -> CompiledRule:
        """The rule that a state belongs to."""
        return self._rules[bisect_right(self._firsts, state) - 1]

    def __missing__(self, state: int) -> ByteEdges:
        first, path = self.edges.repetitions.path(state)
        if first != state:
            return self._derived(state, first, path[::-1])
        self._read(self.rule_at(state).records)
        found = self.get(state)
        if found is None:
            raise KeyError(state)
        return found

    def _read(self, records: array[int]) -> None:
        """Get the edges of a rule. Threads look for moves, so these are the last of a state."""
        edges = self.edges
        at = 0
        while at < len(records):
            state, kind, size = records[at : at + 3]
            data = tuple(records[at + 3 : at + 3 + size])
            at += 3 + size
            if kind == MOVES:
                self[state] = tuple(zip(data[::3], data[1::3], data[2::3], strict=True))
            elif kind == LITERAL:
                target = data[0]
                for one, byte in enumerate(data[1:], state):
                    self[one] = ((byte, byte, target),)
                    target = one
            elif kind != REPETITION:
                if kind == SPLIT:
                    edges.splits[state] = data
                elif kind == CALL:
                    rule, back = data
                    edges.calls[state] = CallEdge(rule, back, back in edges.ends)
                self[state] = ()

    def origin(self, state: int) -> Origin | None:
        """What a state represents, None if it is inside a character or between items."""
        state, _ = self.edges.repetitions.path(state)
        mapped = self.rule_at(state).mapped
        at = bisect_right(mapped, state, key=itemgetter(0)) - 1
        first, count, read, item = mapped[at] if at >= 0 else (0, 0, 0, None)
        if item is None or state >= first + count:
            return None
        if not isinstance(item, Literal):
            return Origin(item, 0)
        data, read = utf8(item.codes), read - (state - first)
        is_inside = read < len(data) and data[read] & 0xC0 == 0x80  # noqa: PLR2004 - of UTF-8
        return None if is_inside else Origin(item, len(data[:read].decode()))

    def _derived(self, state: int, first: int, steps: list[tuple[Repetition, int]]) -> ByteEdges:
        """The edges of a state in some copies, the inmost first."""
        edges = self.edges
        moves = tuple((low, high, _target(to, steps)) for low, high, to in self[first])
        if first in edges.splits:
            edges.splits[state] = _split(edges.splits[first], first, steps)
        elif first in edges.calls:
            rule, back, _ = edges.calls[first]
            back = _target(back, steps)
            edges.calls[state] = CallEdge(rule, back, back in edges.ends)
        elif first in edges.tokens:
            ref, target = edges.tokens[first]
            edges.tokens[state] = ref, _target(target, steps)
        self[state] = moves
        return moves


def _target(target: int, steps: Iterable[tuple[Repetition, int]]) -> int:
    """Where a state of some copies leads, the inmost first, by where that of first copies does."""
    for repetition, copy in steps:
        target = repetition.in_copy(target, copy)
    return target


def _split(
    targets: tuple[int, ...], state: int, steps: list[tuple[Repetition, int]]
) -> tuple[int, ...]:
    """The same for a split; that of an optional copy leads past all of them, too."""
    inmost = steps[0][0]
    if not inmost.optional or state != inmost.first + inmost.size - 1:
        return tuple(_target(target, steps) for target in targets)
    body, *past = targets
    return (_target(body, steps), *(_target(target, steps[1:]) for target in past))
