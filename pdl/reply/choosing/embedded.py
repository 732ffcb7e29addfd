"""Candidates that are part of something larger: of a string that is open, or of a row of lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from pdl.reply.validation.schema_walk import Node

if TYPE_CHECKING:
    from pdl.reply.query import Query
    from pdl.reply.result import Segment, Span
    from pdl.reply.segments.brackets import Bracketed

_STRINGS = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)("?)', re.DOTALL)
_ENDS_LATER = re.compile(r'"\s*+[,}\]]')
_BRACKETS = 16  # in front of a fence that are looked at
_LINE = 4000  # characters of a line beside a candidate that are looked at
_SCALAR = re.compile(
    r"""(?P<string>"[^"\n]*+"|'[^'\n]*+')|(?P<number>-?\d++(?>(?:\.\d++)?)(?>(?:[eE][+-]?\d++)?))"""
    r"|(?P<boolean>true|false|True|False)|(?P<null>null|None)"
)
_OBJECT = re.compile(r"\{\s*+[\"'}\w].*\}|[}\]\s]++(?<=\})", re.DOTALL)


def in_open_string(query: Query, fence: Segment) -> bool:
    """Whether a fence stands in a string of a bracket that began in front of it.

    `{"body": "Use:`, a fence, and later on a quote that ends the string.
    """
    brackets = query.cut.brackets
    at = bisect_left(brackets, fence.span[0], key=_start)
    for bracket, around in brackets[max(0, at - _BRACKETS) : at]:
        if around is None and not bracket.closed and not bracket.cut:
            strings = _STRINGS.finditer(query.text, *bracket.span)
            if any(not one[1] for one in strings):
                return _ENDS_LATER.search(query.text, fence.span[1]) is not None
    return False


def _start(place: tuple[Bracketed, Segment | None]) -> int:
    return place[0].span[0]


def in_lines(query: Query, span: Span) -> bool:
    """Whether an array stands among lines of other kinds that may be items beside it.

    Of lines such as `{"a": 1}` and `["b"]` the array would be the only one to be taken.
    """
    text, (start, end) = query.text, span
    if text[start] != "[" or "array" not in query.kinds:
        return False
    beside = {_kind_in_front(text, start), _kind_behind(text, end)} - {""}
    return bool(beside) and not beside.isdisjoint(Node(query.document).at(0).kinds)


def _kind_in_front(text: str, start: int) -> str:
    """The kind of the value on the line in front of a place that begins a line."""
    front = text[max(0, start - _LINE) : start]
    above, line_end, own = front.rpartition("\n")
    if not line_end or own.strip():
        return ""
    return _kind(above.rstrip().rpartition("\n")[2].strip(" \t\r,"))


def _kind_behind(text: str, end: int) -> str:
    """The kind of the value on the line behind a place that ends a line."""
    own, line_end, below = text[end : end + _LINE].partition("\n")
    if not line_end or own.strip(" \t\r,"):
        return ""
    line = below.lstrip().partition("\n")[0].strip(" \t\r,")
    return "object" if line[:1] == "{" else _kind(line)


def _kind(line: str) -> str:
    scalar = _SCALAR.fullmatch(line)
    if scalar:
        return scalar.lastgroup or ""
    return "object" if _OBJECT.fullmatch(line) else ""
