"""The states of objects: how far the sequence of a plan is, and what is still asked for.

A plan says in which order the members of objects come: what stands in a sequence, and what comes
anywhere. Of the keys whose presence matters, those of the sequence are decided as it goes on; for
each set of the others there is a state. So the sequence takes what would be too many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.compiling.cnf import Assignment, Cnf, implies, satisfied_by_absence
from pdl.gbnf.compiling.demands import ObjectConstraints
from pdl.gbnf.compiling.machine import Member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.context import Goals


@dataclass(frozen=True)
class MemberOrder:
    """A demand, and how its texts go.

    The symbols of `sequence` come in this order, each at most once; from its index `loose` on,
    others may come anywhere between them: `free` ones, which change nothing, `tracked` ones, whose
    presence matters, and `once` ones, which are remembered not to come again.
    """

    demand: ObjectConstraints
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
class Relaxation:
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


def plans(
    demands: Sequence[ObjectConstraints], relaxation: Relaxation, *, names: int, declared: bool
) -> list[MemberOrder]:
    """A plan for each demand; the first `names` symbols are single keys."""
    demands = [_eased(demand, relaxation) for demand in demands]
    shared: list[int] = []
    if relaxation.together:
        matters = Counter(key for one in demands for key in _loose(one, declared=declared))
        often = sorted(matters, key=lambda key: (-matters[key], key))
        shared = sorted(often[relaxation.keys :])
    return [_plan(one, relaxation, shared, names=names, declared=declared) for one in demands]


def _eased(demand: ObjectConstraints, relaxation: Relaxation) -> ObjectConstraints:
    """A demand without what an relaxation leaves out."""
    if relaxation.longest is not None:
        kept = frozenset(one for one in demand.clauses if len(one) <= relaxation.longest)
        demand = replace(demand, clauses=kept)
    if len(demand.witnesses) > relaxation.witnesses:
        demand = replace(demand, witnesses=demand.witnesses[: relaxation.witnesses])
    if demand.least > relaxation.counted:
        demand = replace(demand, least=0)
    if demand.most is not None and demand.most > relaxation.counted:
        demand = replace(demand, most=None)
    return demand


def _loose(demand: ObjectConstraints, *, declared: bool) -> set[int]:
    """The keys that matter, and that the order of the schema does not place."""
    return set(demand.involved) - set(demand.order if declared else ())


def _plan(
    demand: ObjectConstraints,
    relaxation: Relaxation,
    shared: list[int],
    *,
    names: int,
    declared: bool,
) -> MemberOrder:
    goals = demand.goals
    order = demand.order if declared else ()
    loose = _loose(demand, declared=declared)
    chain = shared if relaxation.together else chained(sorted(loose), relaxation.keys)
    placed = set(order)
    chain = [key for key in chain if goals[key] is not None and key not in placed]
    placed.update(chain)
    tracked = loose - placed
    free = [key for key, goal in enumerate(goals) if goal is not None and key not in placed]
    once = _counted_once(demand, free, relaxation.keys, names)
    rest = tuple(key for key in free if key not in tracked | once)
    return MemberOrder(
        demand, (*order, *chain), len(order), rest, frozenset(tracked), frozenset(once)
    )


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


def _counted_once(demand: ObjectConstraints, free: list[int], most: int, names: int) -> set[int]:
    """The names to be remembered so that none of them is counted twice."""
    if demand.least <= len(demand.needed) + 1 or any(key >= names for key in free):
        return set()
    return set(free) if len(free) <= most else set()


def counts_twice(plan: MemberOrder) -> bool:
    """Whether a text may reach the least count with a key that comes twice."""
    again = plan.free or plan.tracked - plan.once - plan.demand.needed
    return plan.demand.least > len(plan.demand.needed) + 1 and bool(again)


def hull(demands: Sequence[ObjectConstraints]) -> ObjectConstraints:
    """One demand that has the objects of all."""
    columns = zip(*(one.goals for one in demands), strict=True)
    orders = {one.order for one in demands}
    order = orders.pop() if len(orders) == 1 else ()
    needed = frozenset.intersection(*(one.needed for one in demands))
    return ObjectConstraints(tuple(map(_common, columns)), order, needed, frozenset(), (), 0, None)


def _common(goals: tuple[Conjunction | None, ...]) -> Conjunction | None:
    """The literals that all goals have; None if all are None."""
    told = [goal for goal in goals if goal is not None]
    if not told:
        return None
    return tuple(literal for literal in told[0] if all(literal in goal for goal in told[1:]))


_COMPARED = 16  # states of a group that others are compared with

Label: TypeAlias = tuple[int, int]
"""A symbol, and the number of a goal."""


class Labels:
    """Numbers goals, so that labels can be sorted; `keys` are what symbols stand for."""

    def __init__(self, keys: Mapping[int, str | Dfa]) -> None:
        self._keys = keys
        self._goals: list[Conjunction] = []
        self._numbers: dict[Conjunction, int] = {}
        self._members: dict[Label, Member] = {}

    def label(self, symbol: int, goal: Conjunction) -> Label:
        """The label of a symbol with a goal."""
        number = self._numbers.setdefault(goal, len(self._goals))
        if number == len(self._goals):
            self._goals.append(goal)
        return symbol, number

    def goal(self, label: Label) -> Conjunction:
        """The goal of a label."""
        return self._goals[label[1]]

    def member(self, label: Label) -> Member:
        """What a label stands for; the same value for the same label."""
        if label not in self._members:
            self._members[label] = Member(self._keys[label[0]], self._goals[label[1]])
        return self._members[label]


class ObjectState(NamedTuple):
    """Where an object of one plan is.

    `at`: how far its sequence is; `left`: the clauses that are not met; `wanted`: the witnesses
    that have not come; `size`: its members, as far as they are counted; `banned`: keys that must
    not come again.
    """

    plan: int
    at: int
    left: Cnf[int]
    wanted: frozenset[int]
    size: int
    banned: frozenset[int]


class ObjectTransitions:
    """Steps through the states of one plan.

    `family` is equal for plans that differ in what they say of the presence of keys alone.
    """

    def __init__(
        self, number: int, plan: MemberOrder, labels: Labels, goals: Goals, names: int
    ) -> None:
        demand = plan.demand
        self._goals = goals
        self._names = names
        self._due: dict[int, frozenset[int]] = {}
        self._number = number
        self._plan = plan
        self._labels = labels
        self._assignment: Assignment[int] = Assignment()
        self._decides = {key for clause in demand.clauses for key, _ in clause}
        self._tracked_needed = plan.tracked & demand.needed
        self._decides |= self._tracked_needed
        self._most = demand.most
        self._cap = demand.least if demand.most is None else demand.most
        self._plain: dict[int, Label] = {
            key: labels.label(key, goal)
            for key, goal in enumerate(demand.goals)
            if goal is not None
        }
        self._serving: dict[int, list[tuple[int, Conjunction]]] = {}
        for index, witness in enumerate(demand.witnesses):
            for key, goal in witness:
                self._serving.setdefault(key, []).append((index, goal))
        counts = demand.least, demand.most
        self.family = demand.goals, plan.sequence, plan.loose, plan.once, demand.witnesses, counts
        serving = self._serving.keys()
        self._idle = [self._plain[key] for key in plan.free if key not in serving]
        self._other = [key for key in plan.free if key in serving]
        self._other += sorted((plan.tracked | plan.once) - set(self._other))

    @property
    def start(self) -> ObjectState:
        """The state of an object without members."""
        needed = (frozenset({(key, True)}) for key in self._tracked_needed)
        left = self._plan.demand.clauses | frozenset(needed)
        wanted = frozenset(range(len(self._plan.demand.witnesses)))
        return ObjectState(self._number, 0, left, wanted, 0, frozenset())

    def follow(self, state: ObjectState) -> list[tuple[Label, ObjectState]]:
        """The members that may come next, and where they lead."""
        if state.size == self._most:
            return []
        plan, plain = self._plan, self._plain
        number, _, _, wanted, size, banned = state
        size += size != self._cap
        steps: list[tuple[Label, ObjectState]] = []
        loose: ObjectState | None = None
        for at, left in self._skipping(state):
            if at >= plan.loose and loose is None:
                loose = ObjectState(number, at, left, wanted, size, banned)
            if at == len(plan.sequence):
                break
            key = plan.sequence[at]
            taken = self._assignment.assign(left, key, there=True) if key in self._decides else left
            if taken is None:
                continue
            following = ObjectState(number, at + 1, taken, wanted, size, banned)
            if key in self._serving:
                steps += self._members(key, following)
            else:
                steps.append((plain[key], following))
        if loose is not None:
            steps += [(label, loose) for label in self._idle]
            for key in self._other:
                steps += self._anywhere(key, loose)
        return steps

    def ends(self, state: ObjectState) -> bool:
        """Whether an object may end here."""
        if state.wanted or state.size < self._plan.demand.least:
            return False
        last = len(self._plan.sequence)
        return any(at == last and satisfied_by_absence(left) for at, left in self._skipping(state))

    def _skipping(self, state: ObjectState) -> Iterator[tuple[int, Cnf[int]]]:
        """The places of the sequence that can be reached without its next keys."""
        sequence, needed = self._plan.sequence, self._plan.demand.needed
        left: Cnf[int] | None = state.left
        for at in range(state.at, len(sequence) + 1):
            assert left is not None
            yield at, left
            if at == len(sequence) or sequence[at] in needed:
                return
            if sequence[at] in self._decides:
                left = self._assignment.assign(left, sequence[at], there=False)
                if left is None:
                    return

    def _anywhere(self, key: int, state: ObjectState) -> Iterator[tuple[Label, ObjectState]]:
        """The steps of a key that is not of the sequence."""
        if key in state.banned:
            return
        if key in self._tracked_needed and frozenset({(key, True)}) not in state.left:
            return
        left: Cnf[int] | None = state.left
        if key in self._decides:
            left = self._assignment.assign(state.left, key, there=True)
        if left is None:
            return
        following = state._replace(left=left)
        if key in self._plan.once:
            following = _without(following, key)
        for label, reached in self._members(key, following):
            # What a key has been chosen for must not be undone by the same key.
            served = label != self._plain[key] and key < self._names
            yield label, _without(reached, key) if served else reached

    def _members(self, key: int, state: ObjectState) -> Iterator[tuple[Label, ObjectState]]:
        """The steps of a key that may come, with each choice of witnesses that it may be."""
        plain = self._plain[key]
        goal = self._labels.goal(plain)
        serving = [one for one in self._serving.get(key, ()) if one[0] in state.wanted]
        if not serving:
            yield plain, state
            return
        wanted = state.wanted - {index for index, joined in serving if joined == goal}
        choices = [one for one in serving if one[1] != goal]
        for size in range(len(choices) + 1):
            for chosen in combinations(choices, size):
                literals = (literal for _, joined in chosen for literal in joined)
                meant = self._goals.narrowed(goal, *literals)
                if meant is not None:
                    left = wanted - {index for index, _ in chosen}
                    yield self._labels.label(key, meant), state._replace(wanted=left)

    def needed_from(self, at: int) -> frozenset[int]:
        """The keys of the sequence that must still come."""
        if at not in self._due:
            rest = self._plan.sequence[at:]
            self._due[at] = self._plan.demand.needed.intersection(rest)
        return self._due[at]


def drop_subsumed(
    states: frozenset[ObjectState], walks: Sequence[ObjectTransitions], families: Sequence[int]
) -> frozenset[ObjectState]:
    """Without the states whose objects, if their keys are distinct, others are known to have."""
    if len(states) == 1:
        return states
    alike: defaultdict[tuple[int, int, int], list[ObjectState]] = defaultdict(list)
    for state in sorted(states, key=lambda one: (len(one.left), one.plan)):
        group = alike[families[state.plan], state.at, state.size]
        if not any(_covers(one, state, walks) for one in group[:_COMPARED]):
            group.append(state)
    return frozenset(state for group in alike.values() for state in group)


def _covers(one: ObjectState, other: ObjectState, walks: Sequence[ObjectTransitions]) -> bool:
    """Whether one state of two that are equally far is known to lead to all that the other does."""
    return (
        one.wanted <= other.wanted
        and one.banned <= other.banned
        and walks[one.plan].needed_from(one.at) <= walks[other.plan].needed_from(other.at)
        and implies(other.left, one.left)
    )


def _without(state: ObjectState, key: int) -> ObjectState:
    return state._replace(banned=state.banned | {key})
