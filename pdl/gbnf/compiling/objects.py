"""The objects of a goal: one deterministic machine over members for the union of its conjuncts.

A state says how far the sequence of one conjunct is, and what is still asked for.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.compiling.alphabet import key_partition
from pdl.gbnf.compiling.machine import (
    STATES,
    Machine,
    Member,
    SubsetConstruction,
    TooManyStatesError,
)
from pdl.gbnf.compiling.member_order import dropped, fixed_orders, ordered, relaxations
from pdl.gbnf.compiling.object_constraints import ConstraintBuilder, alphabet
from pdl.gbnf.compiling.satisfiability import Assignment, Cnf, implies, satisfied_by_absence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction, ObjectConjunct
    from pdl.gbnf.compiling.machine import Context, Objects
    from pdl.gbnf.compiling.object_constraints import Alphabet, ObjectConstraints
    from pdl.gbnf.compiling.options import Options

_MOST_BITS = 14


def object_machine(conjuncts: Sequence[ObjectConjunct], context: Context) -> Objects | None:
    """The objects that satisfy one of some conjuncts; None if there are none.

    The machine takes each of them whose keys are distinct and come in an order that the options
    take. What is not enforced exactly is reported to the context: with `weaken` if the machine
    accepts other objects as well, with `bound` if it accepts some objects in some orders only.
    """
    conjuncts = list(dict.fromkeys(conjuncts))
    classes = key_partition(conjuncts, context)
    builder = ConstraintBuilder(classes, context)
    asked = [one for one in map(builder.build, conjuncts) if one is not None]
    if not asked:
        return None
    declared = context.options.key_order == "declared"
    symbols = alphabet(classes, asked, declared=declared)
    if symbols.imprecise:
        context.weaken("properties", "there are too many names to exclude them from the other keys")
    return _machine(symbols, context)


def _machine(symbols: Alphabet, context: Context) -> Objects | None:
    """The machine of the most exact constraints whose states are not too many."""
    options = context.options
    labels, most = Labels(symbols.keys), _most_states(symbols, options)
    before: list[ObjectConstraints] = []
    for relaxation, asked in relaxations(symbols.asked, options.max_required):
        declared = options.key_order == "declared"
        kept = ordered(asked, relaxation, names=symbols.names, declared=declared)
        if kept == before:
            continue
        try:
            states = STATES if relaxation.is_one_order else most
            machine = _attempt(kept, symbols, labels, context, states)
        except TooManyStatesError:
            before = kept
            continue
        for keyword, why in dropped(symbols.asked, kept):
            context.weaken(keyword, why)
        for keyword, why in fixed_orders(kept):
            context.bound(keyword, why)
        return machine
    raise AssertionError("one sequence without conditions has few states")


def _most_states(symbols: Alphabet, options: Options) -> int:
    """Twice as many as one object has whose required keys come in any order, and some more."""
    if options.key_order == "declared":
        return STATES
    return (2 << min(options.max_required, _MOST_BITS)) + 2 * len(symbols.keys)


def _attempt(
    asked: Sequence[ObjectConstraints],
    symbols: Alphabet,
    labels: Labels,
    context: Context,
    most: int,
) -> Objects | None:
    """The machine of ordered constraints. Raises TooManyStatesError."""
    if len(asked) == 1 and asked[0].is_plain:
        return _plain(asked[0], labels)
    transitions = [
        ObjectTransitions(number, one, labels, context, symbols.names)
        for number, one in enumerate(asked)
    ]
    numbers: dict[object, int] = {}
    families = [numbers.setdefault(one.family, len(numbers)) for one in transitions]
    subsets = SubsetConstruction(
        lambda state: transitions[state.conjunct].follow(state),
        lambda state: transitions[state.conjunct].ends(state),
        lambda states: drop_subsumed(states, transitions, families),
        most,
    )
    return subsets.machine((one.start for one in transitions), labels.member)


def _plain(asked: ObjectConstraints, labels: Labels) -> Objects:
    """The machine of constraints for which a state is no more than an index of the sequence.

    No two of its states are equal, and none is a dead end.
    """
    goals, needed, sequence = asked.goals, asked.needed, asked.sequence
    member = {
        key: labels.member(labels.label(key, goal))
        for key, goal in enumerate(goals)
        if goal is not None
    }
    last = due = len(sequence)
    edges: list[tuple[tuple[Member, int], ...]] = []
    accepting: set[int] = set()
    for at in range(last, -1, -1):
        if at < last and sequence[at] in needed:
            due = at
        steps = [(sequence[to], to + 1) for to in range(at, min(due + 1, last))]
        if due >= asked.loose:
            steps += [(key, max(at, asked.loose)) for key in asked.free]
            if asked.loose < last:
                steps.sort()
        if due == last:
            accepting.add(at)
        edges.append(tuple([(member[key], to) for key, to in steps]))
    return Machine(tuple(reversed(edges)), frozenset(accepting))


_COMPARED = 16  # states of a group that others are compared with

Label: TypeAlias = tuple[int, int]
"""A symbol, and the number of a goal."""


class Labels:
    """Numbers goals, so that labels can be sorted; `keys` are what symbols represent."""

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
        """What a label represents; the same value for the same label."""
        if label not in self._members:
            self._members[label] = Member(self._keys[label[0]], self._goals[label[1]])
        return self._members[label]


class ObjectState(NamedTuple):
    """Where an object of one conjunct is.

    `at`: how far its sequence is; `left`: the clauses that are not met; `wanted`: the witnesses
    that have not come; `size`: its members, if they are counted; `banned`: keys that must not come
    again.
    """

    conjunct: int
    at: int
    left: Cnf[int]
    wanted: frozenset[int]
    size: int
    banned: frozenset[int]


class ObjectTransitions:
    """The transition function of one conjunct.

    `family` is equal for conjuncts that differ in what they say of the presence of keys alone.
    """

    def __init__(
        self,
        number: int,
        asked: ObjectConstraints,
        labels: Labels,
        context: Context,
        names: int,
    ) -> None:
        self._number = number
        self._asked = asked
        self._labels = labels
        self._context = context
        self._names = names
        self._due: dict[int, frozenset[int]] = {}
        self._assignment: Assignment[int] = Assignment()
        self._tracked_needed = asked.tracked & asked.needed
        self._decides = {key for clause in asked.clauses for key, _ in clause}
        self._decides |= self._tracked_needed
        self._cap = asked.least if asked.most is None else asked.most
        self._plain: dict[int, Label] = {
            key: labels.label(key, goal) for key, goal in enumerate(asked.goals) if goal is not None
        }
        self._serving: dict[int, list[tuple[int, Conjunction]]] = {}
        for index, witness in enumerate(asked.witnesses):
            for key, goal in witness:
                self._serving.setdefault(key, []).append((index, goal))
        counts = asked.least, asked.most
        sequence = asked.sequence, asked.loose, asked.once
        self.family = asked.goals, sequence, asked.witnesses, counts
        self._idle = [self._plain[key] for key in asked.free if key not in self._serving]
        self._other = [key for key in asked.free if key in self._serving]
        self._other += sorted((asked.tracked | asked.once) - set(self._other))

    @property
    def start(self) -> ObjectState:
        """The state of an object without members."""
        needed = (frozenset({(key, True)}) for key in self._tracked_needed)
        left = self._asked.clauses | frozenset(needed)
        wanted = frozenset(range(len(self._asked.witnesses)))
        return ObjectState(self._number, 0, left, wanted, 0, frozenset())

    def follow(self, state: ObjectState) -> list[tuple[Label, ObjectState]]:
        """The members that may come next, and where they lead."""
        if state.size == self._asked.most:
            return []
        asked, plain = self._asked, self._plain
        number, _, _, wanted, size, banned = state
        size += size != self._cap
        steps: list[tuple[Label, ObjectState]] = []
        loose: ObjectState | None = None
        for at, left in self._skipping(state):
            if at >= asked.loose and loose is None:
                loose = ObjectState(number, at, left, wanted, size, banned)
            if at == len(asked.sequence):
                break
            key = asked.sequence[at]
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
        if state.wanted or state.size < self._asked.least:
            return False
        last = len(self._asked.sequence)
        return any(at == last and satisfied_by_absence(left) for at, left in self._skipping(state))

    def _skipping(self, state: ObjectState) -> Iterator[tuple[int, Cnf[int]]]:
        """The places of the sequence that can be reached without its next keys."""
        sequence, needed = self._asked.sequence, self._asked.needed
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
        if key in self._asked.once:
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
                meant = self._context.narrowed(goal, *literals)
                if meant is not None:
                    left = wanted - {index for index, _ in chosen}
                    yield self._labels.label(key, meant), state._replace(wanted=left)

    def needed_from(self, at: int) -> frozenset[int]:
        """The keys of the sequence that must still come."""
        if at not in self._due:
            rest = self._asked.sequence[at:]
            self._due[at] = self._asked.needed.intersection(rest)
        return self._due[at]


def drop_subsumed(
    states: frozenset[ObjectState],
    transitions: Sequence[ObjectTransitions],
    families: Sequence[int],
) -> frozenset[ObjectState]:
    """Without the states whose objects, if their keys are distinct, others are known to have."""
    if len(states) == 1:
        return states
    alike: defaultdict[tuple[int, int, int], list[ObjectState]] = defaultdict(list)
    for state in sorted(states, key=lambda one: (len(one.left), one.conjunct)):
        group = alike[families[state.conjunct], state.at, state.size]
        if not any(_covers(one, state, transitions) for one in group[:_COMPARED]):
            group.append(state)
    return frozenset(state for group in alike.values() for state in group)


def _covers(one: ObjectState, other: ObjectState, transitions: Sequence[ObjectTransitions]) -> bool:
    """Whether one state of two that are equally far is known to lead to all that the other does."""
    return (
        one.wanted <= other.wanted
        and one.banned <= other.banned
        and transitions[one.conjunct].needed_from(one.at)
        <= transitions[other.conjunct].needed_from(other.at)
        and implies(other.left, one.left)
    )


def _without(state: ObjectState, key: int) -> ObjectState:
    return state._replace(banned=state.banned | {key})
