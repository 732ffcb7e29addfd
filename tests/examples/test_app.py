"""The web service of the examples, over HTTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
GOOD: dict[str, Any] = {
    "what": "hiking boot", "brand": None, "colour": "brown", "size": None,
    "price": {"min": None, "max": 150}, "features": [],
}  # fmt: skip


@contextmanager
def service(**variables: str) -> Iterator[httpx.Client]:
    """The service in a process of its own, ready to answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PDL_")}
    command = [sys.executable, str(ROOT / "examples" / "app.py")]
    environment = {**kept, "PYTHONPATH": str(ROOT), **variables, "PORT": str(port)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own example
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                _wait_for(client, process)
                yield client
        finally:
            process.terminate()


def _wait_for(client: httpx.Client, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, process.stderr and process.stderr.read()
        try:
            client.get("/openapi.json")
        except httpx.ConnectError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the service does not start")


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with service() as started:
        yield started


def events(text: str) -> list[tuple[str, Any]]:
    """The name and the data of each server-sent event."""
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_an_answer_is_typed_and_repaired_by_feedback(client: httpx.Client) -> None:
    """Two of the recorded replies are wrong: one by its schema, one by its validator."""
    response = client.post("/filters", json={"query": "brown hiking boots, max 150"})
    assert (response.status_code, response.json()) == (200, GOOD)


def test_the_interface_is_documented(client: httpx.Client) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    assert {"Search", "Filters", "Price"} <= schemas.keys()


def test_a_stream_ends_with_the_answer(client: httpx.Client) -> None:
    with client.stream("POST", "/filters/stream", json={"query": "boots"}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        found = events(response.read().decode())
    assert found[-1] == ("answer", GOOD)
    assert {name for name, _ in found[:-1]} == {"partial"}
    assert {data["attempt"] for _, data in found[:-1]} == {1, 2, 3}
    assert any(data == {"attempt": 3, "filters": {"what": "hiking"}} for _, data in found[:-1])


def test_bad_requests(client: httpx.Client) -> None:
    assert client.post("/filters", json={"query": ""}).status_code == 422
    assert client.post("/filters", json={}).status_code == 422


def test_a_model_that_gives_no_answer(tmp_path: Path) -> None:
    replies = tmp_path / "bad.jsonl"
    replies.write_text('{"text": "no"}\n' * 9, encoding="utf-8")
    with service(PDL_MODEL=f"replay:{replies}") as bad:
        response = bad.post("/filters", json={"query": "boots"})
        assert (response.status_code, response.json()) == (
            502,
            {"detail": "no valid answer (attempts)"},
        )
        streamed = bad.post("/filters/stream", json={"query": "boots"})
        assert events(streamed.text) == [("error", {"detail": "no valid answer (attempts)"})]
