"""The arrays of a goal: a run, or one deterministic machine for the union of its conjuncts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.compiling.context import MOST_COUNTED, Goals
from pdl.gbnf.compiling.counting import Counting, Items, Place, Values, items
from pdl.gbnf.compiling.machine import Run, Subsets, TooManyStatesError, minimal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.gbnf.compiling.constraints import ArrayConjunct, Conjunction, Contains
    from pdl.gbnf.compiling.context import Context
    from pdl.gbnf.compiling.machine import Arrays

LONGEST = 2_000
"""Items that the states of a machine count; a run counts more."""

MOST_CONTAINED = 200
"""Items that satisfy a `contains`, up to which they are counted: a rule for each."""

_Loss: TypeAlias = tuple[str, str]


def array_machine(conjuncts: Sequence[ArrayConjunct], context: Context) -> Arrays | None:
    """The arrays that satisfy one of some conjuncts; None if there are none.

    What is not held exactly is told to the context with `weaken`: the machine takes more then.
    """
    goals = Goals(context)
    found = (items(conjunct, goals, context) for conjunct in dict.fromkeys(conjuncts))
    asked = _joined(one for one in found if one is not None)
    if not asked:
        return None
    values = Values(goals, context)
    for attempt, losses in _attempts(asked, values):
        try:
            arrays = _arrays(attempt, goals, values, context)
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
        losses.append(("uniqueItems", "the values of the items are too many to be remembered"))
        asked = _joined(replace(one, unique=one.unique and one not in infinite) for one in asked)
    asked, lost = _countable(asked)
    losses += lost
    if not _is_run(asked):
        asked, lost = _shortened(asked)
        losses += lost
    yield asked, losses
    if any(one.unique for one in asked):
        asked = _joined(replace(one, unique=False) for one in asked)
        losses.append(("uniqueItems", "there are too many sets of items"))
        yield asked, losses
    if any(one.contains for one in asked):
        asked = _joined(replace(one, contains=()) for one in asked)
        losses.append(("contains", "it takes too many states to count items"))
        yield asked, losses
    yield [_hull(asked)], [*losses, ("anyOf", "its arrays take too many states to be told apart")]


def _is_run(asked: Sequence[Items]) -> bool:
    return len(asked) == 1 and asked[0].is_simple


def _is_finite(one: Items, values: Values) -> bool:
    rest = () if one.rest is None else (one.rest,)
    return all(values.of(goal) is not None for goal in (*one.prefix, *rest))


def _countable(asked: Sequence[Items]) -> tuple[list[Items], list[_Loss]]:
    """Items without an end that no text comes near, which takes too many rules or states."""
    kept: list[Items] = []
    losses: list[_Loss] = []
    for one in asked:
        fewer = one
        why = f"items are counted up to {MOST_COUNTED:,}"
        if one.least > MOST_COUNTED and one.rest is not None:
            fewer = replace(fewer, least=MOST_COUNTED)
            losses.append(("minItems", why))
        if one.most is not None and one.most > MOST_COUNTED and one.rest is not None:
            fewer = replace(fewer, most=None)
            losses.append(("maxItems", why))
        contains = tuple(map(_counted, one.contains))
        if contains != one.contains:
            fewer = replace(fewer, contains=contains)
            losses.append(("contains", f"items that it counts are counted up to {MOST_CONTAINED}"))
        kept.append(fewer)
    return _joined(kept), losses


def _counted(one: Contains) -> Contains:
    most = None if one.most is not None and one.most > MOST_CONTAINED else one.most
    return replace(one, least=min(one.least, MOST_CONTAINED), most=most)


def _shortened(asked: Sequence[Items]) -> tuple[list[Items], list[_Loss]]:
    """Items whose number is counted only as far as states do."""
    kept: list[Items] = []
    losses: list[_Loss] = []
    why = f"its items can't be counted beyond {LONGEST:,} beside other conditions"
    for one in asked:
        least, most = one.least, one.most
        if least > LONGEST:
            least = LONGEST
            losses.append(("minItems", why))
        if most is not None and most > LONGEST and one.rest is not None:
            most = None
            losses.append(("maxItems", why))
        kept.append(replace(one, least=least, most=most))
    return _joined(kept), losses


def _hull(asked: Sequence[Items]) -> Items:
    """Items that have the arrays of all; nothing is told of one by its place."""
    goals = [goal for one in asked for goal in (*one.prefix, one.rest) if goal is not None]
    common = tuple(literal for literal in goals[0] if all(literal in goal for goal in goals[1:]))
    mosts = [one.most for one in asked]
    most = None if None in mosts else max(most for most in mosts if most is not None)
    return Items((), common, min(one.least for one in asked), most)


def _arrays(
    asked: Sequence[Items], goals: Goals, values: Values, context: Context
) -> Arrays | None:
    """The run or machine of items. Raises TooManyStatesError."""
    if _is_run(asked):
        one = asked[0]
        return Run(one.prefix, one.rest, one.least, one.most)
    counting = [Counting(number, one, goals, values, context) for number, one in enumerate(asked)]
    numbers: dict[Conjunction, int] = {}

    def follow(place: Place) -> list[tuple[int, Place]]:
        steps = counting[place.conjunct].follow(place)
        return [(numbers.setdefault(goal, len(numbers)), to) for goal, to in steps]

    subsets: Subsets[Place, int] = Subsets(
        follow, lambda place: counting[place.conjunct].ends(place), lambda places: places
    )
    rows, accepting = subsets.rows(one.start for one in counting)
    return minimal(rows, accepting, list(numbers).__getitem__)
