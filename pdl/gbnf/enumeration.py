"""All strings of a grammar by length, then by code points (shortlex order).

One length after the other is searched depth first, byte by byte, which is the order of code points
in UTF-8. A branch is left as soon as the nearest end is too far, and the shortest of the lengths
that were too long is the next one to search (Korf, Depth-first iterative-deepening, 1985): so every
branch that is searched is the beginning of a string that was found or is about to be.

`Distances` tells how many characters a configuration is away from the nearest end: the lengths of
`Shortest` are carried from rules to the states of the network, to the stacks, and to whole
configurations, each when it is first asked for.

`check_productive` says why a grammar matches no string, or none that can be written out.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import GrammarError, LimitError, Problem
from pdl.gbnf.analysis import NEVER, plus
from pdl.gbnf.limits_errors import Clock
from pdl.gbnf.nodes import CharClass, Group, Literal, Repeat, Rule, RuleRef, TokenRef, item_text

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from pdl.gbnf.analysis import Shortest, Symbol
    from pdl.gbnf.gss import Node
    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.gbnf.nodes import GrammarRules, Item
    from pdl.limits import Limits
    from pdl.source import Source, Span


_HUGE = 10**12  # lengths that are not written out


def check_productive(grammar: GrammarRules, shortest: Shortest) -> None:
    """Raise GrammarError if no string matches, LimitError if the shortest is too long."""
    length = shortest.rule(grammar.root)
    if length >= NEVER:
        raise GrammarError(_reason(grammar, shortest))
    check_length(length, grammar.limits, "shortest")


def check_length(size: int, limits: Limits, which: str) -> None:
    """Raise LimitError if a string of that many characters is too long; `which` string it is."""
    if size > limits.output_chars:
        count = f"{size:,}" if size < _HUGE else f"{_HUGE:,} or more"
        message = f"the {which} string has {count} characters, over the {limits.output_chars:,}"
        raise LimitError(Problem("limit/output-chars", f"{message} allowed"))


def _reason(grammar: GrammarRules, shortest: Shortest) -> Problem:
    """Where the first alternatives lead: to an item that never matches, or into a cycle."""
    path: dict[Symbol, Rule | Item] = {}
    at: Rule | Item = grammar.rule.get(grammar.root) or RuleRef(grammar.root)
    while isinstance(at, Rule | Group) and at.options:
        symbol = at.name if isinstance(at, Rule) else id(at)
        if symbol in path:
            met = list(path.values())
            names = _rule_names([*met[list(path).index(symbol) :], at])
            message, hint = f"{' -> '.join(names)} never ends", "add an alternative that ends"
            break
        path[symbol] = at
        at = next(one for one in at.options[0].items if not shortest.productive(one))
        while isinstance(at, Repeat):
            at = at.item
        if isinstance(at, RuleRef):
            at = grammar.rule.get(at.name, at)
    else:
        message, hint = _impossible(at)
    return Problem(
        "gbnf/no-text", f"the grammar matches no string: {message}", _span(at, grammar.source), hint
    )


def _rule_names(cycle: list[Rule | Item]) -> list[str]:
    """The rules on a cycle, which has at least one: groups alone cannot contain themselves."""
    names = [one.name for one in cycle if isinstance(one, Rule)]
    return names if isinstance(cycle[0], Rule) else [*names, names[0]]


def _impossible(item: Rule | Item) -> tuple[str, str]:
    """Why an item never matches, and a hint."""
    if isinstance(item, Rule | Group | Repeat):
        return "a rule or a group has no alternatives", ""
    said = f"`{item_text(item)}`"
    hint = "remove NUL, surrogates and numbers above U+10FFFF: no string contains them"
    if isinstance(item, TokenRef):
        return f"{said} is a token, whose text only a vocabulary knows", ""
    if isinstance(item, RuleRef):
        return f"undefined rule {said}", ""
    if isinstance(item, Literal):
        return f"{said} contains a character that no string can contain", hint
    if isinstance(item, CharClass) and any(low > high for low, high in item.ranges):
        hint = "begin a range with the lower character"
    return f"{said} matches no character", hint


def _span(origin: Rule | Item, source: Source) -> Span | None:
    if origin.start < 0:
        return None
    end = origin.named if isinstance(origin, Rule) else origin.end
    return source.span(origin.start, end)


def check_count(name: str, count: object) -> None:
    """Raise TypeError for a value that is not an integer, ValueError for one below zero."""
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{name} must be an int, not {type(count).__name__}")
    if count < 0:
        raise ValueError(f"{name} must be 0 or more, not {count}")


_KEPT_DISTANCES = 200_000  # configurations and stacks of which the distance is remembered
_CONTINUATION = (0x80, 0xBF)


def weight(byte: int) -> int:
    """Whether a byte begins a character."""
    return not _CONTINUATION[0] <= byte <= _CONTINUATION[1]


class Distances:
    """The distances of one matcher's configurations, with all that has been found of them."""

    def __init__(self, matcher: Matcher, shortest: Shortest) -> None:
        self._machine = matcher.rtn
        self._rules = list(map(shortest.rule, self._machine.names))
        self._states: dict[int, list[int]] = {}
        self._nodes: dict[Node | None, int] = {None: 0}
        self._configurations: dict[Configuration, int] = {}

    def of(self, here: Configuration) -> int:
        """The characters that must follow at least; NEVER if no text ends there."""
        if here.complete:
            return 0
        known = self._configurations.get(here)
        if known is None:
            if len(self._configurations) + len(self._nodes) > _KEPT_DISTANCES:
                self._configurations.clear()
                self._nodes = {None: 0}
            ways = (plus(self._state(state), self._node(node)) for state, node in here.items)
            known = self._configurations[here] = min(ways, default=NEVER)
        return known

    def _node(self, node: Node | None) -> int:
        """The least after the end of a rule; stacks can be as deep as the string is long."""
        known = self._nodes.get(node)
        if known is not None:
            return known
        pending = [node]
        while pending:
            one = pending[-1]
            assert one is not None
            missing = [below for below in _below(one) if below not in self._nodes]
            if missing:
                pending += missing
                continue
            ways = [plus(self._state(back), self._nodes[below]) for back, below in one.return_edges]
            ways += [self._nodes[link] for link in one.links]
            self._nodes[one] = min(ways, default=NEVER)
            pending.pop()
        return self._nodes[node]

    def _state(self, state: int) -> int:
        """The least from a state to the end of its rule."""
        if state < 0:
            return 0  # after the root rule
        machine = self._machine
        rule, position = machine.place(state)
        found = self._states.get(rule)
        if found is None:
            found = self._states[rule] = self._of_rule(rule)
        return found[position]

    def _of_rule(self, rule: int) -> list[int]:
        """The distances of a rule's states.

        A state leads to lower ones only, which are known then, but for the start of a loop's body,
        from where the way is longer than past the loop.
        """
        states = self._machine.states(rule)
        found: list[int] = []
        for state in states:
            ways = (
                plus(cost, found[to - states.start]) for cost, to in self._ways(state) if to < state
            )
            found.append(0 if state in self._machine.ends else min(ways, default=NEVER))
        return found

    def _ways(self, state: int) -> Iterator[tuple[int, int]]:
        """Where a state leads, each with the characters on the way."""
        machine = self._machine
        for low, _, target in machine.moves[state]:
            yield weight(low), target
        for target in machine.splits.get(state, ()):
            yield 0, target
        call = machine.calls.get(state)
        if call:
            yield self._rules[call.rule], call.return_state


