"""What a model said is written where reading finds it again, and all else stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdl.errors import CasesError
from pdl.models.exchange import Reply
from pdl.testing import read_cases
from pdl.testing.edits import Edit, edited
from pdl.testing.forms import clear_refusal
from pdl.testing.parts import parts_of
from pdl.testing.recording import Change, write_changes
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.testing import CaseFile
    from pdl.testing.recording import Said

CASES = """# comments stay
<|case|> first one
<|data|>
a: 1

<|reply|>
an old one

<|reply|> refused
another
<|expect|> {"a": 1}

<|case|> First, one
<|data|> {"b": "é"}
<|assert|>
value
<|case|> third
<|reply|> @kept.txt
<|case|> fourth
<|messages|>
<|user|>
old
<|reply|> @kept.jsonl
<|case|> fifth

<|cases|> @rows.jsonl
<|cases|> @rows.csv
"""
ROWS = """{"name": "r1", "a": 1}

{"name": "r2", "reply": "x",  "a": 1e3}
{"name": "r3", "refused": "no"}"""
CSV = 'name,a,reply\nc1,"x ""y""",old\nc2,z,\n'

MARKS = st.sampled_from(
    [
        "<|reply|>",
        "<|case|> x",
        "<|user|>",
        "\n",
        "\n\n",
        " ",
        "\r\n",
        "\ufeff",
        "# x",
        '"',
        "@x.txt",
        "{}",
    ]
)
TEXTS = st.lists(MARKS | st.text(max_size=8), max_size=6).map("".join)
REPLIES = st.builds(Reply, TEXTS) | st.builds(
    Reply,
    TEXTS,
    calls=st.just((ToolCall("f", {"x": 1}),)),
    finish=st.sampled_from(["stop", "length"]),
)
WORDS = st.lists(st.sampled_from(["no", "limit", "I can't.", "é"]), min_size=1, max_size=3).map(
    " ".join
)


def written(folder: Path, newline: str = "\n", mark: str = "") -> CaseFile:
    """The file of cases in a new folder, with its tables."""
    texts = {"p.tests.pdl": CASES, "rows.jsonl": ROWS, "rows.csv": CSV, "kept.txt": "old"}
    texts["kept.jsonl"] = '{"text": "old"}\n'
    for name, text in texts.items():
        (folder / name).write_bytes((mark + text.replace("\n", newline)).encode())
    (folder / "p.pdl").write_bytes(b"<|user|>\nhi")
    return read_cases(folder / "p.tests.pdl")


def said_of(file: CaseFile, name: str) -> list[Said]:
    """What is on record for a case."""
    case = next(one for one in file.cases if one.name == name)
    parts = parts_of(case)
    assert not [one for one in parts.problems if one.code != "test/expect"]
    return [one.refused if one.reply is None else one.reply for one in parts.recordings]


