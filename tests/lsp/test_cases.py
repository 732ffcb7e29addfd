"""Files of cases: every request has an answer, and cases are run as they are in the editor."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

import pytest
from lsp_client import Client, ResponseError, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROMPT = """<|input|>
{ text: str }

<|user|>
{{ text }}

<|schema|>
{ stars: int<1,5> }
"""
CASES = """# reviews
<|data|>
text: It shines.

<|case|> good
<|reply|>
{"stars": 5}
<|expect|> { stars: int<4,5> }
<|assert|>
value.stars > 4

<|case|> bad
<|reply|>
{"stars": 1}
<|expect|> {"stars": 2}

<|case|> open
<|expect|> {"stars": 2}
"""
CAPABILITIES = {
    "textDocument": {"diagnostic": {}, "completion": {"completionItem": {"snippetSupport": True}}},
    "window": {"showDocument": {"support": True}},
}
OF_PLACES = ["completion", "hover", "signatureHelp", "definition", "typeDefinition", "references"]
OF_PLACES += ["documentHighlight", "prepareRename", "rename"]
OF_TEXTS = ["documentSymbol", "foldingRange", "codeLens", "documentLink", "diagnostic"]
OF_TEXTS += ["formatting", "semanticTokens/full"]
OF_RANGES = ["semanticTokens/range", "rangeFormatting", "codeAction", "inlayHint"]
MORE: dict[str, dict[str, Any]] = {
    "references": {"context": {"includeDeclaration": True}},
    "rename": {"newName": "other"},
    "rangeFormatting": {"options": {"tabSize": 2, "insertSpaces": True}},
    "formatting": {"options": {"tabSize": 2, "insertSpaces": True}},
    "codeAction": {"context": {"diagnostics": []}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "review.pdl").write_text(PROMPT, "utf-8")
    (tmp_path / "review.tests.pdl").write_text(CASES, "utf-8")
    return tmp_path


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with running(folder) as found:
        folders = [{"uri": folder.as_uri(), "name": "x"}]
        options = {"showDocuments": "client"}
        found.initialize(CAPABILITIES, workspaceFolders=folders, initializationOptions=options)
        yield found
        assert not found.logged()


def test_every_request_has_an_answer(client: Client, folder: Path) -> None:
    uri = (folder / "review.tests.pdl").as_uri()
    client.open(uri, CASES)
    of = {"textDocument": {"uri": uri}}
    lines = CASES.split("\n")
    for line, text in enumerate(lines):
        for character in {0, 3, len(text)}:
            position = {"line": line, "character": min(character, len(text))}
            for method in OF_PLACES:
                params = {**of, "position": position, **MORE.get(method, {})}
                refused = method in {"rename", "prepareRename"}
                with suppress(ResponseError) if refused else nullcontext():
                    client.request(f"textDocument/{method}", params)
            on_type: dict[str, Any] = {"ch": "\n", "options": {"tabSize": 2, "insertSpaces": True}}
            client.request("textDocument/onTypeFormatting", {**of, "position": position, **on_type})
            params = {**of, "positions": [position]}
            assert client.request("textDocument/selectionRange", params)
    everything = {
        "start": {"line": 0, "character": 0},
        "end": {"line": len(lines) - 1, "character": 0},
    }
    for method in OF_TEXTS:
        client.request(f"textDocument/{method}", {**of, **MORE.get(method, {})})
    for method in OF_RANGES:
        params = {**of, "range": everything, **MORE.get(method, {})}
        client.request(f"textDocument/{method}", params)
    found = client.request("workspace/symbol", {"query": "good"})
    assert [one["name"] for one in found] == ["good"]


def lenses(client: Client, file: Path) -> list[Any]:
    found = client.request("textDocument/codeLens", {"textDocument": {"uri": file.as_uri()}})
    return [
        (one["range"]["start"]["line"], one["command"]["title"], one["command"]["arguments"][1:])
        for one in found
    ]


def test_lenses(client: Client, folder: Path) -> None:
    assert lenses(client, folder / "review.tests.pdl") == [
        (4, "run", ["good"]),
        (11, "run", ["bad"]),
        (16, "run", ["open"]),
    ]
    assert (0, "3 cases", []) in lenses(client, folder / "review.pdl")
    (folder / "alone.pdl").write_text(PROMPT, "utf-8")
    assert not any("case" in title for _, title, _ in lenses(client, folder / "alone.pdl"))


OUTCOMES = [
    ("good", "passed", "`good` passed", 3),
    ("bad", "failed", "line 15: `$.stars` must be 2, not 1", 1),
    ("open", "skipped", "no reply on record", 3),
]


def test_a_case_is_run(client: Client, folder: Path) -> None:
    uri = (folder / "review.tests.pdl").as_uri()
    for name, status, words, kind in OUTCOMES:
        params = {"command": "pdl.test", "arguments": [uri, name]}
        result = client.request("workspace/executeCommand", params)
        assert result["status"] == status
        assert words in result["text"]
        client.wait(lambda: client.notifications)
        method, shown = client.notifications.pop()
        assert (method, shown["type"]) == ("window/showMessage", kind)
        assert words in shown["message"]


def test_a_case_is_run_as_it_is_in_the_editor(client: Client, folder: Path) -> None:
    uri = (folder / "review.tests.pdl").as_uri()
    client.open(uri, CASES.replace('{"stars": 2}', '{"stars": 1}'))
    params = {"command": "pdl.test", "arguments": [uri, "bad"]}
    assert client.request("workspace/executeCommand", params)["status"] == "passed"
    client.open((folder / "review.pdl").as_uri(), PROMPT.replace("int<1,5>", "int<2,5>"))
    assert client.request("workspace/executeCommand", params)["status"] == "failed"


ERRORS = [
    ("review.tests.pdl", ["nothing"], "there is no case `nothing`"),
    ("review.pdl", ["good"], "this is not a file of cases"),
]


def test_what_can_not_be_run(client: Client, folder: Path) -> None:
    for name, arguments, words in ERRORS:
        params = {"command": "pdl.test", "arguments": [(folder / name).as_uri(), *arguments]}
        assert client.request("workspace/executeCommand", params) == {"error": words}
    client.open((folder / "review.pdl").as_uri(), "<|usr|>")
    params = {"command": "pdl.test", "arguments": [(folder / "review.tests.pdl").as_uri(), "good"]}
    result = client.request("workspace/executeCommand", params)
    assert result["status"] == "failed"
    assert "line 5: unknown turn `usr`" in result["text"]


def test_the_cases_of_a_prompt_are_opened(client: Client, folder: Path) -> None:
    client.replies["window/showDocument"] = lambda _: {"success": True}
    params = {"command": "pdl.cases", "arguments": [(folder / "review.pdl").as_uri()]}
    uri = (folder / "review.tests.pdl").as_uri()
    assert client.request("workspace/executeCommand", params) == {"uri": uri}
    client.wait(lambda: client.requests)
    assert client.requests == [("window/showDocument", {"takeFocus": True, "uri": uri})]
