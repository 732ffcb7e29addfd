"""Replies that are one JSON string: what looks like a mark in it is a character of its value."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.reply.forms import is_quoted
from pdl.reply.result import Segment
from pdl.reply.segments.segmenter import Cut, cut

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.result import Kind, Span
    from pdl.reply.segments.dialects import Dialects, Patterns
    from pdl.schema import Schema

_BLANKS = re.compile(r"[ \t\r\n]*+")


def string_of(text: str) -> str | None:
    """The value of a text that is one JSON string (RFC 8259, section 7) and nothing else."""
    if not (text.startswith('"') and text.endswith('"')):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def spelled(
    schema: Schema | None, reply: str, parts: Cut, limits: Limits, dialects: Dialects
) -> Cut | None:
    """The parts of a reply that is a JSON string with marks in it, where JSON is wanted.

    Reasoning and tokens in the string are no more than characters, whoever wrote them there; those
    around it are what they are elsewhere. None for other replies, whose parts are `parts`.
    """
    if schema is None or schema.form != "json" or all(one.kind == "text" for one in parts.segments):
        return None
    reader = _Edges(reply, dialects.patterns, tags=not is_quoted(schema))
    span = reader.string()
    if span is None:
        return None
    inside = cut(reply[slice(*span)], limits, dialects)
    return None if all(one.kind == "text" for one in inside.segments) else reader.parts()


class _Edges:
    """What stands in front of a string and behind it; `tags`: those around answers may."""

    def __init__(self, reply: str, patterns: Patterns, *, tags: bool) -> None:
        self._reply = reply
        self._patterns = patterns
        self._tags = tags
        self._found: list[Segment] = []

    def string(self) -> Span | None:
        """Where the string stands that is all of the reply but for marks."""
        end = self._reply.rfind('"') + 1
        start = self._front(0)
        if self._reply[start : start + 1] != '"':
            closer = self._patterns.closer.search(self._reply, start)
            if not closer:
                return None
            self._found = [_thought(0, 0, closer, closer)]
            start = self._front(closer.end())
        if string_of(self._reply[start:end]) is None or not self._behind(end):
            return None
        return start, end

    def parts(self) -> Cut:
        """The reply in parts, of which the string is one."""
        segments: list[Segment] = []
        at = 0
        for segment in [*self._found, None]:
            start = segment.span[0] if segment else len(self._reply)
            segments += [_plain("text", at, start)] if start > at else []
            segments += [segment] if segment else []
            at = segment.span[1] if segment else at
        return Cut(tuple(segments), (), ())

    def _blanks(self, at: int) -> int:
        blanks = _BLANKS.match(self._reply, at)
        return blanks.end() if blanks else at

    def _front(self, at: int) -> int:
        """Where the marks and the reasoning end that stand at a place."""
        while True:
            at = self._blanks(at)
            end = self._mark(at) or self._reasoning(at)
            if end is None:
                return at
            at = end

    def _behind(self, at: int) -> bool:
        """Whether only marks stand from a place on."""
        while (at := self._blanks(at)) < len(self._reply):
            end = self._mark(at)
            if end is None:
                return False
            at = end
        return True

    def _mark(self, at: int) -> int | None:
        """Where the token ends that stands at a place, or the tag around an answer."""
        patterns = self._patterns
        channel = patterns.channel.match(self._reply, at)
        token = patterns.token.match(self._reply, at)
        if channel and channel["name"].lower() == "final":
            token = channel
        if token:
            self._found.append(_plain("token", *token.span(), token[0]))
            return token.end()
        both = (patterns.answer_opener, patterns.answer_closer) if self._tags else ()
        tag = next((found for one in both if (found := one.match(self._reply, at))), None)
        return tag.end() if tag else None

    def _reasoning(self, at: int) -> int | None:
        """Where the reasoning ends that a mark at a place opens."""
        reply, patterns = self._reply, self._patterns
        opener = patterns.opener.match(reply, at)
        closer = opener and patterns.closer_of(opener).search(reply, opener.end())
        if opener and closer:
            self._found.append(_thought(at, opener.end(), closer, opener))
            return closer.end()
        channel = patterns.channel.match(reply, at)
        end = channel and patterns.channel_end.search(reply, channel.end())
        if channel and end:
            body = (channel.end(), end.start())
            self._found.append(Segment("reasoning", (at, end.start()), body, channel["name"]))
            return end.start()
        return None


def _plain(kind: Kind, start: int, end: int, label: str = "") -> Segment:
    return Segment(kind, (start, end), (start, end), label)


def _thought(start: int, body: int, closer: re.Match[str], named: re.Match[str]) -> Segment:
    """Reasoning up to its closer; `named` is the mark that it is called by."""
    label = named["name"] or named["text"]
    return Segment("reasoning", (start, closer.end()), (body, closer.start()), label)
