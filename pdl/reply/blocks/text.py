"""Answers that are text: the reply without reasoning, without the tokens around a turn, stripped.

A string that is requested as JSON can be written as JSON; then the answer is its value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.phrases import line_before, say, shorten
from pdl.reply.query import is_quoted, string_of
from pdl.reply.result import Reading, Segment, Span, failed
from pdl.reply.segments.segmenter import segmented
from pdl.reply.segments.spans import Segmented, shifted

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.query import Query
    from pdl.reply.segments.dialects import Dialects
    from pdl.schema import Schema

_MENTION = re.compile(r"[ \t][^\n]")
_ENDED = re.compile(r"[^\w,;:\-–—\"'`(\[{<]")
"""The last character of a sentence, before a space and a token."""

_LOWER = re.compile(r"[ \t]+[a-z]")
_REVERSED = re.compile(r'"(?>(?:[^"]|"(?=\\(?>(?:\\\\)*)(?!\\)))*)"')
"""A JSON string from its end to its start; a quote with an odd number of `\\` before it goes on."""

_LINE = 1000  # characters of a line before a tag that are looked at


def read(query: Query) -> Reading:
    """The text; if it does not fit, the text inside its quotes, or a format that is found in it.

    JSON quotes are removed first where an escape, a tag or a token shows that they are JSON.
    """
    start, end = span = _inner(query)
    if doubtful := _tag_amid(query, span):
        message = say("tag-amid-text", tag=shorten(doubtful[1]))
        return failed("ambiguous", message, span=doubtful[0], wanted="the text alone")
    body = query.text[start:end]
    inside = string_of(body) if query.quoted else None
    signs = query.spelled or "\\" in body or query.patterns.end_token.search(body)
    if inside is not None and signs:
        return _fitting(query, [inside], span)
    if going_on := _token_amid(query, span):
        return going_on
    if not body:
        return failed("absent", say("holds-no", wanted=say("a-text")), wanted="text")
    return _fitting(query, [body] if inside is None else [body, inside], span)


def spelled(
    schema: Schema | None, reply: str, limits: Limits, dialects: Dialects
) -> Segmented | None:
    """The parts of a reply that is a JSON string with tags or tokens in it, if JSON is requested.

    Reasoning may come before the string, tokens before and after it, and so can the tags around
    an answer unless the string is free text. None for other replies.
    """
    if schema is None or schema.form != "json":
        return None
    end = reply.rfind('"') + 1
    found = _REVERSED.match(reply[:end][::-1])
    start = end - found.end() if found else end
    if string_of(reply[start:end]) is None:
        return None
    after = segmented(reply[end:], limits, dialects).segments
    if any(one.kind == "reasoning" for one in after) or _said(reply[end:], after, schema, dialects):
        return None
    string = segmented(reply[start:end], limits, dialects).segments
    before = segmented(reply[:start], limits, dialects).segments
    whole = all(one.closed for one in before) and any(one.kind != "text" for one in string)
    if not whole or _said(reply, before, schema, dialects):
        return None
    after = tuple(replace(o, span=shifted(o.span, end), body=shifted(o.body, end)) for o in after)
    return Segmented((*before, Segment("text", (start, end), (start, end)), *after), (), ())


def _said(part: str, segments: tuple[Segment, ...], schema: Schema, dialects: Dialects) -> str:
    """The text of a part of a reply, less the tags around an answer that is not free text."""
    text = "".join(part[slice(*one.span)] for one in segments if one.kind in {"text", "fence"})
    if not is_quoted(schema):
        text = dialects.patterns.answer_opener.sub("", text)
        text = dialects.patterns.answer_closer.sub("", text)
    return text.strip(" \t\r\n")


def _fitting(query: Query, readings: list[str], span: Span) -> Reading:
    for text in readings:
        if query.is_valid(text):
            return Reading(text, span)
    from pdl.reply.prose.formatted import read_format  # noqa: PLC0415 - rare and large

    found = read_format(query)
    return Reading(readings[0], span) if found.reason == "absent" else found


def _inner(query: Query) -> Span:
    """From the first to the last character that is not reasoning, a token or a space."""
    spans = [one.span for one in query.parts.segments if one.kind in {"text", "fence"}]
    kept = [span for span in spans if query.text[slice(*span)].strip()] or [(0, 0)]
    start, end = kept[0][0], kept[-1][1]
    body = query.text[start:end]
    return end - len(body.lstrip()), start + len(body.rstrip())


def _tag_amid(query: Query, inner: Span) -> tuple[Span, str] | None:
    """A reasoning tag that the text might only mention, or use for a part of itself.

    It is on a line with text, between two pieces of text, or closes a line within brackets.
    """
    for one in query.parts.segments:
        between = inner[0] < one.span[0] and one.span[1] < inner[1]
        if one.kind == "reasoning" and (between or amid_line(query, one)):
            return one.span, one.label
        if one.kind == "text" and query.parts.brackets and not query.spelled:
            closer = query.patterns.last_closer.search(query.text, *one.span)
            if closer:
                return closer.span(), closer[0]
    return None


def _token_amid(query: Query, inner: Span) -> Reading | None:
    """Tokens that end a turn where the text might continue, or mentions them."""
    text, (start, end) = query.text, inner
    inside = query.patterns.end_token.search(text, start, end)
    if inside and not _MENTION.match(text, inside.end()):
        message = say("behind-turn", token=inside[0])
        return failed("ambiguous", message, span=inside.span(), wanted="the text alone")
    token = next((one for one in query.parts.segments if one.span[0] >= end), None)
    if token is None or token.kind != "token" or start >= end:
        return None
    named = text[token.span[0] - 1] in " \t" and not _ENDED.match(text[end - 1])
    if named or (token.label == "</s>" and "<s>" in text[start:end]):
        message = say("tag-amid-text", tag=token.label)
        return failed("ambiguous", message, span=token.span, wanted="the text alone")
    return None


def amid_line(query: Query, segment: Segment) -> bool:
    """Whether a reasoning tag is on a line with text, as one that is only mentioned.

    An opening tag has text before it, or lowercase text follows its closing tag: `[INST] is the tag
    and [/INST] closes it`. A closing tag without an opening one has text on both sides.
    """
    text, (start, end) = query.text, segment.span
    if query.patterns.opener.match(text, start):
        before = line_before(text, start, most=_LINE).strip()
        one_line = segment.closed and "\n" not in text[start:end]
        goes_on = one_line and _LOWER.match(text, end) is not None
        return goes_on or bool(before and not before.endswith(">"))
    closer = query.patterns.closer.match(text, segment.body[1]) if segment.body[1] < end else None
    after = text[end : end + 200].partition("\n")[0].strip()
    return bool(closer and after and line_before(text, segment.body[1], most=_LINE).strip())
