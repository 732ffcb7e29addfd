"""What one shape asks of the items of an array, by their places."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.compiling.claims import ArrayShape, Contains, Goal, ItemRule
    from pdl.gbnf.compiling.context import Context
    from pdl.gbnf.compiling.goals import Goals

PREFIX = 10_000
"""Items that may each have a goal of their own."""

_FEW = 16


@dataclass(frozen=True)
class Items:
    """The goals of the first items, and that of all others; at least `least`, at most `most`.

    With `rest` None there are no others, and `most` is not more than there are first ones.
    """

    prefix: tuple[Goal, ...]
    rest: Goal | None
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

    def goal(self, index: int) -> Goal | None:
        """The goal of an item."""
        return self.prefix[index] if index < len(self.prefix) else self.rest


def items(shape: ArrayShape, goals: Goals, context: Context) -> Items | None:
    """What a shape asks for; None if no array satisfies it."""
    prefix, rest = _goals(shape, goals, context)
    found = Items(tuple(prefix), rest, shape.least, shape.most, shape.contains, shape.unique)
    found = _cut(_without_implied(found, goals))
    if found.unique and (found.most in (0, 1) or _are_apart(found, goals)):
        found = replace(found, unique=False)
    return found if found.most is None or found.least <= found.most else None


def _goals(shape: ArrayShape, goals: Goals, context: Context) -> tuple[list[Goal], Goal | None]:
    """The goals of the first items, up to the first that there can't be, and of all others."""
    bounds = (rule.start if rule.stop is None else rule.stop for rule in shape.rules)
    last = max(bounds, default=0)
    if shape.most is not None:
        last = min(last, shape.most)
    if last > PREFIX:
        context.weaken("prefixItems", f"only the first {PREFIX:,} items are told apart")
        last = PREFIX
    # The last item that is looked at stands for all that follow it.
    prefix: list[Goal] = []
    for rules in _rules(shape, last):
        claims = tuple(rule.claim for rule in rules if rule.claim is not None)
        goal = goals.of(claims) if len(claims) == len(rules) else None
        if len(prefix) == last or goal is None:
            return prefix, goal
        prefix.append(goal)
    raise AssertionError("there are rules for the last item, if only none")


def _rules(shape: ArrayShape, last: int) -> Iterator[list[ItemRule]]:
    """The rules about each item, and about all items from the last index on."""
    starting: defaultdict[int, list[ItemRule]] = defaultdict(list)
    for rule in shape.rules:
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
        narrowed = {goal: goals.narrowed(goal, one.claim) for goal in about}
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
