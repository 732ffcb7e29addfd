"""The arrays of a goal: a run, or one deterministic machine for the union of its conjuncts.

`Items` is what one conjunct asks of the items of an array, by their indices. A state of the machine
says how many items there are, what they count as, and which values must not come again. What takes
too many states is left out, one condition after another.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.compiling.machine import MOST_COUNTED, Run, SubsetConstruction, TooManyStatesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.gbnf.compiling.constraints import ArrayConjunct, Conjunction, Contains, ItemRule
    from pdl.gbnf.compiling.machine import Arrays, Context

LONGEST = 2_000
"""Items that the states of a machine count; a run counts more."""

MOST_CONTAINED = 200
"""Items that satisfy a `contains`, up to which they are counted: a rule for each."""

_Loss: TypeAlias = tuple[str, str]
_Choice: TypeAlias = "tuple[Conjunction, frozenset[int]]"


def array_machine(conjuncts: Sequence[ArrayConjunct], context: Context) -> Arrays | None:
    """The arrays that satisfy one of some conjuncts; None if there are none.

    What is not enforced exactly is reported to the context with `weaken`: the machine accepts more.
    """
    found = (_items(conjunct, context) for conjunct in dict.fromkeys(conjuncts))
    asked = _joined(one for one in found if one is not None)
    if not asked:
        return None
    values = Values(context)
    for attempt, losses in _attempts(asked, values):
        try:
            arrays = _arrays(attempt, values, context)
        except TooManyStatesError:
            continue
        for keyword, why in losses:
            context.weaken(keyword, why)
        return arrays
    raise AssertionError("a single run has no states")


def _joined(asked: Iterable[Items]) -> list[Items]:
    """Without what is said twice: neighbouring lengths of the same items become one."""
    found: list[Items] = []
    last: dict[tuple[object, ...], int] = {}
    for one in sorted(dict.fromkeys(asked), key=lambda one: one.least):
        alike = (one.prefix, one.rest)
        before = found[last[alike]] if one.is_simple and alike in last else None
        if before is not None and (before.most is None or one.least <= before.most + 1):
            mosts = (before.most, one.most)
            most = None if None in mosts else max(most for most in mosts if most is not None)
            found[last[alike]] = replace(before, most=most)
            continue
        if one.is_simple:
            last[alike] = len(found)
        found.append(one)
    return found


def _attempts(asked: list[Items], values: Values) -> Iterator[tuple[list[Items], list[_Loss]]]:
    """What to ask for, and what that leaves out: less each time; the last always suffices."""
    losses: list[_Loss] = []
    infinite = [one for one in asked if one.unique and not _is_finite(one, values)]
    if infinite:
        losses.append(("uniqueItems", "the items have too many possible values to track"))
        asked = _joined(replace(one, unique=one.unique and one not in infinite) for one in asked)
    asked, lost = _capped(asked, MOST_COUNTED, f"items are counted only up to {MOST_COUNTED:,}")
    losses += lost
    if not _is_run(asked):
        why = f"with other conditions, its items are counted only up to {LONGEST:,}"
        asked, lost = _capped(asked, LONGEST, why)
        losses += lost
    yield asked, losses
    if any(one.unique for one in asked):
        asked = _joined(replace(one, unique=False) for one in asked)
        losses.append(("uniqueItems", "there are too many sets of items"))
        yield asked, losses
    if any(one.contains for one in asked):
        asked = _joined(replace(one, contains=()) for one in asked)
        losses.append(("contains", "counting items takes too many states"))
        yield asked, losses
    yield [_hull(asked)], [*losses, ("anyOf", "distinguishing its arrays takes too many states")]


def _is_run(asked: Sequence[Items]) -> bool:
    return len(asked) == 1 and asked[0].is_simple


def _is_finite(one: Items, values: Values) -> bool:
    rest = () if one.rest is None else (one.rest,)
    return all(values.of(goal) is not None for goal in (*one.prefix, *rest))


def _capped(asked: Sequence[Items], longest: int, why: str) -> tuple[list[Items], list[_Loss]]:
    """Items whose number is counted up to `longest`, as more takes too many rules or states."""
    kept: list[Items] = []
    losses: list[_Loss] = []
    for one in asked:
        least, most = one.least, one.most
        if one.rest is not None and least > longest:
            least = longest
            losses.append(("minItems", why))
        if one.rest is not None and most is not None and most > longest:
            most = None
            losses.append(("maxItems", why))
        contains = tuple(map(_counted, one.contains))
        if contains != one.contains:
            losses.append(("contains", f"matching items are counted only up to {MOST_CONTAINED}"))
        kept.append(replace(one, least=least, most=most, contains=contains))
    return _joined(kept), losses


def _counted(one: Contains) -> Contains:
    most = None if one.most is not None and one.most > MOST_CONTAINED else one.most
    return one._replace(least=min(one.least, MOST_CONTAINED), most=most)


def _hull(asked: Sequence[Items]) -> Items:
    """Items that have the arrays of all, without a difference between indices."""
    goals = [goal for one in asked for goal in (*one.prefix, one.rest) if goal is not None]
    common = tuple(literal for literal in goals[0] if all(literal in goal for goal in goals[1:]))
    mosts = [one.most for one in asked]
    most = None if None in mosts else max(most for most in mosts if most is not None)
    return Items((), common, min(one.least for one in asked), most)


def _arrays(asked: Sequence[Items], values: Values, context: Context) -> Arrays | None:
    """The run or machine of items. Raises TooManyStatesError."""
    if _is_run(asked):
        one = asked[0]
        return Run(one.prefix, one.rest, one.least, one.most)
    transitions = [
        ArrayTransitions(number, one, values, context) for number, one in enumerate(asked)
    ]
    numbers: dict[Conjunction, int] = {}
    goals: list[Conjunction] = []

    def follow(state: ArrayState) -> list[tuple[int, ArrayState]]:
        steps = transitions[state.conjunct].follow(state)
        for goal, _ in steps:
            if numbers.setdefault(goal, len(goals)) == len(goals):
                goals.append(goal)
        return [(numbers[goal], to) for goal, to in steps]

    subsets = SubsetConstruction(follow, lambda state: transitions[state.conjunct].ends(state))
    return subsets.machine((one.start for one in transitions), goals.__getitem__)


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


def _items(conjunct: ArrayConjunct, context: Context) -> Items | None:
    """What a conjunct asks for; None if no array satisfies it."""
    prefix, rest = _goals(conjunct, context)
    found = Items(
        tuple(prefix), rest, conjunct.least, conjunct.most, conjunct.contains, conjunct.unique
    )
    found = _cut(_without_implied(found, context))
    if found.unique and (found.most in (0, 1) or _are_apart(found, context)):
        found = replace(found, unique=False)
    if conjunct.repeated and _are_apart(found, context):
        return None
    return found if found.most is None or found.least <= found.most else None


def _goals(
    conjunct: ArrayConjunct, context: Context
) -> tuple[list[Conjunction], Conjunction | None]:
    """The goals of the first items, up to the first that there can't be, and of all others."""
    bounds = (rule.start if rule.stop is None else rule.stop for rule in conjunct.rules)
    last = max(bounds, default=0)
    if conjunct.most is not None:
        last = min(last, conjunct.most)
    if last > PREFIX:
        context.weaken("prefixItems", f"only the first {PREFIX:,} items are distinguished")
        last = PREFIX
    # The last item that is looked at represents all that follow it.
    prefix: list[Conjunction] = []
    for rules in _rules(conjunct, last):
        literals = tuple(rule.literal for rule in rules if rule.literal is not None)
        goal = context.conjunction(literals) if len(literals) == len(rules) else None
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


