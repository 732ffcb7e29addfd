"""The methods of a page without a server, and its language server, in plain Python."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from pdl.play.browser import Browser

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = "<|user|>\nHello {{ name }}\n<|schema|>\n{ stars: int<1,5> }\n"


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser has none."""

    def start(self: threading.Thread) -> None:
        raise AssertionError(f"{self.name} was started")

    monkeypatch.setattr(threading.Thread, "start", start)


@pytest.fixture
def page(tmp_path: Path) -> Browser:
    return Browser(tmp_path / "prompts")


def call(page: Browser, method: str, **params: Any) -> tuple[int, Any]:
    answer = json.loads(page.call(method, json.dumps(params)))
    return answer["status"], answer["result"]


def test_a_page_says_what_it_can_do(page: Browser) -> None:
    status, hello = call(page, "hello")
    assert status == 200
    assert (hello["files"], hello["run"], hello["tokenizers"]) == (True, False, [])
    assert hello["language"]
    assert "openai" in hello["families"]


def test_a_page_looks_at_a_prompt(page: Browser) -> None:
    status, seen = call(page, "look", prompt=PROMPT, data="name: Ada", reply="{stars: 9}")
    assert status == 200
    assert seen["failed"] == {}
    assert not seen["check"]["ok"]
    assert seen["turns"]["messages"][0]["parts"][0]["text"].startswith("Hello Ada")


def test_a_prompt_includes_a_file_of_the_page(page: Browser) -> None:
    assert call(page, "create", name="greeting.txt.pdl", text="Good day")[0] == 200
    prompt = '<|user|>\n{% include "greeting.txt.pdl" %}\n'
    _, seen = call(page, "look", prompt=prompt, file="main.pdl")
    assert seen["turns"]["messages"][0]["parts"][0]["text"] == "Good day"


def test_types_are_named_after_the_file(page: Browser) -> None:
    text = "<|user|>\nx\n<|schema|>\n{ a: int }\n"
    _, seen = call(page, "look", prompt=text, file="bill.pdl")
    assert "class Bill:" in seen["schema"]["types"]["dataclass"]


def test_files_are_kept_and_saved(page: Browser) -> None:
    _, created = call(page, "create", name="a.pdl", text=PROMPT)
    read = {"text": PROMPT, "digest": created["digest"]}
    assert call(page, "read", name="a.pdl")[1] == read
    assert call(page, "save", name="a.pdl", text="x", digest=created["digest"])[0] == 200
    assert call(page, "save", name="a.pdl", text="y", digest=created["digest"])[0] == 409
    assert [one["name"] for one in call(page, "files")[1]["files"]] == ["a.pdl"]


def test_a_reply_becomes_a_case_of_the_page(page: Browser) -> None:
    params = {"name": "good", "prompt": PROMPT, "data": "name: Ada", "reply": '{"stars": 4}'}
    assert "<|case|> good" in call(page, "case", **params)[1]["text"]
    assert call(page, "replies", name="a.pdl")[1] == {"replies": []}
    answer = json.loads(page.call("save_case", json.dumps({**params, "file": "a.pdl"})))
    assert answer["result"]["file"] == "a.tests.pdl"
    assert answer["files"]["a.tests.pdl"] == answer["result"]["text"]
    assert [one["label"] for one in call(page, "replies", name="a.pdl")[1]["replies"]] == ["good"]


def test_another_worker_gets_the_files_of_the_first(page: Browser, tmp_path: Path) -> None:
    page.put(json.dumps({"a.pdl": PROMPT, "inner/b.pdl": "x"}))
    page.put(json.dumps({"a.pdl": "again"}))
    assert call(page, "read", name="a.pdl")[1]["text"] == "again"
    assert (tmp_path / "prompts/inner/b.pdl").read_text("utf-8") == "x"


@pytest.mark.parametrize(
    ("method", "params", "status", "words"),
    [
        ("run", {}, 404, "no method `run`"),
        ("read", {"name": "../x.pdl"}, 403, "x.pdl"),
        ("read", {}, 400, "`name` must be a text"),
        ("look", {"prompt": 1}, 400, "`prompt` must be a text"),
        ("look", {"prompt": "", "reply": 1}, 400, "`reply` must be a text or null"),
        ("look", {"prompt": "", "options": []}, 400, "`options` must be an object"),
    ],
)
def test_refusals_are_as_over_http(
    page: Browser, method: str, params: dict[str, Any], status: int, words: str
) -> None:
    found, result = call(page, method, **params)
    assert found == status
    assert words in result["error"]["message"]


