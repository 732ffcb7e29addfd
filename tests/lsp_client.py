"""A small editor: the Language Server Protocol over the pipes of a process."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TIMEOUT = 60.0  # seconds


class ResponseError(Exception):
    """An error that the server answered."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]


class Client:
    """Sends requests, and keeps what the server says on its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._input: IO[bytes] = process.stdin
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._answers: dict[int, dict[str, Any]] = {}
        self._last = 0
        self.notifications: list[tuple[str, Any]] = []
        self.requests: list[tuple[str, Any]] = []
        self.replies: dict[str, Callable[[Any], Any]] = {}
        """What is answered to requests of the server; others get null."""
        self.capabilities: dict[str, Any] = {}
        self.versions: dict[str, int] = {}
        reader = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        reader.start()

    def _read(self, stream: IO[bytes]) -> None:
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                header = stream.readline()
            self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)

    def send_bytes(self, body: bytes) -> None:
        """Send a message as it is."""
        self._input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._input.flush()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def start(self, method: str, params: Any) -> int:
        """Send a request and return its number."""
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        return self._last

    def request(self, method: str, params: Any = None) -> Any:
        """Send a request and return its result. Raises ResponseError."""
        return self.answer(self.start(method, params))

    def answer(self, number: int) -> Any:
        """Return the result of a request. Raises ResponseError."""
        self.wait(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise ResponseError(answer["error"])
        return answer["result"]

    def wait(self, condition: Callable[[], Any], seconds: float = TIMEOUT) -> Any:
        """Take messages until a condition holds, and return its value."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            with contextlib.suppress(queue.Empty):
                self._take(self._messages.get(timeout=min(left, 0.05)))
        return value

    def _take(self, message: dict[str, Any] | None) -> None:
        if message is None:
            raise EOFError(f"the server ended with {self.process.wait()}")
        if "method" not in message:
            self._answers[message["id"]] = message
        elif "id" in message:
            self.requests.append((message["method"], message["params"]))
            reply = self.replies.get(message["method"])
            result = reply(message["params"]) if reply is not None else None
            self.send({"id": message["id"], "result": result})
        else:
            self.notifications.append((message["method"], message["params"]))

    def initialize(self, capabilities: dict[str, Any], **options: Any) -> dict[str, Any]:
        """Begin, and return what the server can do."""
        params = {"processId": None, "rootUri": None, "capabilities": capabilities, **options}
        self.capabilities = self.request("initialize", params)["capabilities"]
        self.notify("initialized", {})
        return self.capabilities

    def open(self, uri: str, text: str) -> None:
        """Open a text."""
        self.versions[uri] = 1
        item = {"uri": uri, "languageId": "pdl-prompt", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, *changes: dict[str, Any]) -> None:
        """Change a text: `{"text": …}` is all of it, with `range` a part."""
        self.versions[uri] += 1
        item = {"uri": uri, "version": self.versions[uri]}
        params = {"textDocument": item, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """Return what is wrong with the newest version of a text, pushed or pulled."""
        if "diagnosticProvider" in self.capabilities:
            params = {"textDocument": {"uri": uri}}
            items: list[dict[str, Any]] = self.request("textDocument/diagnostic", params)["items"]
            return items
        return self.wait(lambda: self._published(uri))["diagnostics"]  # type: ignore[no-any-return]

    def _published(self, uri: str) -> dict[str, Any] | None:
        for method, params in reversed(self.notifications):
            if method == "textDocument/publishDiagnostics" and params["uri"] == uri:
                return params if params.get("version") == self.versions[uri] else None
        return None

    def answered(self) -> set[int]:
        """Return the numbers of answers that have arrived and are not read."""
        return {*self._answers}

    def logged(self) -> list[str]:
        """Return what the server wrote to the log."""
        return [
            params["message"]
            for method, params in self.notifications
            if method == "window/logMessage"
        ]

    def shut_down(self) -> int:
        """End the server, and return its exit code."""
        self.request("shutdown")
        self.notify("exit", None)
        return self.process.wait(TIMEOUT)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Client]:
    """Start a server in a folder, and end it."""
    with subprocess.Popen(
        [sys.executable, "-m", "pdl", "lsp", "--stdio"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield Client(process)
        finally:
            process.kill()
