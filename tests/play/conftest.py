"""A real server of the playground on the loopback."""

from __future__ import annotations

import http.client
import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

import pdl.play.language
import pdl.play.recorded
import pdl.play.running  # noqa: F401 - in threads, pytest's rewriting of modules fails now and then
from pdl.play.serving import configured, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pdl.play.server import Desk

    Start = Callable[..., AbstractContextManager["Served"]]


@dataclass(frozen=True)
class Served:
    """A server that runs, and what its page knows."""

    desk: Desk

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.desk.access.port}"

    @property
    def headers(self) -> dict[str, str]:
        return {
            "x-pdl-token": self.desk.access.token,
            "origin": f"http://{self.host}",
            "content-type": "application/json",
            "connection": "close",
        }

    @property
    def socket(self) -> str:
        return f"ws://{self.host}/language?token={self.desk.access.token}"

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, timeout=30)

    def ask(self, method: str, **params: Any) -> http.client.HTTPResponse:
        connection = self.connection()
        connection.request("POST", f"/api/{method}", json.dumps(params), self.headers)
        return connection.getresponse()

    def call(self, method: str, **params: Any) -> tuple[int, Any]:
        answer = self.ask(method, **params)
        with answer:
            return answer.status, json.loads(answer.read())

    def events(self, method: str, **params: Any) -> list[Any]:
        with self.ask(method, **params) as answer:
            assert answer.status == 200, answer.read()
            return [json.loads(line) for line in answer]


@contextmanager
def serving(path: Path | None = None, **options: Any) -> Iterator[Served]:
    changes = {"seconds": options.pop("seconds")} if "seconds" in options else {}
    desk, listening = opened(None if path is None else str(path), **options)
    desk = replace(desk, **changes)
    server = configured(desk)
    thread = Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield Served(desk)
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def start() -> Start:
    return serving
