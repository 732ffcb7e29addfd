"""A reply as pieces: cut wherever its answer, a repair, or an error begins or ends."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pdl._types import format_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import JsonPath
    from pdl.reply.result import Span


class Mark(NamedTuple):
    """A repair or an error: its words, and its span if it is known."""

    kind: str
    words: str
    span: Span | None


class Piece(NamedTuple):
    """A part of a reply: whether it is of the answer, and the indices of the marks on it.

    The text is empty where a mark has no width, such as a missing bracket.
    """

    text: str
    is_answer: bool
    marks: tuple[int, ...]


class _Error(Protocol):
    """A violation, or the record of one."""

    @property
    def path(self) -> JsonPath: ...
    @property
    def message(self) -> str: ...
    @property
    def span(self) -> Span | None: ...


class _Repair(Protocol):
    """A repair, or the record of one."""

    @property
    def kind(self) -> str: ...
    @property
    def before(self) -> str: ...
    @property
    def after(self) -> str: ...
    @property
    def span(self) -> Span: ...


def marks_of(errors: Iterable[_Error], repairs: Iterable[_Repair]) -> list[Mark]:
    """Return all errors and repairs of a check, errors first."""
    return [
        *(Mark("error", f"{format_path(e.path)}: {e.message}", e.span) for e in errors),
        *(Mark("repair", f"{one.kind}: {_change(one)}", one.span) for one in repairs),
    ]


def _change(repair: _Repair) -> str:
    if not repair.after:
        return f"removed {repair.before}"
    return f"{repair.before} → {repair.after}" if repair.before else f"added {repair.after}"


def pieces(text: str, answer: Span | None, marked: Iterable[Mark]) -> list[Piece]:
    """Cut a text at the borders of its answer and its marks; these may overlap or be nested.

    The pieces together are the text. A span that exceeds the text is clipped.
    """
    begins: dict[int, list[int]] = defaultdict(list)
    ends: dict[int, list[int]] = defaultdict(list)
    points: dict[int, list[int]] = defaultdict(list)
    for index, mark in enumerate(marked):
        if mark.span is None:
            continue
        start, end = _within(mark.span, text)
        if start < end:
            begins[start].append(index)
            ends[end].append(index)
        else:
            points[start].append(index)
    first, last = answer or (0, 0)
    borders = sorted({0, len(text), *begins, *ends, *points, *_within((first, last), text)})
    active: set[int] = set()
    found = []
    for at, following in zip(borders, [*borders[1:], len(text)], strict=True):
        active = (active - set(ends[at])) | set(begins[at])
        is_answer = first <= at < last
        if points[at]:
            found.append(Piece("", first <= at <= last and first < last, tuple(points[at])))
        if at < following:
            found.append(Piece(text[at:following], is_answer, tuple(sorted(active))))
    return found


def _within(span: Span, text: str) -> list[int]:
    return [min(max(at, 0), len(text)) for at in span]


def shifted(span: Span | None, within: Span) -> Span | None:
    """Return a span as it is in a window; None if it is outside."""
    first, last = within
    if span is None or span[1] < first or span[0] > last:
        return None
    return span[0] - first, span[1] - first
