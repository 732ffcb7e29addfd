"""What the page shows is what pdl's own functions and commands say."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from shipped import PROMPTS, ROOT, examples
from snapshots import CASES

import pdl
from pdl._types import format_path
from pdl.cli.app import application
from pdl.models.payloads import FAMILIES
from pdl.play.look import PARTS, look
from pdl.prompt.lint import lint_text
from pdl.testing import parts_of, read_cases

if TYPE_CHECKING:
    from pathlib import Path

    from shipped import Example

    from pdl._types import Json

_KEYS = {
    "inputs": {
        *("declared", "names", "schema", "fields", "given", "data", "problems", "stand_ins"),
    },
    "turns": {
        *("messages", "reasoning", "warnings", "config", "transcript", "characters"),
    },
    "schema": {"form", "words", "notation", "json_schema", "types", "example", "uses_data"},
    "grammar": {"text", "exact", "report", "more", "rules", "diagram"},
    "check": {
        *("ok", "reason", "summary", "value", "span", "repairs", "errors", "rejected"),
        *("segments", "feedback", "more"),
    },
    "tools": {"tools", "formats", "calls", "feedback", "more"},
}
_PROBLEM = {
    *("code", "severity", "message", "hint", "file"),
    *("line", "column", "end_line", "end_column"),
}
_TOOLS = """\
<|tools|>
// Finds rooms.
find_rooms(city: str, beds: int<1,8> = 2)
book(room: str)

