"""Each directory of `tests/cases/cli` has a command line, its files, and what a terminal shows.

`command` is one line of shell words, perhaps with `< FILE` at its end; `terminal.txt` has the
standard output, the standard error and the exit code.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from snapshots import CASES, Snapshot

from pdl.cli.app import application

if TYPE_CHECKING:
    from click.testing import Result

DIRECTORIES = sorted(case for case in (CASES / "cli").glob("*/*") if case.is_dir())


@pytest.mark.parametrize("case", DIRECTORIES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_command(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Snapshot
) -> None:
    """A command says what its case expects, and exits with 0 exactly if the case is valid."""
    work = tmp_path / "work"
    shutil.copytree(case, work, ignore=shutil.ignore_patterns("terminal.txt", "command"))
    monkeypatch.chdir(work)
    line = (case / "command").read_text(encoding="utf-8").strip()
    result = run(line)
    snapshot.check(case / "terminal.txt", shown(line, result))
    assert (result.exit_code == 0) == (case.parent.name == "valid")


def run(line: str) -> Result:
    """Run a command line in this process; `pdl … < FILE` passes it a file."""
    words = shlex.split(line)
    data = b""
    if "<" in words:
        at = words.index("<")
        data = Path(words[at + 1]).read_bytes()
        del words[at : at + 2]
    assert words.pop(0) == "pdl"
    environment = {"COLUMNS": "80", "NO_COLOR": None, "FORCE_COLOR": None, "TERM": "xterm"}
    result = CliRunner().invoke(application, words, data, environment, prog_name="pdl")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def shown(line: str, result: Result) -> str:
    """What a person would see; the parts that are empty are left out."""
    parts = [f"$ {line}", result.stdout.rstrip("\n")]
    parts += [f"[stderr]\n{result.stderr.rstrip()}"] if result.stderr else []
    parts += [f"[exit code {result.exit_code}]"]
    return "\n".join(filter(None, parts))
