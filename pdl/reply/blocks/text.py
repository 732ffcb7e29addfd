"""Answers that are text: the reply without reasoning and without the tokens around a turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply import late
from pdl.reply.blocks.spelled import string_of
from pdl.reply.phrases import say
from pdl.reply.result import Reading, Span, failed
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.query import Asked
    from pdl.reply.result import Segment

_MENTION = re.compile(r"[ \t][^\n]")
_ENDED = re.compile(r"[^\w,;:\-–—\"'`(\[{<]")
"""What a sentence ends with, in front of a token and a blank that stands between."""

_LINE = 1000  # characters of a line in front of a tag that are looked at
_GOES_ON = re.compile(r"[ \t]+[a-z]")
_WORDS = frozenset(
    ["reflection", "analysis", "rationale", "reasoning", "thought", "thoughts", "deliberation"]
)
"""Names of reasoning that a text may use for parts of its own."""


def read(asked: Asked) -> Reading:
    """The text, stripped; if it does not fit, what stands in it in the schema's format.

    A reasoning tag amid a line may be one that the text only speaks of, and so may a token.
    """
    text, segments = asked.text, asked.cut.segments
    start, end = inner = _inner(text, segments)
    for segment in segments:
        if segment.kind == "reasoning" and (
            amid_line(asked, segment) or _amid_text(asked, segment, inner)
        ):
            message = say("tag-amid-text", tag=shorten(segment.label))
            return failed("ambiguous", message, span=segment.span, wanted="the text alone")
    lost = _lost_closer(asked)
    if lost:
        message = say("tag-amid-text", tag=shorten(lost[0]))
        return failed("ambiguous", message, span=lost.span(), wanted="the text alone")
    start, end = _stripped(text, start, end)
    inside = _unquoted(asked, start, end)
    if inside and (asked.spelled or _has_sign(asked, start, end)):
        return _spelled(asked, inside)
    behind = _behind_turn(asked, start, end)
    if behind:
        return behind
    if start >= end:
        return failed("absent", say("holds-no", wanted=say("a-text")), wanted="text")
    return _fitting(asked, _without_reasoning(text, segments, start, end), (start, end), inside)


def _fitting(asked: Asked, value: str, span: Span, inside: Reading | None) -> Reading:
    """The text as it stands there if it fits, else without its quotes, else what is in it."""
    reading = Reading(value, span)
    if asked.verdict(value):
        return reading
    if inside and asked.verdict(inside.value):
        return inside
    found = late.reader("formatted")(asked)
    return reading if found.reason == "absent" else found


def _lost_closer(asked: Asked) -> re.Match[str] | None:
    """A closer at the end of a line in brackets: what is before it may have been thought."""
    if asked.spelled or not asked.cut.brackets:
        return None
    for segment in asked.cut.segments:
        if segment.kind == "text" and (
            closer := asked.patterns.last_closer.search(asked.text, *segment.span)
        ):
            return closer
    return None


def _unquoted(asked: Asked, start: int, end: int) -> Reading | None:
    """The string that a text is the JSON of, where it may be asked for as JSON."""
    value = string_of(asked.text[start:end]) if asked.quoted else None
    return None if value is None else Reading(value, (start, end))


def _has_sign(asked: Asked, start: int, end: int) -> bool:
    """Whether a text in quotes has a sign of JSON besides: an escape, or a token of a turn."""
    end_token = asked.patterns.end_token
    return "\\" in asked.text[start:end] or end_token.search(asked.text, start, end) is not None


def _spelled(asked: Asked, inside: Reading) -> Reading:
    """A string that can be no text, since it has an escape or marks, held against the schema."""
    if asked.verdict(inside.value):
        return inside
    found = late.reader("formatted")(asked)
    return inside if found.reason == "absent" else found


def _behind_turn(asked: Asked, start: int, end: int) -> Reading | None:
    """Tokens that end a turn where the text, from `start` to `end`, may go on or speak of them."""
    text = asked.text
    inside = asked.patterns.end_token.search(text, start, end)
    if inside and not _MENTION.match(text, inside.end()):
        message = say("behind-turn", token=inside[0])
        return failed("ambiguous", message, span=inside.span(), wanted="the text alone")
    token = next((one for one in asked.cut.segments if one.span[0] >= end), None)
    if token is None or token.kind != "token" or start >= end:
        return None
    named = text[token.span[0] - 1] in " \t" and not _ENDED.match(text[end - 1])
    if named or (token.label == "</s>" and "<s>" in text[start:end]):
        message = say("tag-amid-text", tag=token.label)
        return failed("ambiguous", message, span=token.span, wanted="the text alone")
    return None


def _amid_text(asked: Asked, segment: Segment, inner: Span) -> bool:
    """Whether reasoning with an opener may be a part of the text: words stand on both its sides.

    So it is with a name that is also a word of its own, such as `reflection`, and where the line
    goes on behind it in lower case: `[INST] is the tag and [/INST] closes it.`
    """
    text, (start, end) = asked.text, segment.span
    if not segment.closed or not asked.patterns.opener.match(text, start):
        return False
    if _GOES_ON.match(text, end) and "\n" not in text[start:end]:
        return True
    return inner[0] < start and end < inner[1] and segment.label.lower() in _WORDS


def amid_line(asked: Asked, segment: Segment) -> bool:
    """Whether text stands on the line of the reasoning's opener, or on both sides of its closer."""
    text, patterns = asked.text, asked.patterns
    start, end = segment.span
    opener = patterns.opener.match(text, start)
    before = line_before(text, start).strip() if opener else ""
    if opener:
        return bool(before) and not before.endswith(">")
    # The opener was in the prompt, or there is none: a closer ends a line, or stands on its own.
    closer = patterns.closer.match(text, segment.body[1]) if segment.body[1] < end else None
    head = line_before(text, segment.body[1]).strip()
    behind = text[end : end + 200].partition("\n")[0].strip()
    return closer is not None and bool(head) and bool(behind)


def line_before(text: str, at: int) -> str:
    """What stands on a line in front of a place; of a long line, the end of that."""
    return text[max(0, at - _LINE) : at].rpartition("\n")[2]


def _inner(text: str, segments: tuple[Segment, ...]) -> Span:
    """From the first to the last segment that is no token, no reasoning and not blank."""
    spans = [segment.span for segment in segments if segment.kind in {"text", "fence"}]
    kept = [span for span in spans if text[slice(*span)].strip()]
    return (kept[0][0], kept[-1][1]) if kept else (0, 0)


def _stripped(text: str, start: int, end: int) -> Span:
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
