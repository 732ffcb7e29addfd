r"""Patterns that look one character away at most, which is where `^`, `$` and `\b` look.

What such a condition asks of the next character goes with the states behind it; what it asks of
the last one is decided when that one is read. So nothing but sets of numbers is left to make
deterministic.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, CharSet
from pdl.automata.classes import classify
from pdl.automata.nfa import Chains, Moves, States, determine
from pdl.automata.pattern.machine import AT_START, Beside

if TYPE_CHECKING:
    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Dfa
    from pdl.automata.pattern.machine import Machine

_FREE = 0
_START = -1
_State: TypeAlias = tuple[int, int]
"""A state, and the number of what is asked of the next character; `_FREE` is nothing."""


class Plain:
    """The automaton of one pattern, while it is built."""

    def __init__(self, made: Machine, budget: Budget) -> None:
        self._made = made
        self._budget = budget
        self._cost = 0
        self._useful = _useful(made)
        self._read = list(made.nfa.labels)
        self._contexts = _contexts(made)
        self._needs: dict[tuple[CharSet, bool], int] = {(EVERY, True): _FREE}
        self._numbers: dict[_State, int] = {}
        self._states: list[_State] = []
        self._labels: dict[Ranges, int] = {}
        self._known_labels: dict[tuple[int, int, int], int | None] = {}
        self._closures: dict[tuple[int, int], States] = {}

    def run(self) -> Dfa:
        """The minimal automaton. Raises LimitError."""
        start = self._numbered(self._reached(self._made.start, _START))
        moves = [self._moves(state) for state in self._states]  # which adds to them
        may_end = {number for (_, end), number in self._needs.items() if end}
        final = frozenset(
            number
            for number, (state, need) in enumerate(self._states)
            if state == self._made.accept and need in may_end
        )
        chains = self._chains()
        return determine(
            list(self._labels), moves, start, final, budget=self._budget, chains=chains
        )

    def _chains(self) -> Chains:
        chains = self._made.chains
        return {
            number: chains[state]
            for number, (state, need) in enumerate(self._states)
            if state in chains and need == _FREE
        }

    def _numbered(self, states: set[_State]) -> States:
        """The numbers of the states that read something or accept."""
        steps, accept = self._made.nfa.steps, self._made.accept
        return frozenset(
            self._number(state) for state in sorted(states) if steps[state[0]] or state[0] == accept
        )

    def _number(self, state: _State) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def _moves(self, state: _State) -> Moves:
        source, need = state
        if source == self._made.accept and need == _FREE:  # whatever the context is
            every = self._labels.setdefault(EVERY.ranges, len(self._labels))
            return [(every, frozenset([self._numbers[state]]))]
        found: Moves = []
        for label, target in self._made.nfa.steps[source]:
            for context in range(len(self._contexts)):
                narrow = self._label(label, need, context)
                closure = self._closure(target, context)
                if narrow is not None and closure:
                    found.append((narrow, closure))
        return found

    def _label(self, label: int, need: int, context: int) -> int | None:
        """The part of a label that is asked for and leads to a context; None if it is empty."""
        key = (label, need, context)
        if key not in self._known_labels:
            asked, _ = list(self._needs)[need]
            read = CharSet(self._read[label]) & asked & self._contexts[context]
            number = self._labels.setdefault(read.ranges, len(self._labels)) if read else None
            self._known_labels[key] = number
        return self._known_labels[key]

    def _closure(self, target: int, context: int) -> States:
        """What skips reach from a state that a character of a context led to."""
        key = (target, context)
        if key not in self._closures:
            reached = self._reached(target, context)
            self._closures[key] = self._numbered({s for s in reached if s[0] in self._useful})
        return self._closures[key]

    def _reached(self, state: int, context: int) -> set[_State]:
        seen = {(state, _FREE)}
        if not self._made.nfa.skips[state] and state not in self._made.conditions:
            return seen
        stack = list(seen)
        while stack:
            source, need = stack.pop()
            fresh = {(target, need) for target in self._made.nfa.skips[source]}
            for condition, target in self._made.conditions.get(source, ()):
                assert isinstance(condition, Beside)
                if condition.ahead:
                    fresh.add((target, self._narrowed(need, condition)))
                elif self._holds(condition, context):
                    fresh.add((target, need))
            fresh -= seen
            seen |= fresh
            stack.extend(fresh)
        self._cost += len(seen)
        self._budget.check(0, self._cost)
        return seen

    def _holds(self, condition: Beside, context: int) -> bool:
        """Whether a condition holds where the last character is of a context."""
        if context == _START:
            return condition.edge
        return self._contexts[context].ranges[0][0] in condition.allowed

    def _narrowed(self, need: int, condition: Beside) -> int:
        """What is asked of the next character by both."""
        asked, may_end = list(self._needs)[need]
        both = (asked & condition.allowed, may_end and condition.edge)
        return self._needs.setdefault(both, len(self._needs))


def _contexts(made: Machine) -> list[CharSet]:
    """Classes of characters that no condition on the last one tells apart."""
    sets = [EVERY.ranges]
    for row in made.conditions.values():
        sets += [one.allowed.ranges for one, _ in row if isinstance(one, Beside) and not one.ahead]
    classes, _ = classify(list(dict.fromkeys(sets)))
    return [CharSet(ranges) for ranges in classes]


def _useful(made: Machine) -> set[int]:
    """The states that can still accept when a character has been read."""
    before: defaultdict[int, list[int]] = defaultdict(list)
    for source, row in enumerate(made.nfa.steps):
        for _, target in row:
            before[target].append(source)
    for source, targets in enumerate(made.nfa.skips):
        for target in targets:
            before[target].append(source)
    for source, conditions in made.conditions.items():
        for condition, target in conditions:
            if condition != AT_START:
                before[target].append(source)
    useful = {made.accept}
    stack = [made.accept]
    while stack:
        fresh = set(before[stack.pop()]) - useful
        useful |= fresh
        stack.extend(fresh)
    return useful