def _without_implied(items: Items, context: Context) -> Items:
    """Items without the conditions that all items or none satisfy anyway."""
    kept: list[Contains] = []
    lengths = [(items.least, items.most)]
    for one in dict.fromkeys(items.contains):
        about = {*items.prefix[one.start :], *(() if items.rest is None else (items.rest,))}
        narrowed = {goal: context.narrowed(goal, one.literal) for goal in about}
        if all(goal == found for goal, found in narrowed.items()):
            least = one.start + one.least if one.least else 0
            lengths.append((least, None if one.most is None else one.start + one.most))
        elif one.least or any(found is not None for found in narrowed.values()):
            kept.append(one)
    least = max(least for least, _ in lengths)
    most = min((most for _, most in lengths if most is not None), default=None)
    return replace(items, contains=tuple(kept), least=least, most=most)


def _cut(items: Items) -> Items:
    """Items with as many goals as there may be items, and none of them repeated."""
    prefix, rest, most = list(items.prefix), items.rest, items.most
    if rest is None:
        most = len(prefix) if most is None else min(most, len(prefix))
    if most is not None and most <= len(prefix):
        prefix, rest = prefix[:most], None
    while prefix and prefix[-1] == rest:
        prefix.pop()
    return replace(items, prefix=tuple(prefix), rest=rest, most=most)


