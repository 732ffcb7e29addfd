"""The server as a process: looks that take too long, pages that go away, its port and its end."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from models.hostile import Hostile, silence
from websockets.sync.client import connect
from websockets.typing import Origin

from pdl.errors import ConfigError
from pdl.play import serving
from pdl.play.serving import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from play.conftest import Start

SLOW = """<|user|>
{% for i in range(1000) %}{% for j in range(100000) %}{{ i }}{% endfor %}{% endfor %}
"""


def test_a_look_shows_a_prompt_with_its_files(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.joinpath("parts").mkdir(parents=True)
    folder.joinpath("parts", "a.txt").write_text("Hello")
    with start(folder) as served:
        text = '<|user|>\n{% include "a.txt" %} {{ name }}\n'
        data = '{"name": "Ann"}'
        asked: dict[str, Any] = {"prompt": text, "data": data, "options": {"parts": ["turns"]}}
        _, found = served.call("look", **asked, file="parts/b.pdl")
        assert found["turns"]["messages"][0]["parts"][0]["text"] == "Hello Ann"
        _, missing = served.call("look", **asked, file="b.pdl")
        told = json.dumps(missing)
        assert "a.txt" in told
        assert str(tmp_path) not in told
        assert served.call("look", **asked, file="../b.pdl")[0] == 403


def test_types_are_named_after_the_file(start: Start, tmp_path: Path) -> None:
    text = "<|user|>\nx\n<|schema|>\n{ a: int }\n"
    with start(tmp_path) as served:
        _, found = served.call("look", prompt=text, file="bill.pdl")
        assert "class Bill:" in found["schema"]["types"]["dataclass"]


@pytest.mark.parametrize(
    "params",
    [{"prompt": 1}, {"prompt": "", "reply": 1}, {"prompt": "", "options": []}, {"data": None}],
)
def test_parameters_have_types(start: Start, params: dict[str, Any]) -> None:
    with start() as served:
        assert served.call("look", **params)[0] == 400


def test_files_are_those_that_were_opened(start: Start, tmp_path: Path) -> None:
    tmp_path.joinpath("a.pdl").write_text("<|user|>\nHi\n")
    with start(tmp_path / "a.pdl") as served:
        _, hello = served.call("hello")
        assert hello["files"]
        assert hello["opened"] == "a.pdl"
        assert str(tmp_path) not in json.dumps(hello)
        _, found = served.call("read", name="a.pdl")
        status, saved = served.call("save", name="a.pdl", text="x", digest=found["digest"])
        assert status == 200
        status, refused = served.call("save", name="a.pdl", text="y", digest=found["digest"])
        assert (status, refused["text"], refused["digest"]) == (409, "x", saved["digest"])
        assert served.call("files")[1]["files"] == [{"name": "a.pdl", "size": 1, "kind": "prompt"}]


def test_a_page_starts_although_its_file_is_gone(start: Start, tmp_path: Path) -> None:
    tmp_path.joinpath("a.pdl").write_text("<|user|>\nHi\n")
    with start(tmp_path / "a.pdl") as served:
        tmp_path.joinpath("a.pdl").unlink()
        assert served.call("hello")[0] == 200
        assert served.call("read", name="a.pdl")[0] == 404


def test_without_a_file_nothing_is_read_or_saved(start: Start) -> None:
    with start() as served:
        assert served.call("files") == (200, {"files": []})
        assert served.call("read", name="a.pdl")[0] == 404
        assert served.call("create", name="a.pdl", text="")[0] == 404


def test_what_takes_too_long_is_given_up(start: Start) -> None:
    with start(seconds=0.1) as served:
        status, told = served.call("look", prompt=SLOW)
        assert status == 422
        assert "longer than 0.1 seconds" in told["error"]["message"]


def test_a_page_that_goes_away_frees_its_worker(start: Start) -> None:
    with start() as served:
        served.call("look", prompt="")
        began = time.monotonic()
        for _ in range(4):
            connection = served.connection()
            headers = {**served.headers, "connection": "keep-alive"}
            connection.request("POST", "/api/look", json.dumps({"prompt": SLOW}), headers)
            connection.close()
        status, _ = served.call("look", prompt="<|user|>\nHi\n")
        assert status == 200
        assert time.monotonic() - began < 15


def test_a_port_in_use_is_an_error(tmp_path: Path) -> None:
    del tmp_path
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"the port {port} is in use"):
            opened(None, port)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("tiny", "does not name a provider"),
        ("opnai:tiny", "unknown provider `opnai:`"),
        ("openai:", "has no model after the colon"),
        ("", "does not name a provider"),
    ],
)
def test_a_model_is_named_as_models_are(name: str, found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        opened(None, models=["ollama:qwen3", name])


def test_what_a_model_needs_is_told_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"httpx": None}
    monkeypatch.setattr(serving, "find_spec", lambda name: known.get(name, name))
    with pytest.raises(ConfigError, match="`ollama:` needs httpx") as caught:
        opened(None, models=["ollama:qwen3"])
    assert "pdl-prompts[run]" in caught.value.problem.hint
    _, listening = opened(None, models=["replay:record.jsonl"])
    listening.close()


def test_only_the_loopback_is_served() -> None:
    _, listening = opened(None)
    with listening:
        assert listening.getsockname()[0] == "127.0.0.1"


@contextmanager
def command(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    line = [sys.executable, "-m", "pdl", "play", "--no-browser", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, **options) as process:  # noqa: S603
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def served(process: subprocess.Popen[str]) -> Iterator[tuple[str, str]]:
    """Yield the host and the token of a server that has started."""
    assert process.stdout is not None
    found = re.fullmatch(
        r"http://(127\.0\.0\.1:\d+)/#token=([\w-]{43})\n", process.stdout.readline()
    )
    assert found is not None
    yield found[1], found[2]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C goes to all processes of a console")
def test_ctrl_c_ends_it_with_open_sockets_and_runs(tmp_path: Path) -> None:
    tmp_path.joinpath("a.pdl").write_text("<|user|>\nHi\n")
    with (
        Hostile((silence,)) as provider,
        command(str(tmp_path), "--model", "ollama:x", "--base-url", provider.url) as process,
        served(process) as (host, token),
        connect(f"ws://{host}/language?token={token}", origin=Origin(f"http://{host}")),
        closing(HTTPConnection(host, timeout=20)) as run,
        closing(HTTPConnection(host, timeout=20)) as half,
    ):
        headers = {"x-pdl-token": token, "content-type": "application/json"}
        asked = {"prompt": "<|user|>\nHi\n", "model": "ollama:x"}
        run.request("POST", "/api/run", json.dumps(asked), headers)
        assert b"attempt" in run.getresponse().readline()
        half.putrequest("POST", "/api/look")
        for name, value in {**headers, "content-length": "100"}.items():
            half.putheader(name, value)
        half.endheaders(b"{")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 130
        assert errors == "Ctrl-C ends it.\n"


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="it tells which processes there are"
)
def test_no_process_is_left_when_it_is_killed(tmp_path: Path) -> None:
    with command(str(tmp_path)) as process, served(process) as (host, token):
        with closing(HTTPConnection(host, timeout=60)) as look:
            headers = {"x-pdl-token": token, "content-type": "application/json"}
            look.request("POST", "/api/look", "{}", headers)
            assert look.getresponse().status == 200
        workers = children(process.pid)
        assert workers
        process.kill()
        process.wait()
        until = time.monotonic() + 20
        while any(Path(f"/proc/{one}/fd").exists() for one in workers):
            assert time.monotonic() < until
            time.sleep(0.05)


def children(parent: int) -> list[int]:
    stats = [one.joinpath("stat") for one in Path("/proc").iterdir() if one.name.isdigit()]
    found = []
    for stat in stats:
        with suppress(OSError):
            fields = stat.read_text().rpartition(") ")[2].split()
            found += [int(stat.parent.name)] if int(fields[1]) == parent else []
    return found


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """TCP_NODELAY is set only where the protocol is named; else an answer takes 40 ms."""
    _, listening = opened(None)
    with listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP
