"""A reply as pieces: cut wherever its answer, a repair, or an error begins or ends."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pdl._types import format_path
from pdl.evaluation.report import figures

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.evaluation.records import AttemptRecord, RepairRecord
    from pdl.reply.result import Span

MOST_MARKS = 100
"""How many repairs and errors of one reply are marked; the others are counted."""

LONGEST = 65_536
"""How many characters of a reply, a value, or data the page has."""

_WORDS = 1_000  # characters of the words of a mark


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


def marks(attempt: AttemptRecord) -> list[Mark]:
    """Return all errors and repairs of an attempt, errors first."""
    errors = [
        Mark("error", f"{format_path(error.path)}: {error.message}", error.span)
        for error in attempt.errors
    ]
    repairs = [
        Mark("repair", f"{repair.kind}: {_change(repair)}", repair.span)
        for repair in attempt.repairs
    ]
    return errors + repairs


def _change(repair: RepairRecord) -> str:
    if not repair.after:
        return f"removed {repair.before}"
    return f"{repair.before} → {repair.after}" if repair.before else f"added {repair.after}"


def pieces(text: str, answer: Span | None, marked: list[Mark]) -> list[Piece]:
    """Cut a text at the borders of its answer and its marks; these may overlap or be nested.

    The pieces together are the text. A span that exceeds the text is clipped.
    """
    begins: dict[int, list[int]] = defaultdict(list)
    ends: dict[int, list[int]] = defaultdict(list)
    points: dict[int, list[int]] = defaultdict(list)
    for index, mark in enumerate(marked[:MOST_MARKS]):
        if mark.span is None:
            continue
        start, end = (min(max(at, 0), len(text)) for at in mark.span)
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


def clipped(text: str, longest: int) -> str:
    """Return the beginning of a text, and how much of it is left out."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters)"


def window(text: str, around: Span | None) -> Span:
    """Return the span of a text that a page has: at most `LONGEST` characters around a span.

    If that is longer, its beginning; without one, the beginning of the text.
    """
    if len(text) <= LONGEST:
        return 0, len(text)
    start, end = _within(around or (0, 0), text)
    spare = max(LONGEST - (end - start), 0)
    first = min(max(start - spare // 2, 0), len(text) - LONGEST)
    return first, first + LONGEST


def _shifted(span: Span | None, within: Span) -> Span | None:
    """A span as it is in a window; None if it is outside."""
    first, last = within
    if span is None or span[1] < first or span[0] > last:
        return None
    return span[0] - first, span[1] - first


def attempt_json(attempt: AttemptRecord) -> Json:
    """Return an attempt as the page reads it, with the part of its reply that a page has.

    `left` is how many characters before and after that part are left out.
    """
    text, marked = attempt.text or "", marks(attempt)
    placed = attempt.span or next((mark.span for mark in marked if mark.span), None)
    first, last = within = window(text, placed)
    marked = [
        Mark(mark.kind, clipped(mark.words, _WORDS), _shifted(mark.span, within))
        for mark in marked[:MOST_MARKS]
    ]
    cut = pieces(text[first:last], _shifted(attempt.span, within), marked)
    return {
        "number": attempt.number,
        "reason": attempt.reason,
        "fault": attempt.fault,
        "pieces": None if attempt.text is None else cut,
        "left": [first, len(text) - last],
        "marks": [[mark.kind, mark.words, mark.span is not None] for mark in marked],
        "more": max(len(attempt.errors) + len(attempt.repairs) - MOST_MARKS, 0),
        "tokens": [attempt.input_tokens, attempt.output_tokens],
        "seconds": figures.figure(attempt.seconds, "seconds"),
        "cached": attempt.is_cached,
    }
