"""A bracket that might begin the answer: whether it is shown, what is certain, and its errors.

An error is found when the part that it is about ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.choosing.evaluate import ARGUMENTS, LISTS, NAMES, OTHERS, WRAPPERS
from pdl.reply.parsing.events import since
from pdl.reply.parsing.parser import Parser
from pdl.reply.streaming.partial import NOTHING, JsonView, Open, Partial, play
from pdl.reply.validation.compiled import validator_of
from pdl.reply.validation.json_types import is_integer, is_number, kind_of
from pdl.reply.validation.messages import MOST
from pdl.reply.validation.referee import Referee
from pdl.reply.validation.schema_walk import (
    Node,
    PatternTimeout,
    UnusablePattern,
    conjoined,
)

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath
    from pdl.limits import Limits
    from pdl.reply.phrases import Phrase
    from pdl.reply.result import Event, Span, Violation
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

    def hear(self, before: Known, event: Event, offset: int) -> None:
        """An event and the value before it; `offset` is that of the text's beginning."""
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
            for schema in self._misfits(self._place(top), event.payload):
                self._add(schema, event.payload, (*top.growing(), top.key), span)
        elif top and event.op == "close":
            place = self._open.pop()
            if len(self._open) <= _DEEP:
                for schema in self._misfits(place, top.box):
                    whole = (top.start + span[0] - event.start, span[1])
                    self._add(schema, top.box, top.growing(), whole)

    def _place(self, top: Open | None) -> Node:
        """The schema node of the part that comes next."""
        return self._root if top is None or top.key is None else self._open[-1].at(top.key)

    def _misfits(self, place: Node, value: Json) -> list[Json]:
        """The subschemas that a value does not fit."""
        self._validator = self._validator or validator_of(self._document)
        fits = self._validator.fits
        return [schema for schema in place.schemas if not fits(schema, value, {})]

    def _add(self, schema: Json, value: Json, path: JsonPath, span: Span) -> None:
        for one in Referee(validator_of(self._document)).violations(schema, value, path):
            mark = (one.path, one.keyword, one.message)
            if mark not in self._seen:
                self._seen.add(mark)
                self.errors = (*self.errors, replace(one, span=span))

    def reach(self, limit: Violation) -> None:
        """A limit is reached."""
        self.errors = (*self.errors, limit)


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
        self._heard: Event | None = None
        self._known: Known = None
        self._told: tuple[JsonView | None, Partial] = (None, NOTHING)
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
        self._hear()

    def close(self) -> None:
        """Its last bracket is there."""
        self._parser.flush()
        self._hear()

    def _hear(self) -> None:
        for event in since(self._parser.certain, self._heard):
            if event.op == "repair":
                continue
            known = self._known
            if isinstance(known, Open) and known.around is None:
                self._note(event)
            if event.op != "key" and not self.place.lasting:
                self.errors.hear(known, event, self.place.start)
            self._known = play(known, event)
        self._heard = self._parser.forget()

    # What it is

    @property
    def is_data(self) -> bool:
        """Whether it is data, of an expected type or not."""
        return self._solid or self._quoted

    @property
    def is_prose(self) -> bool:
        """Whether it is not data, since it cannot be parsed."""
        return self._parser.is_stuck and not self.is_data

    @property
    def limit(self) -> Phrase | None:
        """The bound that is reached, if that is certain."""
        return None if self.place.lasting or not self._parser.is_stuck else self._parser.limit

    def is_shown(self, rival: BracketReader | None) -> bool:
        """Whether to show it, instead of an earlier one if there is a rival."""
        if self._kind not in self._node.kinds or self._call or self.is_prose:
            return False
        if rival is not None and (not self._fits or self.place.rank < rival.place.rank):
            return False
        return self.place.clear or self.is_data

    def partial(self) -> Partial:
        """What is known now: the same as before if nothing has changed."""
        view, errors = JsonView(self._parser, self._known, self._heard), self.errors.errors
        last, told = self._told
        changed = last is None or errors is not told.errors or view.far > _FAR
        if last is None or changed or view.shows() != last.shows():
            known = None if self.place.lasting else self._known
            told = Partial(
                started=True,
                start=self.place.start,
                errors=errors,
                _view=view,
                _known=known,
            )
            self._told = (view, told)
        return told

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
