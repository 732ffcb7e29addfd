"""The mode for Emacs: it compiles without warnings, and shows turns where pdl sees them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import shipped
from editor_prompt import FORMATTED, MISTAKES, RENAMED, ROOT, environment, write_prompt
from snapshots import CASES, Snapshot

from pdl.edit.document import Document
from pdl.testing.sections import sections_of

HERE = Path(__file__).parent
MODE = ROOT / "editors" / "emacs" / "pdl-prompt-mode.el"
PROMPTS = [CASES / "editors" / "sample.pdl", *shipped.PROMPTS]
SAMPLE_CASES = ROOT / "editors" / "vscode" / "test" / "cases" / "review.tests.pdl"
NO_EGLOT = 3  # the exit code of the script

pytestmark = pytest.mark.editor


@pytest.fixture
def emacs() -> list[str]:
    """The command of Emacs, without the user's files."""
    program = shutil.which("emacs")
    if program is None:
        pytest.skip("emacs is not installed")
    return [program, "-Q", "--batch"]


def _faces(emacs: list[str], file: Path, output: Path) -> list[list[tuple[str, str]]]:
    """The faces of each line, and the text that they have."""
    script = ["-l", str(HERE / "faces.el"), str(MODE), str(file), str(output)]
    done = subprocess.run(  # noqa: S603 - an editor of PATH
        [*emacs, *script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(output.read_text(encoding="utf-8"))
    assert result["mode"] == "pdl-prompt-mode"
    short = ("font-lock-", "-face")
    return [
        [(face.removeprefix(short[0]).removesuffix(short[1]), text) for face, text in line]
        for line in result["lines"]
    ]


@pytest.mark.parametrize(("file", "name"), [(PROMPTS[0], "sample"), (SAMPLE_CASES, "cases")])
def test_faces_of_a_sample(
    emacs: list[str], file: Path, name: str, tmp_path: Path, snapshot: Snapshot
) -> None:
    lines = [
        " ".join(f"{face or 'text'}:{text.strip()}" for face, text in line if text.strip())
        for line in _faces(emacs, file, tmp_path / "faces.json")
    ]
    snapshot.check(CASES / "editors" / f"{name}.emacs.txt", "\n".join(lines))


@pytest.mark.parametrize("file", PROMPTS, ids=lambda file: file.name)
def test_turns_are_those_of_documents(emacs: list[str], file: Path, tmp_path: Path) -> None:
    document = Document(file.read_text(encoding="utf-8"))
    faces = _faces(emacs, file, tmp_path / "faces.json")
    stretches = [text.strip() for line in faces for face, text in line if face == "keyword"]
    found = [text.strip(" <|>").lower() for text in stretches if text.startswith("<|")]
    assert [role for role in found if "{" not in role] == [t.role for t in document.turns if t.role]


@pytest.mark.parametrize("file", shipped.CASE_FILES, ids=lambda file: file.name)
def test_sections_are_those_of_files_of_cases(emacs: list[str], file: Path, tmp_path: Path) -> None:
    faces = _faces(emacs, file, tmp_path / "faces.json")
    marks = [text for line in faces for face, text in line if face == "keyword" and "<|" in text]
    found = [mark.strip(" <|>").lower() for mark in marks]
    sections = sections_of(file.read_text(encoding="utf-8"))
    assert found == [section.name for section in sections.all]


def test_eglot(emacs: list[str], tmp_path: Path) -> None:
    """Findings, hover, completion, renaming in all files, and formatting by the server."""
    file, output = write_prompt(tmp_path / "project"), tmp_path / "result.json"
    done = subprocess.run(  # noqa: S603 - an editor of PATH
        [*emacs, "-l", str(HERE / "eglot.el"), str(MODE), str(file), str(output)],
        capture_output=True,
        cwd=file.parent,
        env=environment(tmp_path),
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode == NO_EGLOT:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr
    result = json.loads(output.read_text(encoding="utf-8"))
    assert {int(line.split(":")[0]) for line in result["diagnostics"]} == set(MISTAKES)
    assert "what a customer wrote" in result["hover"]
    assert "review" in result["completion"]
    assert result["renamed"] == file.read_text(encoding="utf-8")
    assert result["renamed"] == RENAMED.replace("user", "usr")
    assert "words" in (file.parent / "rules.txt").read_text(encoding="utf-8")
    assert result["formatted"] == FORMATTED.replace("user", "usr")
