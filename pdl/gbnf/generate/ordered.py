"""All texts of a grammar, in the order of their lengths, then of their code points.

One length after the other is searched depth first, byte by byte, which is the order of code points
in UTF-8. A way is left as soon as the nearest end is too far, and the shortest of the lengths that
were too long is the next one to search (Korf, Depth-first iterative-deepening, 1985): so every way
that is gone begins a text that was given or is about to be.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.budget import Clock
from pdl.gbnf.generate.lengths import NEVER, Lengths, weight
from pdl.gbnf.generate.nothing import ensure_length

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from pdl.gbnf.generate.plan import Plan
    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.limits import Limits

_KEPT = 100_000  # configurations of which the edges are remembered, and searches that found nothing

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
            if len(self._edges) + len(self._barren) > _KEPT:
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
