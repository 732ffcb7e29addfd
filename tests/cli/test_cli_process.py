"""The command as a process: pipes, streams, locales, completion, start-up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PDL = (sys.executable, "-c", "from pdl.cli import main; main()")
ECHO = "<|user|>\n{{ text }}\n"


def run(*words: str, tail: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run pdl; `tail` is what a shell writes after the command."""
    variables = {**os.environ, **environment}
    line = ["sh", "-c", f'"$@" {tail}', "sh", *PDL, *words]
    return subprocess.run(line, capture_output=True, check=False, timeout=60, env=variables)  # noqa: S603  (our own command)


@pytest.fixture
def echo(tmp_path: Path) -> str:
    file = tmp_path / "echo.pdl"
    file.write_text(ECHO)
    return str(file)


def test_a_reader_that_stops_early_is_no_error(echo: str) -> None:
    with subprocess.Popen(  # noqa: S603  (our own command)
        [*PDL, "render", echo, "--set", "text=short"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_a_full_disk_is_an_error_without_a_traceback(echo: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    for words in (("render", echo, "--set", "text=x"), ("--help",), ("lint", "-h"), ("--version",)):
        done = run(*words, tail=">/dev/full")
        assert done.returncode == 2
        assert done.stderr == b"<stdout>: cannot be written: no space left on device\n"


def test_closed_streams_are_no_bug(echo: str) -> None:
    lost = run("render", echo, "--set", "text=x", tail=">&-")
    assert (lost.returncode, lost.stderr) == (2, b"<stdout>: cannot be written: it is closed\n")
    assert run("render", echo, "--set", "text=x", tail="2>&-").returncode == 0
    done = run("render", echo, "--context", "-", tail="<&-")
    assert done.returncode == 2
    assert done.stderr == b"<stdin>: cannot be read: it is closed\n"


def test_output_is_utf8_in_every_locale(echo: str) -> None:
    done = run("render", echo, "--set", "text=Grüße 🙂", PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert done.stdout == "<|user|>\nGrüße 🙂\n".encode()
    missing = run("render", "/nowhere/Grüße.pdl", PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert missing.stderr.startswith("/nowhere/Grüße.pdl: cannot be read".encode())


def test_a_bug_shows_its_traceback(echo: str) -> None:
    code = (
        "import pdl, pdl.cli\n"
        "def broken(*_, **__): raise ZeroDivisionError('a bug')\n"
        "pdl.load = broken\n"
        "pdl.cli.main()"
    )
    line = [sys.executable, "-c", code, "render", echo]
    done = subprocess.run(line, capture_output=True, check=False, timeout=60)  # noqa: S603  (our own command)
    assert done.returncode == 1
    assert b"Traceback" in done.stderr
    assert b"ZeroDivisionError: a bug" in done.stderr


def test_a_shell_gets_completions() -> None:
    """As the printed script asks for them, of commands and of options."""
    commands = run(_PDL_COMPLETE="zsh_complete", COMP_WORDS="pdl sch", COMP_CWORD="1").stdout
    assert commands.decode().splitlines()[:2] == ["plain", "schema"]
    options = run(_PDL_COMPLETE="zsh_complete", COMP_WORDS="pdl schema --t", COMP_CWORD="2").stdout
    assert options.decode().splitlines()[:8:3] == ["plain", "plain", "plain"]
    assert options.decode().splitlines()[1:8:3] == ["--type", "--types", "--to"]
    names = run(_PDL_COMPLETE="zsh_complete", COMP_WORDS="pdl check --coerce en", COMP_CWORD="3")
    assert names.stdout.decode().splitlines()[:2] == ["plain", "enum-case"]


def completed(line: str) -> list[str]:
    """The completions of the last word, as the script for zsh asks: three lines for each."""
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = run(_PDL_COMPLETE="zsh_complete", **asked)
    assert done.returncode == 0
    return [one.replace("\\", "") for one in done.stdout.decode().splitlines()[1::3]]


def test_names_of_inputs_and_models_are_completed(tmp_path: Path, echo: str) -> None:
    declared = tmp_path / "declared.pdl"
    declared.write_text("<|input|>\n{ text: str, tone: str, n?: int }\n<|user|>\n{{ text }}\n")
    assert completed(f"pdl render {declared} --set t") == ["text=", "tone="]
    assert completed(f"pdl render {echo} --set ") == ["text="]
    assert completed("pdl render nowhere.pdl --set ") == []
    (tmp_path / "broken.pdl").write_text("{{")
    assert completed(f"pdl render {tmp_path / 'broken.pdl'} --set ") == []
    assert completed(f"pdl run {echo} --model open") == ["openai:", "openai-responses:"]


def test_powershell_gets_completions() -> None:
    """Each line has a value and its description; PowerShell completes directories."""
    asked = {"_PDL_COMPLETE": "powershell_complete", "COMP_WORDS": "pdl\nsch", "COMP_WORD": "sch"}
    assert run(**asked).stdout.decode().splitlines() == [
        "schema\tConvert a schema to JSON Schema, DSL, or text."
    ]
    asked |= {"COMP_WORDS": "pdl\nschema\n--to", "COMP_WORD": ""}
    assert [line.split("\t")[0] for line in run(**asked).stdout.decode().splitlines()] == [
        *("json-schema", "dsl", "text")
    ]
    asked |= {"COMP_WORDS": "pdl\nrender", "COMP_WORD": ""}
    assert run(**asked).stdout.strip() == b""


def test_bash_takes_the_script() -> None:
    done = run("completion", "bash", tail="| bash -n")
    assert done.returncode == 0
    assert done.stderr == b""


def test_start_up_imports_only_what_a_command_needs() -> None:
    """A reply against a schema in the notation needs no template engine, and nothing needs rich."""
    code = (
        "import sys\n"
        "from pdl.cli.app import application\n"
        "application.main(['check', '--dsl', 'int', '--reply', '-'], standalone_mode=False)\n"
        "print(*sorted({'jinja2', 'jsonschema', 'rich', 'pydantic', 'yaml'} & set(sys.modules)))"
    )
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, input=b"42", capture_output=True, check=False, timeout=60)  # noqa: S603  (our own command)
    assert done.stdout.decode().splitlines() == ["42", ""]


def test_python_m_is_the_command() -> None:
    """For systems where the directory of scripts is not on the path, as is usual on Windows."""
    done = subprocess.run(
        [sys.executable, "-m", "pdl", "--version"], capture_output=True, check=True
    )
    assert done.stdout.startswith(b"pdl 0.")
