"""`pdl render --batch` and `pdl run --batch`: rows of values, answers that are kept, budgets."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from killed_runs import CONCURRENCY, PROMPT, serving

import pdl
from pdl.batch import audit
from pdl.cli.app import application

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result
    from killed_runs import Counts

INPUT, OUT = Path("rows.jsonl"), Path("out")
NEEDS_SIGNALS = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
DECLARED = "<|input|>\n{ n: int }\n" + PROMPT


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PDL_API_KEY", "")
    Path("p.pdl").write_text(DECLARED)
    write(range(1, 7))


@pytest.fixture
def server() -> Iterator[tuple[str, Counts]]:
    pytest.importorskip("httpx")
    with serving(0.01) as found:
        yield found


def write(numbers: range, **more: Any) -> None:
    rows = [{"id": f"r{n}", "n": n, **more} for n in numbers]
    INPUT.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def pdl_(command: str, *words: str) -> Result:
    given = [command, "p.pdl", "--batch", str(INPUT), *words]
    result = CliRunner().invoke(application, given, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ask(url: str, *words: str) -> Result:
    return pdl_("run", "--model", "openai:x", "--base-url", url, "--out", "out/", *words)


def results() -> list[dict[str, Any]]:
    lines = [one.read_text().splitlines() for one in sorted(OUT.glob("*.jsonl"))]
    return [json.loads(line) for file in lines for line in file]


def test_a_prompt_is_rendered_for_each_row() -> None:
    shown = pdl_("render")
    assert shown.exit_code == 0
    assert shown.stderr == "rows.jsonl: 6 rows, 6 valid, 0 invalid\n"
    found = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [(one["line"], one["id"]) for one in found] == [(n, f"r{n}") for n in range(1, 7)]
    texts = [json.loads(one["messages"])[0]["content"][0]["text"] for one in found]
    assert texts == [f"Number {n}" for n in range(1, 7)]
    made = pdl_("render", "--out", "out/")
    assert made.exit_code == 0
    for one, other in zip(results(), found, strict=True):
        del one["file"], other["row_digest"], other["task_digest"]
        assert one == other
    assert audit(OUT) == []


def test_rendered_rows_are_resumed() -> None:
    words = ["--out", "made.jsonl", "--format", "openai", "--model", "m"]
    assert pdl_("render", *words).exit_code == 0
    before = Path("made.jsonl").read_bytes()
    Path("made.jsonl").write_bytes(before[:-100])
    assert pdl_("render", *words, "--jobs", "2").stderr.endswith("5 rendered in an earlier run\n")
    assert Path("made.jsonl").read_bytes() == before
    body = json.loads(json.loads(before.splitlines()[0])["body"])
    assert body["model"] == "m"
    other = pdl_("render", "--out", "made.jsonl")
    assert other.exit_code == 2
    assert "this result was made for" in other.stderr


def test_values_come_from_the_row_its_context_or_the_command() -> None:
    Path("p.pdl").write_text("<|user|>\n{{ a }} {{ b }}\n")
    rows = [{"a": 1, "more": 0}, {"a": 1, "context": {"a": 2}}, {"a": 1, "b": 3}]
    INPUT.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = [json.loads(line) for line in pdl_("render", "--set", "b=9").stdout.splitlines()]
    texts = [json.loads(one["messages"])[0]["content"][0]["text"] for one in found]
    assert texts == ["1 9", "2 9", "1 3"]


def test_a_row_that_cannot_be_rendered_has_an_error() -> None:
    INPUT.write_text('{"n": 1}\n{"n": "x"}\n{"id": 3}\n[]\n')
    shown = pdl_("render", "--out", "out/")
    assert shown.exit_code == 2
    assert "rows.jsonl:4:1: expected an object, found an array" in shown.stderr
    assert "1 valid, 2 invalid (2 failed); 1 line without values" in shown.stderr
    errors = [one["error"] for one in results()]
    assert errors[0] is None
    assert "input `n`" in errors[1]
    assert "missing required input `n`" in errors[2]


def test_a_model_is_asked_for_each_row_once(server: tuple[str, Counts]) -> None:
    url, counts = server
    made = ask(url)
    assert made.exit_code == 0
    assert made.stderr.startswith("rows.jsonl: 6 rows, 6 valid, 0 invalid")
    assert [(one["id"], one["value"]) for one in results()] == [
        (f"r{n}", {"stars": 5}) for n in range(1, 7)
    ]
    assert counts.calls == 7  # the fifth is asked again with feedback
    again = ask(url)
    assert again.exit_code == 0
    assert again.stderr.endswith("6 asked in an earlier run\n")
    assert counts.calls == 7
    assert audit(OUT) == []
    assert pdl_("run", "--out", "out/", "--audit").exit_code == 0


def test_rows_that_were_added_are_asked(server: tuple[str, Counts]) -> None:
    url, counts = server
    ask(url)
    write(range(1, 9))
    assert ask(url).exit_code == 0
    assert len(results()) == 8
    assert counts.calls == 9
    assert audit(OUT) == []


@pytest.mark.parametrize("numbers", [range(2, 8), range(1, 6)])
def test_rows_that_changed_are_refused(server: tuple[str, Counts], numbers: range) -> None:
    """Their answers were paid for, and are those of other rows."""
    url, counts = server
    ask(url)
    before, calls = results(), counts.calls
    write(numbers)
    made = ask(url)
    assert made.exit_code == 2
    assert "contains the result of another row for line" in made.stderr
    assert (results(), counts.calls) == (before, calls)


def test_rows_of_a_result_file_that_was_removed_are_asked(server: tuple[str, Counts]) -> None:
    url, counts = server
    ask(url)
    before, calls = results(), counts.calls
    next(OUT.glob("*.jsonl")).unlink()
    assert ask(url).exit_code == 0
    assert [one["value"] for one in results()] == [one["value"] for one in before]
    assert counts.calls > calls
    assert audit(OUT) == []


@pytest.mark.parametrize("words", [["--retries", "0"], ["--seed", "7"], ["--max-tokens", "9"]])
def test_other_options_are_refused(server: tuple[str, Counts], words: list[str]) -> None:
    url, _ = server
    ask(url)
    made = ask(url, *words)
    assert made.exit_code == 2
    assert "what was asked differs" in made.stderr


def test_rows_without_an_answer_are_reported() -> None:
    made = ask("http://127.0.0.1:9/v1", "--retries", "0")
    assert made.exit_code == 3
    assert "rows.jsonl: 6 of 6 rows got no answer, the first on line 1" in made.stderr
    assert "hint: run the same command again" in made.stderr
    assert results() == []
    assert pdl_("run", "--out", "out/", "--audit").exit_code == 1


PRICES = {"openai:x": {"input": 0, "output": 1_000_000}}  # one for each token that is written


def test_a_budget_counts_what_was_spent_before(server: tuple[str, Counts]) -> None:
    url, counts = server
    Path("prices.json").write_text(json.dumps(PRICES))
    words = ["--prices", "prices.json", "--concurrency", "1", "--retries", "0", "--max-cost"]
    made = ask(url, *words, "10")
    assert made.exit_code == 3
    asked = counts.calls
    assert 0 < asked < 6
    assert ask(url, *words, "10").exit_code == 3
    assert counts.calls == asked  # nothing is left of it
    assert ask(url, *words, "1000").exit_code in {0, 1}
    assert counts.calls == 6  # each row once, with what was answered before
    assert len(results()) == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--out", "a.jsonl"], "pdl run --batch requires --out DIR"),
        ([], "pdl run --batch requires --out DIR"),
        (["--out", "out/", "--stream"], "--stream can't be used with --batch"),
        (["--out", "out/", "--default", "1"], "--default can't be used with --batch"),
        (["--out", "out/", "--transcript", "t"], "--transcript can't be used with --batch"),
        (["--out", "out/", "--max-cost", "1"], "--max-cost requires the prices"),
    ],
)
def test_what_rows_do_not_have_is_refused(words: list[str], told: str) -> None:
    made = pdl_("run", "--model", "openai:x", *words)
    assert made.exit_code == 2
    assert told in made.stderr


def test_options_of_rows_need_rows() -> None:
    for word in ("--concurrency", "--max-cost", "--rate"):
        made = CliRunner().invoke(application, ["run", "p.pdl", word, "2"], prog_name="pdl")
        assert made.exit_code == 2
        assert f"{word} requires --batch FILE" in made.stderr


@NEEDS_SIGNALS
def test_a_killed_run_asks_no_row_twice_that_has_a_result(tmp_path: Path) -> None:
    """Only calls that were in flight are made again."""
    pytest.importorskip("httpx")
    rows, kills = 120, 4
    write(range(1, rows + 1))
    code = "from pdl.cli import main; main()"
    words = ["run", "p.pdl", "--batch", str(INPUT), "--out", "out/", "--model", "openai:x"]
    with serving(0.05) as (url, counts):
        pace = ["--base-url", url, "--concurrency", str(CONCURRENCY)]
        command = [sys.executable, "-c", code, *words, *pace]
        for kill in range(kills + 1):
            with (tmp_path / "told.txt").open("ab") as told:
                process = subprocess.Popen(command, stdout=told, stderr=told)  # noqa: S603 - ours
            wanted = counts.calls + random.randint(5, 25)  # noqa: S311 - no secret
            while kill < kills and counts.calls < wanted and process.poll() is None:
                time.sleep(0.003)
            if kill < kills:
                process.send_signal(signal.SIGKILL)
            process.wait(300)
        calls = counts.calls
    assert process.returncode == 0, (tmp_path / "told.txt").read_text()
    found = results()
    assert [one["line"] for one in found] == list(range(1, rows + 1))
    least = rows + rows // 5  # every fifth is asked twice
    assert least <= calls <= least + 2 * kills * CONCURRENCY
    assert audit(OUT) == []
    assert pdl.load("p.pdl").fingerprint == found[0]["fingerprint"]
