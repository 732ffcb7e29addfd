"""Answers in brackets: which bracket is shown while the reply comes in."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.choosing.evaluate import ARGUMENTS, LISTS, NAMES, OTHERS, WRAPPERS
from pdl.reply.parsing.events import since
from pdl.reply.parsing.parser import Parser
from pdl.reply.phrases import line_before, say
from pdl.reply.prose.signs import Lead
from pdl.reply.prose.visible import is_plain, language
from pdl.reply.result import Violation
from pdl.reply.streaming.partial import NOTHING, JsonView, Open, Partial, play
from pdl.reply.validation.compiled import validator_of
from pdl.reply.validation.json_types import is_integer, is_number, kind_of
from pdl.reply.validation.messages import MOST
from pdl.reply.validation.referee import Referee
from pdl.reply.validation.schema_walk import Node, PatternTimeout, UnusablePattern, conjoined

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath
    from pdl.limits import Limits
    from pdl.reply.phrases import Phrase
    from pdl.reply.result import Event, Segment, Span
    from pdl.reply.segments.brackets import Bracketed
    from pdl.reply.segments.segmenter import Segmenter
    from pdl.reply.streaming.partial import Known
    from pdl.reply.validation.compiled import Validator
    from pdl.reply.validation.schema_walk import Document

_DEEP = 2  # brackets around one that is checked as a whole when it ends


class CertainErrors:
    """Checks each part of a value once against the subschemas that apply unconditionally.

    Those are outside unions and conditions. A scalar is checked when it ends; an object or
    an array when it closes, unless it is deep in others, which are then checked as a whole. If a
    pattern of the schema cannot be used, only the end shows errors.
    """

    def __init__(self, document: Document) -> None:
        self.errors: tuple[Violation, ...] = ()
        self._document = document
        self._validator: Validator | None = None
        self._root = Node(document, join=conjoined)
        self._open: list[Node] = []  # of the brackets that are open
        self._seen: set[tuple[JsonPath, str, str]] = set()
        self._usable = True

    def add(self, before: Known, event: Event, offset: int) -> None:
        """Take an event and the value before it; `offset` is that of the text's beginning."""
        if not self._usable:
            return
        span = (event.start + offset, event.end + offset)
        try:
            self._check(before, event, span)
        except (PatternTimeout, UnusablePattern, RecursionError):
            self._usable = False
        self._usable = self._usable and len(self.errors) < MOST

    def _check(self, before: Known, event: Event, span: Span) -> None:
        top = before if isinstance(before, Open) else None
        if event.op in {"object", "array"}:
            self._open.append(self._place(top))
        elif top and top.key is not None and event.op == "value":
            self._find(self._place(top), event.payload, top, (top.key,), span)
        elif top and event.op == "close":
            place = self._open.pop()
            if len(self._open) <= _DEEP:
                whole = (top.start + span[0] - event.start, span[1])
                self._find(place, top.box, top, (), whole)

    def _place(self, top: Open | None) -> Node:
        """The schema node of the part that comes next."""
        return self._root if top is None or top.key is None else self._open[-1].at(top.key)

    def _find(self, place: Node, value: Json, top: Open, step: JsonPath, span: Span) -> None:
        """Add the violations of the bracket on top, or of a part of it, each once."""
        self._validator = validator = self._validator or validator_of(self._document)
        for schema in place.schemas:
            if validator.fits(schema, value, {}):
                continue
            for one in Referee(validator).violations(schema, value, (*top.growing(), *step)):
                mark = (one.path, one.keyword, one.message)
                if mark not in self._seen:
                    self._seen.add(mark)
                    self.errors = (*self.errors, replace(one, span=span))

    def reach(self, limit: str, at: int) -> None:
        """Add that a limit is reached at an offset."""
        self.errors = (*self.errors, Violation((), limit, "limit", span=(at, at + 1)))


_CALLS = frozenset().union(ARGUMENTS, LISTS, NAMES, OTHERS, WRAPPERS)
_QUOTES = frozenset("\"'“„”‘’＂")
_LONG_LIST = 3  # numbers that no citation has, such as `[1, 2]`
_FAR = 256  # characters that are looked at to see whether something has changed
_CITED = 999  # the highest number of a citation


class Standing(NamedTuple):
    """Where a bracket is: `start` is its offset in the reply.

    `rank`: how clearly the reply says that it is the answer, as in
    `pdl.reply.choosing.candidates`. `clear`: only an answer can be there: at the beginning, after
    a colon, in a fence for data. `lasting`: nothing of it is certain before the reply ends.
    """

    rank: int
    clear: bool
    start: int
    lasting: bool


