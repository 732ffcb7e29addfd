"""Type checkers see the types of values: mypy always, pyright where it is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


Types = dict[str, dict[int, str]]
"""The types that a checker reveals, by file and line."""
STATED: Types = {path.name: expected(path) for path in FILES}


def run(*command: str) -> str:
    """What a type checker prints of all files; one run is much faster than one for each."""
    words = [*command, *map(str, FILES)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603 - the type checker
    assert not done.stderr
    return done.stdout


def test_mypy(tmp_path: Path) -> None:
    """In a process of its own: mypy raises the recursion limit of the one that it runs in."""
    options = ["--strict", "--no-error-summary", f"--cache-dir={tmp_path}"]
    found: Types = {}
    for line in run(sys.executable, "-m", "mypy", *options).splitlines():
        note = re.search(r'([^/\\]+):(\d+): note: Revealed type is ["\'](.+)["\']$', line)
        assert note, line
        found.setdefault(note[1], {})[int(note[2])] = short(note[3])
    assert found == STATED


def test_pyright() -> None:
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not on the PATH")
    told = json.loads(run(pyright, "--outputjson", f"--pythonpath={sys.executable}"))
    found: Types = {}
    for one in told["generalDiagnostics"]:
        assert one["severity"] != "error", one
        if match := re.fullmatch(r'Type of ".+" is "(.+)"', one["message"], re.DOTALL):
            line = one["range"]["start"]["line"] + 1
            found.setdefault(Path(one["file"]).name, {})[line] = match[1]
    assert found == STATED
