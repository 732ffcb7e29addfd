"""Automata over labels: the items of arrays, and the members of objects.

`ValueLanguages` are all values of a goal: regular languages and machines, from which its rules are
written. `Context` is what machines are built with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pdl.automata.minimize import minimize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction, SchemaLiteral
    from pdl.gbnf.compiling.options import Level, Options


Label = TypeVar("Label")


@dataclass(frozen=True)
class Machine(Generic[Label]):
    """Deterministic over its labels: what may come in each state, and the next state.

    State 0 is the first one; a value may end in the accepting states. From each state an accepting
    one can be reached. Two labels of a state may have values in common.
    """

    edges: tuple[tuple[tuple[Label, int], ...], ...]
    accepting: frozenset[int]


@dataclass(frozen=True, slots=True)
class Member:
    """A label of objects: a key, or any key of a language, and the goal of its value."""

    key: str | Dfa
    goal: Conjunction


@dataclass(frozen=True, slots=True)
class Run:
    """Arrays that begin with the items of `prefix`, or some of them, and go on with `item`.

    They have from `least` to `most` (None: any number of) items. An array that has more items than
    `prefix` has all of them.
    """

    prefix: tuple[Conjunction, ...]
    item: Conjunction | None
    least: int
    most: int | None


Arrays: TypeAlias = "Machine[Conjunction] | Run"
Objects: TypeAlias = "Machine[Member]"


MOST_COUNTED = 100_000
"""Characters of a string, or items of an array, up to which they are counted."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """All strings of `least` to `most` (None: any number of) code points."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class ValueLanguages:
    """The values of a goal by their kinds; None where it has none of a kind.

    `numbers` are the JSON numbers over ASCII, in the spellings that are to be written; `strings`
    are values, before they are spelled as JSON. `custom` are the JSON pointers of custom rules,
    whose values are added to these.
    """

    null: bool = False
    booleans: frozenset[bool] = frozenset()
    numbers: Dfa | None = None
    strings: Dfa | Lengths | None = None
    arrays: Arrays | None = None
    objects: Objects | None = None
    custom: tuple[str, ...] = ()


class Context(ABC):
    """What the machines of one goal are built with: a table of conjunctions, and reports."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._table: dict[tuple[SchemaLiteral, ...], Conjunction | None] = {}

    def conjunction(self, literals: tuple[SchemaLiteral, ...]) -> Conjunction | None:
        """The goal of some literals; None if it is known that no value satisfies them."""
        if literals not in self._table:
            goal = self.joined(literals)
            vain = goal is None or self.is_unsatisfiable(goal)
            self._table[literals] = None if vain else goal
        return self._table[literals]

    def narrowed(self, goal: Conjunction, *literals: SchemaLiteral) -> Conjunction | None:
        """A goal with more literals; None if it is known that no value satisfies them all."""
        return self.conjunction(tuple(dict.fromkeys((*goal, *literals))))

    @abstractmethod
    def joined(self, literals: Iterable[SchemaLiteral | None]) -> Conjunction | None:
        """A goal of some literals; None if they contradict each other."""

    @abstractmethod
    def is_unsatisfiable(self, goal: Conjunction) -> bool:
        """Whether it is known that no value satisfies a goal."""

    @abstractmethod
    def names_of(self, goal: Conjunction) -> Dfa | None:
        """The strings that satisfy a goal; None if they are not known exactly."""

    @abstractmethod
    def finite(self, goal: Conjunction) -> tuple[Conjunction, ...] | None:
        """The values of a goal, each as a goal; None if there are more than a few."""

    @abstractmethod
    def report(self, keyword: str, level: Level, why: str) -> None:
        """Note that a keyword is not enforced exactly."""

    def weaken(self, keyword: str, why: str) -> None:
        """Note that the grammar accepts more than a keyword does."""
        self.report(keyword, "POST_HOC", why)

    def bound(self, keyword: str, why: str) -> None:
        """Note that the grammar accepts less than a keyword does."""
        self.report(keyword, "BOUNDED", why)


State = TypeVar("State")

Rows: TypeAlias = "list[dict[Any, int]]"
"""For each state, the next state for each label."""

STATES = 4_000
_STEPS = 100  # for each state that there may be


class TooManyStatesError(Exception):
    """A machine has more states, or steps between them, than are built."""


class SubsetConstruction(Generic[State]):
    """Makes what may be in several states at once deterministic, by its sets of states.

    `follow` returns the steps from a state, of which several may have one label; `ends` says
    whether a value may end there; `drop_subsumed` leaves out states of a set whose values others
    of the set have; `most` is how many sets there may be. Raises TooManyStatesError. Source: Rabin
    and Scott, Finite automata and their decision problems, 1959.
    """

    def __init__(
        self,
        follow: Callable[[State], list[tuple[Any, State]]],
        ends: Callable[[State], bool],
        drop_subsumed: Callable[[frozenset[State]], frozenset[State]] = lambda states: states,
        most: int = STATES,
    ) -> None:
        self._follow = follow
        self._ends = ends
        self._drop_subsumed = drop_subsumed
        self._most = most
        self._steps: dict[State, list[tuple[Any, State]]] = {}
        self._met: dict[State, int] = {}
        self._alone: dict[State, frozenset[State]] = {}
        self._work = 0

    def machine(
        self, starts: Iterable[State], label: Callable[[Any], Label]
    ) -> Machine[Label] | None:
        """The minimal machine; None if it accepts nothing.

        Steps have labels that can be sorted, as the edges of the machine are; `label` returns what
        such a label represents.
        """
        minimal, accepting = minimize(*self._rows(starts))
        if not accepting:
            return None
        edges = (tuple((label(one), to) for one, to in row.items()) for row in minimal)
        return Machine(tuple(edges), accepting)

    def _rows(self, starts: Iterable[State]) -> tuple[Rows, set[int]]:
        """The rows, and the numbers of the accepting states; the first state is the start."""
        first = self._drop_subsumed(frozenset(starts))
        numbers = {first: 0}
        rows: Rows = []
        accepting: set[int] = set()
        order = [first]
        for states in order:
            row: dict[Any, int] = {}
            for label, target in self._targets(states):
                if target not in numbers:
                    numbers[target] = len(order)
                    order.append(target)
                row[label] = numbers[target]
            if any(map(self._ends, states)):
                accepting.add(len(rows))
            rows.append(row)
            if len(order) > self._most or self._work > self._most * _STEPS:
                raise TooManyStatesError
        return rows, accepting

    def _targets(self, states: frozenset[State]) -> Iterable[tuple[Any, frozenset[State]]]:
        if len(states) == 1:
            steps = self._follow(*states)
            self._work += len(steps)
            if len(dict(steps)) == len(steps):
                for label, target in steps:
                    alone = self._alone.get(target)
                    if alone is None:
                        alone = self._alone[target] = frozenset((target,))
                    yield label, alone
                return
        found: defaultdict[Any, set[State]] = defaultdict(set)
        for state in sorted(states, key=self._when):
            if state not in self._steps:
                self._steps[state] = self._follow(state)
            self._work += len(self._steps[state])
            for label, target in self._steps[state]:
                self._when(target)
                found[label].add(target)
        known: dict[frozenset[State], frozenset[State]] = {}
        for label, targets in found.items():
            reached = frozenset(targets)
            if reached not in known:
                known[reached] = self._drop_subsumed(reached)
            yield label, known[reached]

    def _when(self, state: State) -> int:
        """Number states as they come up, for sets of them to have one order."""
        return self._met.setdefault(state, len(self._met))