<|user|>
Book a room in Oslo.
"""


def _of_example(one: Example, reply: str | None = None, **options: Json) -> dict[str, Any]:
    """The look of a shipped prompt with its data."""
    text = one.prompt.read_text(encoding="utf-8")
    return look(text, json.dumps(one.data), reply, options, base=one.prompt.parent)


@pytest.mark.parametrize("one", examples(), ids=lambda one: one.id)
def test_the_parts_of_a_shipped_prompt(one: Example) -> None:
    found = _of_example(one, "I don't know.")
    assert not found["failed"]
    assert set(found) == {"version", "seconds", "failed", *PARTS}
    assert set(found["seconds"]) == set(PARTS)
    for part, keys in _KEYS.items():
        assert found[part] is None or set(found[part]) == keys
    assert all(set(problem) == _PROBLEM for problem in found["problems"])
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_a_prompt_without_data_is_shown_with_stand_ins(path: Path) -> None:
    found = look(path.read_text(encoding="utf-8"), base=path.parent)
    assert not found["failed"]
    assert found["turns"]["messages"]
    missing = [one["path"] for one in found["inputs"]["problems"]]
    assert {f"$.{name}" for name in found["inputs"]["stand_ins"]} >= set(missing)
    assert (found["inputs"]["data"] is None) == bool(missing)


_LINTED = sorted([*PROMPTS, *(CASES / "lint").glob("*.pdl"), *(CASES / "turns").glob("*/*.pdl")])


@pytest.mark.parametrize("path", _LINTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_problems_are_those_of_lint(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    found = look(text, options={"parts": ["problems"], "name": path.name}, base=path.parent)
    expected = lint_text(text, path.name, base=path.parent)
    assert not found["failed"]
    listed = [(one["code"], one["severity"], one["hint"]) for one in found["problems"]]
    assert listed == [(one.problem.code, one.severity, one.problem.hint) for one in expected]
    for shown, one in zip(found["problems"], expected, strict=True):
        folder = str(path.parent)
        assert shown["message"] == one.problem.message.replace(folder, "the folder of the prompt")
        place = one.problem.location
        assert shown["line"] == (place.line if place is not None else None)


@pytest.mark.parametrize("one", examples(), ids=lambda one: one.id)
def test_requests_are_those_of_rendered(one: Example) -> None:
    rendered = pdl.load(one.prompt).render(one.data, prefill=True)
    found = _of_example(one)["requests"]
    assert list(found) == list(FAMILIES)
    for family, request in found.items():
        if request["body"] is None:
            with pytest.raises(pdl.PdlError) as refused:
                rendered.to(family)
            assert request["left_out"] == [each.message for each in refused.value.problems]
            continue
        if not request["shortened"]:
            assert request["body"] == json.loads(json.dumps(rendered.to(family)))
        assert all(left["why"] for left in request["left_out"])
        assert request["url"].startswith("http")
        assert all("$" in one for one in request["headers"].values() if "Bearer" in one)


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_types_are_those_of_the_command(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = look(text, options={"parts": ["schema"], "name": path.name}, base=path.parent)
    types = found["schema"]["types"] if found["schema"] is not None else {}
    for target, code in types.items():
        result = CliRunner().invoke(
            application, ["types", str(path), "--to", target], prog_name="pdl"
        )
        if "depends on values" not in result.output:
            assert result.stdout == code


_REPLIES = [
    (file.prompt, case.name, parts.data or {}, recording.reply.text)
    for path in sorted((ROOT / "prompts").glob("*.tests.pdl"))
    for file in [read_cases(path, root=ROOT)]
    for case in file.cases
    for parts in [parts_of(case)]
    for recording in parts.recordings
    if recording.reply is not None
]


@pytest.mark.parametrize(("path", "name", "data", "reply"), _REPLIES)
def test_the_check_is_that_of_pdl(path: Path, name: str, data: dict[str, Json], reply: str) -> None:
    del name
    check = pdl.load(path).render(data, prefill=True).check(reply)
    text = path.read_text(encoding="utf-8")
    found = look(text, json.dumps(data), reply, {"parts": ["check"]}, base=path.parent)["check"]
    assert (found["ok"], found["reason"], found["value"]) == (check.ok, check.reason, check.data)
    assert (found["feedback"], found["summary"]) == (check.feedback, check.summary)
    assert _span(reply, found["span"]) == (check.span and reply[slice(*check.span)])
    for shown, repair in zip(found["repairs"], check.repairs, strict=True):
        assert shown["kind"] == repair.kind
        assert _span(reply, shown["span"]) == reply[slice(*repair.span)]
    for shown, error in zip(found["errors"], check.errors, strict=True):
        assert (shown["path"], shown["message"]) == (format_path(error.path), error.message)
        assert _span(reply, shown["span"]) == (error.span and reply[slice(*error.span)])


def _span(text: str, span: list[int] | None) -> str | None:
    """What JavaScript's `slice` returns."""
    if span is None:
        return None
    whole = text.encode("utf-16-le", "surrogatepass")
    return whole[span[0] * 2 : span[1] * 2].decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(
    "before", ["", "🙂🙂 ", "\ufeff", "\r\n\r\n", "e\u0301 \U0001f469\u200d\U0001f680 ", "\ud83d "]
)
def test_offsets_in_a_reply_count_code_units(before: str) -> None:
    prompt = "<|user|>\nx\n<|schema|>\n{ a: int, b: str }\n"
    reply = before + "Sure 🙂: {'a': \"x\", 'b': '🙂'} 🙂"
    check = look(prompt, "", reply)["check"]
    assert _span(reply, check["span"]) == "{'a': \"x\", 'b': '🙂'}"
    assert [_span(reply, one["span"]) for one in check["errors"]] == ['"x"']


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_places_in_a_prompt_count_code_units_of_the_page_s_text(mark: str, newline: str) -> None:
    text = newline.join([f"{mark}<|usr|>", "🙂 {{ name | uper }} 🙂", "<|user|>", "x"])
    found = look(text)["problems"]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = {
        one["code"]: _span(lines[one["line"] - 1], [one["column"] - 1, one["end_column"] - 1])
        for one in found
    }
    assert shown["turn/unknown-role"] == "<|usr|>"
    assert shown["template/unknown-filter"] == "uper"


def test_messages_know_their_lines() -> None:
    text = "{# a comment #}\r\n<|system|>\r\nBe kind.\r\n\r\n<|user|>\r\nHello\r\n"
    assert [one["line"] for one in look(text)["turns"]["messages"]] == [2, 5]