def _below(node: Node) -> Iterator[Node]:
    yield from node.links
    yield from (below for _, below in node.return_edges if below is not None)


_KEPT_EDGES = (
    100_000  # configurations of which the edges are remembered, and searches that found nothing
)

_DOING = "looking for the next text"


class Edge(NamedTuple):
    """Bytes that lead to a configuration, their weight, and the characters that must follow it."""

    low: int
    high: int
    target: Configuration
    weight: int
    least: int


class _Frame:
    """A place of the search, with `left` characters to go, and the steps from there on.

    `found` says whether a text was given, `over` by how much the shortest other one is too long.
    """

    __slots__ = ("found", "here", "left", "over", "steps")

    def __init__(self, here: Configuration, left: int, edges: Iterable[Edge]) -> None:
        self.here = here
        self.left = left
        self.found = False
        self.over = NEVER
        fitting: list[Edge] = []
        for edge in edges:
            over = edge.weight + edge.least - left
            if over > 0:
                self.over = min(self.over, over)
            else:
                fitting.append(edge)
        self.steps = ((byte, edge) for edge in fitting for byte in range(edge.low, edge.high + 1))


def enumerated(matcher: Matcher, shortest: Shortest, limit: int | None) -> Iterator[str]:
    """The strings of a matcher in shortlex order, at most `limit` of them."""
    if limit is not None:
        check_count("limit", limit)
    return islice(Enumeration(matcher, shortest).texts(matcher.limits), limit)


