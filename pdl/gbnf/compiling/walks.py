"""The states of objects: how far the sequence of a plan is, and what is still asked for."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.compiling.clauses import Ledger, Left, implies, vacuous
from pdl.gbnf.compiling.machine import Member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.claims import Goal
    from pdl.gbnf.compiling.goals import Goals
    from pdl.gbnf.compiling.plans import Plan

_COMPARED = 16  # states of a group that others are compared with

Label: TypeAlias = tuple[int, int]
"""A symbol, and the number of a goal."""


class Labels:
    """Numbers goals, so that labels can be sorted; `keys` are what symbols stand for."""

    def __init__(self, keys: Mapping[int, str | Dfa]) -> None:
        self._keys = keys
        self._goals: list[Goal] = []
        self._numbers: dict[Goal, int] = {}
        self._members: dict[Label, Member] = {}

    def label(self, symbol: int, goal: Goal) -> Label:
        """The label of a symbol with a goal."""
        number = self._numbers.setdefault(goal, len(self._goals))
        if number == len(self._goals):
            self._goals.append(goal)
        return symbol, number

    def goal(self, label: Label) -> Goal:
        """The goal of a label."""
        return self._goals[label[1]]

    def member(self, label: Label) -> Member:
        """What a label stands for; the same value for the same label."""
        if label not in self._members:
            self._members[label] = Member(self._keys[label[0]], self._goals[label[1]])
        return self._members[label]


class State(NamedTuple):
    """Where an object of one plan is.

    `at`: how far its sequence is; `left`: the clauses that are not met; `wanted`: the witnesses
    that have not come; `size`: its members, as far as they are counted; `banned`: keys that must
    not come again.
    """

    plan: int
    at: int
    left: Left[int]
    wanted: frozenset[int]
    size: int
    banned: frozenset[int]


class Walk:
    """Steps through the states of one plan.

    `family` is equal for plans that differ in what they say of the presence of keys alone.
    """

    def __init__(self, number: int, plan: Plan, labels: Labels, goals: Goals, names: int) -> None:
        demand = plan.demand
        self._goals = goals
        self._names = names
        self._due: dict[int, frozenset[int]] = {}
        self._number = number
        self._plan = plan
        self._labels = labels
        self._ledger: Ledger[int] = Ledger()
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
        self._serving: dict[int, list[tuple[int, Goal]]] = {}
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
    def start(self) -> State:
        """The state of an object without members."""
        needed = (frozenset({(key, True)}) for key in self._tracked_needed)
        left = self._plan.demand.clauses | frozenset(needed)
        wanted = frozenset(range(len(self._plan.demand.witnesses)))
        return State(self._number, 0, left, wanted, 0, frozenset())

    def follow(self, state: State) -> list[tuple[Label, State]]:
        """The members that may come next, and where they lead."""
        if state.size == self._most:
            return []
        plan, plain = self._plan, self._plain
        number, _, _, wanted, size, banned = state
        size += size != self._cap
        steps: list[tuple[Label, State]] = []
        loose: State | None = None
        for at, left in self._skipping(state):
            if at >= plan.loose and loose is None:
                loose = State(number, at, left, wanted, size, banned)
            if at == len(plan.sequence):
                break
            key = plan.sequence[at]
            taken = self._ledger.after(left, key, there=True) if key in self._decides else left
            if taken is None:
                continue
            following = State(number, at + 1, taken, wanted, size, banned)
            if key in self._serving:
                steps += self._members(key, following)
            else:
                steps.append((plain[key], following))
        if loose is not None:
            steps += [(label, loose) for label in self._idle]
            for key in self._other:
                steps += self._anywhere(key, loose)
        return steps

    def ends(self, state: State) -> bool:
        """Whether an object may end here."""
        if state.wanted or state.size < self._plan.demand.least:
            return False
        last = len(self._plan.sequence)
        return any(at == last and vacuous(left) for at, left in self._skipping(state))

    def _skipping(self, state: State) -> Iterator[tuple[int, Left[int]]]:
        """The places of the sequence that can be reached without its next keys."""
        sequence, needed = self._plan.sequence, self._plan.demand.needed
        left: Left[int] | None = state.left
        for at in range(state.at, len(sequence) + 1):
            assert left is not None
            yield at, left
            if at == len(sequence) or sequence[at] in needed:
                return
            if sequence[at] in self._decides:
                left = self._ledger.after(left, sequence[at], there=False)
                if left is None:
                    return

    def _anywhere(self, key: int, state: State) -> Iterator[tuple[Label, State]]:
        """The steps of a key that is not of the sequence."""
        if key in state.banned:
            return
        if key in self._tracked_needed and frozenset({(key, True)}) not in state.left:
            return
        left: Left[int] | None = state.left
        if key in self._decides:
            left = self._ledger.after(state.left, key, there=True)
        if left is None:
            return
        following = state._replace(left=left)
        if key in self._plan.once:
            following = _without(following, key)
        for label, reached in self._members(key, following):
            # What a key has been chosen for must not be undone by the same key.
            served = label != self._plain[key] and key < self._names
            yield label, _without(reached, key) if served else reached

    def _members(self, key: int, state: State) -> Iterator[tuple[Label, State]]:
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
                claims = (claim for _, joined in chosen for claim in joined)
                meant = self._goals.narrowed(goal, *claims)
                if meant is not None:
                    left = wanted - {index for index, _ in chosen}
                    yield self._labels.label(key, meant), state._replace(wanted=left)

    def needed_from(self, at: int) -> frozenset[int]:
        """The keys of the sequence that must still come."""
        if at not in self._due:
            rest = self._plan.sequence[at:]
            self._due[at] = self._plan.demand.needed.intersection(rest)
        return self._due[at]


def pruned(
    states: frozenset[State], walks: Sequence[Walk], families: Sequence[int]
) -> frozenset[State]:
    """Without the states whose objects, if their keys are distinct, others are known to have."""
    if len(states) == 1:
        return states
    alike: defaultdict[tuple[int, int, int], list[State]] = defaultdict(list)
    for state in sorted(states, key=lambda one: (len(one.left), one.plan)):
        group = alike[families[state.plan], state.at, state.size]
        if not any(_covers(one, state, walks) for one in group[:_COMPARED]):
            group.append(state)
    return frozenset(state for group in alike.values() for state in group)


def _covers(one: State, other: State, walks: Sequence[Walk]) -> bool:
    """Whether one state of two that are equally far is known to lead to all that the other does."""
    return (
        one.wanted <= other.wanted
        and one.banned <= other.banned
        and walks[one.plan].needed_from(one.at) <= walks[other.plan].needed_from(other.at)
        and implies(other.left, one.left)
    )


def _without(state: State, key: int) -> State:
    return state._replace(banned=state.banned | {key})
