r"""From the tree of a pattern to a nondeterministic automaton with conditions.

The construction is Thompson's ("Regular expression search algorithm", 1968); the conditions are on
epsilon transitions.

`OneCharCompiler` compiles patterns that look one character away at most, which is where `^`, `$`
and `\b` look. What such a condition requires of the next character goes with the states after it;
what it requires of the last one is decided when that one is read. So only sets of numbers are left
for the subset construction.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, NONE, CharSet, classify
from pdl.automata.nfa import Chains, Moves, Nfa, States, subset_construction
from pdl.automata.pattern.read import Chars, Choice, Edge, Look, Node, Repeat, Sequence
from pdl.graphs import reachable

if TYPE_CHECKING:
    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Dfa


_LARGER = 2  # times the states of the outcome that an automaton may have


@dataclass(frozen=True)
class Lookaround:
    """A lookaround: the states at the start and at the end of its body."""

    entry: int
    exit: int
    ahead: bool


@dataclass(frozen=True)
class LookaroundCondition:
    """The condition that a lookaround, given by its number, succeeds or fails."""

    lookaround: int
    positive: bool


@dataclass(frozen=True)
class OneCharLookaround:
    """The condition that the next character, or the last one, is of a set.

    `edge` is whether the end of the text, or its start, is allowed too.
    """

    ahead: bool
    allowed: CharSet
    edge: bool


Condition: TypeAlias = OneCharLookaround | LookaroundCondition
AT_START = OneCharLookaround(ahead=False, allowed=NONE, edge=True)
AT_END = OneCharLookaround(ahead=True, allowed=NONE, edge=True)


@dataclass
class ConditionalNfa:
    """An automaton from `start` to `accept`, whose epsilon transitions may have conditions.

    A lookaround has a higher number than those in its body. A lookahead ends, as the whole does,
    in a state that takes whatever follows; a lookbehind begins in one that takes whatever comes
    before. If no lookaround looks farther than one character, there are no `lookarounds`; if any
    does, `AT_START` and `AT_END` are the only conditions of one character. For `chains`, see
    `subset_construction`.
    """

    states: Nfa = field(default_factory=Nfa)
    conditions: defaultdict[int, list[tuple[Condition, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    lookarounds: list[Lookaround] = field(default_factory=list)
    numbers: dict[tuple[Node, bool], int] = field(default_factory=dict)
    chains: dict[int, tuple[int, int]] = field(default_factory=dict)
    start: int = 0
    accept: int = 0


def thompson(tree: Node, budget: Budget) -> ConditionalNfa:
    """Return the automaton of the strings that match a pattern anywhere. Raises LimitError."""
    nfa = ConditionalNfa()
    looks = _looks(tree)
    if any(one_char_lookaround(look) is None for look in looks):
        for look in looks:
            if (look.body, look.ahead) not in nfa.numbers:
                _add_lookaround(nfa, look, budget)
    nfa.start, nfa.accept = _framed(nfa, tree, budget, before=True, after=True)
    return nfa


def _add_lookaround(nfa: ConditionalNfa, look: Look, budget: Budget) -> None:
    ends = _framed(nfa, look.body, budget, before=not look.ahead, after=look.ahead)
    nfa.numbers[look.body, look.ahead] = len(nfa.lookarounds)
    nfa.lookarounds.append(Lookaround(*ends, look.ahead))


def _looks(tree: Node) -> list[Look]:
    """The lookarounds of a pattern, inner ones first."""
    found: list[Look] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Look):
            found.append(node)
            stack.append(node.body)
        elif isinstance(node, Repeat):
            stack.append(node.body)
        elif isinstance(node, Sequence):
            stack.extend(node.parts)
        elif isinstance(node, Choice):
            stack.extend(node.branches)
    return sorted(found, key=lambda look: look.depth)


def one_char_lookaround(look: Look) -> OneCharLookaround | None:
    """The condition of a lookaround on the one character next to it, if it has no other."""
    branches = look.body.branches if isinstance(look.body, Choice) else (look.body,)
    allowed, edge = NONE, False
    for branch in branches:
        if isinstance(branch, Chars):
            allowed |= branch.allowed
        elif isinstance(branch, Edge) and branch.start != look.ahead:
            edge = True
        else:
            return None
    if look.positive:
        return OneCharLookaround(look.ahead, allowed, edge)
    return OneCharLookaround(look.ahead, ~allowed, not edge)


def _condition(nfa: ConditionalNfa, node: Edge | Look) -> Condition:
    if isinstance(node, Edge):
        return AT_START if node.start else AT_END
    if not nfa.lookarounds:
        short = one_char_lookaround(node)
        assert short is not None
        return short
    return LookaroundCondition(nfa.numbers[node.body, node.ahead], node.positive)


def _framed(
    nfa: ConditionalNfa, body: Node, budget: Budget, *, before: bool, after: bool
) -> tuple[int, int]:
    """Add a body with anything before it, or after it."""
    entry, leave = nfa.states.add_state(), nfa.states.add_state()
    first = entry
    if before:
        first = nfa.states.add_state()
        nfa.states.add_epsilon(entry, first)
        nfa.states.add_transition(first, EVERY.ranges, first)
    _build(nfa, (body, first, leave), budget)
    if after:
        nfa.states.add_transition(leave, EVERY.ranges, leave)
    return entry, leave


def _build(nfa: ConditionalNfa, task: tuple[Node, int, int], budget: Budget) -> None:
    """Add the states and transitions of a node between two states."""
    stack = [task]
    while stack:
        node, source, target = stack.pop()
        if isinstance(node, Chars):
            nfa.states.add_transition(source, node.allowed.ranges, target)
        elif isinstance(node, Sequence):
            stack.extend(_chain(nfa, node.parts, source, target))
        elif isinstance(node, Choice):
            stack.extend((branch, source, target) for branch in node.branches)
        elif isinstance(node, Repeat):
            stack.extend(_copies(nfa, node, source, target, budget))
        else:
            nfa.conditions[source].append((_condition(nfa, node), target))
        budget.check(len(nfa.states.transitions) // _LARGER)


def _chain(
    nfa: ConditionalNfa, parts: tuple[Node, ...], source: int, target: int
) -> list[tuple[Node, int, int]]:
    if not parts:
        nfa.states.add_epsilon(source, target)
    between = [nfa.states.add_state() for _ in parts[1:]]
    return list(zip(parts, [source, *between], [*between, target], strict=False))


def _copies(
    nfa: ConditionalNfa, node: Repeat, source: int, target: int, budget: Budget
) -> list[tuple[Node, int, int]]:
    """Add as many copies of the body as its counts need; an unbounded one ends in a loop."""
    copies = node.least if node.most is None else node.most
    budget.check((len(nfa.states.transitions) + copies) // _LARGER)
    tasks: list[tuple[Node, int, int]] = []
    head = len(nfa.states.transitions)
    for count in range(copies):
        if count >= node.least:
            nfa.states.add_epsilon(source, target)
            if isinstance(node.body, Chars):
                nfa.chains[source] = (head, count)
        after = nfa.states.add_state()
        tasks.append((node.body, source, after))
        source = after
    if node.most is None:
        loop = nfa.states.add_state()
        nfa.states.add_epsilon(source, loop)
        tasks.append((node.body, loop, loop))
        source = loop
    nfa.states.add_epsilon(source, target)
    return tasks


_FREE = 0
_START = -1
_State: TypeAlias = tuple[int, int]
"""A state, and the number of what is required of the next character; `_FREE` is nothing."""


class OneCharCompiler:
    """Compiles a pattern whose lookarounds look at one character each."""

    def __init__(self, nfa: ConditionalNfa, budget: Budget) -> None:
        self._nfa = nfa
        self._budget = budget
        self._cost = 0
        self._useful = _useful(nfa)
        self._read = list(nfa.states.labels)
        self._contexts = _contexts(nfa)
        self._needs: dict[tuple[CharSet, bool], int] = {(EVERY, True): _FREE}
        self._numbers: dict[_State, int] = {}
        self._states: list[_State] = []
        self._labels: dict[Ranges, int] = {}
        self._known_labels: dict[tuple[int, int, int], int | None] = {}
        self._closures: dict[tuple[int, int], States] = {}

    def dfa(self) -> Dfa:
        """The minimal automaton. Raises LimitError."""
        start = self._numbered(self._epsilon_closure(self._nfa.start, _START))
        moves = [self._moves(state) for state in self._states]  # which adds to them
        may_end = {number for (_, end), number in self._needs.items() if end}
        final = frozenset(
            number
            for number, (state, need) in enumerate(self._states)
            if state == self._nfa.accept and need in may_end
        )
        chains = self._chains()
        return subset_construction(
            list(self._labels), moves, start, final, budget=self._budget, chains=chains
        )

    def _chains(self) -> Chains:
        chains = self._nfa.chains
        return {
            number: chains[state]
            for number, (state, need) in enumerate(self._states)
            if state in chains and need == _FREE
        }

    def _numbered(self, states: set[_State]) -> States:
        """The numbers of the states that read something or accept."""
        steps, accept = self._nfa.states.transitions, self._nfa.accept
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
        if source == self._nfa.accept and need == _FREE:  # whatever the context is
            every = self._labels.setdefault(EVERY.ranges, len(self._labels))
            return [(every, frozenset([self._numbers[state]]))]
        found: Moves = []
        for label, target in self._nfa.states.transitions[source]:
            for context in range(len(self._contexts)):
                narrow = self._label(label, need, context)
                closure = self._closure(target, context)
                if narrow is not None and closure:
                    found.append((narrow, closure))
        return found

    def _label(self, label: int, need: int, context: int) -> int | None:
        """The part of a label that is required and leads to a context; None if it is empty."""
        key = (label, need, context)
        if key not in self._known_labels:
            asked, _ = list(self._needs)[need]
            read = CharSet(self._read[label]) & asked & self._contexts[context]
            number = self._labels.setdefault(read.ranges, len(self._labels)) if read else None
            self._known_labels[key] = number
        return self._known_labels[key]

    def _closure(self, target: int, context: int) -> States:
        """The epsilon closure of a state that a character of a context led to."""
        key = (target, context)
        if key not in self._closures:
            reached = self._epsilon_closure(target, context)
            self._closures[key] = self._numbered({s for s in reached if s[0] in self._useful})
        return self._closures[key]

    def _epsilon_closure(self, state: int, context: int) -> set[_State]:
        seen = {(state, _FREE)}
        if not self._nfa.states.epsilons[state] and state not in self._nfa.conditions:
            return seen
        stack = list(seen)
        while stack:
            source, need = stack.pop()
            fresh = {(target, need) for target in self._nfa.states.epsilons[source]}
            for condition, target in self._nfa.conditions.get(source, ()):
                assert isinstance(condition, OneCharLookaround)
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

    def _holds(self, condition: OneCharLookaround, context: int) -> bool:
        """Whether a condition holds where the last character is of a context."""
        if context == _START:
            return condition.edge
        return self._contexts[context].ranges[0][0] in condition.allowed

    def _narrowed(self, need: int, condition: OneCharLookaround) -> int:
        """The requirements of both on the next character."""
        asked, may_end = list(self._needs)[need]
        both = (asked & condition.allowed, may_end and condition.edge)
        return self._needs.setdefault(both, len(self._needs))


def _contexts(nfa: ConditionalNfa) -> list[CharSet]:
    """Classes of characters that no condition on the last one distinguishes."""
    sets = [EVERY.ranges]
    for row in nfa.conditions.values():
        sets += [
            one.allowed.ranges
            for one, _ in row
            if isinstance(one, OneCharLookaround) and not one.ahead
        ]
    classes, _ = classify(list(dict.fromkeys(sets)))
    return [CharSet(ranges) for ranges in classes]


def _useful(nfa: ConditionalNfa) -> set[int]:
    """The states that can still accept when a character has been read."""
    before: defaultdict[int, list[int]] = defaultdict(list)
    for source, row in enumerate(nfa.states.transitions):
        for _, target in row:
            before[target].append(source)
    for source, targets in enumerate(nfa.states.epsilons):
        for target in targets:
            before[target].append(source)
    for source, conditions in nfa.conditions.items():
        for condition, target in conditions:
            if condition != AT_START:
                before[target].append(source)
    return reachable(before, [nfa.accept])
