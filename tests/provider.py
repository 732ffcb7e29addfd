"""A provider on loopback, which answers each question as a test says, and counts its calls."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


@dataclass(frozen=True)
class Says:
    """A response: a text as a chat completion, or a `body` as it is.

    It comes after `seconds`; `cut`: the connection ends in the middle of it.
    """

    text: str = ""
    status: int = 200
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    finish: str = "stop"
    usage: tuple[int, int] = (10, 5)
    calls: tuple[dict[str, Any], ...] = ()
    cut: bool = False

    @property
    def data(self) -> bytes:
        """The body."""
        if self.body is not None:
            return self.body.encode()
        message = {"role": "assistant", "content": self.text}
        if self.calls:
            message["tool_calls"] = self.calls  # type: ignore[assignment]  # JSON
        choice = {"message": message, "finish_reason": self.finish}
        usage = dict(zip(("prompt_tokens", "completion_tokens"), self.usage, strict=True))
        return json.dumps({"model": "tiny", "choices": [choice], "usage": usage}).encode()


class Provider:
    """Answers by a function of the last user message, and how often that was asked.

    `calls` are the messages in the order in which they came, `starts` and `ends` their times,
    `most` how many were open at the same time.
    """

    def __init__(self, answer: Callable[[str, int], str | Says]) -> None:
        self.answer = answer
        self.calls: list[str] = []
        self.bodies: list[Any] = []
        self.starts: list[float] = []
        self.ends: list[float] = []
        self.most = 0
        self._open = 0
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.stopping = threading.Event()

    def __enter__(self) -> Self:
        made = {"provider": self}
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), made))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def begin(self, body: Any) -> Says:
        """Note a call, and return what is said."""
        asked = next(one["content"] for one in body["messages"] if one["role"] == "user")
        with self._lock:
            self._open += 1
            self.most = max(self.most, self._open)
            self._asked[asked] += 1
            self.calls.append(asked)
            self.bodies.append(body)
            self.starts.append(time.monotonic())
            number = self._asked[asked]
        said = self.answer(asked, number)
        return Says(said) if isinstance(said, str) else said

    def end(self) -> None:
        """Note that a call ends, before its client knows it."""
        with self._lock:
            self._open -= 1
            self.ends.append(time.monotonic())


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    provider: ClassVar[Provider]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = self.provider.begin(body)
        self.provider.stopping.wait(said.seconds)
        self.provider.end()
        data = said.data
        with suppress(ConnectionError):  # of a client that has given up
            self.send_response(said.status)
            headers = {"content-type": "application/json", "content-length": str(len(data))}
            for name, value in {**headers, **said.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if said.cut else data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
        """Say nothing."""
