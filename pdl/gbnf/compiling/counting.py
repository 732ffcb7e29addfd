"""The states of arrays: how many items there are, what they count as, and which values came.

`Items` is what one conjunct asks of the items of an array, by their places.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.compiling.constraints import ArrayConjunct, Conjunction, Contains, ItemRule
    from pdl.gbnf.compiling.context import Context, Goals


PREFIX = 10_000
"""Items that may each have a goal of their own."""

_FEW = 16


@dataclass(frozen=True)
class Items:
    """The goals of the first items, and that of all others; at least `least`, at most `most`.

    With `rest` None there are no others, and `most` is not more than there are first ones.
    """

    prefix: tuple[Conjunction, ...]
    rest: Conjunction | None
    least: int
    most: int | None
    contains: tuple[Contains, ...] = ()
    unique: bool = False

    @property
    def is_simple(self) -> bool:
        """Whether nothing is said of several items together but how many there are."""
        return not self.contains and not self.unique

    @property
    def horizon(self) -> int:
        """The index from which on all items are alike, and their number matters no more."""
        starts = (one.start for one in self.contains)
        return max(len(self.prefix), self.least, self.most or 0, *starts, 0)

    def goal(self, index: int) -> Conjunction | None:
        """The goal of an item."""
        return self.prefix[index] if index < len(self.prefix) else self.rest


def items(conjunct: ArrayConjunct, goals: Goals, context: Context) -> Items | None:
    """What a conjunct asks for; None if no array satisfies it."""
    prefix, rest = _goals(conjunct, goals, context)
    found = Items(
        tuple(prefix), rest, conjunct.least, conjunct.most, conjunct.contains, conjunct.unique
    )
    found = _cut(_without_implied(found, goals))
    if found.unique and (found.most in (0, 1) or _are_apart(found, goals)):
        found = replace(found, unique=False)
    return found if found.most is None or found.least <= found.most else None


def _goals(
    conjunct: ArrayConjunct, goals: Goals, context: Context
) -> tuple[list[Conjunction], Conjunction | None]:
    """The goals of the first items, up to the first that there can't be, and of all others."""
    bounds = (rule.start if rule.stop is None else rule.stop for rule in conjunct.rules)
    last = max(bounds, default=0)
    if conjunct.most is not None:
        last = min(last, conjunct.most)
    if last > PREFIX:
        context.weaken("prefixItems", f"only the first {PREFIX:,} items are told apart")
        last = PREFIX
    # The last item that is looked at stands for all that follow it.
    prefix: list[Conjunction] = []
    for rules in _rules(conjunct, last):
        literals = tuple(rule.literal for rule in rules if rule.literal is not None)
        goal = goals.of(literals) if len(literals) == len(rules) else None
        if len(prefix) == last or goal is None:
            return prefix, goal
        prefix.append(goal)
    raise AssertionError("there are rules for the last item, if only none")


def _rules(conjunct: ArrayConjunct, last: int) -> Iterator[list[ItemRule]]:
    """The rules about each item, and about all items from the last index on."""
    starting: defaultdict[int, list[ItemRule]] = defaultdict(list)
    for rule in conjunct.rules:
        if rule.stop is None or rule.start < rule.stop:
            starting[rule.start].append(rule)
    active: list[ItemRule] = []
    for index in range(last):
        active = [rule for rule in active if rule.stop is None or rule.stop > index]
        active += starting[index]
        yield active
    yield [rule for rule in active if rule.stop is None] + starting[last]


def _without_implied(items: Items, goals: Goals) -> Items:
    """Items without the conditions that all items or none satisfy anyway."""
    kept: list[Contains] = []
    lengths = [(items.least, items.most)]
    for one in dict.fromkeys(items.contains):
        about = {*items.prefix[one.start :], *(() if items.rest is None else (items.rest,))}
        narrowed = {goal: goals.narrowed(goal, one.literal) for goal in about}
        if all(goal == found for goal, found in narrowed.items()):
            least = one.start + one.least if one.least else 0
            lengths.append((least, None if one.most is None else one.start + one.most))
        elif one.least or any(found is not None for found in narrowed.values()):
            kept.append(one)
    least = max(least for least, _ in lengths)
    most = min((most for _, most in lengths if most is not None), default=None)
    return replace(items, contains=tuple(kept), least=least, most=most)


