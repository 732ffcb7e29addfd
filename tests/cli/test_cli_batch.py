"""Batches: reading lines, going on where a run was stopped, refusing what does not belong."""

from __future__ import annotations

import io
import itertools
import json
import os
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import pdl
import pdl.reply
from pdl.batch import rows as rows_module
from pdl.batch.processes import map_in_order
from pdl.batch.rows import Fault, Line, Lines, Reading, Row, read_row
from pdl.cli.app import application
from pdl.cli.batch.reports import Tally
from pdl.cli.batch.results import ResultWriter

if TYPE_CHECKING:
    from click.testing import Result

INPUT = Path("replies.jsonl")
RESULTS = Path("results.jsonl")
REPLIES = ['{"n": 1}', "I cannot.", "So: {'n': 3}", '{"n": "ü"}']


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(REPLIES)


def write(values: list[Any]) -> None:
    INPUT.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")


def run(*options: str, dsl: str = "{ n: int }") -> Result:
    words = ["check", "--dsl", dsl, "--batch", str(INPUT), *options]
    result = CliRunner().invoke(application, words, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def resumed(**options: str) -> Result:
    return run("--out", str(RESULTS), **options)


def answered() -> list[int]:
    return [json.loads(line)["line"] for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def test_results_in_a_file_are_those_of_the_screen() -> None:
    shown = run()
    kept = resumed()
    assert RESULTS.read_text(encoding="utf-8") == shown.stdout
    assert (kept.stdout, kept.stderr) == ("", shown.stderr)
    assert kept.exit_code == shown.exit_code == 1


def test_a_second_run_checks_nothing_and_says_the_same() -> None:
    resumed()
    before = RESULTS.read_bytes()
    again = resumed()
    assert RESULTS.read_bytes() == before
    assert again.exit_code == 1
    assert again.stderr == (
        "replies.jsonl: 4 replies, 2 valid, 2 invalid (1 wrong-schema, 1 absent);"
        " 4 checked in an earlier run\n"
    )


def test_a_run_that_was_cut_off_anywhere_is_completed() -> None:
    resumed()
    whole = RESULTS.read_bytes()
    for size in range(0, len(whole), 23):
        RESULTS.write_bytes(whole[:size])
        assert resumed().exit_code == 1
        assert RESULTS.read_bytes() == whole


def test_replies_that_were_added_are_checked() -> None:
    resumed()
    write([*REPLIES, '{"n": 5}'])
    assert resumed().stderr.startswith("replies.jsonl: 5 replies, 3 valid")
    assert answered() == [1, 2, 3, 4, 5]


def test_a_line_that_was_corrected_is_checked() -> None:
    """It had no result, and its result comes after the others."""
    write([REPLIES[0], 5, REPLIES[2]])
    assert resumed().exit_code == 2
    write(REPLIES[:3])
    assert resumed().exit_code == 1
    assert answered() == [1, 3, 2]
    assert resumed().stderr.endswith("3 checked in an earlier run\n")


def test_a_reply_at_which_the_checker_fails_costs_its_line_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its result and the exit code report it, and the next run does not stop there again."""
    check = pdl.check

    def failing(schema: pdl.Schema | None, reply: str, **options: Any) -> pdl.Check:
        if reply == REPLIES[1]:
            raise IndexError("list index out of range")
        return check(schema, reply, **options)

    monkeypatch.setattr(pdl.reply, "check", failing)
    result = resumed()
    assert result.exit_code == 2
    assert "4 replies, 2 valid, 2 invalid (1 wrong-schema, 1 unchecked)" in result.stderr
    assert answered() == [1, 2, 3, 4]
    line = json.loads(RESULTS.read_text(encoding="utf-8").splitlines()[1])
    assert (line["ok"], line["value"], line["reason"]) == (False, None, "unchecked")
    assert line["summary"].endswith(
        "failed to check this reply: IndexError: list index out of range"
    )
    assert resumed().exit_code == 2


PROMPT = """<|input|>
{ names: [str]<2,> }
<|user|>
Which?
<|schema|>
{ c: {% for name in names %}"{{ name }}"{{ " | " if not loop.last }}{% endfor %} }
"""
ROWS = [
    {"reply": '{"c": "a"}', "context": {"names": ["a", "b"]}},
    {"reply": '{"c": "a"}', "context": {"names": ["c", "d"]}},
    {"reply": '{"c": "c"}', "context": {"names": ["c", "d"]}},
]


def run_prompt(*options: str) -> Result:
    Path("which.pdl").write_text(PROMPT, encoding="utf-8")
    words = ["check", "which.pdl", "--batch", str(INPUT), *options]
    return CliRunner().invoke(application, words, prog_name="pdl", catch_exceptions=False)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_row_brings_the_values_of_its_schema(jobs: str) -> None:
    write(ROWS)
    shown = run_prompt("--jobs", jobs)
    assert [json.loads(line)["ok"] for line in shown.stdout.splitlines()] == [True, False, True]
    bad = json.loads(shown.stdout.splitlines()[1])["errors"]
    assert [(one["path"], one["found"], one["keyword"]) for one in bad] == [("$.c", '"a"', "enum")]
    assert shown.exit_code == 1


def test_the_values_of_a_row_override_those_of_the_command_line() -> None:
    write([*ROWS, {"reply": '{"c": "x"}'}])
    shown = run_prompt("--set", 'names=["x", "y"]')
    oks = [json.loads(line)["ok"] for line in shown.stdout.splitlines()]
    assert oks == [True, False, True, True]


def test_a_row_without_the_values_that_it_needs_is_the_error_of_the_prompt() -> None:
    """The same as if no row had any; earlier results are kept."""
    write([ROWS[0], {"reply": '{"c": "x"}'}])
    shown = run_prompt()
    assert shown.exit_code == 2
    assert shown.stderr.startswith("which.pdl:2:3: missing required input `names`")
    assert len(shown.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ("a", "`context`: expected an object, found a string"),
        ({"names": ["a"]}, "`context` does not fit the prompt: input `names`"),
        ({"nmaes": []}, "`context` does not fit the prompt: unknown input `nmaes`"),
    ],
)
def test_values_that_do_not_fit_are_reported(context: Any, told: str) -> None:
    write([ROWS[0], {"reply": '{"c": "x"}', "context": context}, ROWS[2]])
    shown = run_prompt()
    assert shown.exit_code == 2
    assert f"replies.jsonl:2:1: {told}" in shown.stderr
    assert [json.loads(line)["line"] for line in shown.stdout.splitlines()] == [1, 3]


def test_other_values_of_a_row_are_another_reply() -> None:
    write(ROWS)
    run_prompt("--out", str(RESULTS))
    before = RESULTS.read_bytes()
    run_prompt("--out", str(RESULTS))
    assert RESULTS.read_bytes() == before
    write([ROWS[0], {**ROWS[1], "context": {"names": ["a", "d"]}}, ROWS[2]])
    told = run_prompt("--out", str(RESULTS)).stderr
    assert told.startswith(
        "results.jsonl: contains the result of another reply for line 2 of replies.jsonl"
    )


def test_another_prompt_is_another_schema() -> None:
    write(ROWS)
    run_prompt("--out", str(RESULTS))
    told = run_prompt("--out", str(RESULTS), "--set", 'names=["x", "y"]').stderr
    assert "made for another schema" in told


def test_a_schema_that_needs_no_values_takes_none() -> None:
    """`context` is then a key of someone else, and can be anything."""
    write([{"reply": '{"n": 1}', "context": 5}])
    assert run().exit_code == 0


def test_work_begins_before_other_processes_run() -> None:
    """This process does it meanwhile; later each one does a part."""
    asked = itertools.repeat(("__import__('os').getpid()", 1))
    with closing(map_in_order(eval, asked, 3, 10)) as mapped:
        results = (found for _, found in mapped)
        assert next(results) == os.getpid()
        seen = set(itertools.islice(results, 10))
        while len(seen) < 4:
            seen.add(next(results))


def test_several_jobs_resume_too() -> None:
    resumed()
    whole = RESULTS.read_bytes()
    RESULTS.write_bytes(whole[:300])
    assert run("--out", str(RESULTS), "--jobs", "3").exit_code == 1
    assert RESULTS.read_bytes() == whole


@pytest.mark.parametrize(
    ("replies", "options", "said"),
    [
        (
            ["{}", *REPLIES[1:]],
            {},
            "contains the result of another reply for line 1 of replies.jsonl",
        ),
        (["", *REPLIES], {}, "contains the result of another reply for line 1 of replies.jsonl"),
        ([5, *REPLIES[1:]], {}, "contains the result of another reply for line 1 of replies.jsonl"),
        (REPLIES[:2], {}, "contains results for 2 lines that replies.jsonl does not have"),
        ([], {}, "contains results for 4 lines that replies.jsonl does not have"),
        (REPLIES, {"dsl": "{ n: float }"}, "made for another schema or with other coercions"),
        (REPLIES, {"dsl": "yesno"}, "made for another schema or with other coercions"),
    ],
)
def test_results_of_something_else_are_refused(
    replies: list[Any], options: dict[str, str], said: str
) -> None:
    resumed()
    before = RESULTS.read_bytes()
    write(replies)
    result = resumed(**options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "hint: name another --out, or delete this one" in result.stderr
    assert RESULTS.read_bytes() == before


def test_results_with_other_coercions_are_refused() -> None:
    resumed()
    result = run("--out", str(RESULTS), "--coerce", "enum-case")
    assert result.exit_code == 2
    assert "made for another schema or with other coercions" in result.stderr


def test_a_line_that_is_answered_twice_is_refused() -> None:
    resumed()
    text = RESULTS.read_text(encoding="utf-8")
    RESULTS.write_text(text + text.splitlines(keepends=True)[1], encoding="utf-8")
    result = resumed()
    assert result.exit_code == 2
    assert "results.jsonl:5:1: this is a second result of line 2" in result.stderr


@pytest.mark.parametrize(
    "text",
    [
        "notes",
        "notes\n",
        '{"line": 1}\n',
        '{"line": 0, "ok": true, "reply_digest": "00", "schema_digest": ""}\n',
        '{"line": 1e9, "ok": true, "reply_digest": "00", "schema_digest": ""}\n',
        '{"line": 1, "ok": true, "reply_digest": "x", "schema_digest": ""}\n',
        '{"line": 1, "ok": true, "reply_digest": 5, "schema_digest": ""}\n',
        "[" * 100_000 + "\n",
        '"line"\n',
        "\n",
    ],
)
def test_a_file_with_other_contents_is_refused_and_kept(text: str) -> None:
    RESULTS.write_text(text, encoding="utf-8")
    result = resumed()
    assert result.exit_code == 2
    assert "results.jsonl:1:1: this is not a result that --batch wrote" in result.stderr
    assert RESULTS.read_text(encoding="utf-8") == text


def test_a_file_that_another_run_writes_is_refused() -> None:
    resumed()
    before = RESULTS.read_bytes()
    with ResultWriter(str(RESULTS)):
        refused = resumed()
    assert refused.exit_code == 2
    assert refused.stderr == (
        "another run is writing results.jsonl\n  hint: wait until it ends, or name another --out\n"
    )
    assert RESULTS.read_bytes() == before
    assert resumed().exit_code == 1


def test_results_may_be_thrown_away() -> None:
    if not Path("/dev/null").exists():
        pytest.skip("this system has no /dev/null")
    assert run("--out", "/dev/null").exit_code == 1


def test_a_line_that_is_too_long_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_module, "LONGEST", 100)
    monkeypatch.setattr(rows_module, "_SKIPPED_BYTES", 7)
    write(['{"n": 1}', "x" * 5000, '{"n": 3}'])
    result = run()
    assert result.exit_code == 2
    assert [json.loads(line)["line"] for line in result.stdout.splitlines()] == [1, 3]
    assert "replies.jsonl:2:1: this line is longer than 100 bytes" in result.stderr
    assert max(map(len, result.stderr.splitlines())) < 120


@given(
    st.lists(st.sampled_from([b"a", b'"x"', b" ", b"\t", b"\r", b"\n", b"\xff", b"\xef\xbb\xbf"]))
)
def test_lines_are_those_that_are_not_blank(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    reader = Lines(io.BytesIO(data), "x")
    found = list(reader)
    plain = enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
    assert found == [(number, text.rstrip()) for number, text in plain if text.strip()]
    assert reader.bytes_read == len(data)


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
def test_any_line_is_a_reply_or_a_fault(data: bytes) -> None:
    assert isinstance(read_row(Line(1, data), Reading("reply")), Row | Fault)


@given(st.text(), st.none() | st.integers() | st.text(max_size=5))
def test_a_reply_comes_out_as_it_went_in(reply: str, name: int | str | None) -> None:
    for ascii_only in (True, False):
        line = json.dumps({"id": name, "reply": reply}, ensure_ascii=ascii_only)
        data = line.encode("utf-8", "surrogatepass")
        assert read_row(Line(1, data), Reading("reply")) == Row(1, name, reply)


def test_a_summary_counts_and_tells_the_pace_of_a_long_run() -> None:
    tally = Tally(Counter(ok=99, absent=2, new=1), earlier=2)
    short = "a: 102 replies, 99 valid, 3 invalid (2 absent, 1 new); 2 checked in an earlier run"
    assert tally.long("a", 0.5) == short
    assert tally.long("a", 50.0) == f"{short}; 2 replies per second"
