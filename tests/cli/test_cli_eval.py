"""`pdl eval`: what it asks and says, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pdl.cli.app import application
from pdl.cli.evaluation_reports import FIELDS
from pdl.cli.evaluations import progress_text, summary
from pdl.evaluation import read_run
from pdl.evaluation.engine import Progress

if TYPE_CHECKING:
    from click.testing import Result

PROMPT = "<|user|>\nRate: {{ review }}\n\n<|schema|>\n{ stars: int<1,5> }\n"
CASES = (
    "<|case|> angry\n<|data|>\nreview: bad\n<|expect|>\n{ stars: 1 | 2 }\n"
    "<|case|> happy\n<|data|>\nreview: good\n<|expect|>\n{ stars: 5 }\n"
)
PRICES = '{"replay:r.jsonl": {"input": 1, "output": 2}}'
RUN = ("a.pdl", "--model", "replay:r.jsonl", "--out", "run")


def replies(*stars: int) -> str:
    usage = {"input_tokens": 500_000, "output_tokens": 250_000}
    lines = [{"text": json.dumps({"stars": one}), "usage": usage} for one in stars]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


@pytest.fixture(autouse=True)
def _in_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PDL_MODEL", raising=False)
    put(**{"a.pdl": PROMPT, "a.tests.pdl": CASES, "r.jsonl": replies(1, 5), "p.json": PRICES})


def put(**texts: str) -> None:
    for name, text in texts.items():
        Path(name).write_text(text)


def run(*words: str) -> Result:
    environment = {"NO_COLOR": None, "FORCE_COLOR": None}
    result = CliRunner().invoke(application, ["eval", *words], env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_run_is_measured_and_kept() -> None:
    result = run(*RUN)
    assert result.exit_code == 0
    assert "| all as the case says | 100.0%" in result.stdout
    assert result.stderr.startswith("2 of 2 trials ended; 2 valid, 0 failed; 2 calls in")
    assert [trial.ok for trial in read_run("run").trials] == [True, True]


@pytest.mark.parametrize("words", [RUN, ("--resume", "run"), ("run", *RUN)])
def test_the_same_command_asks_nothing_again(words: tuple[str, ...]) -> None:
    first = run(*RUN)
    second = run(*words)
    assert (second.exit_code, second.stdout) == (0, first.stdout)
    assert "2 of 2 trials ended, 2 of them earlier; 2 valid, 0 failed; 0 calls" in second.stderr


def test_answers_that_are_not_as_expected_are_measured_too() -> None:
    put(**{"r.jsonl": replies(4, 5)})
    result = run(*RUN, "--format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["run"]["ended"] == 2


@pytest.mark.parametrize(
    ("bound", "code", "told"),
    [
        ("ok=0.5", 0, ""),
        ("ok=50%", 0, ""),
        ("ok=0.9", 1, "a · replay:r.jsonl: ok is 0.5, below 0.9\n"),
        ("calls=1", 0, ""),
        ("calls=0.5", 1, "a · replay:r.jsonl: calls is 1, above 0.5\n"),
        ("exact=0.1", 1, "exact was not measured\n"),
        ("okk=1", 2, "unknown metric `okk`; did you mean `ok`?"),
        ("ok", 2, "`ok` is not METRIC=NUMBER, such as valid=0.9"),
    ],
)
def test_bounds_on_metrics(bound: str, code: int, told: str) -> None:
    put(**{"r.jsonl": replies(4, 5)})
    result = run(*RUN, "--fail-under", bound)
    assert result.exit_code == code
    assert told in result.stderr
    assert Path("run").exists() == (code != 2)  # nothing is asked before that is known


def test_reports_are_written_by_their_endings() -> None:
    files = ("r.html", "r.md", "r.json")
    run(*RUN, *(word for file in files for word in ("--report", file)))
    assert Path("r.html").read_text().startswith("<!doctype html>")
    assert Path("r.md").read_text().startswith("## Evaluation `run`")
    assert json.loads(Path("r.json").read_text())["run"]["name"] == "run"
    assert "must end in .html, .md, or .json" in run(*RUN, "--report", "r.txt").stderr


def test_a_dry_run_asks_nothing() -> None:
    put(**{"a.tests.pdl": CASES + '<|case|> c\n<|data|>\nreview: x\n<|reply|>\n{"stars": 1}\n'})
    words = ("a.pdl", "--model", "replay:r.jsonl", "--dry-run", "--repeat", "10")
    result = run(*words, "--prices", "p.json")
    assert result.exit_code == 0
    told = "a · replay:r.jsonl: 30 trials; 30 to 120 calls; tokens read: "
    assert result.stdout.startswith(told)
    assert "written: 90, without retries; cost 0.000" in result.stdout
    assert not Path("run").exists()
    put(**{"a.tests.pdl": CASES})
    assert "written: unknown" in run(*words).stdout


def test_a_dry_run_counts_judges() -> None:
    judge = "<|user|>\n{{ value }}, of {{ review }}?\n<|schema|>\nbool\n"
    put(**{"j.pdl": judge, "a.tests.pdl": CASES + "<|judge|> j.pdl\ntrue\n"})
    words = ("a.pdl", "--model", "replay:r.jsonl", "--judge", "replay:r.jsonl", "--dry-run")
    result = run(*words, "--repeat", "3", "--prices", "p.json")
    lines = result.stdout.splitlines()
    assert lines[1].startswith("judges · replay:r.jsonl: 3 rulings; 3 to 12 calls; tokens read: ")
    assert lines[1].split("; ")[2:] == [
        "tokens read: 60, written: 3, without retries",
        "cost 0.000066",
    ]
    assert lines[2].startswith("total cost: ")


def test_a_dry_run_counts_what_is_left() -> None:
    run(*RUN)
    assert (
        "a · replay:r.jsonl: 2 trials; 2 to 8 calls"
        in run(*RUN, "--dry-run", "--repeat", "2").stdout
    )


def test_the_cost_is_bounded_over_all_sessions() -> None:
    words = (*RUN, "--prices", "p.json", "--max-cost")
    first = run(*words, "1")
    assert first.exit_code == 1
    assert "1 of 2 trials ended; 1 valid, 0 failed; 1 call in" in first.stderr
    assert "cost 1.000000\nthe cost that --max-cost allows is spent" in first.stderr
    assert run(*words, "1").exit_code == 1
    last = run(*words, "9")
    assert last.exit_code == 0
    assert "2 of 2 trials ended, 1 of them earlier" in last.stderr
    assert "cost 2.000000" in last.stderr


def test_invalid_cases_keep_no_other_from_being_asked() -> None:
    put(**{"a.tests.pdl": CASES + "<|case|> wrong\n<|data|>\n[1]\n<|case|> angry\n"})
    result = run(*RUN)
    assert result.exit_code == 1
    assert "a.tests.pdl:12:1" in result.stderr
    assert "there are two cases `angry`" in result.stderr
    assert len(read_run("run").trials) == 2


def test_cases_of_what_the_checker_does_are_left_out() -> None:
    put(**{"a.tests.pdl": CASES + "<|case|> c\n<|data|>\nreview: x\n<|reply|> refused\nno\n"})
    result = run(*RUN)
    assert result.exit_code == 0
    assert "left out 1 case on record of what the checker refuses" in result.stderr
    assert read_run("run").planned == 2


def test_two_prompts_on_the_same_cases() -> None:
    put(**{"b.pdl": PROMPT.replace("Rate", "Stars for"), "r.jsonl": replies(1, 1, 5, 5)})
    put(**{"table.jsonl": '{"name": "x", "review": "bad"}\n{"name": "y", "review": "good"}\n'})
    words = ("a.pdl", "b.pdl", "--model", "replay:r.jsonl", "--out", "run")
    result = run(*words, "--cases", "table.jsonl")
    assert result.exit_code == 0
    found = read_run("run")
    assert [str(one) for one in found.columns] == ["a · replay:r.jsonl", "b · replay:r.jsonl"]
    assert [case.name for case in found.cases] == ["x", "y"]
    assert [trial.value["stars"] for trial in found.trials] == [1, 1, 5, 5]
    assert "b.pdl has no cases: b.tests.pdl does not exist" in run(*words).stderr


def test_a_directory_has_the_prompts_with_cases() -> None:
    put(**{"b.pdl": PROMPT})
    assert run(".", *RUN[1:]).exit_code == 0
    assert [str(one) for one in read_run("run").columns] == ["a · replay:r.jsonl"]


def test_a_judge_is_asked() -> None:
    put(**{"judge.pdl": "<|user|>\nIs {{ value.stars }} right?\n<|schema|>\nyesno\n"})
    put(**{"a.tests.pdl": CASES + "<|judge|> judge.pdl\n", "j.jsonl": '{"text": "no"}\n'})
    assert "name one: `--judge MODEL`" in run(*RUN).stderr
    result = run(*RUN, "--judge", "replay:j.jsonl")
    assert result.exit_code == 0
    first, second = read_run("run").trials
    assert (first.judged, second.judged, second.accepted) == ((), (False,), (False,))
    assert second.failures[0].kind == "judge"
    assert "0 calls" in run("--resume", "run").stderr


def test_no_model_can_be_asked() -> None:
    words = ("a.pdl", "--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1", "--out", "run")
    assert run(*words, "--retries", "0").exit_code == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run",), "name a prompt that has cases"),
        (("a.pdl",), "name a directory that the run is kept in: --out DIR"),
        (("a.pdl", "--out", "run"), "no model is named"),
        ((*RUN, "--max-cost", "1"), "--max-cost needs the prices of the models: --prices FILE"),
        ((*RUN, "--max-cost", "1", "--prices", "q.json"), "`replay:r.jsonl` has no price"),
        (("--resume", "nothing"), "nothing is not a run of `pdl eval`: it has no run.json"),
        (("--resume", "run", "a.pdl"), "--resume takes no prompts"),
        ((*RUN[:-1], "."), ". is not a run of `pdl eval`, and not empty"),
        ((*RUN[:-1], "a.pdl"), "a.pdl"),
        (("b.pdl", *RUN[1:]), "b.pdl: cannot be read: no such file"),
        ((*RUN, "--cases", "no.jsonl"), "no.jsonl: no such file"),
        ((*RUN, "--cases", "t.csv"), "t.csv:1:1: there is no case in this table"),
        ((*RUN, "--timeout", "nan"), "it must be a number of seconds above 0"),
        (("compare", "run", "run"), "run is not a run of `pdl eval`"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], told: str) -> None:
    put(**{"t.csv": "name,review\n", "q.json": '{"openai:x": {"input": 1, "output": 2}}'})
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_run_of_something_else_is_refused() -> None:
    run(*RUN)
    put(**{"a.tests.pdl": CASES.replace("bad", "worse")})
    result = run(*RUN)
    assert result.exit_code == 2
    assert "the case `angry` has other data or expectations" in result.stderr
    put(**{"a.tests.pdl": CASES, "a.pdl": PROMPT.replace("Rate", "Stars")})
    assert "the prompt `a` has another fingerprint" in run("--resume", "run").stderr
    put(**{"a.pdl": PROMPT})
    assert "`retries` was 3, and is 1" in run(*RUN, "--retries", "1").stderr


def test_two_runs_are_compared() -> None:
    run(*RUN)
    put(**{"r.jsonl": replies(4, 5)})
    run(*RUN[:-1], "later")
    result = run("compare", "run", "later")
    assert result.exit_code == 0
    assert "## Evaluation `run → later`" in result.stdout
    assert run("compare", "run", "later", "--fail-under", "ok=1").exit_code == 1


def test_the_progress_in_one_line() -> None:
    progress = Progress(10, ended=4, earlier=2, valid=3, failed=2, calls=5, cost=0.5)
    told = progress_text(progress, 4.0, has_prices=True)
    assert told == "4/10 trials, 3 valid, 2 failed, cost 0.5000, 12 s left"
    assert summary(progress, 4.0, has_prices=False) == (
        "4 of 10 trials ended, 2 of them earlier; 3 valid, 2 failed; 5 calls in 4 s"
    )
    progress.is_stopped = True
    assert progress_text(progress, 4.0, has_prices=False).endswith("waiting for the last calls")


def test_a_budget_is_kept_for_resuming() -> None:
    words = (*RUN, "--prices", "p.json", "--max-cost", "1")
    assert run(*words).exit_code == 1
    for again in (RUN, ("--resume", "run")):
        result = run(*again)
        assert result.exit_code == 1
        assert "1 of 2 trials ended, 1 of them earlier" in result.stderr
        assert "cost 1.000000\nthe cost that --max-cost allows is spent" in result.stderr
    assert "cost 2.000000" in run("--resume", "run", "--max-cost", "9").stderr
    assert "cost 2.000000" in run("--resume", "run").stderr
    put(**{"p.json": '{"replay:r.jsonl": {"input": 3, "output": 6}}'})
    result = run("--resume", "run", "--prices", "p.json", "--format", "json")
    assert [one["cost"] for one in json.loads(result.stdout)["trials"]] == [3, 3]


def test_invalid_cases_are_named_in_the_report() -> None:
    put(**{"a.tests.pdl": CASES + "<|case|> wrong\n<|data|>\n[1]\n"})
    for words in (RUN, ("--resume", "run")):
        assert "1 case is invalid and was not asked: wrong" in run(*words).stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*RUN, "--fail-under", "valid=95"), "`valid` is a share: write 0.95 or 95%, not 95"),
        ((*RUN, "--report", "no/r.md"), "`no/r.md`: no is not a directory"),
        ((*RUN[:-1], "a.pdl"), "a.pdl is not a directory"),
        ((*RUN, "--prices", "q.json"), "the price of `m` lacks `output`; add it to q.json"),
    ],
)
def test_what_is_refused_before_anything_is_asked(words: tuple[str, ...], told: str) -> None:
    put(**{"q.json": '{"m": {"input": 1}}'})
    result = run(*words)
    assert (result.exit_code, Path("run").exists()) == (2, False)
    assert told in result.stderr


def test_cases_without_their_prompt_keep_no_other_from_being_asked() -> None:
    put(**{"orphan.tests.pdl": CASES})
    result = run(".", *RUN[1:])
    assert result.exit_code == 1
    assert "orphan.pdl" in result.stderr
    assert len(read_run("run").trials) == 2


def test_a_dry_run_knows_the_least_and_the_most_cost() -> None:
    words = ("a.pdl", "--model", "replay:r.jsonl", "--dry-run", "--prices", "p.json")
    assert "; cost at least 0.000" in run(*words).stdout
    told = run(*words, "--max-tokens", "1000000").stdout
    assert ", at most 4.000" in told
    assert "by --max-tokens" in told


def test_the_help_names_the_keys_of_a_difference() -> None:
    assert "verdict" in FIELDS["differences"]
    assert "distinguishable" not in FIELDS["differences"]
