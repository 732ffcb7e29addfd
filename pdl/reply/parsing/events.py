"""What a reader has read, event by event, and the value that the events make.

Events are linked backwards, so that two readings of a text share what they have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pdl.reply.parsing.errors import UnreadableError
from pdl.reply.parsing.tokens import KEPT
from pdl.reply.phrases import say
from pdl.reply.result import Repair
from pdl.reply.validation.equality import equal
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath
    from pdl.reply.result import Span

Op: TypeAlias = Literal["object", "array", "close", "key", "value", "repair"]


class Event(NamedTuple):
    """One step: what it is, what it holds, where it stands, and the one before it.

    A repair holds its kind and what it is spelled after it.
    """

    before: Event | None
    op: Op
    payload: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Made:
    """A value, the repairs that it took, and the events that made it."""

    value: Json
    repairs: tuple[Repair, ...]
    last: Event | None = None

    def places(self) -> dict[JsonPath, Span]:
        """Where each part of the value stands; nothing if that is not known."""
        return _Placer().places(self.last)


class _Part:
    """A part of the value that is being made; `key`, which stands at `at`, is of its next part."""

    __slots__ = ("at", "key", "start", "value")

    def __init__(self, value: Any, start: int) -> None:
        self.value: Any = value
        self.start = start
        self.at = start
        self.key: Any = 0 if isinstance(value, list) else None


def make(text: str, last: Event | None) -> Made:
    """Play the events. Raises UnreadableError if a key stands twice with different values."""
    player = _Player(text)
    for event in _in_order(last):
        player.play(event)
    return Made(player.done, tuple(player.repairs), last)


class _Player:
    """Plays events to the value that they make."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Part] = []
        self.repairs: list[Repair] = []
        self.done: Json = None

    def play(self, event: Event) -> None:
        op = event.op
        if op == "value":
            self._put(event.payload, event.start, event.end)
        elif op == "key":
            self._open[-1].key, self._open[-1].at = event.payload, event.start
        elif op == "repair":
            self._repair(event)
        elif op == "close":
            part = self._open.pop()
            self._put(part.value, part.start, event.end)
        else:
            self._open.append(_Part({} if op == "object" else [], event.start))

    def _put(self, value: Any, start: int, end: int) -> None:
        self._placed(start, end)
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
                self._repair(Event(None, "repair", ("duplicate-key", ""), top.at, end))
            top.value[top.key] = value
            top.key = None

    def _placed(self, start: int, end: int) -> None:
        """A value stands there; whoever wants to know overrides this."""

    def _repair(self, event: Event) -> None:
        kind, after = event.payload
        before = self._text[event.start : min(event.end, event.start + KEPT)]
        span = (event.start, event.end)
        self.repairs.append(Repair(kind, span, self._path(), before, after[:KEPT]))

    def _path(self) -> JsonPath:
        return tuple([part.key for part in self._open if part.key is not None])


class _Placer(_Player):
    """Plays events to the places of the values."""

    def __init__(self) -> None:
        super().__init__("")
        self._places: dict[JsonPath, Span] = {}

    def places(self, last: Event | None) -> dict[JsonPath, Span]:
        for event in _in_order(last):
            self.play(event)
        return self._places

    def _placed(self, start: int, end: int) -> None:
        self._places[self._path()] = (start, end)


def _same(one: Json, other: Json) -> bool:
    if type(one) is type(other) and not isinstance(one, dict | list):
        return bool(one == other)
    return equal(one, other)


def _in_order(last: Event | None) -> list[Event]:
    events: list[Event] = []
    while last is not None:
        events.append(last)
        last = last.before
    events.reverse()
    return events
