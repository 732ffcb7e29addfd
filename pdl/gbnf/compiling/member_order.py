"""In which order the members of objects come, and how much of what is asked of them is kept.

Of the keys whose presence matters, those of a sequence are decided as it goes on; for each set of
the others there is a state. So the sequence takes what would be too many. All constraints are kept,
unless that takes too many states: `relaxations` are how much is kept then.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.compiling.object_constraints import ObjectConstraints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.gbnf.compiling.constraints import Conjunction

Loss: TypeAlias = tuple[str, str]
"""A keyword that is not enforced, and why."""


@dataclass(frozen=True)
class Relaxation:
    """How much is tracked: the states of so many `keys` that come in any order.

    With `together`, all other keys that matter come in one sequence, which is the same for all
    conjuncts. `longest` is the most literals of a clause that is kept, `witnesses` the most of
    these, and `counted` the most members that are counted.
    """

    keys: int
    together: bool = False
    longest: int | None = None
    witnesses: int = 4
    counted: int = 1_000

    @property
    def is_one_order(self) -> bool:
        """Whether the order of all keys that matter is fixed; more states are no loss then."""
        return self.together and not self.keys


def relaxations(
    asked: Sequence[ObjectConstraints], keys: int
) -> Iterator[tuple[Relaxation, Sequence[ObjectConstraints]]]:
    """Ever looser relaxations, and what they are of; the last one always suffices."""
    for most in (keys, keys // 2):
        yield Relaxation(most), asked
    for most in (keys // 2, keys // 4):
        yield Relaxation(most, together=True), asked
    for longest in (None, 2, 0):
        yield Relaxation(0, together=True, longest=longest), asked
    yield Relaxation(0, together=True, longest=0, witnesses=0), asked
    yield Relaxation(0, together=True, longest=0, witnesses=0, counted=0), asked
    yield Relaxation(0, together=True), (_hull(asked),)


def _hull(asked: Sequence[ObjectConstraints]) -> ObjectConstraints:
    """One conjunct that has the objects of all."""
    columns = zip(*(one.goals for one in asked), strict=True)
    orders = {one.order for one in asked}
    order = orders.pop() if len(orders) == 1 else ()
    needed = frozenset.intersection(*(one.needed for one in asked))
    return ObjectConstraints(tuple(map(_common, columns)), order, needed)


def _common(goals: tuple[Conjunction | None, ...]) -> Conjunction | None:
    """The literals that all goals have; None if all are None."""
    told = [goal for goal in goals if goal is not None]
    if not told:
        return None
    return tuple(literal for literal in told[0] if all(literal in goal for goal in told[1:]))


def ordered(
    asked: Sequence[ObjectConstraints], relaxation: Relaxation, *, names: int, declared: bool
) -> list[ObjectConstraints]:
    """Relaxed constraints with the order of their members; the first `names` are single keys."""
    relaxed = [_relaxed(one, relaxation) for one in asked]
    shared: list[int] = []
    if relaxation.together:
        matters = Counter(key for one in relaxed for key in _unordered(one, declared=declared))
        often = sorted(matters, key=lambda key: (-matters[key], key))
        shared = sorted(often[relaxation.keys :])
    return [_ordered(one, relaxation, shared, names, declared=declared) for one in relaxed]


def _relaxed(asked: ObjectConstraints, relaxation: Relaxation) -> ObjectConstraints:
    """Constraints without what a relaxation leaves out."""
    if relaxation.longest is not None:
        kept = frozenset(one for one in asked.clauses if len(one) <= relaxation.longest)
        asked = replace(asked, clauses=kept)
    if len(asked.witnesses) > relaxation.witnesses:
        asked = replace(asked, witnesses=asked.witnesses[: relaxation.witnesses])
    if asked.least > relaxation.counted:
        asked = replace(asked, least=0)
    if asked.most is not None and asked.most > relaxation.counted:
        asked = replace(asked, most=None)
    return asked


def _unordered(asked: ObjectConstraints, *, declared: bool) -> set[int]:
    """The keys that matter, and of which the schema doesn't give the order."""
    return set(asked.involved) - set(asked.order if declared else ())


def _ordered(
    asked: ObjectConstraints,
    relaxation: Relaxation,
    shared: list[int],
    names: int,
    *,
    declared: bool,
) -> ObjectConstraints:
    goals = asked.goals
    order = asked.order if declared else ()
    unordered = _unordered(asked, declared=declared)
    chain = shared if relaxation.together else _chained(sorted(unordered), relaxation.keys)
    placed = set(order)
    chain = [key for key in chain if goals[key] is not None and key not in placed]
    placed.update(chain)
    tracked = frozenset(unordered - placed)
    free = [key for key, goal in enumerate(goals) if goal is not None and key not in placed]
    once = frozenset(_counted_once(asked, free, relaxation.keys, names))
    return replace(
        asked,
        sequence=(*order, *chain),
        loose=len(order),
        free=tuple(key for key in free if key not in tracked | once),
        tracked=tracked,
        once=once,
    )


def _chained(keys: list[int], most: int) -> list[int]:
    """The keys, of those that matter, that come in one order, so that the others may come in any.

    Each set of the others, and each index in the chain, is a state: as many keys are left out of
    the chain as take at most twice the states of `most` keys. The first ones make the chain.
    """
    count = len(keys)
    free = min(count, most)
    if count <= most:
        return []
    while free and (count - free + 1) << free > 2 << most:
        free -= 1
    return keys[: count - free]


def _counted_once(
    asked: ObjectConstraints, free: list[int], most: int, names: int
) -> Iterable[int]:
    """The names to be remembered so that none of them is counted twice."""
    if asked.least <= len(asked.needed) + 1 or any(key >= names for key in free):
        return ()
    return free if len(free) <= most else ()


def dropped(
    asked: Sequence[ObjectConstraints], kept: Sequence[ObjectConstraints]
) -> Iterable[Loss]:
    """What relaxed constraints do not enforce of those that they were made of."""
    found: dict[Loss, None] = {}
    if len(kept) < len(asked):
        found["anyOf", "too many combinations of keys distinguish its objects"] = None
    for before, after in zip(asked, kept, strict=False):
        for clause in sorted(before.clauses - after.clauses, key=sorted):
            keyword = "required" if all(there for _, there in clause) else "dependentRequired"
            found[keyword, "it requires too many combinations of keys"] = None
        if len(after.witnesses) < len(before.witnesses):
            found["not", "it requires too many members with particular keys or values"] = None
        if after.least < before.least:
            found["minProperties", "counting so many keys takes too many states"] = None
        elif _counts_twice(after):
            found["minProperties", "a duplicate key counts twice"] = None
        if after.most is None and before.most is not None:
            found["maxProperties", "counting so many keys takes too many states"] = None
    return found


def _counts_twice(asked: ObjectConstraints) -> bool:
    """Whether an object may reach the least count with a key that comes twice."""
    again = asked.free or asked.tracked - asked.once - asked.needed
    return asked.least > len(asked.needed) + 1 and bool(again)


def fixed_orders(kept: Sequence[ObjectConstraints]) -> Iterable[Loss]:
    """Where keys come in one order that could come in any."""
    found: dict[Loss, None] = {}
    for one in kept:
        chain = one.sequence[one.loose :]
        if len(chain) > 1:
            total = len(chain) + len(one.tracked)
            why = (
                f"{len(chain)} of the {total} keys whose presence matters"
                " are accepted only in the order of the schema"
            )
            found["required", why] = None
    return found