def test_messages_of_other_files_have_no_line(tmp_path: Path) -> None:
    (tmp_path / "part.pdl").write_text("<|system|>\nBe kind.\n", encoding="utf-8")
    text = "{% include 'part.pdl' %}\n<|user|>\nHello\n"
    found = look(text, base=tmp_path)["turns"]["messages"]
    assert [one["line"] for one in found] == [None, 2]


def test_the_form_of_inputs() -> None:
    text = "<|input|>\n{ name: str<1,9>, // who\n  tags: [Tag] = [] }\nTag = { id: int }\n"
    text += "<|user|>\n{{ name }}{{ tags }}"
    found = look(text, '{"name": ""}')["inputs"]
    name, tags = found["fields"]
    assert name == {
        "name": "name",
        "type": "str<1,9>",
        "schema": name["schema"],
        "required": True,
        "description": "who",
    }
    assert (tags["type"], tags["required"], tags["default"]) == ("[Tag]", False, [])
    assert "Tag" in tags["schema"]["$defs"]
    assert [one["path"] for one in found["problems"]] == ["$.name"]
    assert look(text, '{"name": "Ann"}')["inputs"]["data"] == {"name": "Ann", "tags": []}


def test_data_that_cannot_be_read_are_told_with_their_place() -> None:
    found = look("<|user|>\n{{ x }}", '{"x": 1,\r\n "🙂": }')
    (problem,) = found["inputs"]["problems"]
    assert (problem["line"], problem["column"]) == (2, 8)
    assert found["failed"]["turns"]["file"] == "data"


