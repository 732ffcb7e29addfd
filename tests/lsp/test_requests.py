"""Each request in each encoding of positions, behind an emoji, with CRLF and U+2028."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from lsp_client import Client, ResponseError, running

if TYPE_CHECKING:
    from collections.abc import Iterator

CAPABILITIES = {
    "textDocument": {
        "diagnostic": {},
        "completion": {"completionItem": {"snippetSupport": True}},
        "signatureHelp": {
            "signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}
        },
        "rename": {"prepareSupport": True},
    },
}
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNITS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
NUMBERS = itertools.count()
INPUT = "<|input|>\n{ word: str, rows: [{ name: str, size: int }] }\n"


class Text:
    """A text that is open, with a cursor at `¦`, and the places that answers name in it."""

    def __init__(self, client: Client, encoding: str, marked: str) -> None:
        self.client = client
        self.encoding = encoding
        self.offset = marked.find("¦")
        self.raw = marked.replace("¦", "")
        self.uri = f"untitled:{next(NUMBERS)}"
        client.open(self.uri, self.raw)

    def lines(self) -> list[str]:
        ends = self.raw.replace("\r\n", "\n\n").replace("\r", "\n")
        starts = [0, *(at + 1 for at, one in enumerate(ends) if one == "\n")]
        return [self.raw[a:b] for a, b in itertools.pairwise([*starts, len(self.raw)])]

    def position(self, offset: int) -> dict[str, int]:
        before = self.raw[:offset].replace("\r\n", "\n").replace("\r", "\n")
        *lines, last = before.split("\n")
        width = len(last.encode(CODECS[self.encoding])) // UNITS[self.encoding]
        return {"line": len(lines), "character": width}

    def range(self, part: str) -> dict[str, Any]:
        start = self.raw.index(part)
        return {"start": self.position(start), "end": self.position(start + len(part))}

    def at(self, found: dict[str, Any]) -> str:
        """The text of a range of an answer."""
        offsets = {tuple(self.position(at).values()): at for at in range(len(self.raw) + 1)}
        start, end = (offsets[one["line"], one["character"]] for one in found.values())
        return self.raw[start:end].replace("\r\n", "\n")

    def changed(self, edits: list[dict[str, Any]]) -> str:
        """The text after the edits of an answer, which must keep its line ends."""
        offsets = {tuple(self.position(at).values()): at for at in range(len(self.raw) + 1)}
        raw = self.raw
        for edit in sorted(edits, key=lambda one: [*one["range"]["start"].values()], reverse=True):
            places = (edit["range"]["start"], edit["range"]["end"])
            start, end = (offsets[one["line"], one["character"]] for one in places)
            raw = raw[:start] + edit["newText"] + raw[end:]
        assert ("\r\n" in raw) == ("\r\n" in self.raw)
        assert "\n" not in raw.replace("\r\n", "") or "\r\n" not in raw
        return raw.replace("\r\n", "\n")

    def ask(self, method: str, **more: Any) -> Any:
        params = {"textDocument": {"uri": self.uri}, **more}
        if self.offset >= 0:
            params["position"] = self.position(self.offset)
        return self.client.request(f"textDocument/{method}", params)


@pytest.fixture(scope="module", params=CODECS)
def server(request: Any, tmp_path_factory: Any) -> Iterator[tuple[Client, str]]:
    encoding = request.param
    with running(tmp_path_factory.mktemp("files")) as client:
        general = {"general": {"positionEncodings": [encoding]}}
        found = client.initialize({**CAPABILITIES, **general})
        assert found["positionEncoding"] == encoding
        yield client, encoding
        assert not client.logged()


@pytest.fixture(params=["plain", "crlf", "strange", "mark"])
def text(request: Any, server: tuple[Client, str]) -> Any:
    """Opens a text: as it is, with CRLF, with characters that take more units, with a BOM."""

    def opened(marked: str) -> Text:
        if request.param == "crlf":
            marked = marked.replace("\n", "\r\n")
        if request.param == "strange":
            marked = "{# 😀\u2028é\x0b\x85 #}" + marked
        if request.param == "mark":
            marked = "\ufeff" + marked
        return Text(*server, marked)

    return opened


def test_diagnostics(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {{ wrod }}{% for row in rows %}{% endfor %}")
    found = opened.ask("diagnostic")["items"]
    assert {one["code"]: opened.at(one["range"]) for one in found} == {
        "template/undefined": "wrod",
        "input/unused": "word",
    }
    assert [one.get("tags") for one in found if one["code"] == "input/unused"] == [[1]]
    [undefined] = [one for one in found if one["code"] == "template/undefined"]
    assert undefined["severity"] == 1
    assert "did you mean `word`?" in undefined["message"]


def test_symbols(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀{% set x = 1 %}")
    [inputs, user] = opened.ask("documentSymbol")
    assert [one["name"] for one in (inputs, user)] == ["input", "user"]
    assert [one["name"] for one in inputs["children"]] == ["word", "rows"]
    assert opened.at(inputs["children"][0]["range"]) == "word: str"
    assert opened.at(user["children"][0]["selectionRange"]) == "x"


def test_folding(text: Any) -> None:
    opened = text("<|user|>\n😀\n{% if a %}\nx\n{% endif %}\n")
    found = opened.ask("foldingRange")
    assert [(one["startLine"], one["endLine"]) for one in found][-1] == (2, 3)


def test_selection(text: Any) -> None:
    opened = text("<|user|>\n😀 {{ wo¦rd | trim }}")
    cursor = opened.position(opened.offset)
    [found] = opened.ask("selectionRange", positions=[cursor])
    assert opened.at(found["range"]) == "word"
    assert opened.at(found["parent"]["range"]) == "word | trim"


def test_semantic_tokens(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {{ word }}")
    capabilities = opened.client.capabilities["semanticTokensProvider"]
    data = opened.ask("semanticTokens/full")["data"]
    found = []
    line = character = 0
    for down, right, length, kind, _ in zip(*[iter(data)] * 5, strict=True):
        line, character = line + down, right + (0 if down else character)
        start = {"line": line, "character": character}
        place = {"start": start, "end": {**start, "character": character + length}}
        found.append((opened.at(place), capabilities["legend"]["tokenTypes"][kind]))
    assert found[-2:] == [("<|user|>", "keyword"), ("word", "parameter")]
    assert ("size", "property") in found
    part = opened.ask("semanticTokens/range", range=opened.range("word }}"))
    assert len(part["data"]) == 5


def test_changed_tokens_are_those_of_the_new_text(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {{ word }} {{ rows }}")
    first = opened.ask("semanticTokens/full")
    place = opened.range("{{ word")
    opened.client.change(opened.uri, {"range": place, "text": "{{ 1 + word"})
    params = {"previousResultId": first["resultId"]}
    delta = opened.ask("semanticTokens/full/delta", **params)
    data = list(first["data"])
    for edit in delta["edits"]:
        data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    assert data == opened.ask("semanticTokens/full")["data"]
    assert opened.ask("semanticTokens/full/delta", **params)["data"] == data


def test_completion(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {% for row in rows %}{{ row.na¦ }}{% endfor %}")
    found = opened.ask("completion")["items"]
    [name] = [one for one in found if one["label"] == "name"]
    assert opened.at(name["textEdit"]["range"]) == "na"
    assert name["textEdit"]["newText"] == "name"


def test_hover(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {{ wo¦rd }}")
    found = opened.ask("hover")
    assert "word: str" in found["contents"]["value"]
    assert opened.at(found["range"]) == "word"
    assert text("<|user|>\nno¦thing").ask("hover") is None


def test_signature(text: Any) -> None:
    opened = text("<|user|>\n😀 {{ word | replace('a', ¦) }}")
    found = opened.ask("signatureHelp")
    [signature] = found["signatures"]
    active = signature["parameters"][found["activeParameter"]]["label"]
    assert signature["label"][slice(*active)] == "to"
    assert text("<|user|>\n¦").ask("signatureHelp") is None


def test_inlay_hints(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {% for row in rows %}{% endfor %}")
    end = opened.position(len(opened.raw))
    whole = {"start": {"line": 0, "character": 0}, "end": end}
    found = opened.ask("inlayHint", range=whole)
    after = opened.position(opened.raw.index("row in") + 3)
    assert [one["position"] for one in found] == [after]


def test_lenses(text: Any) -> None:
    opened = text("<|user|>\n😀\n<|schema|>\nint")
    found = opened.ask("codeLens")
    assert [one["command"]["title"] for one in found] == ["render", "grammar", "JSON Schema"]
    assert opened.at(found[1]["range"]) == "<|schema|>"
    assert found[0]["command"]["arguments"] == [opened.uri]


def test_definition_references_and_highlights(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {{ wo¦rd }}{{ word }}")
    [found] = opened.ask("definition")
    assert found == {"uri": opened.uri, "range": opened.range("word")}
    uses = opened.ask("references", context={"includeDeclaration": False})
    assert [opened.at(one["range"]) for one in uses] == ["word", "word"]
    everything = opened.ask("references", context={"includeDeclaration": True})
    assert len(everything) == 3
    assert [one["kind"] for one in opened.ask("documentHighlight")] == [3, 2, 2]


def test_type_definition(text: Any) -> None:
    opened = text("{# 😀 #}<|input|>\n{ a¦: Node }\nNode = { b: int }\n")
    [found] = opened.ask("typeDefinition")
    assert opened.at(found["range"]) == "Node"


def test_rename(text: Any) -> None:
    opened = text(INPUT + "<|user|>\n😀 {{ wo¦rd }}")
    place = opened.ask("prepareRename")
    assert (opened.at(place["range"]), place["placeholder"]) == ("word", "word")
    edits = opened.ask("rename", newName="term")["changes"]
    assert [opened.at(one["range"]) for one in edits.pop(opened.uri)] == ["word", "word"]
    assert not edits
    with pytest.raises(ResponseError, match="not a name"):
        opened.ask("rename", newName="1 2")
    with pytest.raises(ResponseError):
        text("<|user|>\n so¦me words").ask("prepareRename")


OPTIONS = {"options": {"tabSize": 2, "insertSpaces": True}}


def test_formatting(text: Any) -> None:
    opened = text("{# 😀 #}\n<|INPUT|>\n{a:int,\nb:str}\n<|user|>\n😀  {{a}}{{b}}\n")
    assert opened.changed(opened.ask("formatting", **OPTIONS)).endswith(
        "<|input|>\n{\n  a: int,\n  b: str,\n}\n\n<|user|>\n😀  {{ a }}{{ b }}\n"
    )
    part = opened.ask("rangeFormatting", range=opened.range("b}}"), **OPTIONS)
    assert opened.changed(part).endswith("{a:int,\nb:str}\n<|user|>\n😀  {{a}}{{ b }}\n")


def test_formatting_on_type(text: Any) -> None:
    opened = text("{# 😀 #}\n<|input|>\n{ a: {\n¦")
    found = opened.ask("onTypeFormatting", ch="\n", **OPTIONS)
    assert opened.changed(found).endswith("{ a: {\n  ")


def test_code_actions(text: Any) -> None:
    opened = text(INPUT + "<|usr|>\n😀 {{ word }}{{ rows }}")
    place = opened.range("usr")
    context = {"diagnostics": opened.ask("diagnostic")["items"]}
    found = opened.ask("codeAction", range=place, context=context)
    [fix] = [one for one in found if one["kind"] == "quickfix" and one.get("isPreferred")]
    assert "turn/unknown-role" in [one["code"] for one in fix["diagnostics"]]
    [edits] = fix["edit"]["changes"].values()
    assert "<|user|>" in opened.changed(edits)
    only = {**context, "only": ["source.fixAll"]}
    [fixed] = opened.ask("codeAction", range=place, context=only)
    assert fixed["kind"] == "source.fixAll"
    assert "<|user|>" in opened.changed(fixed["edit"]["changes"][opened.uri])
