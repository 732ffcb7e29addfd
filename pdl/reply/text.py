"""Answers that are text: the reply without reasoning and without the tokens around a turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply import late
from pdl.reply.outcome import Extent, Reading, failed
from pdl.reply.phrases import say
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.asked import Asked
    from pdl.reply.outcome import Segment

_MENTION = re.compile(r"[ \t][^\n]")


def read(asked: Asked) -> Reading:
    """The text, stripped; if it does not fit, what stands in it in the schema's format.

    A reasoning tag amid a line may be one that the text only speaks of.
    """
    text, segments = asked.text, asked.cut.segments
    for segment in segments:
        if segment.kind == "reasoning" and _amid_line(asked, segment):
            message = say("tag-amid-text", tag=shorten(segment.label))
            return failed("ambiguous", message, span=segment.span, wanted="the text alone")
    start, end = _inner(text, segments)
    start, end = _stripped(text, start, end)
    inside = asked.patterns.end_token.search(text, start, end)
    if inside and not _MENTION.match(text, inside.end()):
        message = say("behind-turn", token=inside[0])
        return failed("ambiguous", message, span=inside.span(), wanted="the text alone")
    if start >= end:
        return failed("absent", say("holds-no", wanted=say("a-text")), wanted="text")
    value = _without_reasoning(text, segments, start, end)
    reading = Reading(value, (start, end))
    if asked.verdict(value):
        return reading
    found = late.reader("formatted")(asked)
    return reading if found.reason == "absent" else found


def _amid_line(asked: Asked, segment: Segment) -> bool:
    """Whether text stands on the line of the reasoning's opener, or on both sides of its closer."""
    text, patterns = asked.text, asked.patterns
    start, end = segment.span
    opener = patterns.opener.match(text, start)
    before = text[text.rfind("\n", 0, start) + 1 : start].strip() if opener else ""
    if opener:
        return bool(before) and not before.endswith(">")
    # The opener was in the prompt, or there is none: a closer ends a line, or stands on its own.
    closer = patterns.closer.match(text, segment.body[1]) if segment.body[1] < end else None
    head = text[text.rfind("\n", 0, segment.body[1]) + 1 : segment.body[1]].strip()
    behind = text[end : end + 200].partition("\n")[0].strip()
    return closer is not None and bool(head) and bool(behind)


def _inner(text: str, segments: tuple[Segment, ...]) -> Extent:
    """From the first to the last segment that is no token, no reasoning and not blank."""
    spans = [segment.span for segment in segments if segment.kind in {"text", "fence"}]
    kept = [span for span in spans if text[slice(*span)].strip()]
    return (kept[0][0], kept[-1][1]) if kept else (0, 0)


def _stripped(text: str, start: int, end: int) -> Extent:
    body = text[start:end]
    return start + len(body) - len(body.lstrip()), start + len(body.rstrip())


def _without_reasoning(text: str, segments: tuple[Segment, ...], start: int, end: int) -> str:
    parts: list[str] = []
    at = start
    for segment in segments:
        if segment.kind == "reasoning" and start <= segment.span[0] < end:
            parts.append(text[at : segment.span[0]])
            at = segment.span[1]
    return "".join([*parts, text[at:end]]).strip()