def test_yaml_is_read(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    del tmp_path
    found = look("<|user|>\n{{ name }} {{ when }}", "name: Ann\nwhen: 2025-01-31\n")
    assert found["inputs"]["data"] == {"name": "Ann", "when": "2025-01-31"}
    assert found["turns"]["messages"][0]["parts"] == [{"kind": "text", "text": "Ann 2025-01-31"}]


def test_media_are_shown() -> None:
    image = next(one for one in examples() if one.prompt.stem == "describe_image")
    parts = [part for one in _of_example(image)["turns"]["messages"] for part in one["parts"]]
    (media,) = [part for part in parts if part["kind"] != "text"]
    assert media["kind"] == "image"
    assert media["data"]
    assert media["bytes"] > 0


def test_tools_and_calls() -> None:
    call = '{"name": "find_rooms", "arguments": {"city": "Oslo", "beds": 9}}'
    reply = f"🙂\n<tool_call>\n{call}\n</tool_call>"
    found = look(_TOOLS, "", reply)["tools"]
    assert [one["name"] for one in found["tools"]] == ["find_rooms", "book"]
    assert found["tools"][0]["notation"].endswith("// Finds rooms.")
    assert found["formats"]["openai"][0]["function"]["name"] == "find_rooms"
    assert found["formats"]["anthropic"][0]["name"] == "find_rooms"
    (wrong,) = found["calls"]
    assert (wrong["name"], wrong["ok"]) == ("find_rooms", False)
    assert wrong["errors"][0]["path"].endswith("beds")
    assert _span(reply, wrong["span"]) == call
    found = look(_TOOLS, "", reply.replace("9", "3"))["tools"]
    assert found["calls"][0]["arguments"] == {"city": "Oslo", "beds": 3}


def test_coercions_are_allowed_by_name() -> None:
    text = "<|user|>\nx\n<|schema|>\n{ n: int }\n"
    reply = '{"n": "5"}'
    assert not look(text, "", reply)["check"]["ok"]
    for name in ("numbers_in_strings", "numbers-in-strings"):
        found = look(text, "", reply, {"coercions": [name, "no such"]})["check"]
        assert found["value"] == {"n": 5}
        assert found["repairs"][0]["words"] == 'a number in a string: `"5"` is read as `5`'


def test_every_kind_of_repair_has_words() -> None:
    from pdl.play.looking.checks import _WORDS  # noqa: PLC0415

    page = (ROOT / "docs" / "replies.md").read_text(encoding="utf-8")
    table = page.split("## Repairs")[1].split("\n\n")[2]
    kinds = [
        kind.strip(" `") for row in table.splitlines()[2:] for kind in row.split("|")[1].split(",")
    ]
    assert len(kinds) > 20
    assert set(kinds) <= set(_WORDS)
    assert {one.name for one in __import__("dataclasses").fields(pdl.Coercions)} <= set(_WORDS)


def test_a_rule_is_drawn() -> None:
    text = "<|user|>\nx\n<|schema|>\n{ a: B }\nB = { c: str }\n"
    found = look(text)["grammar"]
    assert found["diagram"]["rule"] == found["rules"][0] == "root"
    assert found["diagram"]["svg"].startswith("<svg")
    other = found["rules"][-1]
    found = look(text, options={"rule": other})["grammar"]
    assert found["diagram"]["rule"] == other
    assert look(text, options={"rule": "no such"})["grammar"]["diagram"]["rule"] == "root"


@pytest.mark.parametrize(
    "schema",
    ["{ a: int, b?: [str] }", "str", "yesno", 'code { lang: "py" }', "tasklist", '"a" | "b"'],
)
def test_the_example_is_an_answer(schema: str) -> None:
    found = look(f"<|user|>\nx\n<|schema|>\n{schema}\n")["schema"]
    assert pdl.check(pdl.Schema.parse(schema), found["example"]).ok


@pytest.mark.parametrize(
    ("schema", "uses_data"), [("{ a: int }", False), ("int<0,{{ n }}>", True), ("{{ n }}", True)]
)
def test_a_schema_that_the_data_change_says_so(schema: str, uses_data: bool) -> None:  # noqa: FBT001 - a case
    found = look(f"<|user|>\n{{{{ n }}}}\n<|schema|>\n{schema}\n", '{"n": 3}')
    assert found["schema"]["uses_data"] is uses_data


def test_characters_are_those_of_texts() -> None:
    media = "<|media(https://a.example/b.png)|>"
    found = look(f"<|system|>\n\U0001f600\n<|user|>\nA {media} b\n")["turns"]
    assert [one["characters"] for one in found["messages"]] == [1, len("A  b")]
    assert found["characters"] == 5


def test_only_the_parts_that_are_wanted() -> None:
    found = look("<|user|>\nx", options={"parts": ["turns", "no such"]})
    assert list(found["seconds"]) == ["turns"]
    assert found["problems"] is None


@pytest.mark.parametrize(
    "options", [{"parts": "turns"}, {"parts": [1]}, {"name": 7, "rule": []}, {"coercions": {}}]
)
def test_odd_options_have_no_effect(options: dict[str, Json]) -> None:
    assert not look("<|user|>\nx", "", "y", options)["failed"]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    part = tmp_path / "part.pdl"
    text = "<|user|>\n{% include 'part.pdl' %}"
    shown = []
    for said in ("one", "two"):
        part.write_text(said, encoding="utf-8")
        found = look(text, base=tmp_path)["turns"]["messages"]
        shown.append(found[0]["parts"][0]["text"])
    assert shown == ["one", "two"]
    part.unlink()
    assert "part.pdl" in look(text, base=tmp_path)["failed"]["turns"]["message"]


def test_what_is_typed_character_by_character_is_what_is_written_at_once() -> None:
    """What is kept of the text before has no influence."""
    text = (ROOT / "prompts" / "ticket.pdl").read_text(encoding="utf-8")
    ends = [*range(0, len(text), 40), len(text)]
    looks = [look(text[:end], "", "refund") for end in ends]
    for end, (_, found) in zip(ends[1:], pairwise(looks), strict=True):
        again = look(text[:end], "", "refund", {"name": "prompt.pdl"})
        assert {**again, "seconds": 0} == {**found, "seconds": 0}
