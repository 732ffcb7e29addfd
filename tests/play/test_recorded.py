"""Replies on record beside a prompt, and cases that the page adds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.play.files import OpenedFiles
from pdl.play.recorded import save_case
from pdl.testing import read_cases, run_case

if TYPE_CHECKING:
    from pathlib import Path

    from play.conftest import Start

PROMPT = "<|input|>\n{ who: str }\n<|user|>\nWho is {{ who }}?\n<|schema|>\n{ age: int<0,120> }\n"
CASES = """<|data|>
{"who": "Ann"}

<|case|> good
<|reply|>
{"age": 3}

<|case|> twice
<|reply|> refused
{"age": 300}
<|reply|>
{"age": 30}
"""
TRANSCRIPT = {
    "prompt": "mail.pdl",
    "model": "openai:tiny",
    "started": "2026-01-01T00:00:00",
    "attempts": [{"reply": None}, {"reply": {"text": "recorded"}}],
}
WANTED: dict[str, Any] = {
    "name": "a case",
    "prompt": PROMPT,
    "data": '{"who": "Bo"}',
    "reply": '{"age": 4}',
    "file": "mail.pdl",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "prompts"
    found.mkdir()
    found.joinpath("mail.pdl").write_text(PROMPT)
    return found


def test_replies_on_record_are_listed(start: Start, folder: Path) -> None:
    folder.joinpath("mail.tests.pdl").write_text(CASES)
    folder.joinpath("runs").mkdir()
    folder.joinpath("runs", "1.json").write_text(json.dumps(TRANSCRIPT))
    folder.joinpath("runs", "2.json").write_text(json.dumps({**TRANSCRIPT, "prompt": "x.pdl"}))
    folder.joinpath("runs", "3.json").write_text("[1]")
    folder.joinpath("runs", "4.json").write_text("{}")
    with start(folder) as served:
        _, found = served.call("replies", name="mail.pdl")
        assert [(one["label"], one["text"], one["source"]) for one in found["replies"]] == [
            ("good", '{"age": 3}', "mail.tests.pdl:5"),
            ("twice, reply 1", '{"age": 300}', "mail.tests.pdl:9"),
            ("twice, reply 2", '{"age": 30}', "mail.tests.pdl:11"),
            ("openai:tiny, 2026-01-01T00:00:00, attempt 2", "recorded", "runs/1.json"),
        ]
        assert json.loads(found["replies"][0]["data"]) == {"who": "Ann"}
        assert served.call("replies", name="none.pdl") == (200, {"replies": []})
        assert served.call("replies", name="../x.pdl")[0] == 403


def test_without_files_there_are_no_replies(start: Start) -> None:
    with start() as served:
        assert served.call("replies", name="mail.pdl") == (200, {"replies": []})
        assert served.call("save_case", **WANTED)[0] == 404
        assert "<|case|> a case" in served.call("case", **{**WANTED, "file": None})[1]["text"]


@pytest.mark.parametrize("only", [False, True])
def test_a_reply_becomes_a_case_that_passes(start: Start, folder: Path, only: bool) -> None:  # noqa: FBT001
    with start(folder / "mail.pdl" if only else folder) as served:
        text = served.call("case", **WANTED)[1]["text"]
        status, first = served.call("save_case", **WANTED)
        assert (status, first) == (200, {"file": "mail.tests.pdl", "line": 1, "text": text})
        refused = {**WANTED, "name": "another", "reply": '{"age": 400}'}
        assert served.call("save_case", **refused)[1]["line"] == text.count("\n") + 2
        blank = {**WANTED, "name": "blank", "reply": '{"age": 5}\n\n'}
        assert served.call("save_case", **blank)[0] == 200
        status, told = served.call("save_case", **WANTED)
        assert status == 400
        assert "a case of this name" in told["error"]["message"]
    read = read_cases(folder / "mail.tests.pdl")
    assert not read.problems
    assert [one.name for one in read.cases] == ["a case", "another", "blank"]
    assert [run_case(one).failures for one in read.cases] == [()] * 3


@pytest.mark.parametrize("file", ["../mail.pdl", "mail.tests.pdl", "notes.txt", 5])
def test_a_case_is_of_a_prompt_that_was_opened(start: Start, folder: Path, file: object) -> None:
    folder.joinpath("notes.txt").write_text("")
    before = sorted(folder.parent.rglob("*"))
    with start(folder) as served:
        assert served.call("save_case", **{**WANTED, "file": file})[0] in {400, 403}
    assert sorted(folder.parent.rglob("*")) == before


def test_a_link_in_the_place_of_the_files_of_cases_is_not_followed(
    start: Start, folder: Path
) -> None:
    folder.parent.joinpath("other").mkdir()
    folder.joinpath("mail.replies").symlink_to(folder.parent / "other")
    with start(folder) as served:
        assert served.call("save_case", **{**WANTED, "reply": '{"age": 5}\n\n'})[0] == 403
    assert not list(folder.parent.joinpath("other").iterdir())


def test_what_was_in_the_file_stays_as_it_was(folder: Path) -> None:
    path = folder / "mail.tests.pdl"
    before = b"\xef\xbb\xbf# mine\r\n<|case|> one\r\n<|reply|>\r\n{}"
    path.write_bytes(before)
    save_case(OpenedFiles(folder), "mail.pdl", "<|case|> two\n<|reply|>\n{}\n", {})
    after = path.read_bytes()
    assert after.startswith(before)
    assert after[len(before) :] == b"\r\n\r\n<|case|> two\r\n<|reply|>\r\n{}\r\n"


@given(st.lists(st.sampled_from(["\n", "\r\n", "# a"]), max_size=5))
def test_the_line_is_that_of_the_case(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("cases")
    folder.joinpath("mail.tests.pdl").write_bytes("".join(parts).encode())
    found = save_case(OpenedFiles(folder), "mail.pdl", "<|case|> two\n<|reply|>\nx\n", {})
    lines = folder.joinpath("mail.tests.pdl").read_text().split("\n")
    assert lines[found["line"] - 1] == "<|case|> two"
