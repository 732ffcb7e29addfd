"""Where calls stand in a reply.

A reply is cut into parts as `pdl.check` cuts it; each bracketed span may be a call. Where a mark of
a format announces a call and no span begins, since what stands in front of it confuses the cutting,
the rest of the reply is cut anew from that mark on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.dialects import DIALECTS, Dialects
from pdl.reply.segment import Cut, cut
from pdl.reply.sentences import PLAIN_FENCES, language
from pdl.tools.checking.texts import value_of

if TYPE_CHECKING:
    from collections.abc import Container

    from pdl.limits import Limits
    from pdl.reply.brackets import Bracketed
    from pdl.reply.outcome import Extent, Segment
    from pdl.tools.checking.shapes import Shapes

_AGAIN = 16
"""How often a reply is cut, at most: each time goes over all that is left of it."""
_NEAR = 300
"""Characters in front of a bracket among which its mark stands."""
_MARK = re.compile(
    r"(?:<tool_calls?>|<\|tool_call\|>|<function_calls?>|<\|python_tag\|>|\[TOOL_CALLS\])\s*\Z"
)
_NAMED = re.compile(
    r"\[TOOL_CALLS\]\s*+([\w.-]++)\s*+(?:\[CALL_ID\]\s*+([\w-]++)\s*+)?(?:\[ARGS\]\s*+)?\Z"
)
_CLOSER = re.compile(r"\s*+</(?:tool_calls?|function_calls?)>")
_START = itemgetter(0)
_PARTING = " \t\r\n;,"
_CALL_FENCES = frozenset({"xml", "tool", "tools", "tool_call", "tool_calls", "function_call"})
_BEGUN = re.compile(r"\s*+(?:<[a-z_]*+)?[\w.-]*+(?>(?:\[[A-Z_]*+\]?+[\w-]*+)*)\s*+\Z")
_ESCAPED = re.compile(r"[\[{\s]++\\")
"""JSON in a string is the string's, whatever else cannot be read there."""
_XML = re.compile(r"\s*+<(?:function|invoke|tool)\b")


class Place(NamedTuple):
    """A bracketed span that may be a call.

    `outer` is the span with its marks; `marked`: a mark says that it is a call; `name` and `id`
    stand in front of it; `since` is where the place before it ends; `nested`: it stands in an
    object that cannot be read, so that it may be a part of a string.
    """

    span: Extent
    outer: Extent
    closed: bool
    marked: bool
    name: str = ""
    id: str = ""
    fence: Segment | None = None
    since: int = 0
    nested: bool = False


class Stub(NamedTuple):
    """A mark behind which no call is: `cut` if the reply ends there, else it is no JSON."""

    span: Extent
    cut: bool


