"""The states of arrays: how many items there are, what they count as, and which values came."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.compiling.claims import Contains, Goal
    from pdl.gbnf.compiling.context import Context
    from pdl.gbnf.compiling.goals import Goals
    from pdl.gbnf.compiling.items import Items


class Place(NamedTuple):
    """Where an array of one shape is.

    `at`: its items, as far as their number matters; `counts`: for each condition, how many of
    them it has counted; `used`: the values that must not come again.
    """

    shape: int
    at: int
    counts: tuple[int, ...]
    used: frozenset[int]


class Values:
    """Numbers the values of goals that have few of them."""

    def __init__(self, goals: Goals, context: Context) -> None:
        self._goals = goals
        self._context = context
        self._all: list[Goal] = []
        self._known: dict[Goal, tuple[int, ...] | None] = {}

    def of(self, goal: Goal) -> tuple[int, ...] | None:
        """The values of a goal; None if they are too many."""
        if goal not in self._known:
            values = self._context.finite(goal)
            earlier = len(self._all)
            numbers = None if values is None else [self._number(one, earlier) for one in values]
            self._known[goal] = None if numbers is None else tuple(numbers)
        return self._known[goal]

    def goal(self, value: int) -> Goal:
        """The goal of a value."""
        return self._all[value]

    def _number(self, goal: Goal, earlier: int) -> int:
        """The number of a goal with one value; those of one goal are different."""
        for number, other in enumerate(self._all[:earlier]):
            if other == goal or self._goals.narrowed(other, *goal) is not None:
                return number
        self._all.append(goal)
        return len(self._all) - 1


class Counting:
    """Steps through the states of one shape."""

    def __init__(
        self, number: int, items: Items, goals: Goals, values: Values, context: Context
    ) -> None:
        self._number = number
        self._items = items
        self._goals = goals
        self._values = values
        self._context = context
        self._horizon = items.horizon
        self._known: dict[tuple[Goal, tuple[int, ...]], list[tuple[Goal, frozenset[int]]]] = {}

    @property
    def start(self) -> Place:
        """The state of an array without items."""
        return Place(self._number, 0, (0,) * len(self._items.contains), frozenset())

    def follow(self, place: Place) -> list[tuple[Goal, Place]]:
        """The items that may come next, and where they lead."""
        goal = self._items.goal(place.at)
        if goal is None or place.at == self._items.most:
            return []
        at = min(place.at + 1, self._horizon)
        open_ = self._open(place)
        found: list[tuple[Goal, Place]] = []
        for value, used in self._told_apart(goal, place):
            for meant, counted in self._choices(value, open_):
                counts = tuple(
                    count + (number in counted) for number, count in enumerate(place.counts)
                )
                if all(map(_may_be, counts, self._items.contains)):
                    found.append((meant, Place(self._number, at, counts, used)))
        return found

    def ends(self, place: Place) -> bool:
        """Whether an array may end here."""
        counted = zip(place.counts, self._items.contains, strict=True)
        return place.at >= self._items.least and all(count >= one.least for count, one in counted)

    def _open(self, place: Place) -> tuple[int, ...]:
        """The conditions for which it matters whether the next item satisfies them."""
        return tuple(
            at
            for at, (one, count) in enumerate(zip(self._items.contains, place.counts, strict=True))
            if place.at >= one.start and (one.most is not None or count < one.least)
        )

    def _told_apart(self, goal: Goal, place: Place) -> Iterator[tuple[Goal, frozenset[int]]]:
        """The goals of an item, one for each value where no value may come twice."""
        if not self._items.unique:
            yield goal, place.used
            return
        for value in self._values.of(goal) or ():
            if value not in place.used:
                yield self._values.goal(value), place.used | {value}

    def _choices(self, goal: Goal, open_: tuple[int, ...]) -> list[tuple[Goal, frozenset[int]]]:
        """What an item may be: the goal with each set of conditions that it may be counted for."""
        if (goal, open_) not in self._known:
            self._known[goal, open_] = list(self._chosen(goal, open_))
        return self._known[goal, open_]

    def _chosen(self, goal: Goal, open_: tuple[int, ...]) -> Iterator[tuple[Goal, frozenset[int]]]:
        contains = self._items.contains
        met = frozenset(
            at for at in open_ if self._goals.narrowed(goal, contains[at].claim) == goal
        )
        others = [at for at in open_ if at not in met]
        for size in range(len(others), -1, -1):
            for chosen in combinations(others, size):
                claims = [
                    one.claim if at in chosen else self._context.negation(one.claim)
                    for at in others
                    for one in (contains[at],)
                    if at in chosen or one.most is not None
                ]
                meant = self._goals.narrowed(goal, *claims)
                if meant is not None:
                    yield meant, met | set(chosen)


def _may_be(count: int, one: Contains) -> bool:
    return one.most is None or count <= one.most