class BracketReader:
    """Reads one bracket as it comes, and knows which part of it is certain.

    Prose contains brackets too: `{name}`, `[1]`, `[see below]`. Where prose is possible, a bracket
    counts only once it is data: it has a string, a key with its colon, or a bracket in it.
    """

    def __init__(self, node: Node, place: Standing, limits: Limits, errors: CertainErrors) -> None:
        self.place = place
        self.end = place.start  # the offset up to which it was read
        self.errors = errors
        self._node = node
        self._parser = Parser(node, limits)
        self._played: Event | None = None
        self._known: Known = None
        self._latest: tuple[JsonView | None, Partial] = (None, NOTHING)
        self._kind = ""
        self._quoted = False  # a quote is in it
        self._solid = False  # it is data
        self._fits = False  # it looks like the answer
        self._only_call = True  # all of its keys can be those of a tool call
        self._call = False  # it seems to be one, around the answer
        self._cited = 0  # numbers in it that might be citations

    # Input

    def feed(self, text: str) -> None:
        """The next characters of the bracket."""
        self._kind = self._kind or ("object" if text[:1] == "{" else "array" if text else "")
        self._quoted = self._quoted or not _QUOTES.isdisjoint(text)
        self.end += len(text)
        self._parser.feed(text)
        self._play()

    def close(self) -> None:
        """Its last bracket is there."""
        self._parser.flush()
        self._play()

    def _play(self) -> None:
        for event in since(self._parser.certain, self._played):
            if event.op == "repair":
                continue
            known = self._known
            if isinstance(known, Open) and known.around is None:
                self._note(event)
            if event.op != "key" and not self.place.lasting:
                self.errors.add(known, event, self.place.start)
            self._known = play(known, event)
        self._played = self._parser.forget()

    # Its kind

    @property
    def is_data(self) -> bool:
        """Whether it is data, of an expected type or not."""
        return self._solid or self._quoted

    @property
    def limit(self) -> Phrase | None:
        """The bound that is reached, if that is certain."""
        return None if self.place.lasting or not self._parser.is_stuck else self._parser.limit

    def is_shown(self, rival: BracketReader | None) -> bool:
        """Whether to show it, instead of an earlier one if there is a rival."""
        is_prose = self._parser.is_stuck and not self.is_data
        if self._kind not in self._node.kinds or self._call or is_prose:
            return False
        if rival is not None and (not self._fits or self.place.rank < rival.place.rank):
            return False
        return self.place.clear or self.is_data

    def partial(self) -> Partial:
        """The partial now: the same object as before if nothing has changed."""
        view, errors = JsonView(self._parser, self._known, self._played), self.errors.errors
        last, made = self._latest
        changed = last is None or errors is not made.errors or view.far > _FAR
        if last is None or changed or view.shows() != last.shows():
            known = None if self.place.lasting else self._known
            start = self.place.start
            made = Partial(started=True, start=start, errors=errors, _view=view, _known=known)
            self._latest = (view, made)
        return made

    # Its outermost parts

    def _note(self, event: Event) -> None:
        if event.op == "key":
            self._note_key(event.payload)
        elif event.op in {"object", "array"}:
            self._note_item(event.op)
        elif event.op == "value":
            self._solid = self._solid or self.place.clear
            self._note_value(event.payload)

    def _note_key(self, name: str) -> None:
        """A key of the answer, of a tool call around it, or of both."""
        known = not self._node.names or name in self._node.names
        of_call = name in _CALLS
        self._solid = True
        self._fits = self._fits or known
        self._only_call = self._only_call and of_call
        if not of_call:
            self._call = self._call and not known
        elif not known:
            self._call = self._only_call

    def _note_value(self, value: Json) -> None:
        if self._kind != "array" or (self._solid and self._fits):
            return
        kind = kind_of(value)
        if is_integer(value) and 0 <= value <= _CITED and self._cited < _LONG_LIST - 1:
            self._cited += 1
            self._fits = self._fits or (self.place.clear and self._takes("integer"))
        elif not is_number(value) or self._takes(kind):
            self._note_item(kind)

    def _note_item(self, kind: str) -> None:
        self._solid = True
        if self._kind == "array":
            self._fits = self._fits or self._takes(kind)

    def _takes(self, kind: str) -> bool:
        return kind in self._node.at(0).kinds


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
        """The partial after a piece."""
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
                candidate.errors.reach(candidate.limit, end)
        if self._count <= self._limits.reply_candidates < count and self._leader:
            message = say("many-candidates", number=self._limits.reply_candidates)
            self._leader.errors.reach(message, end)
        self._seen.append(_Seen(bracket, end if candidate else self._ended, count))

    def _lead(self, candidate: BracketReader, index: int) -> None:
        if candidate.is_shown(self._leader):
            self._leaders.append((index, candidate))

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


def _rank(before: str, fence: Segment | None) -> int:
    """The rank as in `pdl.reply.choosing.candidates`, by the words before it."""
    lead = Lead(before, 0, len(before))
    if lead.announces():
        return 2
    is_json = fence is not None and language(fence.label).startswith("json")
    return 1 if is_json and not lead.exemplifies() else 0


def _last(brackets: list[Bracketed], count: int) -> Bracketed | None:
    return brackets[count - 1] if count <= len(brackets) else None
