"""All texts of a grammar by length, then by code points: an iterative-deepening search.

One length after the other is searched depth first, byte by byte, which is the order of code points
in UTF-8. A way is left as soon as the nearest end is too far, and the shortest of the lengths that
were too long is the next one to search (Korf, Depth-first iterative-deepening, 1985): so every way
that is gone begins a text that was given or is about to be.

`Lengths` tells how many characters a place of a text is away from the nearest end. These lengths
are those of the plan: what is known of the rules is carried to the states of the automaton, to the
stacks, and to whole configurations, each when it is first asked for. `ensure_text` says why a
grammar has no text at all, or none that can be written out.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import GrammarError, LimitError, Problem
from pdl.gbnf.budget import Clock
from pdl.gbnf.generate.plan import MOST
from pdl.gbnf.nodes import CharClass, Literal, Rule, RuleRef, TokenRef, item_text

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from pdl.gbnf.generate.plan import Choice, Plan
    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.gbnf.nodes import Item
    from pdl.gbnf.stack import Node
    from pdl.limits import Limits
    from pdl.source import Source, Span


def ensure_text(root: Choice, source: Source, limits: Limits) -> None:
    """Raises GrammarError if there is no text, LimitError if the shortest is too long."""
    if root.least is None:
        raise GrammarError(_reason(root, source))
    ensure_length(root.least, limits, "shortest")


def ensure_length(size: int, limits: Limits, which: str) -> None:
    """Raises LimitError if a text of that many characters is too long; `which` text it is."""
    if size > limits.output_chars:
        count = f"{size:,}" if size < MOST else f"{MOST:,} or more"
        message = f"the {which} text has {count} characters, over the {limits.output_chars:,}"
        raise LimitError(Problem("limit/output-chars", f"{message} allowed"))


def _reason(root: Choice, source: Source) -> Problem:
    """Where the first alternatives lead: to what no text can hold, or in a circle of rules."""
    path: dict[Choice, None] = {}
    at = root
    while at.blame and at not in path:
        path[at] = None
        at = at.blame
    origin = at.origin
    if at in path:
        met = list(path)
        names = _names([*met[met.index(at) :], at])
        message, hint = f"{' -> '.join(names)} never ends", "add an alternative that does"
    else:
        assert not isinstance(origin, Rule)
        message, hint = _impossible(origin)
    return Problem("gbnf/no-text", f"no text matches: {message}", _span(origin, source), hint)


def _names(circle: list[Choice]) -> list[str]:
    """The rules on a circle, which has one at least: groups alone cannot hold themselves."""
    names = [choice.origin.name for choice in circle if isinstance(choice.origin, Rule)]
    return names if isinstance(circle[0].origin, Rule) else [*names, names[0]]


def _impossible(item: Item) -> tuple[str, str]:
    """Why no text can hold an item, and a hint."""
    said = f"`{item_text(item)}`"
    hint = "NUL, surrogates and what is above U+10FFFF are in no text"
    if isinstance(item, TokenRef):
        return f"{said} is a token, which has no text without a vocabulary", ""
    if isinstance(item, RuleRef):
        return f"there is no rule {said}", ""
    if isinstance(item, Literal):
        return f"{said} has a character that no text can have", hint
    if isinstance(item, CharClass) and any(low > high for low, high in item.ranges):
        hint = "a range begins with the lower character"
    return f"{said} holds no character that a text can have", hint


def _span(origin: Rule | Item, source: Source) -> Span | None:
    if origin.start < 0:
        return None
    end = origin.named if isinstance(origin, Rule) else origin.end
    return source.span(origin.start, end)


NEVER = 2 * MOST
"""The distance from where no text ends; all others are below."""
_KEPT_DISTANCES = 200_000  # configurations and stacks of which the distance is remembered
_CONTINUATION = (0x80, 0xBF)


def weight(byte: int) -> int:
    """Whether a byte begins a character."""
    return not _CONTINUATION[0] <= byte <= _CONTINUATION[1]


class Lengths:
    """The distances of one matcher's configurations, with all that has been found of them."""

    def __init__(self, matcher: Matcher, choices: Mapping[str, Choice]) -> None:
        self._machine = matcher.automaton
        self._rules = [_known(choices[name].least) for name in self._machine.names]
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
            ways = (_sum(self._state(state), self._node(node)) for state, node in here.items)
            known = self._configurations[here] = min(ways, default=NEVER)
        return known

    def _node(self, node: Node | None) -> int:
        """The least behind the end of a rule; stacks may be as deep as the text is long."""
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
            ways = [_sum(self._state(back), self._nodes[below]) for back, below in one.waiting]
            ways += [self._nodes[link] for link in one.links]
            self._nodes[one] = min(ways, default=NEVER)
            pending.pop()
        return self._nodes[node]

    def _state(self, state: int) -> int:
        """The least from a state to the end of its rule."""
        if state < 0:
            return 0  # behind the root rule
        machine = self._machine
        rule = bisect_right(machine.firsts, state) - 1
        found = self._states.get(rule)
        if found is None:
            found = self._states[rule] = self._of_rule(rule)
        return found[state - machine.firsts[rule]]

    def _of_rule(self, rule: int) -> list[int]:
        """The distances of a rule's states.

        A state leads to lower ones only, which are known then, but for the start of a loop's body,
        from where the way is longer than past the loop.
        """
        firsts = self._machine.firsts
        first = firsts[rule]
        end = firsts[rule + 1] if rule + 1 < len(firsts) else len(self._machine.moves)
        found: list[int] = []
        for state in range(first, end):
            ways = (_sum(cost, found[to - first]) for cost, to in self._ways(state) if to < state)
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
            yield self._rules[call.rule], call.back


def _known(least: int | None) -> int:
    return NEVER if least is None else least


def _sum(one: int, other: int) -> int:
    """Lengths that are too large stay apart from those that there are not."""
    if NEVER in {one, other}:
        return NEVER
    return min(MOST, one + other)


def _below(node: Node) -> Iterator[Node]:
    yield from node.links
    yield from (below for _, below in node.waiting if below is not None)


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


class Ordered:
    """The texts of one matcher."""

    def __init__(self, matcher: Matcher, plan: Plan) -> None:
        self._matcher = matcher
        self._lengths = Lengths(matcher, plan.choices)
        self._edges: dict[Configuration, tuple[Edge, ...]] = {}
        self._barren: dict[tuple[Configuration, int], int] = {}

    def texts(self, limits: Limits) -> Iterator[str]:
        """All of them, each once. Raises LimitError as soon as the next is too long."""
        size = self._lengths.of(self._matcher.start)
        while size < NEVER:
            ensure_length(size, limits, "next")
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
        """How many characters the shortest text has that goes on where another one ends."""
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
        moves = self._matcher.automaton.moves
        ranges = {one[:2] for state, _ in here.items for one in moves[state]}
        cuts = sorted({low for low, _ in ranges} | {high + 1 for _, high in ranges})
        for low, end in pairwise(cuts):
            target = self._matcher.step(here, low)
            least = self._lengths.of(target)
            if least < NEVER:
                yield Edge(low, end - 1, target, weight(low), least)
