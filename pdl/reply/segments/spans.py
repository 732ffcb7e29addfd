"""The parts of a reply, and sets of spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from pdl.reply.result import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.reply.result import Span
    from pdl.reply.segments.brackets import Bracketed

START = itemgetter(0)
_QUOTE_MARKS = re.compile(r"^[ \t]*+(?>(?:>[ \t]?)+)", re.MULTILINE)


def shifted(span: Span, by: int) -> Span:
    """A span of a part of a text as a span of the whole, if the part begins at an offset."""
    return span[0] + by, span[1] + by


class Spans:
    """Half-open ranges of offsets in any order; those that overlap become one."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, place: int) -> bool:
        index = bisect_right(self._starts, place) - 1
        return index >= 0 and place < self._ends[index]

    def __iter__(self) -> Iterator[Span]:
        return zip(self._starts, self._ends, strict=True)


@dataclass(frozen=True, slots=True)
class Segmented:
    """A reply in parts: segments without a gap, bracketed spans, the insides of answer tags.

    Each bracketed span is paired with the fence around it. `quoted` are the bodies of fences
    in block quotes, whose lines begin with the mark of a quote.
    """

    segments: tuple[Segment, ...]
    brackets: tuple[tuple[Bracketed, Segment | None], ...]
    answers: tuple[Span, ...]
    quoted: tuple[Span, ...] = ()

    def in_answer(self, at: int) -> bool:
        """Whether an offset is inside an answer tag."""
        index = bisect_right(self.answers, at, key=START) - 1
        return index >= 0 and at < self.answers[index][1]

    def unquoted(self, text: str) -> str:
        """The text with spaces for the quote marks in those fences; of the same length."""
        parts: list[str] = []
        at = 0
        for start, end in self.quoted:
            body = _QUOTE_MARKS.sub(lambda mark: " " * len(mark[0]), text[start:end])
            parts += [text[at:start], body]
            at = end
        return "".join([*parts, text[at:]]) if parts else text


def with_text(segments: Sequence[Segment], end: int) -> tuple[Segment, ...]:
    """The segments of a reply up to an offset, with the text between them as further segments."""
    found: list[Segment] = []
    at = 0
    for segment in (*segments, None):
        start = segment.span[0] if segment else end
        if start > at:
            found.append(Segment("text", (at, start), (at, start)))
        if segment:
            found.append(segment)
            at = segment.span[1]
    return tuple(found)


def with_fences(
    brackets: Iterable[Bracketed], segments: Iterable[Segment]
) -> tuple[tuple[Bracketed, Segment | None], ...]:
    """Bracketed spans, each with the fence around it."""
    fences = [segment for segment in segments if segment.kind == "fence"]
    starts = [fence.span[0] for fence in fences]
    around = ((one, bisect_right(starts, one.span[0]) - 1) for one in brackets)
    return tuple(
        (one, fences[at] if at >= 0 and one.span[0] < fences[at].span[1] else None)
        for one, at in around
    )
