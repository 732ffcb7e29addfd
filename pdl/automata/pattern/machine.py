r"""From the tree of a pattern to a nondeterministic automaton with conditions on its skips.

The construction is Thompson's ("Regular expression search algorithm", 1968).

`Plain` makes patterns deterministic that look one character away at most, which is where `^`, `$`
and `\b` look. What such a condition asks of the next character goes with the states after it; what
it asks of the last one is decided when that one is read. So nothing but sets of numbers is left to
make deterministic.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, NONE, CharSet, classify
from pdl.automata.nfa import Chains, Moves, Nfa, States, determine
from pdl.automata.pattern.read import Chars, Choice, Edge, Look, Node, Repeat, Sequence

if TYPE_CHECKING:
    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Dfa


_LARGER = 2  # an automaton may have so many times the states of the one that comes of it


@dataclass(frozen=True)
class Sight:
    """A lookaround: the states at the start and at the end of its body."""

    entry: int
    exit: int
    ahead: bool


@dataclass(frozen=True)
class Seen:
    """The condition that a lookaround, given by its number, succeeds or fails."""

    sight: int
    positive: bool


@dataclass(frozen=True)
class Beside:
    """The condition that the next character, or the last one, is of a set.

    `edge` is whether the end of the text, or its start, will do as well.
    """

    ahead: bool
    allowed: CharSet
    edge: bool


Condition: TypeAlias = Beside | Seen
AT_START = Beside(ahead=False, allowed=NONE, edge=True)
AT_END = Beside(ahead=True, allowed=NONE, edge=True)


@dataclass
class Machine:
    """An automaton from `start` to `accept`, whose skips may have conditions.

    A lookaround has a higher number than those in its body. A lookahead ends, as the whole does,
    in a state that takes whatever follows; a lookbehind begins in one that takes whatever comes
    before. If no lookaround looks farther than one character, there are no `sights`, and otherwise
    `AT_START` and `AT_END` are all there is of `Beside`. `chains` are explained at `determine`.
    """

    nfa: Nfa = field(default_factory=Nfa)
    conditions: defaultdict[int, list[tuple[Condition, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    sights: list[Sight] = field(default_factory=list)
    numbers: dict[tuple[Node, bool], int] = field(default_factory=dict)
    chains: dict[int, tuple[int, int]] = field(default_factory=dict)
    start: int = 0
    accept: int = 0


def machine(tree: Node, budget: Budget) -> Machine:
    """The automaton for texts that match a pattern anywhere. Raises LimitError."""
    made = Machine()
    looks = _looks(tree)
    if any(beside(look) is None for look in looks):
        for look in looks:
            if (look.body, look.ahead) not in made.numbers:
                _add_sight(made, look, budget)
    made.start, made.accept = _framed(made, tree, budget, before=True, behind=True)
    return made


def _add_sight(made: Machine, look: Look, budget: Budget) -> None:
    ends = _framed(made, look.body, budget, before=not look.ahead, behind=look.ahead)
    made.numbers[look.body, look.ahead] = len(made.sights)
    made.sights.append(Sight(*ends, look.ahead))


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


def beside(look: Look) -> Beside | None:
    """What a lookaround says of the one character beside it, if it says nothing else."""
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
        return Beside(look.ahead, allowed, edge)
    return Beside(look.ahead, ~allowed, not edge)


def _condition(made: Machine, node: Edge | Look) -> Condition:
    if isinstance(node, Edge):
        return AT_START if node.start else AT_END
    if not made.sights:
        short = beside(node)
        assert short is not None
        return short
    return Seen(made.numbers[node.body, node.ahead], node.positive)


def _framed(
    made: Machine, body: Node, budget: Budget, *, before: bool, behind: bool
) -> tuple[int, int]:
    """A body whose text may stand behind, or before, whatever there is."""
    entry, leave = made.nfa.state(), made.nfa.state()
    first = entry
    if before:
        first = made.nfa.state()
        made.nfa.skip(entry, first)
        made.nfa.step(first, EVERY.ranges, first)
    _build(made, (body, first, leave), budget)
    if behind:
        made.nfa.step(leave, EVERY.ranges, leave)
    return entry, leave


def _build(made: Machine, task: tuple[Node, int, int], budget: Budget) -> None:
    """States and skips for a node between two states."""
    stack = [task]
    while stack:
        node, source, target = stack.pop()
        if isinstance(node, Chars):
            made.nfa.step(source, node.allowed.ranges, target)
        elif isinstance(node, Sequence):
            stack.extend(_chain(made, node.parts, source, target))
        elif isinstance(node, Choice):
            stack.extend((branch, source, target) for branch in node.branches)
        elif isinstance(node, Repeat):
            stack.extend(_copies(made, node, source, target, budget))
        else:
            made.conditions[source].append((_condition(made, node), target))
        budget.check(len(made.nfa.steps) // _LARGER)


def _chain(
    made: Machine, parts: tuple[Node, ...], source: int, target: int
) -> list[tuple[Node, int, int]]:
    if not parts:
        made.nfa.skip(source, target)
    between = [made.nfa.state() for _ in parts[1:]]
    return list(zip(parts, [source, *between], [*between, target], strict=False))


def _copies(
    made: Machine, node: Repeat, source: int, target: int, budget: Budget
) -> list[tuple[Node, int, int]]:
    """As many copies of the body as its counts need, the last one in a loop if there is no end."""
    copies = node.least if node.most is None else node.most
    budget.check((len(made.nfa.steps) + copies) // _LARGER)
    tasks: list[tuple[Node, int, int]] = []
    head = len(made.nfa.steps)
    for count in range(copies):
        if count >= node.least:
            made.nfa.skip(source, target)
            if isinstance(node.body, Chars):
                made.chains[source] = (head, count)
        after = made.nfa.state()
        tasks.append((node.body, source, after))
        source = after
    if node.most is None:
        loop = made.nfa.state()
        made.nfa.skip(source, loop)
        tasks.append((node.body, loop, loop))
        source = loop
    made.nfa.skip(source, target)
    return tasks


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
