"""From the tree of a pattern to a nondeterministic automaton with conditions on its skips.

The construction is Thompson's ("Regular expression search algorithm", 1968).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, NONE, CharSet
from pdl.automata.nfa import Nfa
from pdl.automata.pattern.nodes import Chars, Choice, Edge, Look, Node, Repeat, Sequence

if TYPE_CHECKING:
    from pdl.automata.dfa import Budget

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
