"""Locate the candidates for calls in a reply.

A reply is split into parts as `pdl.check` splits it; each bracketed span can be a call. If the
marker of a format announces a call but no span begins there, since the text before it confuses the
splitting, the rest of the reply is split again from that marker on.

Calls in dialects that are known but not read are recognized by their markers and the tool names
after them (`dialect_calls`): the elements of Qwen3-Coder and GLM, Llama's `<function=NAME>`,
Anthropic's `<invoke name="NAME">`, Python after `<|python_tag|>`, the tokens of DeepSeek, of Kimi
and of harmony's channels. Such a marker with a tool name after it is an intended call; as text it
would be lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.prose.visible import PLAIN_FENCES, language
from pdl.reply.segments.dialects import DIALECTS, Dialects
from pdl.reply.segments.segmenter import segmented
from pdl.reply.segments.spans import Segmented, Spans, shifted
from pdl.tools.bare_calls import SEPARATORS, is_filled, masked
from pdl.tools.validate_calls import value_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from pdl.limits import Limits
    from pdl.reply.result import Segment, Span
    from pdl.reply.segments.brackets import Bracketed
    from pdl.tools.formats import CallPatterns


_FOREIGN_NAME = re.compile(
    r"""(?x)
    (?:
        <function (?>(?:\s++name)?) \s*+ = \s*+
      | <(?:invoke|tool|tool_use|tool_call|function_call) \s++ name \s*+ = \s*+
      | <(?:tool_calls?|function_calls?|function|tool_name) > \s*+
      | \[TOOL_CALLS\] \s*+
      | <\|(?:tool_call|tool_call_begin|python_tag)\|> \s*+
      | <｜tool▁call▁begin｜> (?>(?: \s*+ \w{1,40}+ <｜tool▁sep｜> (?=\s*+\w) )?) \s*+
      | (?P<channel> <\|(?:channel|start)\|> [\w\ ]{0,40}? \b to= )
    )
    ["']?+ (?>(?:functions\.)?) (?P<name> [\w-]{1,64}+ )
    """
)


class DialectCall(NamedTuple):
    """A marker with a tool name; `channel`: a message that harmony addresses to the tool."""

    span: Span
    name: str
    channel: bool


def dialect_calls(text: str, tools: Container[str]) -> Iterator[DialectCall]:
    """Yield the markers that tool names follow."""
    for found in _FOREIGN_NAME.finditer(text):
        if found["name"] in tools:
            yield DialectCall(found.span(), found["name"], found["channel"] is not None)


_AGAIN = 16
"""How often a reply is split, at most: each time processes the whole rest of it."""
_NEAR = 300
"""Characters before a bracket that can contain its marker."""
_MARK = re.compile(
    r"(?:<tool_calls?>|<\|tool_call\|>|<function_calls?>|<\|python_tag\|>|\[TOOL_CALLS\])\s*\Z"
)
_NAMED = re.compile(
    r"\[TOOL_CALLS\]\s*+([\w.-]++)\s*+(?:\[CALL_ID\]\s*+([\w-]++)\s*+)?(?:\[ARGS\]\s*+)?\Z"
)
_CLOSING_TAG = re.compile(r"\s*+</(?:tool_calls?|function_calls?)>")
_CALL_FENCES = frozenset({"xml", "tool", "tools", "tool_call", "tool_calls", "function_call"})
_BEGUN = re.compile(r"\s*+(?:<[a-z_]*+)?[\w.-]*+(?>(?:\[[A-Z_]*+\]?+[\w-]*+)*)\s*+\Z")
_IS_MARK = re.compile(r"\[(?:TOOL_CALLS|CALL_ID|ARGS)\]")
_ESCAPED = re.compile(r"[\[{\s]++\\")
"""JSON in a string is part of the string, even if the rest is unreadable."""
_XML = re.compile(r"\s*+(<)(?:function|invoke|tool)\b")


class CallCandidate(NamedTuple):
    """A bracketed span that can be a call.

    `outer` is the span with its markers; `marked`: a marker announces it as a call; `name` and `id`
    precede it; `since` is where the previous candidate ends; `nested`: it is in an object that is
    unreadable, so it could be part of a string.
    """

    span: Span
    outer: Span
    closed: bool
    marked: bool
    name: str = ""
    id: str = ""
    fence: Segment | None = None
    since: int = 0
    nested: bool = False


class UnreadableCall(NamedTuple):
    """A marker without a readable call after it: `cut` if the reply ends there.

    `name` is that of a tool which the marker names, in a dialect that is not read.
    """

    span: Span
    cut: bool
    name: str = ""


@dataclass
class CallLocator:
    """The candidates of a reply, and its parts that are not text."""

    reply: str
    patterns: CallPatterns
    tools: Container[str]
    limits: Limits
    dialects: Dialects = DIALECTS
    candidates: list[CallCandidate] = field(default_factory=list)
    unreadable: list[UnreadableCall] = field(default_factory=list)
    silent: list[Span] = field(default_factory=list)
    data: list[Span] = field(default_factory=list)
    reasoning: list[Span] = field(default_factory=list)
    fences: list[Segment] = field(default_factory=list)
    endless: Segment | None = None
    around: Segment | None = None  # a fence that is open where the reply is split again
    nested: bool = False  # an object is open there
    _dialects: list[DialectCall] = field(default_factory=list)
    _elements: frozenset[int] = frozenset()
    _tail: int = 0  # where the last characters of the reply begin, in which a call can be cut off

    def run(self) -> CallLocator:
        """Find all candidates, in order."""
        at = 0
        triggers = self.patterns.triggers
        self._tail = len(self.reply.rstrip()) - _NEAR
        self._dialects = list(dialect_calls(self.reply, self.tools))
        self._elements = frozenset(one.span[0] for one in self._dialects)
        for again in range(1, _AGAIN + 1):
            parts = segmented(self.reply[at:], self.limits, self.dialects)
            self._take(parts, at)
            missed = self._missed(triggers, parts, at)
            if missed is None or again == _AGAIN:
                self._give_up(missed)
                break
            self.nested |= any(_holds(one, missed - at) for one, _ in parts.brackets)
            at = missed
            self.around = next((one for one in self.fences if _spans(one, at)), self.around)
            self._forget(at)
        return self

    def _take(self, parts: Segmented, at: int) -> None:
        """Collect what splitting the reply from an offset on has found."""
        for segment in parts.segments:
            if segment.kind == "fence":
                self.fences.append(_moved(segment, at))
            elif segment.kind != "text":
                self.silent.append(shifted(segment.span, at))
            if segment.kind == "reasoning":
                self.reasoning.append(shifted(segment.span, at))
            if segment.kind == "reasoning" and not segment.closed:
                self.endless = _moved(segment, at)
        since = at
        for bracket, fence in parts.brackets:
            inside = self.around if fence is None else _moved(fence, at)
            candidate = self._candidate(bracket, inside, at, since)
            if candidate is not None:
                self.candidates.append(candidate)
                since = candidate.outer[1]

    def _candidate(
        self, bracket: Bracketed, fence: Segment | None, at: int, since: int
    ) -> CallCandidate | None:
        start, end = shifted(bracket.span, at)
        front = self.reply[max(at, start - _NEAR) : start]
        named = _NAMED.search(front) if self.patterns.named and self.reply[start] == "{" else None
        mark = named or _MARK.search(front)
        if not (bracket.shaped or mark) or _ESCAPED.match(self.reply, start):
            return None
        if _IS_MARK.match(self.reply, start):
            return None
        if not (mark or fence is None or holds_calls(fence) or not fence.closed):
            return None  # a program, in which objects are data
        closing = _CLOSING_TAG.match(self.reply, end)
        outer = (start - len(mark[0]) if mark else start, closing.end() if closing else end)
        marked = mark is not None or (fence is not None and _is_marked(fence))
        name, id_ = (named[1], named[2] or "") if named else ("", "")
        return CallCandidate(
            (start, end), outer, bracket.closed, marked, name, id_, fence, since, self.nested
        )

    def _missed(self, triggers: re.Pattern[str], parts: Segmented, at: int) -> int | None:
        """The first marker after an offset that announces a call which was not found."""
        if triggers.search(self.reply, at) is None and not self._dialects:
            return None
        self.data += [shifted(one.span, at) for one, _ in parts.brackets if self._is_data(one, at)]
        taken = self._taken()
        for trigger in triggers.finditer(self.reply, at):
            if trigger.start() in taken:
                continue
            if trigger.start() > at and self._is_begun(trigger):
                return trigger.start()
            if trigger[0][0] != "{":
                self._unreadable(trigger)
        self._note_dialects(taken)
        return None

    def _taken(self) -> Spans:
        """Spans in which no call begins: calls that were found, data, reasoning and programs."""
        return Spans(
            [candidate.outer for candidate in self.candidates if self._is_call(candidate)]
            + self.data
            + self.reasoning
            + [one.span for one in self.fences if one.closed and not holds_calls(one)]
        )

    def _is_data(self, bracket: Bracketed, at: int) -> bool:
        """Whether a span is a value, so markers in it are parts of its strings."""
        if not (bracket.closed and bracket.shaped) or bracket.exact is not None:
            return bracket.closed and bracket.shaped
        return value_of(self.reply[slice(*shifted(bracket.span, at))], self.limits) is not None

    def _is_call(self, candidate: CallCandidate) -> bool:
        """Whether a candidate is a call, even if it is broken: its content is data."""
        raw = self.reply[slice(*candidate.span)]
        return candidate.marked or self.patterns.begun(raw, self.tools, marked=False) is not None

    def _is_begun(self, trigger: re.Match[str]) -> bool:
        """Whether the text after a marker begins a call."""
        if trigger[0][0] == "{":
            return True
        after = self.reply[trigger.end() : trigger.end() + _NEAR].lstrip()
        if after[:1] in {"{", "["}:
            return _IS_MARK.match(after) is None
        return "{" in after and bool(_NAMED.search(trigger[0] + after.partition("{")[0]))

    def _unreadable(self, trigger: re.Match[str]) -> None:
        """Note a marker at the end of the reply, or before XML elements."""
        at = trigger.end()
        if any(one.cut for one in self.unreadable):
            return
        if at >= self._tail and _BEGUN.match(self.reply, at):
            self.unreadable.append(UnreadableCall((trigger.start(), len(self.reply)), cut=True))
            return
        element = _XML.match(self.reply, at)
        if element and element.start(1) not in self._elements:
            self.unreadable.append(UnreadableCall(trigger.span(), cut=False))

    def _note_dialects(self, taken: Spans) -> None:
        """Note the calls in dialects that are not read."""
        cut_at = min((one.span[0] for one in self.unreadable if one.cut), default=len(self.reply))
        data = Spans(self.data)
        for span, name, channel in self._dialects:
            hidden = span[0] in (data if channel else taken)
            if not hidden and span[0] < cut_at:
                is_cut = span[1] >= self._tail + _NEAR
                self.unreadable.append(UnreadableCall(span, is_cut, name))

    def _give_up(self, missed: int | None) -> None:
        """Note a call that only another split could find."""
        if missed is None:
            return
        raw = self.reply[missed : missed + _NEAR]
        if raw[0] != "{" or self.patterns.begun(raw, self.tools, marked=False):
            self.unreadable.append(UnreadableCall((missed, len(self.reply)), cut=False))

    def _forget(self, at: int) -> None:
        """Discard what was found after an offset, from which the reply is split again."""
        self.candidates = [one for one in self.candidates if one.outer[1] <= at]
        self.silent = [one for one in self.silent if one[1] <= at]
        self.data = [one for one in self.data if one[1] <= at]
        self.reasoning = [one for one in self.reasoning if one[1] <= at]
        self.fences = [one for one in self.fences if one.span[1] <= at]
        self.unreadable = [one for one in self.unreadable if one.span[1] <= at]
        self.endless = None


def holds_calls(fence: Segment) -> bool:
    """Whether a fence can contain calls, not a program."""
    label = language(fence.label)
    return label in PLAIN_FENCES or label.startswith("json") or _is_marked(fence)


def _holds(bracket: Bracketed, at: int) -> bool:
    """Whether an offset is in a span that begins like data."""
    return bracket.shaped and bracket.span[0] < at < bracket.span[1]


def _spans(fence: Segment, at: int) -> bool:
    """Whether a fence is unclosed, and began before an offset."""
    return not fence.closed and fence.span[0] < at


def _is_marked(fence: Segment) -> bool:
    return language(fence.label) in _CALL_FENCES


def _moved(segment: Segment, at: int) -> Segment:
    return replace(segment, span=shifted(segment.span, at), body=shifted(segment.body, at))


def rest(search: CallLocator, calls: list[Span]) -> str:
    """Return the reply without those calls, reasoning, tokens, and fences that are then empty."""
    gone = Spans([*search.silent, *calls])
    without = masked(search.reply, gone)
    fences = [
        fence.span
        for fence in search.fences
        if fence.closed and holds_calls(fence) and is_filled(search.reply, without, fence.body)
    ]
    text = search.reply
    parts: list[str] = []
    at = 0
    for start, end in Spans([*gone, *fences]):
        between = text[at:start]
        parts += [between] if between.strip(SEPARATORS) or not at else []
        at = end
    parts.append(text[at:])
    return "".join(parts).lstrip("\ufeff").strip()
