"""`pdl test`: what programs read of it, exit codes, and files that are watched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from models.hostile import Hostile, good

from pdl.cli.app import application
from pdl.cli.case_reports import FORMATS, Report
from pdl.cli.terminal import Terminal
from pdl.cli.watching import changes, dependencies
from pdl.errors import FileError, Problem
from pdl.source import Source
from pdl.testing import Outcome, parse_cases
from pdl.testing.outcome import Failure
from pdl.testing.session import Session

if TYPE_CHECKING:
    from click.testing import Result

    from pdl.testing import Case
    from pdl.testing.recording import Change

PROMPT = "<|user|>\nRate: {{ review }}\n\n<|schema|>\n{ stars: int<1,5> }\n"
GOOD = '<|case|> good\n<|data|>\nreview: good\n<|reply|>\n{"stars": 5}\n<|expect|>\n{ stars: 5 }\n'
BAD = GOOD.replace("good", "bad").replace("{ stars: 5 }", "{ stars: 1 }")
PLAIN = Terminal(None, is_tty=False, has_color=False)


@pytest.fixture(autouse=True)
def _in_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(**{"a.pdl": PROMPT})


def put(**texts: str | bytes) -> None:
    for name, text in texts.items():
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)


def run(*words: str) -> Result:
    environment = {"NO_COLOR": None, "FORCE_COLOR": None}
    result = CliRunner().invoke(application, ["test", *words], env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_file_that_cannot_be_read_keeps_no_other_from_running() -> None:
    put(**{"a.tests.pdl": GOOD})
    put(**{"b.tests.pdl": b"\xff"})
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("b.tests.pdl:1:1: this byte (0xff) is not UTF-8")
    assert result.stderr.endswith("1 case: 1 passed\n")


def test_it_stops_at_the_first_failure() -> None:
    put(**{"a.tests.pdl": GOOD + BAD + BAD.replace("bad", "worse")})
    assert run("-x").stderr == "2 cases: 1 passed, 1 failed\n"
    assert run().stderr == "3 cases: 1 passed, 2 failed\n"


@pytest.mark.parametrize(
    ("reply", "cases", "code"),
    [
        ('{"stars": 5}', 1, 0),
        ('{"stars": 4}', 1, 1),
        ('{"stars": 6}', 1, 1),
        ('{"stars": 5}', 2, 3),
    ],
)
def test_a_model_is_asked(reply: str, cases: int, code: int) -> None:
    """The last one has no reply left for the second case, so it could not be asked."""
    put(**{"a.tests.pdl": (GOOD + BAD)[: None if cases > 1 else len(GOOD)], "r.txt": reply})
    assert run("--model", "replay:r.txt", "--retries", "0").exit_code == code


def test_model_and_judge_are_asked_at_an_address() -> None:
    put(**{"j.pdl": "<|user|>\n{{ value }}?\n<|schema|>\nbool\n"})
    put(**{"a.tests.pdl": GOOD + "<|judge|> j.pdl\n"})
    answer, ruling = good('{"stars": 5}'), good("true")
    with Hostile((answer, ruling)) as server:
        assert run("--model", "openai:x", "--base-url", server.url).exit_code == 0
        assert len(server.received) == 2
    with Hostile((ruling,)) as server:
        put(**{"r.txt": '{"stars": 5}'})
        words = ("--model", "replay:r.txt", "--judge", "openai:x", "--base-url", server.url)
        assert run(*words).exit_code == 0
        assert len(server.received) == 1


def test_golden_messages_and_replies_are_written() -> None:
    put(**{"a.tests.pdl": GOOD + "<|messages|>\n", "r.txt": '{"stars": 4}'})
    result = run("--update", "--record", "--model", "replay:r.txt")
    assert (result.exit_code, result.stderr) == (1, "wrote a.tests.pdl\n1 case: 1 failed\n")
    text = Path("a.tests.pdl").read_text()
    assert text.startswith('<|case|> good\n<|data|>\nreview: good\n<|reply|>\n{"stars": 4}\n')
    assert "<|messages|>\n<|user|>\nRate: good\n" in text
    assert "must be 5, not 4" in run("--update").stdout
    assert Path("a.tests.pdl").read_text() == text


@pytest.mark.parametrize(
    "words",
    [
        ["--record"],
        ["--watch", "--update"],
        ["--model", "x"],
        ["--retries", "-1"],
        ["--base-url", "http://127.0.0.1:1/v1"],
        ["--base-url", "here", "--model", "openai:x"],
    ],
)
def test_invalid_options(words: list[str]) -> None:
    put(**{"a.tests.pdl": GOOD})
    assert run(*words).exit_code == 2


def test_what_cannot_be_written_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "a.tests.pdl")

    put(**{"a.tests.pdl": GOOD + "<|messages|>\n"})
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    result = run("--update")
    assert result.exit_code == 2
    assert "a.tests.pdl: can't be written: Permission denied" in result.stderr


def test_a_read_only_file_is_not_asked_for_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A privileged user could write it all the same."""
    put(**{"a.tests.pdl": GOOD, "r.txt": '{"stars": 4}'})
    monkeypatch.setattr("os.access", lambda *_: False)
    result = run("--record", "--model", "replay:r.txt")
    assert result.exit_code == 2
    assert result.stderr.startswith("a.tests.pdl: can't be written: Permission denied")
    assert Path("a.tests.pdl").read_text() == GOOD


