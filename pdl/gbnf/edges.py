"""The edges of a network's states: for bytes and tokens, into rules, and without reading anything.

A repetition is compiled once (`pdl.gbnf.repetitions`); the edges of its other copies are derived
when a text gets there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.gbnf.repetitions import CountedRepetitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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

    rule: str
    item: Item
    done: int


class CallEdges:
    """The call edges of states, each made when it is asked for.

    Large grammars have many, and numbers are nothing to the garbage collector.
    """

    __slots__ = ("_backs", "_ends", "_rules")

    def __init__(self, ends: Mapping[int, int]) -> None:
        self._ends = ends
        self._rules: dict[int, int] = {}
        self._backs: dict[int, int] = {}

    def __contains__(self, state: int) -> bool:
        return state in self._rules

    def __getitem__(self, state: int) -> CallEdge:
        back = self._backs[state]
        return CallEdge(self._rules[state], back, back in self._ends)

    def get(self, state: int) -> CallEdge | None:
        """The call edge of a state, None if it has none."""
        return self[state] if state in self._rules else None

    @property
    def tables(self) -> tuple[dict[int, int], ...]:
        """What is known by states."""
        return self._rules, self._backs

    def add(self, state: int, rule: int, back: int) -> None:
        """Let a state match a rule, then continue at another one."""
        self._rules[state] = rule
        self._backs[state] = back


class SourceMap:
    """What states represent, each made when it is asked for, as there are as many."""

    __slots__ = ("_done", "_items", "_numbers")

    def __init__(self) -> None:
        self._items: list[tuple[str, Item]] = []
        self._numbers: dict[int, int] = {}
        self._done: dict[int, int] = {}

    def __contains__(self, state: int) -> bool:
        return state in self._numbers

    def __getitem__(self, state: int) -> Origin:
        rule, item = self._items[self._numbers[state]]
        return Origin(rule, item, self._done.get(state, 0))

    def get(self, state: int) -> Origin | None:
        """What a state represents, None if it is inside a character or between items."""
        return self[state] if state in self._numbers else None

    @property
    def tables(self) -> tuple[dict[int, int], ...]:
        """What is known by states."""
        return self._numbers, self._done

    def item(self, rule: str, item: Item) -> int:
        """A number for an item of a rule, for `add`."""
        self._items.append((rule, item))
        return len(self._items) - 1

    def add(self, state: int, number: int, done: int = 0) -> None:
        """Let a state represent an item, of which so many code points were read."""
        self._numbers[state] = number
        if done:
            self._done[state] = done

    def copy(self, state: int, other: int) -> None:
        """Let a state represent what another one does."""
        if other in self._numbers:
            self.add(state, self._numbers[other], self._done.get(other, 0))


@dataclass(slots=True)
class Edges:
    """The edges of states that need no byte, or a token, and what the states represent."""

    splits: dict[int, tuple[int, ...]] = field(default_factory=dict)
    tokens: dict[int, tuple[TokenRef, int]] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    calls: CallEdges = field(init=False)
    source_map: SourceMap = field(default_factory=SourceMap)
    repetitions: CountedRepetitions = field(default_factory=CountedRepetitions)

    def __post_init__(self) -> None:
        self.calls = CallEdges(self.ends)

    def drop(self, first: int) -> None:
        """Drop those of the states from one on."""
        held: list[dict[int, Any]] = [self.splits, self.tokens, self.ends]
        for edges in (*held, *self.calls.tables, *self.source_map.tables):
            for state in [state for state in edges if state >= first]:
                del edges[state]
        self.repetitions.outer.drop(first)


class Moves(dict[int, ByteEdges]):
    """The edges of states for bytes.

    A state that is not in a first copy gets all its edges when it is asked for those for bytes.
    """

    __slots__ = ("edges",)

    def __init__(self) -> None:
        self.edges = Edges()

    def __missing__(self, state: int) -> ByteEdges:
        """Derive the edges of a state from those of its equal in first copies."""
        edges = self.edges
        first, path = edges.repetitions.path(state)
        if first == state:
            raise KeyError(state)
        steps = path[::-1]
        edges.source_map.copy(state, first)
        if first in edges.splits:
            edges.splits[state] = _split(edges.splits[first], first, steps)
        elif first in edges.calls:
            rule, back, _ = edges.calls[first]
            edges.calls.add(state, rule, _target(back, steps))
        elif first in edges.tokens:
            ref, target = edges.tokens[first]
            edges.tokens[state] = ref, _target(target, steps)
        moves = tuple((low, high, _target(to, steps)) for low, high, to in self[first])
        self[state] = moves  # the last, as threads look for it
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
