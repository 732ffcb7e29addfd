"""The files of a run: what was written is read again, whatever happened in between."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdl.errors import FileError
from pdl.evaluation import journal as journals
from pdl.evaluation import read_run
from pdl.evaluation.encoding import (
    case_of,
    fault_json,
    fault_of,
    record_json,
    reply_of,
    trial_of,
)
from pdl.evaluation.journal import Call, Journal, read_records
from pdl.evaluation.manifest import Manifest, PromptPlan, read_manifest
from pdl.evaluation.records import (
    AttemptRecord,
    CaseRecord,
    Cell,
    Column,
    ErrorRecord,
    FailureRecord,
    RepairRecord,
    Trial,
)
from pdl.models.exchange import Flaw, Reply, Usage
from pdl.models.faults import Fault
from pdl.tools.tool import ToolCall

TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)  # also halves of pairs
SPANS = st.tuples(st.integers(0, 99), st.integers(0, 99))
TIMES = st.floats(0, 1e6).map(lambda seconds: round(seconds, 6))
COUNTS = st.none() | st.integers(0, 10**9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
PATHS = st.lists(TEXTS | st.integers(0, 9), max_size=3).map(tuple)
ATTEMPTS = st.builds(
    AttemptRecord,
    number=st.integers(1, 9),
    text=st.none() | TEXTS,
    reason=st.sampled_from(["", "absent", "wrong-schema"]),
    fault=st.sampled_from(["", "timeout"]),
    span=st.none() | SPANS,
    errors=st.lists(st.builds(ErrorRecord, PATHS, st.none() | SPANS, TEXTS), max_size=2).map(tuple),
    repairs=st.lists(st.builds(RepairRecord, TEXTS, SPANS, TEXTS, TEXTS), max_size=2).map(tuple),
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    seconds=TIMES,
    cost=st.none() | TIMES,
    is_cached=st.booleans(),
)
TRIALS = st.builds(
    Trial,
    cell=st.builds(Cell, TEXTS, TEXTS, TEXTS, st.integers(1, 99)),
    status=st.sampled_from(["valid", "invalid", "refusal", "fault", "stopped"]),
    attempts=st.lists(ATTEMPTS, max_size=3).map(tuple),
    value=VALUES,
    exact=st.none() | st.booleans(),
    expected=st.none() | st.booleans(),
    judged=st.lists(VALUES, max_size=2).map(tuple),
    accepted=st.lists(st.booleans(), max_size=2).map(tuple),
    failures=st.lists(
        st.builds(FailureRecord, st.sampled_from(["expect", "assert"]), TEXTS, TEXTS), max_size=2
    ).map(tuple),
    seconds=TIMES,
    cost=st.none() | TIMES,
)
CASES = st.builds(
    CaseRecord, TEXTS, TEXTS, VALUES, TEXTS, st.none() | VALUES.map(lambda one: (one,))
)
REPLIES = st.builds(
    Reply,
    text=TEXTS,
    reasoning=TEXTS,
    calls=st.lists(
        st.builds(ToolCall, TEXTS, st.dictionaries(TEXTS, VALUES, max_size=2), TEXTS), max_size=2
    ).map(tuple),
    finish=st.sampled_from(["stop", "length", "tool"]),
    usage=st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS),
    model=TEXTS,
    flaw=st.none() | st.builds(Flaw, st.sampled_from(["refusal", "call"]), TEXTS),
)
FAULTS = st.builds(
    Fault,
    st.sampled_from(["timeout", "rate_limited", "refusal"]),
    TEXTS,
    status=st.none() | st.integers(400, 599),
    retry_after=st.none() | TIMES,
    hint=TEXTS,
    setting=TEXTS,
    is_of_form=st.booleans(),
)


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@given(TRIALS)
def test_trials_come_back(trial: Trial) -> None:
    assert trial_of(through_json(record_json(trial))) == trial


@given(CASES)
def test_cases_come_back(case: CaseRecord) -> None:
    assert case_of(through_json(record_json(case))) == case


@given(REPLIES)
def test_replies_come_back(reply: Reply) -> None:
    assert reply_of(through_json(record_json(reply))) == reply


@given(FAULTS)
def test_faults_come_back(fault: Fault) -> None:
    found = fault_of(through_json(fault_json(fault)))
    assert (found.__reduce__(), found.problem) == (fault.__reduce__(), fault.problem)


CELL = Cell("review", "openai:x", "angry", 1)
MANIFEST = Manifest(
    "first",
    "2026-01-01T00:00:00+00:00",
    (PromptPlan("review", "abc", {"type": "object"}, ("angry", "happy")),),
    (Column("review", "openai:x"),),
    (
        CaseRecord("angry", "review.tests.pdl:1:1", {"n": 1}),
        CaseRecord("happy", "review.tests.pdl:9:1", {"n": 2}, "{ a: int }"),
    ),
    {"angry": "1", "happy": "2"},
    repeats=2,
    options={"retries": 3},
)
TRIAL = Trial(CELL, "valid", (AttemptRecord(1, "no"), AttemptRecord(2, "yes")), value={"a": 1})


def written(directory: Path) -> None:
    """Write the run of `TRIAL`, and of another that is not done."""
    with Journal(directory, MANIFEST) as journal:
        journal.call(CELL, Call("openai:x", Reply("no"), seconds=1.5))
        journal.call(CELL, Call("openai:x", Reply("yes"), seconds=0.5))
        journal.call(CELL, Call("openai:y", Reply("true"), seconds=0.5, judge=1))
        journal.ended(TRIAL, (1, 2))
        journal.call(
            CELL._replace(repeat=2), Call("openai:x", None, Fault("timeout", "late"), seconds=9.0)
        )


def test_a_run_is_read(tmp_path: Path) -> None:
    written(tmp_path)
    run = read_run(tmp_path)
    assert run.trials == (TRIAL,)
    assert (run.name, run.planned, run.repeats) == ("first", 4, 2)
    assert run.columns == MANIFEST.columns
    assert run.cases == MANIFEST.cases
    assert run.fingerprints == {"review": "abc"}
    assert run.schemas == {"review": {"type": "object"}}


def test_a_text_is_written_once(tmp_path: Path) -> None:
    written(tmp_path)
    assert (tmp_path / "attempts.jsonl").read_text().count('"yes"') == 1


def test_calls_of_a_trial_that_did_not_end_are_kept(tmp_path: Path) -> None:
    written(tmp_path)
    (call,) = read_records(tmp_path).calls[CELL._replace(repeat=2)]
    assert call.fault is not None
    assert (call.fault.kind, call.seconds) == ("timeout", 9.0)


def test_a_trial_that_starts_anew_keeps_no_call(tmp_path: Path) -> None:
    written(tmp_path)
    with Journal(tmp_path, MANIFEST) as journal:
        journal.again(CELL)
        journal.call(CELL, Call("openai:x", Reply("third")))
        journal.ended(replace(TRIAL, attempts=(AttemptRecord(1, "third"),)), (1,))
    records = read_records(tmp_path)
    assert [call.reply.text for call in records.calls[CELL] if call.reply] == ["third"]
    assert len(records.earlier) == 3
    assert records.trials[CELL].attempts[0].text == "third"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_file_that_was_cut_anywhere_has_the_lines_before(data: Any) -> None:
    """A kill, a full disk, a crash: what was finished is kept, and what follows is whole."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        written(directory)
        path = directory / "attempts.jsonl"
        whole = path.read_bytes()
        kept = whole[: data.draw(st.integers(0, len(whole)))]
        path.write_bytes(kept)
        lines = kept.count(b"\n")
        with Journal(directory, MANIFEST) as journal:
            journal.again(CELL)
        assert path.read_bytes().startswith(b"".join(whole.splitlines(keepends=True)[:lines]))
        assert path.read_bytes().count(b"\n") == lines + 1
        read_run(directory)


