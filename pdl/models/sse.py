"""Streams of events, cut into the events: server-sent events, and a line of JSON each.

Both take the bytes in whatever pieces they come, look at each once, and keep at most one event.
Server-sent events are those of the HTML standard, section 9.2.6, with three differences. Bytes that
are no UTF-8 are an error, since a replaced character would be a silent change of an answer. And an
event that the end of the stream leaves without its empty line is given out too (`Event.is_whole` is
false), since some servers forget that line: whether the stream was cut is told by the event's data.
And a field `error`, which the standard passes over, is data that tell an error.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pdl.models.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its type (empty if it has none), its data, and whether its end was there."""

    name: str
    data: str
    is_whole: bool = True


class Events(Protocol):
    """Cuts a stream into events. Raises `Fault` (not_utf8, too_large)."""

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in a piece."""

    def close(self) -> Iterator[Event]:
        """What the end of the stream leaves."""


class Lines:
    """Cuts bytes into lines of text, ended by LF, CRLF or CR. A line may have `most` characters."""

    def __init__(self, most: int) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._most = most
        self._pieces: list[str] = []
        self._size = 0
        self._is_first = True
        self._behind_cr = False

    def feed(self, piece: bytes, *, final: bool = False) -> Iterator[str]:
        """The lines that end in a piece, without their ends."""
        text = self._decoded(piece, final=final)
        if not text:
            return
        if self._is_first:
            text, self._is_first = text.removeprefix("\ufeff"), False
        if self._behind_cr:
            text = text.removeprefix("\n")
        self._behind_cr = text.endswith("\r") if text else False
        *ended, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in ended:
            self._keep(line)
            yield self._line()
        self._keep(rest)

    def close(self) -> str:
        """The line that has no end; empty if there is none."""
        list(self.feed(b"", final=True))
        return self._line()

    def _decoded(self, piece: bytes, *, final: bool) -> str:
        try:
            return self._decoder.decode(piece, final)
        except UnicodeDecodeError as error:
            raise Fault("not_utf8", "the reply is not UTF-8") from error

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


class ServerSent:
    """Cuts `text/event-stream` into events; comments, `id` and `retry` are passed over."""

    def __init__(self, most: int) -> None:
        self._lines = Lines(most)
        self._most = most
        self._name = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in a piece."""
        for line in self._lines.feed(piece):
            if line:
                self._field(line)
            else:
                yield from self._event(is_whole=True)

    def close(self) -> Iterator[Event]:
        """The event that lacks its empty line."""
        line = self._lines.close()
        if line:
            self._field(line)
        yield from self._event(is_whole=False)

    def _field(self, line: str) -> None:
        """A field is a name, and behind a colon and at most one blank its value."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "error" and value:
            # llama.cpp's server up to 2025 tells an error in a field of its own.
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


class JsonLines:
    """Cuts `application/x-ndjson` into its lines; empty ones are passed over."""

    def __init__(self, most: int) -> None:
        self._lines = Lines(most)

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The lines that end in a piece."""
        for line in self._lines.feed(piece):
            if line.strip():
                yield Event("", line)

    def close(self) -> Iterator[Event]:
        """The line that has no end."""
        line = self._lines.close()
        if line.strip():
            yield Event("", line, is_whole=False)


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise Fault("too_large", f"an event of the stream is longer than {most:,} characters")
