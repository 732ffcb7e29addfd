"""A server on loopback that does to its clients whatever a test wants."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

GOOD = '{"name": "Ann", "age": 30}'
"""An answer to the prompt of the tests."""

Script: TypeAlias = "Callable[[Wire], None]"
"""What is done with one connection, when its request has been read."""


@dataclass(frozen=True)
class Received:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: Any


class Wire:
    """One connection."""

    def __init__(self, inner: socket.socket, stop: threading.Event) -> None:
        self._inner = inner
        self._stop = stop

    def send(self, data: bytes | str) -> None:
        """Send; ConnectionError once the client or the test is gone."""
        if self._stop.is_set():
            raise ConnectionAbortedError
        self._inner.sendall(data.encode() if isinstance(data, str) else data)

    def wait(self, seconds: float) -> None:
        """Do nothing; ConnectionError if the test ends meanwhile."""
        if self._stop.wait(seconds):
            raise ConnectionAbortedError

    def reset(self) -> None:
        """Break the connection, so that the client sees it as reset."""
        self._inner.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._inner.close()


@dataclass
class Hostile:
    """Answers the n-th connection by the n-th script, and all others by the last one."""

    scripts: tuple[Script, ...]
    received: list[Received] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._stop = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._lock = threading.Condition()
        self._threads[0].start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def requests(self, count: int) -> bool:
        """Whether so many have come; those that a client gave up may come after it did."""
        with self._lock:
            self._lock.wait_for(lambda: len(self.received) >= count, 30)
            return len(self.received) == count

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                inner, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(inner,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, inner: socket.socket) -> None:
        with inner:
            try:
                inner.settimeout(5)
                received = _read(inner)
                with self._lock:
                    index = min(len(self.received), len(self.scripts) - 1)
                    self.received.append(received)
                    self._lock.notify_all()
                self.scripts[index](Wire(inner, self._stop))
                if inner.fileno() >= 0:
                    inner.shutdown(socket.SHUT_WR)
                    inner.recv(1)  # the client's own end, before which a close would be a reset
            except OSError:
                pass


def _read(inner: socket.socket) -> Received:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _piece(inner)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += _piece(inner)
    is_form = "form" in headers.get("content-type", "")
    return Received(first.split(" ")[1], headers, body if is_form else json.loads(body))


def _piece(inner: socket.socket) -> bytes:
    """What has come; ConnectionAbortedError if the client has gone."""
    piece = inner.recv(65_536)
    if not piece:
        raise ConnectionAbortedError
    return piece


def head(status: str, kind: str, **headers: str | int) -> bytes:
    """The head of a response; `_` in names of headers stands for `-`."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in more.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def respond(
    status: str, body: bytes | str, kind: str = "application/json", **headers: str | int
) -> Script:
    """A response as it should be."""
    data = body.encode() if isinstance(body, str) else body

    def script(wire: Wire) -> None:
        wire.send(head(status, kind, content_length=len(data), **headers) + data)

    return script


def chat(text: str, finish: str = "stop", **message: object) -> str:
    """The body of a good reply, in the shape of OpenAI's chat completions."""
    choice = {
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": finish,
    }
    usage = {"prompt_tokens": 7, "completion_tokens": 5}
    return json.dumps({"model": "tiny-1", "choices": [choice], "usage": usage})


def good(text: str = GOOD, finish: str = "stop") -> Script:
    """A good response."""
    return respond("200 OK", chat(text, finish))


def chunk(text: str, finish: str | None = None) -> str:
    """An event of a good stream."""
    choice = {"delta": {"content": text}, "finish_reason": finish}
    return f"data: {json.dumps({'model': 'tiny-1', 'choices': [choice]})}\n\n"


def streamed(*texts: str) -> list[str]:
    """The events of a good stream."""
    usage = {
        "model": "tiny-1",
        "choices": [],
        "usage": {"prompt_tokens": 7, "completion_tokens": 5},
    }
    last = f"data: {json.dumps(usage)}\n\n"
    return [*map(chunk, texts), chunk("", "stop"), last, "data: [DONE]\n\n"]


