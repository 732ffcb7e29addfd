"""Nondeterministic automata, and the subset construction that makes them deterministic.

A set of states becomes one state (Rabin and Scott, "Finite automata and their decision problems",
1959), over classes of code points and within a budget.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, Members, classify, joined
from pdl.automata.minimize import minimal_dfa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Dfa

States: TypeAlias = frozenset[int]
Chains: TypeAlias = dict[int, tuple[int, int]]
"""The counted repetition that a state belongs to, and its rank there."""
Moves: TypeAlias = list[tuple[int, States]]
"""Labels, and the epsilon closure of the states that each leads to."""
_QUICK = 16  # states that are added to a set in the time of a step


class Nfa:
    """States with labeled transitions and epsilon transitions, which read nothing."""

    def __init__(self) -> None:
        self.labels: dict[Ranges, int] = {}
        self.transitions: list[list[tuple[int, int]]] = []
        self.epsilons: list[list[int]] = []

    def add_state(self) -> int:
        """Add a state and return it."""
        self.transitions.append([])
        self.epsilons.append([])
        return len(self.transitions) - 1

    def add_transition(self, source: int, ranges: Ranges, target: int) -> None:
        """Add a transition that reads a code point of the ranges."""
        if ranges:
            label = self.labels.setdefault(ranges, len(self.labels))
            self.transitions[source].append((label, target))

    def add_epsilon(self, source: int, target: int) -> None:
        """Add a transition that reads nothing."""
        self.epsilons[source].append(target)

    def embed(self, dfa: Dfa) -> tuple[int, list[int]]:
        """Add the states of an automaton; return its start and its accepting states."""
        base = len(self.transitions)
        known: dict[tuple[int, ...], Ranges] = {}
        for _ in dfa.table.rows:
            self.add_state()
        for source, row in enumerate(dfa.table.rows):
            grouped: defaultdict[int, list[int]] = defaultdict(list)
            for member, target in row.items():
                grouped[target].append(member)
            for target, members in grouped.items():
                key = tuple(members)
                if key not in known:
                    known[key] = joined(dfa.table.classes, key)
                self.add_transition(base + source, known[key], base + target)
        return base, [base + state for state in dfa.accepting]

    def append(self, source: int, dfa: Dfa) -> int:
        """Continue from a state with a string of an automaton; return the state at its end."""
        start, accepting = self.embed(dfa)
        self.add_epsilon(source, start)
        end = self.add_state()
        for state in accepting:
            self.add_epsilon(state, end)
        return end

    def epsilon_closure(self, state: int) -> States:
        """Return the epsilon closure of a state."""
        seen = {state}
        stack = [state]
        while stack:
            for target in self.epsilons[stack.pop()]:
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return frozenset(seen)

    def to_dfa(self, start: int, accept: int, budget: Budget) -> Dfa:
        """Return the minimal automaton between two states. Raises LimitError."""
        closures: dict[int, States] = {}
        cost = 0
        for state in {start, *(target for steps in self.transitions for _, target in steps)}:
            full = self.epsilon_closure(state)
            cost += len(full)
            budget.check(0, cost)
            closures[state] = frozenset(q for q in full if self.transitions[q] or q == accept)
        moves = [[(label, closures[target]) for label, target in row] for row in self.transitions]
        return subset_construction(
            list(self.labels), moves, closures[start], frozenset([accept]), budget=budget
        )


def subset_construction(  # noqa: PLR0913 - an automaton has so many parts
    labels: Sequence[Ranges],
    moves: Sequence[Moves],
    start: States,
    final: States,
    *,
    budget: Budget,
    chains: Chains | None = None,
) -> Dfa:
    """Return the minimal automaton for sets of states that read labels.

    A set accepts if it has a final state. Whatever a state accepts, those of lower rank in the same
    chain accept too, as in `x{0,9}` after fewer `x`. Raises LimitError beyond the budget.
    """
    classes, members = classify(labels)
    prune = _PruneSubsumed(_absorbing(labels, moves, final), final, chains or {})
    order = [prune.of(start)]
    number: dict[States, int] = {order[0]: 0}
    rows: list[dict[int, int]] = []
    steps = 0
    for states in order:
        row: dict[int, int] = {}
        moved, cost = _successors(states, moves, members)
        for label, target in moved:
            if target not in number:
                kept = prune.of(target)
                number[target] = number.setdefault(kept, len(order))
                if number[kept] == len(order):
                    order.append(kept)
            row[label] = number[target]
        rows.append(row)
        steps += len(states) + len(row) + cost // _QUICK
        budget.check(len(order), steps)
    accepting = {number[states] for states in order if not final.isdisjoint(states)}
    return minimal_dfa(classes, rows, accepting)


@dataclass(frozen=True)
class _PruneSubsumed:
    """Drops states that make no difference to what a set accepts."""

    absorbing: dict[int, States]
    final: States
    chains: Chains

    def of(self, states: States) -> States:
        """The set, or a smaller one that accepts the same."""
        if len(states) == 1:
            return states
        if self.absorbing and not self.final.isdisjoint(states):
            found = self.absorbing.keys() & states
            if found:  # everything that follows is accepted
                return self.absorbing[min(found)]
        return self._furthest(states) if self.chains else states

    def _furthest(self, states: States) -> States:
        """The set with the lowest rank of each chain, which subsumes the others."""
        best: dict[int, tuple[int, int]] = {}
        for state in states:
            if state in self.chains:
                chain, rank = self.chains[state]
                best[chain] = min(best.get(chain, (rank, state)), (rank, state))
        kept = {state for _, state in best.values()}
        return frozenset(q for q in states if q in kept or q not in self.chains)


def _absorbing(
    labels: Sequence[Ranges], moves: Sequence[Moves], final: States
) -> dict[int, States]:
    """States that continue and accept whatever is read, and what they lead to."""
    if EVERY.ranges not in labels:
        return {}
    every = labels.index(EVERY.ranges)
    return {
        state: targets
        for state, row in enumerate(moves)
        for label, targets in row
        if label == every and state in targets and not final.isdisjoint(targets)
    }


def _successors(
    states: States, moves: Sequence[Moves], members: Sequence[Members]
) -> tuple[list[tuple[int, States]], int]:
    """Each class, and the states that it leads to; and the cost of combining these."""
    by_label: defaultdict[int, list[States]] = defaultdict(list)
    for state in states:
        for label, targets in moves[state]:
            by_label[label].append(targets)
    by_class: defaultdict[int, list[int]] = defaultdict(list)
    for label in by_label:
        for one in members[label]:
            by_class[one].append(label)
    unions: dict[tuple[int, ...], States] = {}
    found: list[tuple[int, States]] = []
    cost = 0
    for one, read in by_class.items():
        key = tuple(read)
        if key not in unions:
            parts = [targets for label in key for targets in by_label[label]]
            unions[key] = frozenset().union(*parts) if parts[1:] else parts[0]
            cost += sum(map(len, parts))
        found.append((one, unions[key]))
    return found, cost
