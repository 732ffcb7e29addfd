"""What a run writes into files of cases, and what it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pdl.errors import FileError
from pdl.models.exchange import Flaw, Reply
from pdl.testing import read_cases
from pdl.testing.cases import Recording
from pdl.testing.recording import Change, write_changes
from pdl.testing.replies import RecordedModel
from pdl.testing.running import RunOptions
from pdl.testing.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.testing import CaseFile, Outcome

DATA = "<|case|> one\n<|data|>\nreview: x\n"
REFUSAL = Reply("", finish="filter", flaw=Flaw("refusal", "I can't\n help."))
SILENT = Reply("", finish="filter", flaw=Flaw("refusal"))
ANSWER = Reply('{"stars": 5}')


def cases(folder: Path, text: str) -> CaseFile:
    (folder / "a.pdl").write_text("<|user|>\n{{ review }}\n<|schema|>\n{ stars: int }\n")
    (folder / "a.tests.pdl").write_text(text)
    return read_cases(folder / "a.tests.pdl")


def recorded(file: CaseFile, *replies: Reply) -> tuple[Outcome, Change | None]:
    """What comes of the first case if a model says this and is recorded."""
    span = file.cases[0].span
    model = RecordedModel([Recording(span, one) for one in replies])
    return Session(RunOptions(model, retries=0), record=True).run(file.cases[0])


@pytest.mark.parametrize(
    ("wanted", "reply", "note"),
    [
        ("", REFUSAL, "the model refused to answer; the refusal was not recorded"),
        ('<|reply|>\n{"stars": 1}\n', REFUSAL, "the model refused to answer"),
        ("<|reply|> refused No.\n", ANSWER, "the model answered, though it must refuse"),
    ],
)
def test_what_would_make_a_failed_case_pass_is_not_recorded(
    tmp_path: Path, wanted: str, reply: Reply, note: str
) -> None:
    outcome, change = recorded(cases(tmp_path, DATA + wanted), reply)
    assert outcome.status == "failed"
    assert change is None
    assert outcome.notes[0].startswith(note)


@pytest.mark.parametrize(
    ("reply", "words"), [(REFUSAL, " I can't help."), (SILENT, " (without words)")]
)
def test_a_wanted_refusal_is_recorded_in_the_words_of_the_model(
    tmp_path: Path, reply: Reply, words: str
) -> None:
    file = cases(tmp_path, DATA + "<|reply|> refused No.\n")
    outcome, change = recorded(file, reply)
    assert outcome.status == "passed"
    assert change is not None
    write_changes(file, [change])
    assert file.path.read_text() == f"{DATA}<|reply|> refused{words}\n"


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    """The link stays one; of one that leads out, nothing is written."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / ".git").mkdir()
    file = cases(inner, DATA + "<|reply|>\n1\n")
    (inner / "kept").mkdir()
    file.path.rename(inner / "kept" / "real")
    file.path.symlink_to("kept/real")
    write_changes(file, [Change(file.cases[0], (ANSWER,))])
    assert file.path.is_symlink()
    assert "stars" in (inner / "kept" / "real").read_text()
    file.path.unlink()
    (tmp_path / "out").write_text(file.source.text)
    file.path.symlink_to("../out")
    with pytest.raises(FileError, match="points outside its directory and repository"):
        write_changes(file, [Change(file.cases[0], (ANSWER,))])
    assert (tmp_path / "out").read_text() == file.source.text


def test_a_link_of_replies_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    file = cases(inner, DATA)
    (inner / "a.replies").symlink_to(tmp_path)
    with pytest.raises(FileError, match="points outside"):
        write_changes(file, [Change(file.cases[0], (Reply("a\r\nb"),))])
    assert file.path.read_text() == DATA
