"""The language server over a WebSocket: what it says, and what it does not tell."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from pdl.play.looking.bounds import PAGE_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from play.conftest import Served, Start


class Page:
    """What a page does with its socket."""

    def __init__(self, served: Served) -> None:
        self.socket = connect(served.socket, origin=Origin(served.headers["origin"]))
        self.count = 0
        self.heard: list[str] = []

    def tell(self, method: str, **params: Any) -> None:
        self.socket.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.socket.send(json.dumps(message))
        return self.hear(lambda one: one.get("id") == self.count and "method" not in one)

    def hear(self, wanted: Any) -> dict[str, Any]:
        while True:
            text = str(self.socket.recv(timeout=20))
            self.heard.append(text)
            message: dict[str, Any] = json.loads(text)
            if wanted(message):
                return message

    def open(self, uri: str, text: str) -> dict[str, Any]:
        """Open a text, and return what is wrong with it."""
        item = {"uri": uri, "languageId": "pdl-prompt", "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=item)
        said = self.hear(lambda one: one.get("method") == "textDocument/publishDiagnostics")
        params: dict[str, Any] = said["params"]
        return params


@contextmanager
def page(served: Served) -> Iterator[Page]:
    one = Page(served)
    with one.socket:
        root = "file:///etc"
        answer = one.ask("initialize", capabilities={}, rootUri=root, processId=None)
        assert answer["result"]["serverInfo"]["name"] == "pdl"
        one.tell("initialized")
        yield one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "prompts"
    found.mkdir()
    found.joinpath("a.pdl").write_text('<|user|>\n{% include "b.txt" %}\n{{ nme }}\n')
    found.joinpath("b.txt").write_text("Hello {{ name }}")
    found.joinpath("c.pdl").write_text("<|user|>\nHi\n")
    found.joinpath("out.pdl").symlink_to("/etc/hostname")
    tmp_path.joinpath("secret.pdl").write_text("<|user|>\nSECRET {{ secret }}\n")
    return found


def test_a_text_is_checked_by_the_name_of_the_folder(start: Start, folder: Path) -> None:
    with start(folder) as served, page(served) as one:
        _, hello = served.call("hello")
        uri = f"file:///{hello['root']}/a.pdl"
        said = one.open(uri, "<|user|>\n{% include 'b.txt' %}{{ x | uper }}\n")
        assert said["uri"] == uri
        assert said["version"] == 1
        assert [found["code"] for found in said["diagnostics"]] == ["template/unknown-filter"]
        where = {"line": 1, "character": 14}
        found = one.ask("textDocument/definition", textDocument={"uri": uri}, position=where)
        assert "file:///prompts/b.txt" in json.dumps(found["result"])
        assert not [text for text in one.heard if str(folder) in text or "tmp" in text]


def test_nothing_is_said_about_a_text_that_a_look_refuses(start: Start, folder: Path) -> None:
    """Its answers would hold up the server: they are made in its process."""
    with start(folder) as served, page(served) as one:
        document = {"uri": "file:///prompts/a.pdl"}
        short = "<|user|>\n{{ x | uper }}\n"
        assert one.open(document["uri"], short.ljust(PAGE_LIMITS.source_chars))["diagnostics"]
        assert one.ask("textDocument/documentSymbol", textDocument=document)["result"]
        text = {"text": short.ljust(PAGE_LIMITS.source_chars + 1)}
        one.tell(
            "textDocument/didChange", textDocument={**document, "version": 2}, contentChanges=[text]
        )
        said = one.hear(lambda told: told.get("params", {}).get("version") == 2)
        assert said["params"]["diagnostics"] == []
        for method in ("documentSymbol", "semanticTokens/full", "foldingRange"):
            assert not one.ask(f"textDocument/{method}", textDocument=document).get("result")
        one.tell(
            "textDocument/didChange",
            textDocument={**document, "version": 3},
            contentChanges=[{"text": short}],
        )
        assert one.hear(lambda told: told.get("params", {}).get("version") == 3)["params"][
            "diagnostics"
        ]


def test_a_prompt_without_a_file_is_checked_too(start: Start) -> None:
    with start() as served, page(served) as one:
        said = one.open("file:///scratch/prompt.pdl", "<|user|>\n{{ x | uper }}\n")
        assert said["uri"] == "file:///scratch/prompt.pdl"
        assert said["diagnostics"]


@pytest.mark.parametrize(
    "uri",
    [
        "file:///prompts/../secret.pdl",
        "file:///prompts/%2e%2e/secret.pdl",
        "file:///prompts/out.pdl",
        "file:///prompts/.git/config",
        "file:///etc/passwd",
        "file:///promptsecret.pdl",
        "untitled:secret.pdl",
        "FOLDER/secret.pdl",
    ],
)
def test_other_files_are_not_there(start: Start, folder: Path, uri: str) -> None:
    """Nor can the page ask for them by their real names."""
    with start(folder) as served, page(served) as one:
        document = {"uri": uri.replace("FOLDER", folder.parent.as_uri())}
        answer = one.ask("textDocument/documentSymbol", textDocument=document)
        assert not answer.get("result")
        assert not [text for text in one.heard if "SECRET" in text]


def test_a_file_that_is_not_open_can_be_asked_about(start: Start, folder: Path) -> None:
    with start(folder) as served, page(served) as one:
        document = {"uri": "file:///prompts/c.pdl"}
        assert one.ask("textDocument/documentSymbol", textDocument=document)["result"]


def test_a_name_need_not_be_utf8(start: Start, tmp_path: Path) -> None:
    """Neither that of the folder, nor those of its files."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/m\xff"))
    folder.mkdir()
    folder.joinpath(os.fsdecode(b"b\xfe.pdl")).write_text("<|user|>\nHi\n")
    with start(folder) as served, page(served) as one:
        _, hello = served.call("hello")
        assert hello["root"] == "m\udcff"
        document = {"uri": "file:///m%FF/b%FE.pdl"}
        assert one.ask("textDocument/documentSymbol", textDocument=document)["result"]
        said = one.open(document["uri"], "<|user|>\n{{ x | uper }}\n")
        assert said["uri"] == document["uri"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_not_waited_for(start: Start, folder: Path) -> None:
    for name in ("pipe.pdl", "a.tests.pdl", "pipe.txt"):
        os.mkfifo(folder / name)
    text = '<|user|>\n{% include "pipe.txt" %}{% include "pipe.pdl" %}{{ x | uper }}\n'
    with start(folder) as served, page(served) as one:
        said = one.open("file:///prompts/a.pdl", text)
        codes = [found["code"] for found in said["diagnostics"]]
        assert codes == ["template/include", "template/include", "template/unknown-filter"]


def test_one_file_is_opened_alone(start: Start, folder: Path) -> None:
    with start(folder / "a.pdl") as served, page(served) as one:
        document = {"uri": "file:///prompts/c.pdl"}
        assert not one.ask("textDocument/documentSymbol", textDocument=document).get("result")
        document = {"uri": "file:///prompts/a.pdl"}
        assert one.ask("textDocument/documentSymbol", textDocument=document)["result"]


def test_commands_are_not_run(start: Start, folder: Path) -> None:
    """One of them asks models."""
    with start(folder) as served, page(served) as one:
        given = ["file:///prompts/c.pdl"]
        answer = one.ask("workspace/executeCommand", command="pdl.run", arguments=given)
        assert answer["error"]["code"] == -32601


def test_a_message_that_nests_deeply_ends_nothing(start: Start, folder: Path) -> None:
    deep = "[" * 900 + "]" * 900
    with start(folder) as served, page(served) as one:
        one.socket.send(f'{{"jsonrpc": "2.0", "method": "x", "params": {deep}}}')
        document = {"uri": "file:///prompts/a.pdl"}
        assert one.ask("textDocument/documentSymbol", textDocument=document)["result"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"jsonrpc": "2.0"}', "[" * 100_000])
def test_what_is_no_message_is_ignored(start: Start, folder: Path, text: str) -> None:
    with start(folder) as served, page(served) as one:
        one.socket.send(text)
        one.socket.send(b"\xff")
        one.socket.close()
        with page(served):
            pass


def test_exit_closes_the_socket(start: Start) -> None:
    with start() as served, page(served) as one:
        one.ask("shutdown")
        one.tell("exit")
        with pytest.raises(ConnectionClosed):
            one.socket.recv(timeout=20)


def test_a_socket_from_elsewhere_is_refused(start: Start) -> None:
    with start() as served:
        for way, origin in (
            (served.socket, Origin("http://evil.example")),
            (served.socket, None),
            (f"ws://{served.host}/language?token=x", Origin(served.headers["origin"])),
        ):
            with pytest.raises(InvalidStatus) as refused, connect(way, origin=origin):
                pass
            assert refused.value.response.status_code == 403


def test_sockets_leave_nothing_behind(start: Start, folder: Path) -> None:
    with start(folder) as served:
        threads = []
        for _ in range(6):
            with page(served) as one:
                one.open("file:///prompts/a.pdl", "<|user|>\n{{ x }}\n")
            threads.append(_threads())
        until = time.monotonic() + 10
        while _threads() and time.monotonic() < until:
            time.sleep(0.02)
        assert not _threads()
        assert max(threads) <= 2 * max(1, threads[0])


def _threads() -> int:
    return sum(one.name.startswith(("pdl-check", "pdl-command")) for one in threading.enumerate())


def test_there_are_only_so_many_sockets(start: Start) -> None:
    with start() as served:
        origin = Origin(served.headers["origin"])
        with ExitStack() as opened:
            for _ in range(8):
                opened.enter_context(connect(served.socket, origin=origin))
            with pytest.raises((InvalidStatus, ConnectionClosed)):
                opened.enter_context(connect(served.socket, origin=origin)).recv(timeout=20)