@pytest.mark.parametrize("out", ["a.pdl", "a.tests.pdl", "./a.pdl", "rows.jsonl", "link"])
def test_the_report_overwrites_no_input(out: str) -> None:
    put(**{"a.tests.pdl": GOOD + "<|cases|> @rows.jsonl\n", "rows.jsonl": '{"review": "x"}'})
    Path("link").symlink_to("a.pdl")
    before = Path(out).read_bytes()
    result = run("--out", out)
    assert result.exit_code == 2
    assert f"--out {out} would overwrite a file that this command reads" in result.stderr
    assert Path(out).read_bytes() == before


def test_files_of_packages_and_builds_are_left_out_unless_named() -> None:
    put(**{"a.tests.pdl": GOOD})
    for name in ("build", "node_modules", "x.egg", "env"):
        Path(name).mkdir()
        put(**{f"{name}/a.pdl": PROMPT, f"{name}/a.tests.pdl": GOOD})
    put(**{"env/pyvenv.cfg": ""})
    assert run().stderr == "1 case: 1 passed\n"
    assert run("build", "env/a.tests.pdl").stderr == "2 cases: 2 passed\n"


@pytest.mark.parametrize("name", ["b.test.pdl", "B.Tests.pdl", "b.tests.PDL"])
def test_a_file_with_nearly_the_name_is_told(name: str) -> None:
    put(**{"a.tests.pdl": GOOD, name: GOOD})
    told = f"note: {name}: is not run: a file of cases is called NAME.tests.pdl\n"
    assert run().stderr == told + "1 case: 1 passed\n"
    assert run("--exclude", "[bB].*").stderr == "1 case: 1 passed\n"
    result = run(name)
    assert result.exit_code == 2
    assert f"{name}: a file of cases is called NAME.tests.pdl" in result.stderr


def test_a_prompt_may_be_called_test() -> None:
    put(**{"a.test.pdl": PROMPT, "a.test.tests.pdl": GOOD})
    assert run().stderr == run("a.test.pdl").stderr == "1 case: 1 passed\n"


@pytest.mark.parametrize(
    ("more", "code"),
    [("", 0), ("<|case|> later\n<|data|>\nreview: x\n", 1), ("<|judge|> j.pdl\n", 1)],
)
def test_nothing_may_be_skipped(more: str, code: int) -> None:
    put(**{"a.tests.pdl": GOOD + more, "j.pdl": "<|user|>\n{{ value }}?\n<|schema|>\nbool\n"})
    assert run().exit_code == 0
    assert run("--strict").exit_code == code
    assert json.loads(run("--strict", "--format", "json").stdout)["ok"] is (code == 0)


def test_programs_get_json() -> None:
    put(**{"a.tests.pdl": GOOD + "<|data|> @x\n" + BAD + "<|case|> later\n<|data|>\nreview: x\n"})
    result = run("--format", "json", "--out", "report.json")
    assert result.stdout == ""
    found = json.loads(Path("report.json").read_text())
    assert [found["ok"], len(found["cases"]), found["problems"]] == [False, 3, []]
    bad = found["cases"][1]
    assert (bad["name"], bad["status"], bad["value"]) == ("bad", "failed", {"stars": 5})
    assert bad["failures"][0]["kind"] == "expect"
    assert found["cases"][2]["why"]


def test_problems_of_a_file_are_in_all_formats() -> None:
    put(**{"a.tests.pdl": "text\n" + GOOD})
    for form in FORMATS:
        result = run("--format", form)
        assert result.exit_code == 1
        assert "there is text before the first mark" in result.stdout
        assert result.stderr == "1 case: 1 passed; 1 invalid file\n"


