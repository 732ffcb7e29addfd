"""A reply as the script of the page reads it: in pieces, with the marks on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.evaluation.report import figures
from pdl.markup import clipped
from pdl.reply.marks import Mark, marks_of, pieces, shifted

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.evaluation.records import AttemptRecord
    from pdl.reply.result import Span

MOST_MARKS = 100
"""How many repairs and errors of one reply are marked; the others are counted."""

LONGEST = 65_536
"""How many characters of a reply, a value, or data the page has."""

_WORDS = 1_000  # characters of the words of a mark


def window(text: str, around: Span | None) -> Span:
    """Return the span of a text that a page has: at most `LONGEST` characters around a span.

    If that is longer, its beginning; without one, the beginning of the text.
    """
    if len(text) <= LONGEST:
        return 0, len(text)
    start, end = (min(max(at, 0), len(text)) for at in around or (0, 0))
    spare = max(LONGEST - (end - start), 0)
    first = min(max(start - spare // 2, 0), len(text) - LONGEST)
    return first, first + LONGEST


def attempt_json(attempt: AttemptRecord) -> Json:
    """Return an attempt as the page reads it, with the part of its reply that a page has.

    `left` is how many characters before and after that part are left out.
    """
    text, marked = attempt.text or "", marks_of(attempt.errors, attempt.repairs)
    placed = attempt.span or next((mark.span for mark in marked if mark.span), None)
    first, last = within = window(text, placed)
    marked = [
        Mark(mark.kind, clipped(mark.words, _WORDS), shifted(mark.span, within))
        for mark in marked[:MOST_MARKS]
    ]
    cut = pieces(text[first:last], shifted(attempt.span, within), marked)
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
