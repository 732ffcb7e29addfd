"""What is wrong with the parts of an answer that are certain, found as each of them ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply.streaming.partial import Open
from pdl.reply.validation.compiled import validator_of
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
    from pdl.reply.parsing.events import Event
    from pdl.reply.result import Span, Violation
    from pdl.reply.streaming.partial import Known
    from pdl.reply.validation.compiled import Validator
    from pdl.reply.validation.schema_walk import Document

_DEEP = 2  # brackets around one that is checked as a whole when it ends


class Faults:
    """Checks each part of a value against the subschemas that apply to it in any case, once.

    Those are the ones of no union and no condition. A scalar is checked when it ends; an object or
    an array when it closes, unless it is deep in others, which are then checked as a whole. If a
    pattern of the schema cannot be used, only the end tells.
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
        """The place of the part that comes next."""
        return self._root if top is None or top.key is None else self._open[-1].at(top.key)

    def _misfits(self, place: Node, value: Json) -> list[Json]:
        """The subschemas that a value does not fit."""
        self._validator = self._validator or validator_of(self._document)
        fits = self._validator.fits
        return [schema for schema in place.schemas if not fits(schema, value, {})]

    def _add(self, schema: Json, value: Json, path: JsonPath, span: Span) -> None:
        for one in Referee(validator_of(self._document)).faults(schema, value, path):
            mark = (one.path, one.keyword, one.message)
            if mark not in self._seen:
                self._seen.add(mark)
                self.errors = (*self.errors, replace(one, span=span))

    def reach(self, limit: Violation) -> None:
        """A limit is reached."""
        self.errors = (*self.errors, limit)