def _cut(items: Items) -> Items:
    """Items with as many goals as there may be items, and none of them told twice."""
    prefix, rest, most = list(items.prefix), items.rest, items.most
    if rest is None:
        most = len(prefix) if most is None else min(most, len(prefix))
    if most is not None and most <= len(prefix):
        prefix, rest = prefix[:most], None
    while prefix and prefix[-1] == rest:
        prefix.pop()
    return replace(items, prefix=tuple(prefix), rest=rest, most=most)


def _are_apart(items: Items, goals: Goals) -> bool:
    """Whether no two items can be equal."""
    few = len(items.prefix) <= _FEW and items.rest is None
    return few and all(
        goals.narrowed(one, *other) is None for one, other in combinations(items.prefix, 2)
    )


class Place(NamedTuple):
    """Where an array of one conjunct is.

    `at`: its items, as far as their number matters; `counts`: for each condition, how many of
    them it has counted; `used`: the values that must not come again.
    """

    conjunct: int
    at: int
    counts: tuple[int, ...]
    used: frozenset[int]


class Values:
    """Numbers the values of goals that have few of them."""

    def __init__(self, goals: Goals, context: Context) -> None:
        self._goals = goals
        self._context = context
        self._all: list[Conjunction] = []
        self._known: dict[Conjunction, tuple[int, ...] | None] = {}

    def of(self, goal: Conjunction) -> tuple[int, ...] | None:
        """The values of a goal; None if they are too many."""
        if goal not in self._known:
            values = self._context.finite(goal)
            earlier = len(self._all)
            numbers = None if values is None else [self._number(one, earlier) for one in values]
            self._known[goal] = None if numbers is None else tuple(numbers)
        return self._known[goal]

    def goal(self, value: int) -> Conjunction:
        """The goal of a value."""
        return self._all[value]

    def _number(self, goal: Conjunction, earlier: int) -> int:
        """The number of a goal with one value; those of one goal are different."""
        for number, other in enumerate(self._all[:earlier]):
            if other == goal or self._goals.narrowed(other, *goal) is not None:
                return number
        self._all.append(goal)
        return len(self._all) - 1


class Counting:
    """Steps through the states of one conjunct."""

    def __init__(
        self, number: int, items: Items, goals: Goals, values: Values, context: Context
    ) -> None:
        self._number = number
        self._items = items
        self._goals = goals
        self._values = values
        self._context = context
        self._horizon = items.horizon
        self._known: dict[
            tuple[Conjunction, tuple[int, ...]], list[tuple[Conjunction, frozenset[int]]]
        ] = {}

    @property
    def start(self) -> Place:
        """The state of an array without items."""
        return Place(self._number, 0, (0,) * len(self._items.contains), frozenset())

    def follow(self, place: Place) -> list[tuple[Conjunction, Place]]:
        """The items that may come next, and where they lead."""
        goal = self._items.goal(place.at)
        if goal is None or place.at == self._items.most:
            return []
        at = min(place.at + 1, self._horizon)
        open_ = self._open(place)
        found: list[tuple[Conjunction, Place]] = []
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

    def _told_apart(
        self, goal: Conjunction, place: Place
    ) -> Iterator[tuple[Conjunction, frozenset[int]]]:
        """The goals of an item, one for each value where no value may come twice."""
        if not self._items.unique:
            yield goal, place.used
            return
        for value in self._values.of(goal) or ():
            if value not in place.used:
                yield self._values.goal(value), place.used | {value}

    def _choices(
        self, goal: Conjunction, open_: tuple[int, ...]
    ) -> list[tuple[Conjunction, frozenset[int]]]:
        """What an item may be: the goal with each set of conditions that it may be counted for."""
        if (goal, open_) not in self._known:
            self._known[goal, open_] = list(self._chosen(goal, open_))
        return self._known[goal, open_]

    def _chosen(
        self, goal: Conjunction, open_: tuple[int, ...]
    ) -> Iterator[tuple[Conjunction, frozenset[int]]]:
        contains = self._items.contains
        met = frozenset(
            at for at in open_ if self._goals.narrowed(goal, contains[at].literal) == goal
        )
        others = [at for at in open_ if at not in met]
        for size in range(len(others), -1, -1):
            for chosen in combinations(others, size):
                literals = [
                    one.literal if at in chosen else self._context.negation(one.literal)
                    for at in others
                    for one in (contains[at],)
                    if at in chosen or one.most is not None
                ]
                meant = self._goals.narrowed(goal, *literals)
                if meant is not None:
                    yield meant, met | set(chosen)


def _may_be(count: int, one: Contains) -> bool:
    return one.most is None or count <= one.most