def _are_apart(items: Items, context: Context) -> bool:
    """Whether no two items can be equal."""
    few = len(items.prefix) <= _FEW and items.rest is None
    return few and all(
        context.narrowed(one, *other) is None for one, other in combinations(items.prefix, 2)
    )


class ArrayState(NamedTuple):
    """Where an array of one conjunct is.

    `at`: its items, if their number matters; `counts`: for each condition, how many of them it has
    counted; `used`: the values that must not come again.
    """

    conjunct: int
    at: int
    counts: tuple[int, ...]
    used: frozenset[int]


class Values:
    """Numbers the values of goals that have few of them."""

    def __init__(self, context: Context) -> None:
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
            if other == goal or self._context.narrowed(other, *goal) is not None:
                return number
        self._all.append(goal)
        return len(self._all) - 1


class ArrayTransitions:
    """The transition function of one conjunct."""

    def __init__(self, number: int, items: Items, values: Values, context: Context) -> None:
        self._items = items
        self._values = values
        self._context = context
        self._horizon = items.horizon
        self._known: dict[tuple[Conjunction, tuple[int, ...]], list[_Choice]] = {}
        self.start = ArrayState(number, 0, (0,) * len(items.contains), frozenset())

    def follow(self, state: ArrayState) -> list[tuple[Conjunction, ArrayState]]:
        """The items that may come next, and the next states."""
        goal = self._items.goal(state.at)
        if goal is None or state.at == self._items.most:
            return []
        at = min(state.at + 1, self._horizon)
        open_ = self._open(state)
        found: list[tuple[Conjunction, ArrayState]] = []
        for value, used in self._unused(goal, state):
            if (value, open_) not in self._known:
                self._known[value, open_] = list(self._choices(value, open_))
            for meant, counted in self._known[value, open_]:
                counts = tuple(
                    count + (number in counted) for number, count in enumerate(state.counts)
                )
                if all(map(_may_be, counts, self._items.contains)):
                    found.append((meant, ArrayState(state.conjunct, at, counts, used)))
        return found

    def ends(self, state: ArrayState) -> bool:
        """Whether an array may end here."""
        counted = zip(state.counts, self._items.contains, strict=True)
        return state.at >= self._items.least and all(count >= one.least for count, one in counted)

    def _open(self, state: ArrayState) -> tuple[int, ...]:
        """The conditions for which it matters whether the next item satisfies them."""
        return tuple(
            at
            for at, (one, count) in enumerate(zip(self._items.contains, state.counts, strict=True))
            if state.at >= one.start and (one.most is not None or count < one.least)
        )

    def _unused(self, goal: Conjunction, state: ArrayState) -> Iterator[_Choice]:
        """The goals of an item, one for each value where no value may come twice."""
        if not self._items.unique:
            yield goal, state.used
            return
        for value in self._values.of(goal) or ():
            if value not in state.used:
                yield self._values.goal(value), state.used | {value}

    def _choices(self, goal: Conjunction, open_: tuple[int, ...]) -> Iterator[_Choice]:
        """What an item may be: the goal with each set of conditions that it may be counted for."""
        narrowed = self._context.narrowed
        contains = self._items.contains
        met = frozenset(at for at in open_ if narrowed(goal, contains[at].literal) == goal)
        others = [at for at in open_ if at not in met]
        for size in range(len(others), -1, -1):
            for chosen in combinations(others, size):
                literals = [
                    contains[at].literal if at in chosen else contains[at].literal.opposite
                    for at in others
                    if at in chosen or contains[at].most is not None
                ]
                meant = narrowed(goal, *literals)
                if meant is not None:
                    yield meant, met | set(chosen)


def _may_be(count: int, one: Contains) -> bool:
    return one.most is None or count <= one.most