def long_stream(closed: threading.Event) -> Script:
    """A good stream that takes most of a minute; the event is set if its client goes away."""

    def script(wire: Wire) -> None:
        wire.send(head("200 OK", "text/event-stream"))
        for piece in streamed(*["a"] * 5_000):
            try:
                wire.send(piece)
            except OSError:
                closed.set()
                raise
            wire.wait(0.01)

    return script


def stream(*pieces: bytes | str, every: float = 0.0, kind: str = "text/event-stream") -> Script:
    """A stream in those pieces, with a pause behind each; the end of the connection ends it."""

    def script(wire: Wire) -> None:
        wire.send(head("200 OK", kind))
        for piece in pieces:
            wire.send(piece)
            if every:
                wire.wait(every)

    return script


def silence(wire: Wire) -> None:
    """Nothing is ever said."""
    wire.wait(30)


def reset(wire: Wire) -> None:
    """The connection breaks at once."""
    wire.reset()


def reset_within(wire: Wire) -> None:
    """The connection breaks within the body."""
    wire.send(head("200 OK", "application/json", content_length=1000) + b'{"choices": [')
    wire.wait(0.02)
    wire.reset()


def hang_up(wire: Wire) -> None:
    """The connection is closed in good order, without a word."""


def short(wire: Wire) -> None:
    """The body is shorter than the head says."""
    wire.send(head("200 OK", "application/json", content_length=1000) + b'{"choices": [')


def drip(data: bytes, every: float = 0.03) -> Script:
    """A byte at a time."""

    def script(wire: Wire) -> None:
        for byte in data:
            wire.send(bytes([byte]))
            wire.wait(every)

    return script


def huge(wire: Wire) -> None:
    """100 MB of JSON, in chunks, so that nobody knows how long it will be."""
    wire.send(head("200 OK", "application/json", transfer_encoding="chunked"))
    piece = b" " * 1_000_000
    for _ in range(100):
        wire.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
    wire.send(b"0\r\n\r\n")


def endless(wire: Wire) -> None:
    """A stream that never stops talking."""
    wire.send(head("200 OK", "text/event-stream"))
    words = chunk("blah " * 200) * 5
    while True:
        wire.send(words)


def endless_call(wire: Wire) -> None:
    """A stream that calls a tool with arguments that never end."""
    wire.send(head("200 OK", "text/event-stream"))
    piece = {"index": 0, "id": "1", "function": {"name": "find", "arguments": "[[" * 50}}
    words = f"data: {json.dumps({'choices': [{'delta': {'tool_calls': [piece]}}]})}\n\n" * 5
    while True:
        wire.send(words)


def comments(wire: Wire) -> None:
    """A stream that never says anything."""
    wire.send(head("200 OK", "text/event-stream"))
    while True:
        wire.send(": still here\n\n")
        wire.wait(0.02)


def one_long_line(wire: Wire) -> None:
    """A stream whose first event never ends."""
    wire.send(head("200 OK", "text/event-stream") + b"data: ")
    while True:
        wire.send(b"x" * 100_000)


def huge_header(wire: Wire) -> None:
    """A head of several megabytes."""
    wire.send(b"HTTP/1.1 200 OK\r\nX-Filler: ")
    for _ in range(50):
        wire.send(b"x" * 100_000)
    wire.send(b"\r\n\r\n")


_BOMB = gzip.compress(b" " * 20_000_000)


def bomb(wire: Wire) -> None:
    """20 MB of blanks in 20 kB of gzip."""
    kind = "application/json"
    wire.send(head("200 OK", kind, content_encoding="gzip", content_length=len(_BOMB)) + _BOMB)


def no_http(wire: Wire) -> None:
    """Another protocol."""
    wire.send(b"SSH-2.0-OpenSSH_9.6\r\n")
