"""Lint: what is known of a prompt without data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from snapshots import CASES, Snapshot

from pdl.prompt.lint import lint_file

if TYPE_CHECKING:
    from pathlib import Path

FILES = sorted((CASES / "lint").glob("*.pdl"))
RENDERING = sorted(
    path
    for path in (CASES / "turns" / "valid").glob("*.pdl")
    if not path.stem.startswith(("not-strict", "prefill"))  # these are wrong on purpose
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_findings(path: Path, snapshot: Snapshot) -> None:
    findings = lint_file(path)
    text = "\n".join(f"{finding.severity}: {finding.problem}" for finding in findings)
    snapshot.check(path.with_suffix(".txt"), _without(text, path.parent) or "(none)")


def _without(text: str, folder: Path) -> str:
    return text.replace(f"{folder}/", "").replace(str(folder), "…")


@pytest.mark.parametrize("path", RENDERING, ids=lambda path: path.stem)
def test_a_prompt_that_renders_has_no_errors(path: Path, tmp_path: Path) -> None:
    """Nothing that works with data is called an error without it."""
    for file in (path.parent / "files").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    assert [str(f.problem) for f in lint_file(copy) if f.severity == "error"] == []
