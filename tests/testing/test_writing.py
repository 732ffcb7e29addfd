"""Changes are written as they come, beside what others write meanwhile, and none is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.models.exchange import Reply
from pdl.testing import read_cases
from pdl.testing.recording import Change
from pdl.testing.writing import ChangeWriter, Pending
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.testing import CaseFile
    from pdl.testing.recording import Said

CASES = "<|case|> one\n<|data|>\na: 1\n\n<|case|> two\n<|data|>\na: 2\n\n<|cases|> @t.csv\n"
TABLE = "a,reply\n1,\n2,\n3,\n"


@pytest.fixture
def file(tmp_path: Path) -> CaseFile:
    (tmp_path / "a.tests.pdl").write_text(CASES)
    (tmp_path / "t.csv").write_text(TABLE)
    return read_cases(tmp_path / "a.tests.pdl")


def change(file: CaseFile, index: int, text: str) -> Pending:
    return Pending.of(Change(file.cases[index], (Reply(text),)))


def test_each_change_is_written_at_once(file: CaseFile) -> None:
    writer = ChangeWriter(clock=lambda: 0.0)
    for index, text in enumerate("xyz"):
        writer.add(change(file, index, text))
        whole = file.path.read_text() + (file.path.parent / "t.csv").read_text()
        assert text in whole.replace("<|data|>", "")
    assert not writer.finish().errors


def test_changes_wait_where_writing_takes_long(file: CaseFile) -> None:
    times = iter([0.0, 0.0, 1.0, 5.0, 12.0, 12.0, 13.0, 14.0, 14.0])
    writer = ChangeWriter(clock=lambda: next(times))
    writer.add(change(file, 0, "first"))
    writer.add(change(file, 1, "second"))
    assert "first" in file.path.read_text()
    assert "second" not in file.path.read_text()
    writer.add(change(file, 2, "third"))
    assert "second" in file.path.read_text()
    assert len(writer.finish().paths) == 2


def test_what_others_write_meanwhile_stays(file: CaseFile) -> None:
    """Only the case that changed itself isn't written; its reply is in a file that it can name."""
    changed = CASES.replace("a: 2", "a: 3").replace("<|case|> one", "<|case|> new\n<|case|> one")
    file.path.write_text(changed)
    writer = ChangeWriter()
    for index in (0, 1):
        writer.add(change(file, index, f"reply {index}"))
    written = writer.finish()
    assert file.path.read_text() == changed.replace("a: 1\n", "a: 1\n<|reply|>\nreply 0\n")
    (error,) = written.errors
    kept = file.path.parent / "a.replies" / "two-unwritten-1.jsonl"
    assert "the case `two` was changed while it ran, and is not written" in str(error)
    assert str(kept) in str(error)
    assert kept.read_text() == '{"text": "reply 1"}\n'
    text = file.path.read_text().replace("a: 3\n", f"a: 3\n<|reply|> @a.replies/{kept.name}\n")
    file.path.write_text(text)
    assert not read_cases(file.path).problems


def test_a_reply_that_a_table_cannot_hold_keeps_no_other(file: CaseFile) -> None:
    """A reply of several lines moves the rows below it, which have no names but their lines."""
    writer = ChangeWriter(clock=lambda: 0.0)
    writer.add(Pending.of(Change(file.cases[3], (Reply("x", calls=(ToolCall("f", {}),)),))))
    writer.add(change(file, 2, "two\nlines"))
    writer.add(change(file, 4, "last"))
    written = writer.finish()
    assert [str(one).splitlines()[0] for one in written.errors] == [
        f"{file.path.parent / 't.csv'}:4:1: a cell can't hold this reply"
    ]
    table = (file.path.parent / "t.csv").read_text()
    assert table == 'a,reply\n1,"two\nlines"\n2,\n3,"last"\n'
    assert len(list((file.path.parent / "a.replies").iterdir())) == 1


def test_replies_of_a_file_that_is_gone_are_kept(file: CaseFile) -> None:
    changes = [change(file, index, str(index)) for index in range(3)]
    file.path.unlink()
    writer = ChangeWriter()
    for one in changes:
        writer.add(one)
    written = writer.finish()
    assert len(written.errors) == 1
    assert len(list((file.path.parent / "a.replies").iterdir())) == 3
    assert not written.paths


REPLIES = st.builds(Reply, st.text()) | st.text()


@given(st.text(), st.none() | st.lists(REPLIES, min_size=1).map(tuple), st.none() | st.text())
def test_another_process_reads_the_same(
    own: str, said: tuple[Said, ...] | None, messages: str | None
) -> None:
    one = Pending("a.tests.pdl", ".", "x", own, said, messages)
    assert Pending.parse(one.packed()) == one
