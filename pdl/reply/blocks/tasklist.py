"""`tasklist`: the one list of GFM task items of a reply, its lines as they are written there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.blocks.code import ends_turn, marked, spoken_against
from pdl.reply.blocks.text import amid_line
from pdl.reply.phrases import line_before, say, shorten
from pdl.reply.prose.omissions import left_out_after, stands_for_more
from pdl.reply.prose.visible import PLAIN_FENCES, language
from pdl.reply.result import Reading, failed

if TYPE_CHECKING:
    from pdl.reply.query import Query
    from pdl.reply.result import Segment, Span

_MARKER = r"(?:[-*+]|\d{1,9}[.)])"
_TASK = rf"[ \t]*+{_MARKER}[ \t]++\[[^\[\]\n]\][ \t]++[^\s\0][^\n]*+"
_LIST = re.compile(
    rf"(?:^|(?<=\0))(?=(?P<indent>[ \t]*+)){_TASK}"
    rf"(?>(?:\n(?>(?:[ \t\r]*+\n)*)(?:{_TASK}|(?:(?P=indent)[ \t]++[^\s\0]|\x01)[^\n]*+))*)",
    re.MULTILINE,
)
"""A task, and the lines below it: tasks, and what is indented more than the first."""

_ITEM = re.compile(
    rf"(?P<blank>(?>(?:^[ \t\r]*+\n)*))^(?P<indent>[ \t]*+)(?P<marker>{_MARKER})[ \t]++"
    r"(?>(?P<box>\[[^\[\]\n]\][ \t]++)?)(?P<said>[^\s\0].*)",
    re.MULTILINE,
)
_BELOW = re.compile(r"(?P<blank>(?>(?:\n[ \t\r]*+(?=\n))*))\n(?P<line>[^\n]*+)")
_NEARLY = re.compile(
    rf"^\0*+(?!{_TASK})[ \t]*+(?>(?:{_MARKER}[ \t]*+)?)"
    r"(?:\[[ \txX✓✔]?\](?!\()|[☐☑☒🔲⬜])[ \t]*+\S.*"
    rf"|^.*?[^\s`\0][ \t]++{_MARKER}[ \t]++\[[ xX✓✔]?\][ \t]++\S.*",
    re.MULTILINE,
)
"""A line with a task that is not written as one: `- [] a`, `☐ a`, `The plan: - [ ] a`."""

_QUOTE_MARK = re.compile(r"^[ ]{0,3}(?>(?:>[ ]?)+)", re.MULTILINE)
_SHOWN = 40  # characters of a line, in a message


def read(query: Query) -> Reading:
    """The lines of the only task list, as they are; the bounds count its items at the top."""
    text = _masked(query)
    if not _LIST.search(text):  # it might be in a block quote, whose marks are spaces (GFM 5.1)
        bare = _QUOTE_MARK.sub(lambda mark: " " * len(mark[0]), query.text)
        query = replace(query, text=bare)
        text = _masked(query)
    lists = {_span(one): one for one in _LIST.finditer(text)}
    if not lists:
        return failed("absent", say("holds-no", wanted=say("a-task-list")), wanted="a task list")
    spans = marked(query, list(lists))
    if len(spans) > 1:
        return _several(len(spans), spans[1])
    [span] = spans
    found = lists[span]
    items = list(_ITEM.finditer(found[0]))
    tops = [one for one in items if one["box"] and _width(one) <= _width(found)]
    fences = (one for one in query.parts.segments if one.kind == "fence")
    fence = next((one for one in fences if one.body[0] <= span[0] < one.body[1]), None)
    lines = query.patterns.without_end(query.text[slice(*span)])
    value = re.sub(rf"^[ \t]{{0,{len(found['indent'])}}}", "", lines, flags=re.MULTILINE)
    return (
        _misshapen(text, found, items, tops)
        or _tag_amid(query, text, span)
        or (_cut_off(query, fence, span) if fence else None)
        or _elided(text, items, span)
        or spoken_against(query, fence.span if fence else span, 0, "a task list")
        or _out_of_bounds(query, len(tops), span)
        or Reading(value, span)
    )


def _masked(query: Query) -> str:
    r"""The reply with `\0` for what is not text: reasoning, tokens, fences, tags of the answer.

    As long as the reply, with the same lines. The body of a fence is kept unless it is a
    program; an indented program can be part of a task, and is `\1`. Nothing is shown of a
    reply that puts nothing into its answer tags.
    """
    answers = query.parts.answers
    if answers and not any(query.text[start:end].strip() for start, end in answers):
        return ""
    text = "".join(_shown(query, one) for one in query.parts.segments)
    for tags in (query.patterns.answer_opener, query.patterns.answer_closer):
        text = tags.sub(lambda tag: _hidden(tag[0]), text)
    return text


def _shown(query: Query, one: Segment) -> str:
    text, (start, end), (body, body_end) = query.text, one.span, one.body
    if one.kind == "text":
        return text[start:end]
    if one.kind == "fence" and language(one.label) in PLAIN_FENCES:
        return _hidden(text[start:body]) + text[body:body_end] + _hidden(text[body_end:end])
    before = line_before(text, start)
    below = one.kind == "fence" and before and not before.strip()
    return _hidden(text[start:end], "\1" if below else "\0")


def _hidden(text: str, sign: str = "\0") -> str:
    return re.sub(r"[^\n]", sign, text)


def _span(found: re.Match[str]) -> Span:
    return found.start(), found.start() + len(found[0].rstrip("\0 \t\r\n"))


def _width(found: re.Match[str]) -> int:
    return len(found["indent"].expandtabs(4))


def _several(number: int, span: Span) -> Reading:
    message = say("several-lists", number=number)
    return failed("ambiguous", message, span=span, wanted="one task list")


def _misshapen(
    text: str, found: re.Match[str], items: list[re.Match[str]], tops: list[re.Match[str]]
) -> Reading | None:
    """The refusal of text that is not one list, or might be only part of one.

    Its markers differ, a line next to it might be a task, or blank lines separate some items only.
    """
    span = _span(found)
    kinds = {(_width(one), one["marker"][-1]) for one in items if one["box"]}
    if len(kinds) > len({width for width, _ in kinds}):
        return failed("ambiguous", say("mixed-markers"), span=span)
    if stray := _stray(text, found)[:_SHOWN]:
        return failed("ambiguous", say("stray-line", found=stray), span=span, found=stray)
    gaps = sum(bool(one["blank"]) for one in tops)
    return _several(gaps + 1, span) if 0 < gaps < len(tops) - 1 else None


def _stray(text: str, found: re.Match[str]) -> str:
    """A line that is written almost like a task, or that is next to the list without a clear role.

    Just below the list no line is clear; after a blank one a bullet would be an item (GFM 5.3).
    """
    if nearly := _NEARLY.search(text):
        return nearly[0].strip()
    above = _ITEM.match(line_before(text, len(text[: found.start()].rstrip(" \t\r\n"))))
    if above and _width(above) >= _width(found):
        return above[0].strip()
    below = _BELOW.match(text, found.end())
    line = below["line"].replace("\0", " ").strip() if below else ""
    beside = below and line and (not below["blank"] or _ITEM.match(line))
    return line if beside and not stands_for_more(line) else ""


def _tag_amid(query: Query, text: str, span: Span) -> Reading | None:
    """The refusal of a list with a reasoning tag or answer tag that a task might only mention."""
    tags = [(span, "answer")] if "\0" in text[slice(*span)] else []
    for one in query.parts.segments:
        bare = one.kind == "reasoning" and one.span[0] == one.body[0]
        ends_item = bare and _ITEM.match(line_before(query.text, one.body[1]))
        if ends_item or (one.kind == "reasoning" and amid_line(query, one)):
            tags.append((one.span, shorten(one.label)))
    if not tags:
        return None
    message = say("tag-amid-text", tag=tags[0][1])
    return failed("ambiguous", message, span=tags[0][0], wanted="the tasks alone")


def _cut_off(query: Query, fence: Segment, span: Span) -> Reading | None:
    if fence.closed or ends_turn(query, fence):
        return None
    end = shorten(query.text[slice(*fence.body)].rstrip()[-24:], 24)
    return failed("truncated", say("cut-off", found=end), span=span, found=end)


def _elided(text: str, items: list[re.Match[str]], span: Span) -> Reading | None:
    """The refusal of a list in which an item, or the line after it, represents more tasks."""
    text = text.replace("\0", " ")
    lines = [
        one[0].strip("\0 \t\r\n") for one in items if stands_for_more(one["said"].rstrip("\0 \t\r"))
    ]
    if after := left_out_after(text, span[1], listed=True):
        lines.append(text[slice(*after)])
    if not lines:
        return None
    found = shorten(lines[0], _SHOWN)
    message = say("leaves-tasks-out", found=found)
    return failed("elided", message, span=span, found=found, wanted="all tasks")


def _out_of_bounds(query: Query, items: int, span: Span) -> Reading | None:
    least, most = query.tasks
    if least is not None and items < least:
        wanted = say("at-least", bound=say("tasks", number=least))
    elif most is not None and items > most:
        wanted = say("at-most", bound=say("tasks", number=most))
    else:
        return None
    message = say("must-have", wanted=wanted, found=str(items))
    return failed("wrong-schema", message, span=span, found=str(items), wanted=wanted)
