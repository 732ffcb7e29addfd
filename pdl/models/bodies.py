"""From the bytes of a reply to its content: JSON, server-sent events, and one line of JSON each.

Streams are split into events. The bytes may arrive in any pieces; each is looked at once, and at
most one event is kept. Server-sent events are those of the HTML standard, section 9.2.6, with three
differences. Bytes that are not UTF-8 are an error, since replacing a character would silently
change an answer. An event whose empty line is missing at the end of the stream is returned too
(`Event.is_whole` is false), since some servers forget that line: its data show whether the stream
was cut. And a field `error`, which the standard ignores, is data that report an error.
"""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.models.faults import Fault
from pdl.models.payloads import DONE, BadPayload, ProviderApi
from pdl.models.payloads.reading import DeltaJoiner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.models.exchange import Delta
    from pdl.models.payloads.provider_api import Payload
    from pdl.models.transport import Opened


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its type (empty if it has none), its data, and whether its end arrived."""

    name: str
    data: str
    is_whole: bool = True


class _LineSplitter:
    """Splits bytes into lines of text that end in LF, CRLF or CR, of at most `most` characters."""

    def __init__(self, most: int) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._most = most
        self._pieces: list[str] = []
        self._size = 0
        self._is_first = True
        self._after_cr = False

    def feed(self, piece: bytes, *, final: bool = False) -> Iterator[str]:
        """The lines that end in a piece, without their newlines."""
        try:
            text = self._decoder.decode(piece, final)
        except UnicodeDecodeError as error:
            raise Fault("not_utf8", "the reply is not UTF-8") from error
        if not text:
            return
        if self._is_first:
            text, self._is_first = text.removeprefix("\ufeff"), False
        if self._after_cr:
            text = text.removeprefix("\n")
        self._after_cr = text.endswith("\r") if text else False
        *ended, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in ended:
            self._keep(line)
            yield self._line()
        self._keep(rest)

    def close(self) -> str:
        """The line without a newline; empty if there is none."""
        list(self.feed(b"", final=True))
        return self._line()

    def _keep(self, text: str) -> None:
        self._size += len(text)
        _check_size(self._size, self._most)
        if text:
            self._pieces.append(text)

    def _line(self) -> str:
        line = "".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        return line


class JsonLines:
    """Splits `application/x-ndjson` into its lines, ignoring empty ones.

    Raises `Fault` (not_utf8, too_large).
    """

    def __init__(self, most: int) -> None:
        self._lines = _LineSplitter(most)

    def feed(self, piece: bytes) -> Iterator[Event]:
        """Yield the events that end in a piece."""
        for line in self._lines.feed(piece):
            yield from self._of_line(line)

    def close(self) -> Iterator[Event]:
        """Yield what remains at the end of the stream."""
        line = self._lines.close()
        if line.strip():
            yield Event("", line, is_whole=False)

    def _of_line(self, line: str) -> Iterator[Event]:
        if line.strip():
            yield Event("", line)


class ServerSent(JsonLines):
    """Splits `text/event-stream` into events, ignoring comments, `id` and `retry`."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._most = most
        self._name = ""
        self._data: list[str] = []
        self._size = 0

    def close(self) -> Iterator[Event]:
        """Yield the event whose empty line is missing."""
        line = self._lines.close()
        if line:
            self._field(line)
        yield from self._event(is_whole=False)

    def _of_line(self, line: str) -> Iterator[Event]:
        if line:
            self._field(line)
        else:
            yield from self._event(is_whole=True)

    def _field(self, line: str) -> None:
        """A field is a name, and after a colon and at most one space its value."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "error" and value:
            # llama.cpp's server up to 2025 reports an error in a separate field.
            name, value = "data", f'{{"error": {value}}}'
        if name == "data":
            self._size += len(value) + 1
            _check_size(self._size, self._most)
            self._data.append(value)
        elif name == "event":
            self._name = value

    def _event(self, *, is_whole: bool) -> Iterator[Event]:
        if self._data:
            yield Event(self._name, "\n".join(self._data), is_whole)
        self._name, self._size = "", 0
        self._data.clear()


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise Fault("too_large", f"an event of the stream is longer than {most:,} characters")


BYTES_PER_CHAR = 4
"""Of UTF-8, at most."""


def parsed(body: bytes) -> Json:
    """Parse the JSON of a body. Raises `Fault` (not_utf8, not_json)."""
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
    raise ValueError(f"{name} is not JSON")


class StreamReader:
    """Converts the bytes of a stream to its deltas. An error follows the deltas before it."""

    def __init__(self, api: ProviderApi, payload: Payload, most: int) -> None:
        longest = most * BYTES_PER_CHAR
        self._types = {"unsaid", "ndjson", "json"}
        self._events = JsonLines(longest)
        if api.framing == "sse":
            self._types = {"unsaid", "sse"}
            self._events = ServerSent(longest)
        self._reader = api.stream(payload)
        self._joiner = DeltaJoiner()
        self._most = most
        self._size = self._unsaid = 0
        self.is_done = False

    def check_type(self, opened: Opened) -> None:
        """Raise `Fault` for a reply of another content type."""
        if opened.format not in self._types:
            raise other_type("a stream of events", opened)

    def feed(self, piece: bytes) -> Iterator[list[Delta]]:
        """Yield the deltas that end in a piece."""
        yield from _batched(self._read(self._events.feed(piece)))

    def close(self) -> Iterator[list[Delta]]:
        """Yield what remains at the end of the stream."""
        yield from _batched(self._read(self._events.close()))
        if not self.is_done:
            yield from _batched(self._ended())

    def _read(self, events: Iterator[Event]) -> Iterator[Delta]:
        for event in events:
            if not event.data.strip():  # sent to keep the connection alive
                continue
            said = 0
            for delta in self._reader.feed(event.name, _data(event)):
                said += len(delta.text) + len(delta.reasoning)
                self._size += len(delta.text) + len(delta.reasoning)
                if self._size > self._most:
                    raise too_long(self._most)
                yield self._joiner.feed(delta)
            if not said:  # perhaps a piece of a call, which the reader keeps
                self._unsaid += len(event.data)
                if self._unsaid > self._most * BYTES_PER_CHAR:
                    raise too_long(self._most)
            if self._reader.is_done:  # some servers keep the connection
                self.is_done = True
                yield from self._ended()
                return

    def _ended(self) -> Iterator[Delta]:
        yield from map(self._joiner.feed, self._reader.close())
        yield from self._joiner.close()


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
        raise Fault("cut", "the stream was cut inside an event") from None


def other_type(wanted: str, opened: Opened) -> Fault:
    """Return the fault that a reply has another content type."""
    shown = _excerpt(opened.content_type)
    return Fault("content_type", f"expected {wanted}, the reply says it is {shown}")


def too_long(most: int) -> Fault:
    """Return the fault that a reply is longer than so many characters."""
    return Fault("too_large", f"the reply is longer than {most:,} characters")


def _excerpt(text: str) -> str:
    shown = " ".join(text[:200].split())
    return f"`{shown[:60]}…`" if len(shown) > 60 or len(text) > 200 else f"`{shown}`"  # noqa: PLR2004