@dataclass
class Search:
    """The places of a reply, and its parts that are no text."""

    reply: str
    shapes: Shapes
    tools: Container[str]
    limits: Limits
    dialects: Dialects = DIALECTS
    places: list[Place] = field(default_factory=list)
    stubs: list[Stub] = field(default_factory=list)
    silent: list[Extent] = field(default_factory=list)
    reasoning: list[Extent] = field(default_factory=list)
    fences: list[Segment] = field(default_factory=list)
    endless: Segment | None = None
    around: Segment | None = None  # a fence that is open where the reply is cut anew
    nested: bool = False  # an object is open there

    def run(self) -> Search:
        """Find all places, in their order."""
        at = 0
        triggers = self.shapes.triggers
        for _ in range(_AGAIN):
            parts = cut(self.reply[at:], self.limits, self.dialects)
            self._take(parts, at)
            missed = self._missed(triggers, parts, at)
            if missed is None:
                break
            self.nested |= any(_holds(one, missed - at) for one, _ in parts.brackets)
            at = missed
            self.around = next((one for one in self.fences if _spans(one, at)), self.around)
            self._forget(at)
        return self

    def _take(self, parts: Cut, at: int) -> None:
        """What one cut of the reply from an offset on has found."""
        for segment in parts.segments:
            if segment.kind == "fence":
                self.fences.append(_moved(segment, at))
            elif segment.kind != "text":
                self.silent.append(_span(segment.span, at))
            if segment.kind == "reasoning":
                self.reasoning.append(_span(segment.span, at))
            if segment.kind == "reasoning" and not segment.closed:
                self.endless = _moved(segment, at)
        since = at
        for bracket, fence in parts.brackets:
            inside = self.around if fence is None else _moved(fence, at)
            place = self._place(bracket, inside, at, since)
            if place is not None:
                self.places.append(place)
                since = place.outer[1]

    def _place(
        self, bracket: Bracketed, fence: Segment | None, at: int, since: int
    ) -> Place | None:
        start, end = _span(bracket.span, at)
        front = self.reply[max(at, start - _NEAR) : start]
        named = _NAMED.search(front) if self.shapes.named and self.reply[start] == "{" else None
        mark = named or _MARK.search(front)
        if not (bracket.shaped or mark) or _ESCAPED.match(self.reply, start):
            return None
        if not (mark or fence is None or holds_calls(fence) or not fence.closed):
            return None  # a program, in which objects are data
        closer = _CLOSER.match(self.reply, end)
        outer = (start - len(mark[0]) if mark else start, closer.end() if closer else end)
        marked = mark is not None or (fence is not None and _is_marked(fence))
        name, id_ = (named[1], named[2] or "") if named else ("", "")
        return Place(
            (start, end), outer, bracket.closed, marked, name, id_, fence, since, self.nested
        )

    def _missed(self, triggers: re.Pattern[str], parts: Cut, at: int) -> int | None:
        """The first mark behind an offset that announces a call which was not found."""
        if triggers.search(self.reply, at) is None:
            return None
        taken = _merged(
            [place.outer for place in self.places if self._is_call(place)]
            + [_span(one.span, at) for one, _ in parts.brackets if self._is_data(one, at)]
            + self.reasoning
            + [one.span for one in self.fences if one.closed and not holds_calls(one)]
        )
        for trigger in triggers.finditer(self.reply, at):
            if _inside(taken, trigger.start()):
                continue
            if trigger.start() > at and self._is_begun(trigger):
                return trigger.start()
            if trigger[0][0] != "{":
                self._stub(trigger)
        return None

    def _is_data(self, bracket: Bracketed, at: int) -> bool:
        """Whether a span holds a value, so that marks in it are parts of its strings."""
        if not (bracket.closed and bracket.shaped) or bracket.exact is not None:
            return bracket.closed and bracket.shaped
        return value_of(self.reply[slice(*_span(bracket.span, at))], self.limits) is not None

    def _is_call(self, place: Place) -> bool:
        """Whether a place is a call, even if it is broken: what stands in it is its data."""
        raw = self.reply[slice(*place.span)]
        return place.marked or self.shapes.begun(raw, self.tools, marked=False) is not None

    def _is_begun(self, trigger: re.Match[str]) -> bool:
        """Whether what stands behind a mark begins a call."""
        if trigger[0][0] == "{":
            return True
        behind = self.reply[trigger.end() : trigger.end() + _NEAR].lstrip()
        if behind[:1] in {"{", "["}:
            return True
        return "{" in behind and bool(_NAMED.search(trigger[0] + behind.partition("{")[0]))

    def _stub(self, trigger: re.Match[str]) -> None:
        if _BEGUN.match(self.reply, trigger.end()):
            self.stubs.append(Stub((trigger.start(), len(self.reply)), cut=True))
        elif _XML.match(self.reply, trigger.end()):
            self.stubs.append(Stub(trigger.span(), cut=False))

    def _forget(self, at: int) -> None:
        """Leave out what was found behind an offset, from which the reply is cut anew."""
        self.places = [one for one in self.places if one.outer[1] <= at]
        self.silent = [one for one in self.silent if one[1] <= at]
        self.reasoning = [one for one in self.reasoning if one[1] <= at]
        self.fences = [one for one in self.fences if one.span[1] <= at]
        self.stubs = [one for one in self.stubs if one.span[1] <= at]
        self.endless = None


def holds_calls(fence: Segment) -> bool:
    """Whether a fence may hold calls, and no program."""
    label = language(fence.label)
    return label in PLAIN_FENCES or label.startswith("json") or _is_marked(fence)


def _holds(bracket: Bracketed, at: int) -> bool:
    """Whether an offset is in a span that begins as data does."""
    return bracket.shaped and bracket.span[0] < at < bracket.span[1]


def _spans(fence: Segment, at: int) -> bool:
    """Whether a fence never ends, and began in front of an offset."""
    return not fence.closed and fence.span[0] < at


def _is_marked(fence: Segment) -> bool:
    return language(fence.label) in _CALL_FENCES


def _span(span: Extent, at: int) -> Extent:
    return span[0] + at, span[1] + at


def _moved(segment: Segment, at: int) -> Segment:
    return replace(segment, span=_span(segment.span, at), body=_span(segment.body, at))


def _merged(extents: list[Extent]) -> list[Extent]:
    """Extents in order, those that touch as one."""
    found: list[Extent] = []
    for start, end in sorted(extents):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _inside(extents: list[Extent], at: int) -> bool:
    """Whether an offset is in one of some merged extents."""
    index = bisect_right(extents, at, key=_START) - 1
    return index >= 0 and at < extents[index][1]


def rest(search: Search, calls: list[Extent]) -> str:
    """The reply without those calls, and without reasoning, tokens and fences that hold no more."""
    gone = _merged([*search.silent, *calls])
    fences = [
        fence.span
        for fence in search.fences
        if fence.closed and holds_calls(fence) and _is_gone(search.reply, fence.body, gone)
    ]
    text = search.reply
    parts: list[str] = []
    at = 0
    for start, end in _merged([*gone, *fences]):
        between = text[at:start]
        parts += [between] if between.strip(_PARTING) or not at else []
        at = end
    parts.append(text[at:])
    return "".join(parts).strip()


def _is_gone(text: str, body: Extent, gone: list[Extent]) -> bool:
    """Whether calls are in the body of a fence, and nothing else."""
    at, end = body
    first = index = max(bisect_right(gone, at, key=_START) - 1, 0)
    while index < len(gone) and gone[index][0] < end:
        start, stop = gone[index]
        if text[at : max(start, at)].strip(_PARTING):
            return False
        at = max(at, stop)
        index += 1
    return index > first and at > body[0] and not text[at:end].strip(_PARTING)
