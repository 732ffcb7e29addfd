"""From the bytes of a reply to what they say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.models.exchange import Delta
from pdl.models.faults import Fault
from pdl.models.payloads import DONE, BadPayload, Family
from pdl.models.payloads.halves import Halves
from pdl.models.sse import Event, Events, JsonLines, ServerSent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.models.exchange import Payload
    from pdl.models.transport import Opened

BYTES_PER_CHAR = 4
"""Of UTF-8, at most."""


def parsed(body: bytes) -> Json:
    """The JSON of a body. Raises `Fault` (not_utf8, not_json)."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault("not_utf8", "the reply is not UTF-8") from error
    return _json(text)


def _json(text: str) -> Json:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        if not text.strip():
            raise Fault("not_json", "the reply is empty") from error
        raise Fault("not_json", f"the reply is not JSON: {_excerpt(text)}") from error


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


class StreamReader:
    """From the bytes of a stream to its deltas. An error comes behind the deltas before it."""

    def __init__(self, family: Family, payload: Payload, most: int) -> None:
        longest = most * BYTES_PER_CHAR
        self._types = {"unsaid", "ndjson", "json"}
        self._events: Events = JsonLines(longest)
        if family.framing == "sse":
            self._types = {"unsaid", "sse"}
            self._events = ServerSent(longest)
        self._reader = family.stream(payload)
        self._text, self._reasoning = Halves(), Halves()
        self._most = most
        self._size = self._unsaid = 0
        self.is_done = False

    def check_type(self, opened: Opened) -> None:
        """Raise `Fault` for a reply that says it is something else."""
        if opened.format not in self._types:
            raise other_type("a stream of events", opened)

    def feed(self, piece: bytes) -> Iterator[list[Delta]]:
        """The deltas that end in a piece."""
        yield from _batched(self._read(self._events.feed(piece)))

    def close(self) -> Iterator[list[Delta]]:
        """What is left when the stream has ended."""
        yield from _batched(self._read(self._events.close()))
        if not self.is_done:
            yield from _batched(self._ended())

    def _read(self, events: Iterator[Event]) -> Iterator[Delta]:
        for event in events:
            if not event.data.strip():  # sent only so that the connection lives
                continue
            said = 0
            for delta in self._reader.feed(event.name, _data(event)):
                said += len(delta.text) + len(delta.reasoning)
                self._size += len(delta.text) + len(delta.reasoning)
                if self._size > self._most:
                    raise too_long(self._most)
                yield self._joined(delta)
            if not said:  # a piece of a call, perhaps, which the reader keeps
                self._unsaid += len(event.data)
                if self._unsaid > self._most * BYTES_PER_CHAR:
                    raise too_long(self._most)
            if self._reader.is_done:  # some servers keep the connection
                self.is_done = True
                yield from self._ended()
                return

    def _ended(self) -> Iterator[Delta]:
        for delta in self._reader.close():
            yield self._joined(delta)
        rest = Delta(self._text.close(), self._reasoning.close())
        if rest != Delta():
            yield rest

    def _joined(self, delta: Delta) -> Delta:
        text, reasoning = self._text.feed(delta.text), self._reasoning.feed(delta.reasoning)
        return replace(delta, text=text, reasoning=reasoning)


def _batched(deltas: Iterator[Delta]) -> Iterator[list[Delta]]:
    batch: list[Delta] = []
    try:
        for delta in deltas:
            batch.append(delta)  # noqa: PERF402 - what came before an error is to be kept
    except (BadPayload, Fault):
        yield batch
        raise
    yield batch


def _data(event: Event) -> Json:
    if event.data == DONE:
        return DONE
    try:
        return _json(event.data)
    except Fault:
        if event.is_whole:
            raise
        raise Fault("cut", "the stream was cut inside of an event") from None


def other_type(wanted: str, opened: Opened) -> Fault:
    """The fault that a reply is, by its own account, of another type."""
    shown = _excerpt(opened.content_type)
    return Fault("content_type", f"expected {wanted}, the reply says it is {shown}")


def too_long(most: int) -> Fault:
    """The fault that a reply is longer than so many characters."""
    return Fault("too_large", f"the reply is longer than {most:,} characters")


def _excerpt(text: str) -> str:
    shown = " ".join(text[:200].split())
    return f"`{shown[:60]}…`" if len(shown) > 60 or len(text) > 200 else f"`{shown}`"  # noqa: PLR2004
