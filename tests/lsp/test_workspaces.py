"""Requests about several files: includes, folders, commands, settings, as one process answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lsp_client import Client, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PULL: dict[str, Any] = {"textDocument": {"diagnostic": {"relatedInformation": True}}}
MAIN = "<|input|>\n{ name: str, text: str }\n<|user|>\n{% include 'part.pdl' %} {{ name }}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.pdl").write_text(MAIN)
    (tmp_path / "part.pdl").write_text("Read {{ text }}")
    return tmp_path


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with running(folder) as started:
        yield started
        assert not started.logged()


def begin(client: Client, folder: Path, capabilities: dict[str, Any], **options: Any) -> None:
    folders = [{"uri": folder.as_uri(), "name": "prompts"}]
    client.initialize(capabilities, workspaceFolders=folders, **options)


def codes(client: Client, uri: str) -> list[str]:
    return [one["code"] for one in client.diagnostics(uri)]


@pytest.mark.parametrize("capabilities", [PULL, {}], ids=["pull", "push"])
def test_a_change_of_a_part_shows_in_what_includes_it(
    client: Client, folder: Path, capabilities: dict[str, Any]
) -> None:
    begin(client, folder, capabilities)
    main, part = ((folder / name).as_uri() for name in ("main.pdl", "part.pdl"))
    client.open(main, MAIN)
    assert codes(client, main) == []
    client.open(part, "Read {{ text }}")
    assert codes(client, part) == []
    client.change(part, {"text": "Read {{ txt }}"})
    assert codes(client, part) == ["template/undefined"]
    client.wait(lambda: "input/unused" in codes_now(client, main))
    client.change(part, {"text": "Read {{ text }}"})
    client.wait(lambda: codes_now(client, main) == [])


def codes_now(client: Client, uri: str) -> list[str]:
    """The codes of a text as they were shown last."""
    if "diagnosticProvider" in client.capabilities:
        return codes(client, uri)
    published = [
        params["diagnostics"]
        for method, params in client.notifications
        if method == "textDocument/publishDiagnostics" and params["uri"] == uri
    ]
    return [one["code"] for one in published[-1]] if published else ["nothing yet"]


@pytest.mark.parametrize("capabilities", [PULL, {}], ids=["pull", "push"])
def test_a_change_of_a_prompt_shows_in_its_cases(
    client: Client, folder: Path, capabilities: dict[str, Any]
) -> None:
    (folder / "judge.pdl").write_text(judge := "<|input|>\n{ value: any }\n<|user|>\n{{ value }}")
    begin(client, folder, capabilities)
    main, beside, cases = (
        (folder / name).as_uri() for name in ("main.pdl", "judge.pdl", "main.tests.pdl")
    )
    client.open(main, MAIN)
    client.open(beside, judge)
    client.open(cases, "<|case|> a\n<|data|>\nname: Ann\ntext: Hi\n<|judge|> judge.pdl\n")
    client.wait(lambda: codes_now(client, cases) == [])
    client.change(main, {"text": MAIN.replace("name", "word")})
    client.wait(lambda: codes_now(client, cases) == ["input/missing", "input/unknown"])
    client.change(main, {"text": MAIN})
    client.wait(lambda: codes_now(client, cases) == [])
    client.change(beside, {"text": judge.replace("value", "score")})
    client.wait(lambda: codes_now(client, cases) == ["test/judge"])


@pytest.mark.parametrize("capabilities", [PULL, {}], ids=["pull", "push"])
def test_a_part_shows_nothing_of_what_no_longer_includes_it(
    client: Client, folder: Path, capabilities: dict[str, Any]
) -> None:
    begin(client, folder, capabilities)
    deep = "{% include 'part.pdl' %}"
    (folder / "deep.pdl").write_text(deep)
    main, middle, part = ((folder / name).as_uri() for name in ("main.pdl", "deep.pdl", "part.pdl"))
    client.open(main, MAIN.replace("part", "deep"))
    client.open(part, "Read {{ txt }} {{ text }}")
    client.wait(lambda: codes_now(client, part) == ["template/undefined"])
    client.open(middle, "")
    client.wait(lambda: codes_now(client, part) == ["turn/no-role"])
    client.change(middle, {"text": deep})
    client.wait(lambda: codes_now(client, part) == ["template/undefined"])
    client.change(main, {"text": "<|user|>\nx"})
    client.wait(lambda: codes_now(client, part) == [])


@pytest.mark.parametrize("capabilities", [PULL, {}], ids=["pull", "push"])
def test_a_finding_in_a_part_moves_to_it_when_it_is_opened(
    client: Client, folder: Path, capabilities: dict[str, Any]
) -> None:
    begin(client, folder, capabilities)
    (folder / "part.pdl").write_text("Read {{ txt }} {{ text }}")
    main, part = ((folder / name).as_uri() for name in ("main.pdl", "part.pdl"))
    client.open(main, MAIN)
    [found] = client.diagnostics(main)
    assert found["message"].startswith("in `part.pdl`, line 1: `txt` is used")
    client.open(part, "Read {{ txt }} {{ text }}")
    client.wait(lambda: codes_now(client, main) == [])
    assert codes(client, part) == ["template/undefined"]
    client.notify("textDocument/didClose", {"textDocument": {"uri": part}})
    client.wait(lambda: codes_now(client, main) == ["template/undefined"])


def test_all_prompts_of_the_folders_are_checked(client: Client, folder: Path) -> None:
    begin(client, folder, PULL)
    (folder / "bad.pdl").write_text("<|usr|>\nx")

    def report(known: list[dict[str, str]]) -> dict[str, Any]:
        found = client.request("workspace/diagnostic", {"previousResultIds": known})["items"]
        return {one["uri"].rpartition("/")[2]: one for one in found}

    first = report([])
    assert {name: len(one["items"]) for name, one in first.items()} == {
        "bad.pdl": len(first["bad.pdl"]["items"]),
        "main.pdl": 0,
        "part.pdl": 0,
    }
    assert first["bad.pdl"]["items"]
    known = [{"uri": one["uri"], "value": one["resultId"]} for one in first.values()]
    assert {one["kind"] for one in report(known).values()} == {"unchanged"}
    client.open((folder / "bad.pdl").as_uri(), "<|user|>\nx")
    assert report(known)["bad.pdl"]["items"] == []
    removed = [{"uri": folder.as_uri(), "name": "prompts"}]
    event = {"added": [], "removed": removed}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert list(report([])) == ["bad.pdl"]


def test_files_that_change_on_disk_are_read_again(client: Client, folder: Path) -> None:
    dynamic = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    begin(client, folder, {"workspace": dynamic})
    client.wait(lambda: client.requests)
    [(method, params)] = client.requests
    assert method == "client/registerCapability"
    assert params["registrations"][0]["method"] == "workspace/didChangeWatchedFiles"
    main = (folder / "main.pdl").as_uri()
    client.open(main, MAIN)
    assert codes(client, main) == []
    (folder / "part.pdl").write_text("Nothing")
    changes = [{"uri": (folder / "part.pdl").as_uri(), "type": 2}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    client.wait(lambda: codes_now(client, main) == ["input/unused"])


def test_names_are_renamed_in_all_files(client: Client, folder: Path) -> None:
    edits = {"workspaceEdit": {"documentChanges": True}}
    begin(client, folder, {**PULL, "workspace": edits})
    uri = (folder / "main.pdl").as_uri()
    client.open(uri, MAIN)
    place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 14}}
    changes = client.request("textDocument/rename", {**place, "newName": "words"})
    found = {
        one["textDocument"]["uri"].rpartition("/")[2]: one["textDocument"].get("version")
        for one in changes["documentChanges"]
    }
    assert found == {"main.pdl": 1, "part.pdl": None}
    uses = client.request(
        "textDocument/references", {**place, "context": {"includeDeclaration": False}}
    )
    assert [one["uri"].rpartition("/")[2] for one in uses] == ["part.pdl"]


def test_what_names_a_file_follows_it(client: Client, folder: Path) -> None:
    operations = {"fileOperations": {"willRename": True}}
    begin(client, folder, {"workspace": operations})
    part = folder / "part.pdl"
    files = [{"oldUri": part.as_uri(), "newUri": (folder / "parts" / "one.pdl").as_uri()}]
    changes = client.request("workspace/willRenameFiles", {"files": files})["changes"]
    [edit] = changes[(folder / "main.pdl").as_uri()]
    assert edit["newText"] == "parts/one.pdl"
    main = {"textDocument": {"uri": (folder / "main.pdl").as_uri()}}
    [link] = client.request("textDocument/documentLink", main)
    assert link["target"] == part.as_uri()


def test_symbols_of_all_files(client: Client, folder: Path) -> None:
    begin(client, folder, {})
    found = client.request("workspace/symbol", {"query": "nam"})
    assert [(one["name"], one["containerName"]) for one in found[:1]] == [("name", "input")]
    assert found[0]["location"]["uri"] == (folder / "main.pdl").as_uri()


COMMANDS = [
    ("pdl.render", MAIN, "plaintext", "<|user|>\nRead «text» «name»"),
    ("pdl.grammar", "<|user|>\nx\n<|schema|>\nbool", "gbnf", 'root ::= "true" | "false"'),
    ("pdl.schema", "<|user|>\nx\n<|schema|>\nint", "json", '"type": "integer"'),
    ("pdl.run", "<|config|>\nmodel: replay:r.jsonl\n<|user|>\nx\n<|schema|>\nint", "json", "7"),
]


def test_commands_return_a_text(client: Client, folder: Path) -> None:
    begin(client, folder, {}, initializationOptions={"showDocuments": "client"})
    (folder / "r.jsonl").write_text(json.dumps({"text": "7"}) + "\n")
    uri = (folder / "main.pdl").as_uri()
    for command, text, language, part in COMMANDS:
        client.open(uri, text)
        params = {"command": command, "arguments": [uri]}
        result = client.request("workspace/executeCommand", params)
        assert part in result.get("text", result.get("error"))
        assert result["language"] == language
        assert result["title"].startswith("main.pdl")
        if command == "pdl.render":
            assert result["messages"] == [{"role": "user", "text": "Read «text» «name»"}]
    assert not client.requests


FAILURES = [
    ("pdl.render", "<|usr|>\nx", "unknown turn `usr`"),
    ("pdl.grammar", "<|user|>\nx", "no schema"),
    ("pdl.run", "<|user|>\nx", "no model is named"),
    ("pdl.run", "<|config|>\nmodel: replay:/etc/passwd\n<|user|>\nx", "absolute path"),
    ("pdl.nope", "", "no command"),
]


def test_commands_say_what_is_wrong(client: Client, folder: Path) -> None:
    begin(client, folder, {}, initializationOptions={"showDocuments": "client"})
    uri = (folder / "main.pdl").as_uri()
    for command, text, words in FAILURES:
        client.open(uri, text)
        for arguments in ([uri], ["untitled:other"], [], [3]):
            params = {"command": command, "arguments": arguments}
            result = client.request("workspace/executeCommand", params)
            assert list(result) == ["error"]
            assert arguments != [uri] or words in result["error"]


def test_results_are_shown_as_the_editor_can(client: Client, folder: Path) -> None:
    begin(client, folder, {"window": {"showDocument": {"support": True}}})
    client.replies["window/showDocument"] = lambda _: {"success": True}
    uri = (folder / "main.pdl").as_uri()
    params = {"command": "pdl.render", "arguments": [uri]}
    client.request("workspace/executeCommand", params)
    [(method, shown)] = client.requests
    assert method == "window/showDocument"
    assert shown["uri"].endswith(".txt")


def test_results_are_messages_for_other_editors(client: Client, folder: Path) -> None:
    begin(client, folder, {})
    uri = (folder / "main.pdl").as_uri()
    client.request("workspace/executeCommand", {"command": "pdl.render", "arguments": [uri]})
    client.wait(lambda: client.notifications)
    assert "Read «text»" in client.notifications[-1][1]["message"]


def test_settings_switch_features(client: Client, folder: Path) -> None:
    begin(client, folder, {"workspace": {"configuration": True}})
    main = {"textDocument": {"uri": (folder / "main.pdl").as_uri()}}
    assert client.request("textDocument/codeLens", main)
    off = {"codeLens": {"enabled": False}, "inlayHints": {"enabled": False}}
    client.replies["workspace/configuration"] = lambda _: [off]
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.wait(lambda: not client.request("textDocument/codeLens", main))
    client.replies["workspace/configuration"] = lambda _: [None]
    client.notify("workspace/didChangeConfiguration", {"settings": {"pdl": {"codeLens": True}}})
    client.wait(lambda: client.request("textDocument/codeLens", main))


def test_large_texts_do_not_block_typing(client: Client, folder: Path) -> None:
    """A request is answered while a text of 60 KB is checked, and only the last is reported."""
    begin(client, folder, PULL)
    text = "<|user|>\n{{ a }}\n<|assistant|>\nyes\n" * 1_500
    uri = (folder / "large.pdl").as_uri()
    client.open(uri, text)
    pulls = []
    for _ in range(5):
        client.change(uri, {"text": text})
        pulls.append(client.start("textDocument/diagnostic", {"textDocument": {"uri": uri}}))
        if pulls[1:]:
            client.notify("$/cancelRequest", {"id": pulls[-2]})
    hover = client.start(
        "textDocument/hover",
        {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 0}},
    )
    client.answer(hover)
    assert pulls[-1] not in client.answered()
    assert client.answer(pulls[-1])["kind"] == "full"