def others(file: CaseFile, name: str) -> list[tuple[str, object]]:
    """What all other cases hold."""
    found: list[tuple[str, object]] = []
    for case in file.cases:
        if case.name != name:
            parts = parts_of(case)
            recorded = [(one.reply, one.refused) for one in parts.recordings]
            golden = parts.messages.text if parts.messages else None
            told = [one.source.text for one in parts.assertions]
            found.append((case.name, (parts.data, recorded, golden, told)))
    return found


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["first one", "First, one", "third", "fourth", "fifth", "r1", "r2", "r3"]),
    st.lists(REPLIES, min_size=1, max_size=3),
    st.none() | WORDS,
    st.sampled_from([("\n", ""), ("\r\n", ""), ("\r\n", "\ufeff")]),
)
def test_reading_after_writing_gives_what_was_said(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    replies: list[Reply],
    words: str | None,
    form: tuple[str, str],
) -> None:
    """The case has the new replies, and no other case has changed."""
    file = written(tmp_path_factory.mktemp("f"), *form)
    before = others(file, name)
    case = next(one for one in file.cases if one.name == name)
    is_row = case.row is not None
    said: tuple[Said, ...] = tuple(replies) if words is None else (*replies, words)
    write_changes(file, [Change(case, said)])
    again = read_cases(file.path)
    assert others(again, name) == before
    if is_row and words is not None:
        assert said_of(again, name) == [clear_refusal(words)]
        return
    expected = [clear_refusal(one) if isinstance(one, str) else one for one in said]
    assert said_of(again, name) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_all_else_stays_byte_for_byte(tmp_path: Path, newline: str) -> None:
    """Only the replies change: spaces, comments, and newlines stay."""
    file = written(tmp_path, newline, "\ufeff")
    changes = [Change(case, (Reply("new"),)) for case in file.cases]
    changes[3] = Change(file.cases[3], (Reply("new"),), "<|user|>\nnew")
    paths = write_changes(file, changes)
    assert paths[-1] == file.path
    wanted = (
        CASES.replace("<|reply|>\nan old one\n\n<|reply|> refused\nanother\n", "<|reply|>\nnew\n\n")
        .replace('{"b": "é"}\n', '{"b": "é"}\n<|reply|>\nnew\n')
        .replace("<|case|> fifth\n", "<|case|> fifth\n<|reply|>\nnew\n")
        .replace("<|user|>\nold\n", "<|user|>\nnew\n")
    )
    assert file.path.read_bytes().decode() == "\ufeff" + wanted.replace("\n", newline)
    assert (tmp_path / "kept.txt").read_bytes() == b"new"
    rows = '{"name": "r1", "a": 1, "reply": "new"}\n\n{"name": "r2", "reply": "new",  "a": 1e3}\n'
    rows += '{"name": "r3", "reply": "new"}'
    assert (tmp_path / "rows.jsonl").read_bytes().decode() == "\ufeff" + rows.replace("\n", newline)
    table = 'name,a,reply\nc1,"x ""y""","new"\nc2,z,"new"\n'
    assert (tmp_path / "rows.csv").read_bytes().decode() == "\ufeff" + table.replace("\n", newline)


def test_a_refusal_adds_its_column_to_a_csv(tmp_path: Path) -> None:
    """A row of CSV has the words of a refusal in a column of their own."""
    file = written(tmp_path)
    case = next(one for one in file.cases if one.name == "c1")
    write_changes(file, [Change(case, ("no, never",))])
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == (
        'name,a,reply,refused\nc1,"x ""y""",,"no, never"\nc2,z,,\n'
    )
    assert said_of(read_cases(file.path), "c1") == ["no, never"]
    assert said_of(read_cases(file.path), "c2") == []


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """Another process may have written it."""
    file = written(tmp_path)
    file.path.write_text("<|case|> other\n", encoding="utf-8")
    with pytest.raises(CasesError, match="was changed since it was read"):
        write_changes(file, [Change(file.cases[0], (Reply("new"),))])
    assert file.path.read_text(encoding="utf-8") == "<|case|> other\n"


def test_a_reply_that_csv_cannot_hold_is_an_error(tmp_path: Path) -> None:
    """A call has no cell."""
    file = written(tmp_path)
    case = next(one for one in file.cases if one.name == "c1")
    with pytest.raises(CasesError, match="a cell can't hold this reply"):
        write_changes(file, [Change(case, (Reply("x", calls=(ToolCall("f", {}),)),))])


@given(st.text(alphabet="ab\r\n\ufeff"), st.integers(0, 20), st.integers(0, 20), st.text("x\n"))
def test_an_edit_changes_its_range_only(raw: str, start: int, length: int, text: str) -> None:
    """Reading the edited text is the same as editing the text that was read."""
    read = as_read(raw)
    start = min(start, len(read))
    end = min(start + length, len(read))
    if "\r" in raw.replace("\r\n", ""):
        return  # a lone CR may meet a new LF
    after = as_read(edited(raw, [Edit(start, end, text)]))
    assert after == read[:start] + text + read[end:]


def as_read(raw: str) -> str:
    """A text as pdl reads it."""
    return raw.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("suffix", ["jsonl", "ndjson", "JSONL"])
def test_a_file_of_records_keeps_its_form(tmp_path: Path, suffix: str) -> None:
    """Each ending of JSON Lines that is read is written as such, too."""
    name = f"kept.{suffix}"
    (tmp_path / name).write_text('{"text": "old"}\n', encoding="utf-8")
    (tmp_path / "p.pdl").write_text("<|user|>\nhi", encoding="utf-8")
    path = tmp_path / "p.tests.pdl"
    path.write_text(f"<|case|> a\n<|reply|> @{name}\n", encoding="utf-8")
    file = read_cases(path)
    said: tuple[Said, ...] = (Reply("one"), Reply("two"))
    write_changes(file, [Change(file.cases[0], said)])
    assert said_of(read_cases(path), "a") == [*said]
