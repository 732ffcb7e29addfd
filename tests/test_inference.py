"""Type checkers see the types of values: mypy always, pyright where it is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from mypy import api

CASES = Path(__file__).parent / "cases" / "inference"
FILES = sorted(CASES.glob("*.py"))
_REVEALED = re.compile(r"^\s*reveal_type\(.*\)  # (?P<type>.+)$")


def expected(path: Path) -> dict[int, str]:
    """The types that a file states, by line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = {number: _REVEALED.match(line) for number, line in enumerate(lines, 1)}
    types = {number: match["type"] for number, match in found.items() if match}
    assert len(types) == sum("reveal_type(" in line for line in lines)
    return types


def short(name: str) -> str:
    """The name of a type without the modules in front of it."""
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mypy(path: Path, tmp_path: Path) -> None:
    options = ["--strict", "--no-error-summary", f"--cache-dir={tmp_path}", str(path)]
    out, err, _ = api.run(options)
    assert not err
    lines = out.splitlines()
    notes = [re.search(r':(\d+): note: Revealed type is ["\'](.+)["\']$', line) for line in lines]
    assert all(notes), [line for line, note in zip(lines, notes, strict=True) if not note]
    assert {int(note[1]): short(note[2]) for note in notes if note} == expected(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_pyright(path: Path) -> None:
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not on the PATH")
    python = shutil.which("python3") or "python3"
    command = [pyright, "--outputjson", f"--pythonpath={python}", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603 - the type checker
    told = json.loads(run.stdout)["generalDiagnostics"]
    notes = {
        one["range"]["start"]["line"] + 1: match[1]
        for one in told
        if (match := re.fullmatch(r'Type of ".+" is "(.+)"', one["message"], re.DOTALL))
    }
    assert [one for one in told if one["severity"] == "error"] == []
    assert notes == expected(path)
