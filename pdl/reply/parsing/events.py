"""The events of the tolerant parser, and the value that they make.

Events are linked backwards, so that the readings of a text share what they have in common.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from pdl import _re as re
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import FOUND_WIDTH, say, shorten
from pdl.reply.result import Event, Parsed, Repair, Violation
from pdl.reply.validation.json_types import equal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pdl._types import Json, JsonPath
    from pdl.reply.result import Span


_TOKEN = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)
_COLON = re.compile(r"\s*+:")
_MOST = 1_000  # duplicate keys that are listed


def since(last: Event | None, first: Event | None = None) -> list[Event]:
    """The events after `first`, from all of them if it is None, in their order."""
    events: list[Event] = []
    while last is not first and last is not None:
        events.append(last)
        last = last.before
    events.reverse()
    return events


def make(text: str, last: Event | None) -> Parsed:
    """Play the events. Raises UnreadableError if a key has two values that differ."""
    player = _Player(text).play(last)
    return Parsed(player.done, tuple(player.repairs), last)


def doubled_keys(text: str, start: int) -> tuple[Repair, ...]:
    """The members of objects in JSON whose keys are duplicates with equal values.

    The text begins at `start` in the reply.
    """
    return tuple(_Player(text, start).play(scan(text, 0, len(text))).repairs[:_MOST])


_Placed = TypeVar("_Placed", Violation, Repair)


def placed(found: Sequence[_Placed], made: Parsed, text: str, whole: Span) -> tuple[_Placed, ...]:
    """Violations or repairs of a value at a span of a text, each with the span of its part."""
    paths = {one.path[:length] for one in found for length in range(len(one.path) + 1)}
    places = locate(made, text, whole, paths)
    spans = [_nearest(places, one.path, whole) for one in found]
    return tuple(replace(one, span=span) for one, span in zip(found, spans, strict=True))


def _nearest(places: Mapping[JsonPath, Span], path: JsonPath, whole: Span) -> Span:
    """The span of a part, or of the part around it: some paths lead into JSON in a string."""
    prefixes = (path[:length] for length in range(len(path), 0, -1))
    return next((places[prefix] for prefix in prefixes if prefix in places), whole)


def locate(
    made: Parsed, text: str, whole: Span, paths: Collection[JsonPath]
) -> dict[JsonPath, Span]:
    """The spans of those parts of a value that is JSON at a span of a text, or nearly."""
    by = whole[0] if made.last else 0
    player = _Player("", by, paths).play(made.last or scan(text, *whole))
    return player.places


def scan(text: str, start: int, end: int) -> Event | None:
    """The events of JSON (RFC 8259), without the values."""
    last: Event | None = None
    for token in _TOKEN.finditer(text, start, end):
        mark, at, stop = token[0], token.start(), token.end()
        if mark in "{[":
            last = Event(last, "object" if mark == "{" else "array", None, at, stop)
        elif mark in "}]":
            last = Event(last, "close", None, at, stop)
        elif mark[0] == '"' and _COLON.match(text, stop):
            name = _DECODER.decode(mark) if "\\" in mark else mark[1:-1]
            last = Event(last, "key", name, at, stop)
        elif mark not in ",:":
            last = Event(last, "value", None, at, stop)
    return last


class _Part:
    """A part of the value that is being made; `key`, which is at `at`, is that of its next part."""

    __slots__ = ("at", "key", "start", "value")

    def __init__(self, value: Any, start: int) -> None:
        self.value: Any = value
        self.start = start
        self.at = start
        self.key: Any = 0 if isinstance(value, list) else None


class _Player:
    """Plays events: makes the value, its repairs, and the spans of its parts."""

    def __init__(
        self, text: str, offset: int = 0, wanted: Collection[JsonPath] | None = None
    ) -> None:
        self._text = text
        self._offset = offset
        self._wanted = wanted
        self._open: list[_Part] = []
        self.repairs: list[Repair] = []
        self.places: dict[JsonPath, Span] = {}
        self.done: Json = None

    def play(self, last: Event | None) -> _Player:
        for event in since(last):
            op = event.op
            if op == "value":
                self._put(event.payload, event.start, event.end)
            elif op == "key":
                self._open[-1].key, self._open[-1].at = event.payload, event.start
            elif op == "repair":
                kind, after = event.payload
                self._repair(kind, after, event.start, event.end)
            elif op == "close":
                part = self._open.pop()
                self._put(part.value, part.start, event.end)
            else:
                self._open.append(_Part({} if op == "object" else [], event.start))
        return self

    def _put(self, value: Any, start: int, end: int) -> None:
        if self._wanted is not None and (path := self._path()) in self._wanted:
            self.places[path] = (start + self._offset, end + self._offset)
        if not self._open:
            self.done = value
            return
        top = self._open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
            top.key += 1
        elif top.key in top.value and not _same(top.value[top.key], value):
            raise UnreadableError(start, say("doubled-key", name=shorten(top.key)))
        else:
            if top.key in top.value:
                self._repair("duplicate-key", "", top.at, end)
            top.value[top.key] = value
            top.key = None

    def _repair(self, kind: str, after: str, start: int, end: int) -> None:
        span = (start + self._offset, end + self._offset)
        before = self._text[start : min(end, start + FOUND_WIDTH)]
        self.repairs.append(Repair(kind, span, self._path(), before, after[:FOUND_WIDTH]))

    def _path(self) -> JsonPath:
        return tuple([part.key for part in self._open if part.key is not None])


def _same(one: Json, other: Json) -> bool:
    if type(one) is type(other) and not isinstance(one, dict | list):
        return bool(one == other)
    return equal(one, other)
