"""In which order the members of objects come: what stands in a sequence, and what comes anywhere.

Of the keys whose presence matters, those of the sequence are decided as it goes on; for each set of
the others there is a state. So the sequence takes what would be too many.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.gbnf.compiling.demands import Demand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.gbnf.compiling.claims import Goal


@dataclass(frozen=True)
class Plan:
    """A demand, and how its texts go.

    The symbols of `sequence` come in this order, each at most once; from its index `loose` on,
    others may come anywhere between them: `free` ones, which change nothing, `tracked` ones, whose
    presence matters, and `once` ones, which are remembered not to come again.
    """

    demand: Demand
    sequence: tuple[int, ...]
    loose: int
    free: tuple[int, ...]
    tracked: frozenset[int]
    once: frozenset[int]

    @property
    def is_plain(self) -> bool:
        """Whether a state is no more than how far the sequence is."""
        asked = self.demand
        counts = asked.least > 0 or asked.most is not None
        return not (self.tracked or self.once or asked.clauses or asked.witnesses or counts)


@dataclass(frozen=True)
class Effort:
    """How much is tracked: the states of so many `keys` that come in any order.

    With `together`, all other keys that matter come in one sequence, which is the same for all
    demands. `longest` is the most literals of a clause that is kept, `witnesses` the most of these,
    and `counted` the most members that are counted.
    """

    keys: int
    together: bool = False
    longest: int | None = None
    witnesses: int = 4
    counted: int = 1_000

    @property
    def is_one_order(self) -> bool:
        """Whether each key that matters has its place; more states are better than a loss then."""
        return self.together and not self.keys


def plans(demands: Sequence[Demand], effort: Effort, *, names: int, declared: bool) -> list[Plan]:
    """A plan for each demand; the first `names` symbols are single keys."""
    demands = [_eased(demand, effort) for demand in demands]
    shared: list[int] = []
    if effort.together:
        matters = Counter(key for one in demands for key in _loose(one, declared=declared))
        often = sorted(matters, key=lambda key: (-matters[key], key))
        shared = sorted(often[effort.keys :])
    return [_plan(one, effort, shared, names=names, declared=declared) for one in demands]


def _eased(demand: Demand, effort: Effort) -> Demand:
    """A demand without what an effort leaves out."""
    if effort.longest is not None:
        kept = frozenset(one for one in demand.clauses if len(one) <= effort.longest)
        demand = replace(demand, clauses=kept)
    if len(demand.witnesses) > effort.witnesses:
        demand = replace(demand, witnesses=demand.witnesses[: effort.witnesses])
    if demand.least > effort.counted:
        demand = replace(demand, least=0)
    if demand.most is not None and demand.most > effort.counted:
        demand = replace(demand, most=None)
    return demand


def _loose(demand: Demand, *, declared: bool) -> set[int]:
    """The keys that matter, and that the order of the schema does not place."""
    return set(demand.involved) - set(demand.order if declared else ())


def _plan(demand: Demand, effort: Effort, shared: list[int], *, names: int, declared: bool) -> Plan:
    goals = demand.goals
    order = demand.order if declared else ()
    loose = _loose(demand, declared=declared)
    chain = shared if effort.together else chained(sorted(loose), effort.keys)
    placed = set(order)
    chain = [key for key in chain if goals[key] is not None and key not in placed]
    placed.update(chain)
    tracked = loose - placed
    free = [key for key, goal in enumerate(goals) if goal is not None and key not in placed]
    once = _counted_once(demand, free, effort.keys, names)
    rest = tuple(key for key in free if key not in tracked | once)
    return Plan(demand, (*order, *chain), len(order), rest, frozenset(tracked), frozenset(once))


def chained(keys: list[int], most: int) -> list[int]:
    """The keys, of those that matter, that come in one order, so that the others may come in any.

    Each set of the others, and each place in the chain, is a state: as many keys are left out of
    the chain as give at most twice the states of `most` keys. The first ones make the chain.
    """
    count = len(keys)
    free = min(count, most)
    if count <= most:
        return []
    while free and (count - free + 1) << free > 2 << most:
        free -= 1
    return keys[: count - free]


def _counted_once(demand: Demand, free: list[int], most: int, names: int) -> set[int]:
    """The names to be remembered so that none of them is counted twice."""
    if demand.least <= len(demand.needed) + 1 or any(key >= names for key in free):
        return set()
    return set(free) if len(free) <= most else set()


def counts_twice(plan: Plan) -> bool:
    """Whether a text may reach the least count with a key that comes twice."""
    again = plan.free or plan.tracked - plan.once - plan.demand.needed
    return plan.demand.least > len(plan.demand.needed) + 1 and bool(again)


def hull(demands: Sequence[Demand]) -> Demand:
    """One demand that has the objects of all."""
    columns = zip(*(one.goals for one in demands), strict=True)
    orders = {one.order for one in demands}
    order = orders.pop() if len(orders) == 1 else ()
    needed = frozenset.intersection(*(one.needed for one in demands))
    return Demand(tuple(map(_common, columns)), order, needed, frozenset(), (), 0, None)


def _common(goals: tuple[Goal | None, ...]) -> Goal | None:
    """The claims that all goals have; None if all are None."""
    told = [goal for goal in goals if goal is not None]
    if not told:
        return None
    return tuple(claim for claim in told[0] if all(claim in goal for goal in told[1:]))
