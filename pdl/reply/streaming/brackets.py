"""Answers in brackets: which bracket is shown while the reply comes in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.phrases import say
from pdl.reply.prose.signs import announced, exemplified
from pdl.reply.prose.visible import is_plain, language
from pdl.reply.result import Violation
from pdl.reply.streaming.candidate import BracketReader, CertainErrors, Standing
from pdl.reply.streaming.partial import NOTHING, Partial
from pdl.reply.validation.schema_walk import Node
from pdl.reply.wording import line_before

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.result import Segment
    from pdl.reply.segments.brackets import Bracketed
    from pdl.reply.segments.segmenter import Segmenter
    from pdl.reply.validation.schema_walk import Document

_DECORATION = ' \t\r\n\ufeff*_`"“>#-'
_LEADS = re.compile(r"(?:[:：=→]|\b(?:is|are))$", re.IGNORECASE)
_INDEXED = re.compile(r"[A-Za-z0-9_)]")
_LIST_ITEM = re.compile(r"[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]++")
_LEAD = 200  # characters before a bracket that are looked at
_WORDS = 1000  # characters before a bracket in which words can introduce it


class _Seen(NamedTuple):
    """A bracket that has ended, where the last data ended, how much data there was by then."""

    bracket: Bracketed
    ended: int
    data: int


class BracketView:
    """Shows the bracket of an expected type that began last, unless an earlier one ranks higher.

    That is provisional: only the end shows which one is the answer. `lasting`: everything is
    provisional. The view depends only on the brackets that the segmenter has so far.
    """

    def __init__(self, document: Document, limits: Limits, *, lasting: bool) -> None:
        self._document = document
        self._node = Node(document)
        self._limits = limits
        self._lasting = lasting
        self._segments: list[Segment] | None = None
        self._restart()

    def _restart(self) -> None:
        """All that was there was reasoning."""
        self._seen: list[_Seen] = []
        self._leaders: list[tuple[int, BracketReader]] = []  # how many were seen before, and which
        self._open: BracketReader | None = None

    def look(self, segmenter: Segmenter) -> Partial:
        """What is known after a piece."""
        if segmenter.segments is not self._segments:
            self._segments = segmenter.segments
            self._restart()
        brackets = segmenter.stack.spans
        while self._seen and self._seen[-1].bracket is not _last(brackets, len(self._seen)):
            self._seen.pop()
        while self._leaders and self._leaders[-1][0] >= len(self._seen):
            self._leaders.pop()
        for bracket in brackets[len(self._seen) :]:
            self._finish(segmenter, bracket)
        if not segmenter.stack:
            del self._leaders[:-1]
        shown = self._leader
        data, end = segmenter.stack.data, segmenter.at
        # A bracket waits in the segmenter for what follows it; in data it is one in any case.
        end += segmenter.source.text[end:].strip() in {"{", "["}
        if data is not None and (reading := self._read(segmenter, data, end)):
            shown = reading if reading.is_shown(shown) else shown
        return shown.partial() if shown else NOTHING

    @property
    def _leader(self) -> BracketReader | None:
        return self._leaders[-1][1] if self._leaders else None

    @property
    def _count(self) -> int:
        return self._seen[-1].data if self._seen else 0

    @property
    def _ended(self) -> int:
        return self._seen[-1].ended if self._seen else 0

    def _read(self, segmenter: Segmenter, start: int, end: int) -> BracketReader | None:
        """The bracket that begins there, read up to an offset; None if it is not data."""
        candidate = self._open
        if candidate is None or candidate.place.start != start or candidate.end > end:
            text = segmenter.source.text
            indexed = text[start] == "[" and _INDEXED.match(text[max(0, start - 1) : start])
            if indexed or self._count > self._limits.reply_candidates:
                return None
            place = self._place(segmenter, start)
            candidate = BracketReader(
                self._node, place, self._limits, CertainErrors(self._document)
            )
            self._open = candidate
        candidate.feed(segmenter.source.text[candidate.end : end])
        return candidate

    def _finish(self, segmenter: Segmenter, bracket: Bracketed) -> None:
        """A bracket ended: it is closed, or left."""
        start, end = bracket.span
        candidate = self._read(segmenter, start, end) if bracket.shaped else None
        self._open = None
        count = self._count + (candidate is not None and candidate.is_data)
        if candidate and bracket.closed:
            candidate.close()
        if candidate:
            self._lead(candidate, len(self._seen))
            if candidate.limit:
                self._reach(candidate.limit, candidate, end)
        if self._count <= self._limits.reply_candidates < count and self._leader:
            message = say("many-candidates", number=self._limits.reply_candidates)
            self._reach(message, self._leader, end)
        self._seen.append(_Seen(bracket, end if candidate else self._ended, count))

    def _lead(self, candidate: BracketReader, index: int) -> None:
        if candidate.is_shown(self._leader):
            self._leaders.append((index, candidate))

    def _reach(self, limit: str, candidate: BracketReader, end: int) -> None:
        candidate.errors.reach(Violation((), "limit", "", "", limit, (end, end + 1)))

    # The position of a bracket

    def _place(self, segmenter: Segmenter, start: int) -> Standing:
        text, fence = segmenter.source.text, _fence_at(segmenter, start)
        outside = fence.span[0] if fence else start
        if not max(self._ended, start - _WORDS) <= outside:
            outside = start
        line = line_before(text, outside)
        is_quoted = fence is not None and ">" in line
        lead = text[max(self._ended, outside - _WORDS) : outside]
        return Standing(
            2 if segmenter.in_answer(start) is not None else _rank(lead, fence),
            self._is_clear(segmenter, start, fence),
            start=start,
            lasting=self._lasting or is_quoted,
        )

    def _is_clear(self, segmenter: Segmenter, start: int, fence: Segment | None) -> bool:
        """Whether only an answer can be there."""
        text = segmenter.source.text
        before = text[max(0, start - _LEAD) : start]
        line = before.rpartition("\n")[2]
        if fence:
            return is_plain(fence.label) and not line.strip()
        if text[start] == "[" and _LIST_ITEM.fullmatch(line):
            return False  # it might be the box of a task
        segment = segmenter.segment_at(start)
        begun = max(segment.span[1] if segment else 0, segmenter.in_answer(start) or 0)
        is_first = begun >= max(self._ended, start - _LEAD)
        if is_first and not text[begun:start].strip(_DECORATION):
            return True
        return _LEADS.search(before.rstrip(_DECORATION)) is not None


def _fence_at(segmenter: Segmenter, offset: int) -> Segment | None:
    segment = segmenter.segment_at(offset)
    is_in = segment and segment.kind == "fence" and (offset < segment.span[1] or not segment.closed)
    return segment if is_in else None


def _rank(lead: str, fence: Segment | None) -> int:
    """The rank as in `pdl.reply.choosing.candidates`, by the words before it."""
    if announced(lead, 0, len(lead)):
        return 2
    is_json = fence is not None and language(fence.label).startswith("json")
    return 1 if is_json and not exemplified(lead, 0, len(lead)) else 0


def _last(brackets: list[Bracketed], count: int) -> Bracketed | None:
    return brackets[count - 1] if count <= len(brackets) else None
