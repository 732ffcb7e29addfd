"""Nondeterministic automata, as they are put together, and the way from them to minimal ones.

A set of states becomes one state (Rabin and Scott, "Finite automata and their decision problems",
1959), over classes of code points and under a budget.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, Members, classify, joined
from pdl.automata.minimize import minimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Dfa

States: TypeAlias = frozenset[int]
Chains: TypeAlias = dict[int, tuple[int, int]]
"""The chain of a state, and its rank there."""
Moves: TypeAlias = list[tuple[int, States]]
"""Labels and the states that each leads to, with those that skips reach from there."""
_QUICK = 16  # a state is added to a set in such a part of the time of a step


class Nfa:
    """States with labelled steps, and skips that read nothing."""

    def __init__(self) -> None:
        self.labels: dict[Ranges, int] = {}
        self.steps: list[list[tuple[int, int]]] = []
        self.skips: list[list[int]] = []

    def state(self) -> int:
        """A new state."""
        self.steps.append([])
        self.skips.append([])
        return len(self.steps) - 1

    def step(self, source: int, ranges: Ranges, target: int) -> None:
        """Read a code point of the ranges on the way from one state to another."""
        if ranges:
            label = self.labels.setdefault(ranges, len(self.labels))
            self.steps[source].append((label, target))

    def skip(self, source: int, target: int) -> None:
        """Go from one state to another and read nothing."""
        self.skips[source].append(target)

    def embed(self, dfa: Dfa) -> tuple[int, list[int]]:
        """New states for those of an automaton: the start, and the accepting ones."""
        base = len(self.steps)
        known: dict[tuple[int, ...], Ranges] = {}
        for _ in dfa.table.rows:
            self.state()
        for source, row in enumerate(dfa.table.rows):
            grouped: defaultdict[int, list[int]] = defaultdict(list)
            for member, target in row.items():
                grouped[target].append(member)
            for target, members in grouped.items():
                key = tuple(members)
                if key not in known:
                    known[key] = joined(dfa.table.classes, key)
                self.step(base + source, known[key], base + target)
        return base, [base + state for state in dfa.accepting]

    def append(self, source: int, dfa: Dfa) -> int:
        """Go on from a state with a text of an automaton; the new state where it has ended."""
        start, accepting = self.embed(dfa)
        self.skip(source, start)
        end = self.state()
        for state in accepting:
            self.skip(state, end)
        return end

    def closure(self, state: int) -> States:
        """What skips reach from a state."""
        seen = {state}
        stack = [state]
        while stack:
            for target in self.skips[stack.pop()]:
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return frozenset(seen)

    def determined(self, start: int, accept: int, budget: Budget) -> Dfa:
        """The minimal automaton of what leads from one state to another. Raises LimitError."""
        closures: dict[int, States] = {}
        cost = 0
        for state in {start, *(target for steps in self.steps for _, target in steps)}:
            full = self.closure(state)
            cost += len(full)
            budget.check(0, cost)
            closures[state] = frozenset(q for q in full if self.steps[q] or q == accept)
        moves = [[(label, closures[target]) for label, target in row] for row in self.steps]
        return determine(
            list(self.labels), moves, closures[start], frozenset([accept]), budget=budget
        )


def determine(  # noqa: PLR0913 - an automaton has so many parts
    labels: Sequence[Ranges],
    moves: Sequence[Moves],
    start: States,
    final: States,
    *,
    budget: Budget,
    chains: Chains | None = None,
) -> Dfa:
    """The minimal automaton for sets of states that read labels.

    A set accepts if it has a final state. What a state accepts, those of lower rank in the same
    chain accept as well, as in `x{0,9}` where more may still come. Raises LimitError beyond the
    budget.
    """
    classes, members = classify(labels)
    lean = _Lean(_lasting(labels, moves, final), final, chains or {})
    order = [lean.of(start)]
    number: dict[States, int] = {order[0]: 0}
    rows: list[dict[int, int]] = []
    steps = 0
    for states in order:
        row: dict[int, int] = {}
        moved, cost = _moved(states, moves, members)
        for label, target in moved:
            if target not in number:
                kept = lean.of(target)
                number[target] = number.setdefault(kept, len(order))
                if number[kept] == len(order):
                    order.append(kept)
            row[label] = number[target]
        rows.append(row)
        steps += len(states) + len(row) + cost // _QUICK
        budget.check(len(order), steps)
    accepting = {number[states] for states in order if not final.isdisjoint(states)}
    return minimal(classes, rows, accepting)


@dataclass(frozen=True)
class _Lean:
    """Leaves out what makes no difference to what a set accepts."""

    lasting: dict[int, States]
    final: States
    chains: Chains

    def of(self, states: States) -> States:
        """The set, or a smaller one that accepts the same."""
        if len(states) == 1:
            return states
        if self.lasting and not self.final.isdisjoint(states):
            found = self.lasting.keys() & states
            if found:  # all that follows is accepted
                return self.lasting[min(found)]
        return self._unchained(states) if self.chains else states

    def _unchained(self, states: States) -> States:
        """The set with one state of each chain."""
        best: dict[int, tuple[int, int]] = {}
        for state in states:
            if state in self.chains:
                chain, rank = self.chains[state]
                best[chain] = min(best.get(chain, (rank, state)), (rank, state))
        kept = {state for _, state in best.values()}
        return frozenset(q for q in states if q in kept or q not in self.chains)


def _lasting(labels: Sequence[Ranges], moves: Sequence[Moves], final: States) -> dict[int, States]:
    """States that stay whatever is read, and accept then; and what they lead to."""
    if EVERY.ranges not in labels:
        return {}
    every = labels.index(EVERY.ranges)
    return {
        state: targets
        for state, row in enumerate(moves)
        for label, targets in row
        if label == every and state in targets and not final.isdisjoint(targets)
    }


def _moved(
    states: States, moves: Sequence[Moves], members: Sequence[Members]
) -> tuple[list[tuple[int, States]], int]:
    """Each class, and the states that it leads to; and what it took to put these together."""
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