@pytest.mark.parametrize("name", ["data", "reply"])
@pytest.mark.parametrize("bracket", ["[", '{"a": ', "("])
def test_what_nests_too_deeply_is_refused_before_python_is_tried(
    page: Browser, monkeypatch: pytest.MonkeyPatch, name: str, bracket: str
) -> None:
    assert call(page, "look", prompt=PROMPT, **{name: "[](){}" * 2_000})[0] == 200
    monkeypatch.setattr("pdl.play.browser.look", None)
    status, result = call(page, "look", prompt=PROMPT, **{name: bracket * 2_000})
    assert (status, "too deep" in result["error"]["message"]) == (400, True)


@pytest.mark.parametrize(
    ("raised", "status", "words"),
    [(RecursionError, 400, "too deep"), (MemoryError, 400, "too large"), (KeyError, 500, "a bug")],
)
def test_nothing_is_raised(
    page: Browser,
    monkeypatch: pytest.MonkeyPatch,
    raised: type[Exception],
    status: int,
    words: str,
) -> None:
    def fail() -> None:
        raise raised

    monkeypatch.setattr(page.files, "list", fail)
    found, result = call(page, "files")
    assert found == status
    assert words in result["error"]["message"]


class Editor:
    """A client of the page's language server."""

    def __init__(self, page: Browser) -> None:
        self.received: list[dict[str, Any]] = []
        self._more = asyncio.Event()
        self._take = page.language(self._receive)
        self._last = 0

    def _receive(self, message: str) -> None:
        self.received.append(json.loads(message))
        self._more.set()

    def notify(self, method: str, params: Any) -> None:
        self._take(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def request(self, method: str, params: Any) -> Any:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self._take(json.dumps(message))
        return (await self._wait(lambda one: one.get("id") == self._last))["result"]

    async def published(self) -> Any:
        found = await self._wait(lambda one: one.get("method", "").endswith("publishDiagnostics"))
        return found["params"]["diagnostics"]

    async def _wait(self, is_wanted: Any) -> Any:
        while not (found := [one for one in self.received if is_wanted(one)]):
            self._more.clear()
            await self._more.wait()
        return found[-1]


URI = "file:///prompts/a.pdl"


async def opened(page: Browser, capabilities: dict[str, Any]) -> Editor:
    editor = Editor(page)
    params = {"processId": None, "rootUri": "file:///prompts", "capabilities": capabilities}
    await editor.request("initialize", params)
    editor.notify("initialized", {})
    item = {"uri": URI, "languageId": "pdl-prompt", "version": 1, "text": "<|usr|>\nx\n"}
    editor.notify("textDocument/didOpen", {"textDocument": item})
    return editor


def test_findings_are_pushed_without_threads(page: Browser) -> None:
    async def find() -> Any:
        return await (await opened(page, {})).published()

    assert [one["code"] for one in asyncio.run(find())] == ["turn/unknown-role"]


def test_findings_are_pulled_without_threads(page: Browser) -> None:
    async def find() -> Any:
        editor = await opened(page, {"textDocument": {"diagnostic": {}}})
        params = {"textDocument": {"uri": URI}}
        return (await editor.request("textDocument/diagnostic", params))["items"]

    assert [one["code"] for one in asyncio.run(find())] == ["turn/unknown-role"]


def test_a_command_runs_without_threads(page: Browser) -> None:
    async def run() -> Any:
        editor = await opened(page, {})
        params = {"command": "pdl.render", "arguments": [URI]}
        return await editor.request("workspace/executeCommand", params)

    assert "usr" in asyncio.run(run())["error"]


@pytest.mark.parametrize("ending", ["exit", "shutdown"])
def test_the_server_ends_without_ending_the_page(page: Browser, ending: str) -> None:
    async def end() -> None:
        editor = await opened(page, {})
        if ending == "shutdown":
            await editor.request("shutdown", None)
        editor.notify("exit", None)

    asyncio.run(end())
    assert call(page, "hello")[0] == 200
