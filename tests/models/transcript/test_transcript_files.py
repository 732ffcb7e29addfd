"""Transcripts on disk: what they say, what they are called, and that none is lost."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from models.scripted import says
from models.test_fallback import named
from snapshots import CASES, Snapshot

import pdl
import pdl.tools
from pdl.models import AskError, Fault, Reply, Usage, ask
from pdl.models.transcript import Run, prompt_source, record, write
from pdl.prompt import Message, Rendered, Text

if TYPE_CHECKING:
    from pathlib import Path

WHEN = datetime(2026, 7, 1, 12, 30, 15, tzinfo=UTC)
ASKED = Rendered(
    (Message("system", (Text("Be brief."),)), Message("user", (Text("Who is {{ x }}?"),))),
    pdl.Schema.parse("{ name: str, age: int<0,120> }"),
    tools=pdl.tools.ToolSet.parse("find(name: str) // Look someone up"),
    config={"temperature": 0.5},
)


def asked(*replies: Reply | Fault, retries: int = 3) -> Run:
    """A run of these replies, with times that are always the same."""
    answer, error = None, None
    try:
        answer = ask(ASKED, says(*replies), retries=retries)
        attempts = answer.attempts
    except AskError as failure:
        error, attempts = failure, failure.attempts
    fixed = tuple(replace(one, seconds=0.25, told="") for one in attempts)
    return Run("people/who.pdl", "openai:m", WHEN, fixed[-1].request, fixed, answer, error, 1.5)


RUNS = {
    "answered": (
        Reply("I think\n<|user|> Ann"),
        Reply('{"name": "Ann", "age": 300}', reasoning="Hm, {{ old }}."),
        Reply('{"name": "Ann", "age": 30}', usage=Usage(20, 9), model="m-1"),
    ),
    "stopped": (Reply("", finish="length"),),
    "called": (Reply("", calls=(pdl.tools.ToolCall("find", {"name": "Ann"}, "c1"),)),),
}


def test_another_model_started_again() -> None:
    """What the first one thought is not put before what the second one said."""
    first = named("a", Reply("hm", reasoning="Is it Bob?"), Fault("auth", "no"))
    second = named("b", Reply("so", reasoning="Is it Ann?"), Reply('{"name": "Ann", "age": 30}'))
    answer = ask(ASKED, [first, second])
    request = answer.attempts[-1].request
    run = Run("who.pdl", answer.model, WHEN, request, answer.attempts, answer)
    rendered = pdl.loads(prompt_source(run)).render()
    assert rendered.reasoning == ("Is it Ann?",)
    models = ["function:a", "function:a", "function:b", "function:b"]
    assert [one["model"] for one in record(run)["attempts"]] == models


@pytest.mark.parametrize("name", RUNS)
def test_text(name: str, tmp_path: Path, snapshot: Snapshot) -> None:
    """Both files as they are written."""
    run = asked(*RUNS[name], retries=len(RUNS[name]) - 1)
    path = write(run, tmp_path)
    details = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    if details["error"]:
        details["error"]["message"] = "…"
    snapshot.check(CASES / "transcript" / f"{name}.pdl", path.read_text(encoding="utf-8"))
    shown = json.dumps(details, ensure_ascii=False, indent=2) + "\n"
    snapshot.check(CASES / "transcript" / f"{name}.json", shown)
    assert pdl.load(path).render().messages == run.request.messages


def test_faults_are_told(tmp_path: Path) -> None:
    run = asked(Fault("auth", "the key is wrong", status=401))
    details = json.loads(write(run, tmp_path).with_suffix(".json").read_text(encoding="utf-8"))
    assert details["outcome"] == "no answer after 1 attempt"
    fault = details["attempts"][0]["fault"]
    assert fault == {
        "kind": "auth",
        "message": "the key is wrong",
        "status": 401,
        "retry_after": None,
    }


def test_none_is_written_over(tmp_path: Path) -> None:
    """Runs of the same second get numbers; both files of a run have one name."""
    run = asked(RUNS["answered"][2])
    folder = tmp_path / "new" / "folder"
    names = [write(run, folder).name for _ in range(3)]
    stem = "who-20260701-123015"
    assert names == [f"{stem}.pdl", f"{stem}-2.pdl", f"{stem}-3.pdl"]
    (folder / f"{stem}-4.json").write_text("{}")
    assert write(run, folder).name == f"{stem}-5.pdl"
    assert (folder / f"{stem}-4.json").read_text() == "{}"


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = write(asked(RUNS["answered"][2]), tmp_path)
    finally:
        os.umask(before)
    for file in (path, path.with_suffix(".json")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("prompt", "stem"),
    [("<stdin>", "stdin"), ("a/b c…d.pdl", "b-c-d"), ("..", "prompt"), ("x" * 300, "x" * 80)],
)
def test_names(prompt: str, stem: str, tmp_path: Path) -> None:
    run = asked(RUNS["answered"][2])
    named = Run(prompt, run.model, WHEN, run.request, run.attempts)
    assert write(named, tmp_path).stem == f"{stem}-20260701-123015"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(pdl.FileError, match="transcripts cannot be written there: "):
        write(asked(RUNS["answered"][2]), tmp_path / "file" / "below")


def test_lone_surrogates(tmp_path: Path) -> None:
    """They are no text in UTF-8, and yet come back."""
    run = asked(Reply('"\ud800"'), RUNS["answered"][2])
    path = write(run, tmp_path)
    assert pdl.load(path).render().messages == run.request.messages
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) == record(run)