@given(st.text(), st.text())
def test_junit_is_xml_whatever_is_in_it(name: str, message: str) -> None:
    source = Source(f"<|case|> {name}\n", "a.tests.pdl")
    file = parse_cases(source, Path("a.tests.pdl"))
    failure = Failure("expect", Problem("test/expect", message, source.span(0)))
    outcomes = [Outcome(one, (failure,), seconds=0.5) for one in file.cases]
    text = FORMATS["junit"](Report((file,), tuple(outcomes), seconds=1.0), PLAIN)
    root = ET.fromstring(text.encode())  # noqa: S314 - it is our own
    assert root.get("failures") == str(len(outcomes))
    for case in root.iter("testcase"):
        assert case.get("file") == "a.tests.pdl"
        assert case.get("line") is not None
        assert case.get("name")


def test_a_file_is_watched_with_what_it_depends_on(tmp_path: Path) -> None:
    put(
        **{
            "a.pdl": "<|user|>\n{% include 'part.pdl' %}\n<|schema|>\n@s.json\n",
            "part.pdl": "x",
            "a.tests.pdl": GOOD + "<|case|> b\n<|reply|> @reply.txt\n<|judge|> fair.pdl\n",
        }
    )
    found = {
        path.resolve().relative_to(tmp_path).as_posix()
        for path in dependencies(Path("a.tests.pdl"))
    }
    assert {"a.pdl", "part.pdl", "s.json", "a.tests.pdl", "reply.txt", "fair.pdl"} <= found


def test_what_changed_is_run_again() -> None:
    put(**{"a.tests.pdl": GOOD, "b.tests.pdl": GOOD, "b.pdl": PROMPT})
    found = ["a.tests.pdl", "b.tests.pdl"]
    watch = changes(lambda: found, pause=0)
    assert next(watch) == found
    put(**{"b.pdl": PROMPT + "\n"})
    assert next(watch) == ["b.tests.pdl"]
    put(**{"a.tests.pdl": BAD})
    assert next(watch) == ["a.tests.pdl"]
    put(**{"c.tests.pdl": BAD})
    found.append("c.tests.pdl")
    assert next(watch) == ["c.tests.pdl"]


def test_files_may_be_gone_for_a_while() -> None:
    put(**{"a.tests.pdl": GOOD})
    listed = iter([["a.tests.pdl"], None, ["a.tests.pdl"]])

    def files() -> list[str]:
        found = next(listed)
        if found is None:
            raise FileError(Problem("file/none", "none"))
        return found

    watch = changes(files, pause=0)
    assert [next(watch), next(watch)] == [["a.tests.pdl"], ["a.tests.pdl"]]


def test_what_was_found_before_ctrl_c_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    put(**{"a.tests.pdl": GOOD + "<|messages|>\n" + BAD})
    run_case = Session.run

    def interrupted(self: Session, case: Case) -> tuple[Outcome, Change | None]:
        if case.name == "bad":
            raise KeyboardInterrupt
        return run_case(self, case)

    monkeypatch.setattr(Session, "run", interrupted)
    result = run("--update")
    assert result.exit_code == 130
    assert result.stderr == "wrote a.tests.pdl\n1 case: 1 passed; interrupted\n"


def test_a_reply_is_written_before_the_next_case_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed then loses nothing that was paid for."""
    put(**{"a.tests.pdl": GOOD + BAD})
    put(**{"r.jsonl": '{"text": "{\\"stars\\": 4}"}\n{"text": "{\\"stars\\": 3}"}\n'})
    run_case = Session.run
    seen = []

    def looking(self: Session, case: Case) -> tuple[Outcome, Change | None]:
        seen.append(Path("a.tests.pdl").read_text())
        return run_case(self, case)

    monkeypatch.setattr(Session, "run", looking)
    assert run("--record", "--model", "replay:r.jsonl", "--retries", "0").exit_code == 1
    assert ['{"stars": 4}' in text for text in seen] == [False, True]


@pytest.mark.skipif(os.name != "posix", reason="Windows sends no SIGINT to a process")
def test_watching_ends_with_ctrl_c() -> None:
    put(**{"a.tests.pdl": GOOD})
    code = "from pdl.cli import main; main()"
    command = [sys.executable, "-c", code, "test", "--watch"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:  # noqa: S603 - our own
        assert process.stderr is not None
        assert process.stderr.readline() == "1 case: 1 passed\n"
        put(**{"a.tests.pdl": BAD + GOOD})
        assert process.stderr.readline() == "2 cases: 1 passed, 1 failed\n"
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out.startswith("a.tests.pdl:7:3: ")
    assert not err