def test_nobody_else_writes_to_a_run(tmp_path: Path) -> None:
    with Journal(tmp_path, MANIFEST), pytest.raises(FileError, match="another process") as caught:
        Journal(tmp_path, MANIFEST)
    assert caught.value.problems[0].code == "file/in-use"


def test_a_run_can_be_read_while_it_goes_on(tmp_path: Path) -> None:
    with Journal(tmp_path, MANIFEST) as journal:
        journal.call(CELL, Call("openai:x", Reply("no")))
        assert read_run(tmp_path).trials == ()


MORE = replace(
    MANIFEST,
    prompts=(
        replace(MANIFEST.prompts[0], cases=("angry", "happy", "new")),
        PromptPlan("other", "def", None, ("new",)),
    ),
    columns=(*MANIFEST.columns, Column("review", "openai:y"), Column("other", "openai:y")),
    cases=(*MANIFEST.cases, CaseRecord("new", "x.tests.pdl:1:1")),
    digests={**MANIFEST.digests, "new": "3"},
    repeats=3,
)


def test_columns_cases_and_repeats_can_be_added(tmp_path: Path) -> None:
    written(tmp_path)
    with Journal(tmp_path, replace(MORE, name="later", started="later")):
        pass
    found = read_manifest(tmp_path)
    assert (found.name, found.started) == (MANIFEST.name, MANIFEST.started)
    assert read_run(tmp_path).planned == (3 + 3 + 1) * 3
    assert read_run(tmp_path).trials == (TRIAL,)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (replace(MANIFEST, options={"retries": 2}), "`retries` was 3, and is 2"),
        (replace(MANIFEST, options={"retries": 3, "seed": 1}), "`seed` was not set, and is 1"),
        (
            replace(MANIFEST, arguments={"base_url": "http://x"}),
            '`base_url` was not set, and is "http://x"',
        ),
        (replace(MANIFEST, repeats=1), "there were 2 repeats, and are 1"),
        (
            replace(MANIFEST, prompts=(replace(MANIFEST.prompts[0], fingerprint="x"),)),
            "the prompt `review` has another fingerprint",
        ),
        (replace(MANIFEST, prompts=MORE.prompts[1:]), "the prompt `review` is left out"),
        (replace(MANIFEST, columns=MORE.columns[1:]), "`review` is not asked of `openai:x`"),
        (
            replace(MANIFEST, digests={"angry": "1", "happy": "9"}),
            "the case `happy` has other data",
        ),
        (replace(MANIFEST, digests={"angry": "1"}), "the case `happy` is left out"),
    ],
)
def test_a_run_of_something_else_is_refused(
    tmp_path: Path, changed: Manifest, message: str
) -> None:
    written(tmp_path)
    with pytest.raises(FileError) as caught:
        Journal(tmp_path, changed)
    assert message in str(caught.value)
    assert read_run(tmp_path).trials == (TRIAL,)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("run.json", "{", "can't be used: it"),
        ("run.json", '{"format": "x"}', "it is not the manifest of a run"),
        ("run.json", "[]", "it is damaged"),
        ("run.json", '{"format": "pdl eval", "version": 2}', "it has version 2, and 1 is known"),
        ("run.json", '{"format": "pdl eval", "version": 1}', "it is damaged"),
        ("attempts.jsonl", '{"call": []}\n', "attempts.jsonl:1:1: this line is not one"),
        ("attempts.jsonl", '{"again": ["a", "b", "c", 1]}\n[\n', "attempts.jsonl:2:1:"),
        ("attempts.jsonl", "\0\0\n", "attempts.jsonl:1:1: this line is not one"),
        (
            "attempts.jsonl",
            '{"trial": {"cell": ["a", "b", "c", 1], "status": "fine", "attempts": []}}\n',
            "attempts.jsonl:1:1: this line is not one",
        ),
    ],
)
def test_damaged_files_are_errors(tmp_path: Path, name: str, text: str, message: str) -> None:
    written(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError) as caught:
        read_run(tmp_path)
    assert message in str(caught.value)
    assert "hint:" in str(caught.value)


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileError, match="is not a run of `pdl eval`, and not empty"):
        Journal(tmp_path, MANIFEST)
    with pytest.raises(FileError, match=r"it has no run\.json"):
        read_run(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a line that did not fit is taken back, so that a later one can follow."""
    with Journal(tmp_path, MANIFEST) as journal:
        journal.call(CELL, Call("openai:x", Reply("no")))
        file = journal._file._file  # noqa: SLF001 - what the system does
        real = file.write

        class Full:
            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

            def write(self, data: Any) -> int:
                if len(data) > 10:
                    return real(data[:10])
                raise OSError(28, "No space left on device")

        monkeypatch.setattr(journal._file, "_file", Full())  # noqa: SLF001
        with pytest.raises(FileError, match=r"attempts\.jsonl: no space left on device"):
            journal.again(CELL)
    assert (tmp_path / journals.FILE).read_bytes().count(b"\n") == 1
    assert len(read_records(tmp_path).calls[CELL]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="it has other permissions")
def test_nobody_else_can_read_a_run(tmp_path: Path) -> None:
    written(tmp_path)
    assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}


def test_a_call_is_there_once(tmp_path: Path) -> None:
    written(tmp_path)
    path = tmp_path / "attempts.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    for at in (0, 1, 2):
        path.write_text("".join([*lines[: at + 1], *lines[at:]]))
        with pytest.raises(FileError, match=rf"attempts\.jsonl:{at + 2}:1: this line is not one"):
            read_run(tmp_path)