class Enumeration:
    """The strings of one matcher in shortlex order; `shortest` has the lengths of its rules."""

    def __init__(self, matcher: Matcher, shortest: Shortest) -> None:
        self._matcher = matcher
        self._distances = Distances(matcher, shortest)
        self._edges: dict[Configuration, tuple[Edge, ...]] = {}
        self._barren: dict[tuple[Configuration, int], int] = {}

    def texts(self, limits: Limits) -> Iterator[str]:
        """All of them, each once. Raises LimitError as soon as the next is too long."""
        size = self._distances.of(self._matcher.start)
        while size < NEVER:
            check_length(size, limits, "next")
            over = yield from self._of_size(size, limits)
            size = min(NEVER, size + over)

    def _of_size(self, size: int, limits: Limits) -> Generator[str, None, int]:
        """All texts of one length; the result is how much longer the next ones are."""
        start = self._matcher.start
        if not size:
            yield ""
            return self._beyond(start)
        said = bytearray()
        clock = Clock(limits, _DOING)
        frames = [_Frame(start, size, self._edges_of(start))]
        while True:
            frame = frames[-1]
            for byte, edge in frame.steps:
                left = frame.left - edge.weight
                if not left and edge.target.complete:
                    frame.found = True
                    frame.over = min(frame.over, self._beyond(edge.target))
                    yield (said + bytes((byte,))).decode()
                    clock = Clock(limits, _DOING)
                elif (edge.target, left) in self._barren:
                    frame.over = min(frame.over, self._barren[edge.target, left])
                else:
                    clock.check()
                    said.append(byte)
                    frames.append(_Frame(edge.target, left, self._edges_of(edge.target)))
                    break
            else:
                if len(frames) == 1:
                    return frame.over
                self._leave(frames)
                said.pop()

    def _leave(self, frames: list[_Frame]) -> None:
        """Go back to the frame above, which is told what was found."""
        frame = frames.pop()
        if not frame.found:
            self._barren[frame.here, frame.left] = frame.over
        frames[-1].found |= frame.found
        frames[-1].over = min(frames[-1].over, frame.over)

    def _beyond(self, here: Configuration) -> int:
        """How many characters more the shortest continuation of a complete string has."""
        return min((edge.weight + edge.least for edge in self._edges_of(here)), default=NEVER)

    def _edges_of(self, here: Configuration) -> tuple[Edge, ...]:
        known = self._edges.get(here)
        if known is None:
            if len(self._edges) + len(self._barren) > _KEPT_EDGES:
                self._edges.clear()
                self._barren.clear()
            known = self._edges[here] = tuple(self._found(here))
        return known

    def _found(self, here: Configuration) -> Iterator[Edge]:
        """The edges that lead to an end, in the order of their bytes."""
        moves = self._matcher.rtn.moves
        ranges = {one[:2] for state, _ in here.items for one in moves[state]}
        cuts = sorted({low for low, _ in ranges} | {high + 1 for _, high in ranges})
        for low, end in pairwise(cuts):
            target = self._matcher.step(here, low)
            least = self._distances.of(target)
            if least < NEVER:
                yield Edge(low, end - 1, target, weight(low), least)
