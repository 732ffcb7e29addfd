"""The syntax file of Vim and Neovim: the groups of a sample, and turns where pdl sees them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import shipped
from snapshots import CASES, Snapshot

from pdl.edit.document import Document
from pdl.testing.sections import sections_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EDITORS = {
    "vim": ["-N", "-u", "NONE", "-i", "NONE", "-es", "--cmd", "set encoding=utf-8"],
    "nvim": ["--clean", "--headless"],
}
PROMPTS = [CASES / "editors" / "sample.pdl", *shipped.PROMPTS]

pytestmark = pytest.mark.editor


@pytest.fixture(params=EDITORS)
def editor(request: pytest.FixtureRequest) -> list[str]:
    """The command of an editor that is installed, with the plugin's directory."""
    name = str(request.param)
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    plugin = f"set runtimepath^={ROOT / 'editors' / 'vim'}"
    return [program, *EDITORS[name], "--cmd", plugin, "--cmd", "filetype plugin on | syntax on"]


def _groups(editor: list[str], file: Path, output: Path) -> list[list[tuple[str, str]]]:
    """The syntax groups of each line, and the text that they have."""
    script = ["--cmd", f"let g:output = '{output}'", str(file), "-S", str(HERE / "syntax.vim")]
    subprocess.run([*editor, *script], check=True, timeout=60)  # noqa: S603 - an editor of PATH
    lines = json.loads(output.read_text(encoding="utf-8"))
    return [[(name.removeprefix("pdl"), text) for name, text in line] for line in lines]


def test_groups_of_a_sample(editor: list[str], tmp_path: Path, snapshot: Snapshot) -> None:
    groups = _groups(editor, PROMPTS[0], tmp_path / "groups.json")
    lines = [
        " ".join(f"{name or 'text'}:{text.strip()}" for name, text in line if text.strip())
        for line in groups
    ]
    snapshot.check(CASES / "editors" / "sample.vim.txt", "\n".join(lines))


@pytest.mark.parametrize("file", PROMPTS, ids=lambda file: file.name)
def test_turns_are_those_of_documents(editor: list[str], file: Path, tmp_path: Path) -> None:
    document = Document(file.read_text(encoding="utf-8"))
    roles = [turn.role for turn in document.turns if turn.role]
    groups = _groups(editor, file, tmp_path / "groups.json")
    found = [text for line in groups for name, text in line if name == "Turn" and len(text) > 2]
    assert [text.strip(" <|>").lower() for text in found] == roles


@pytest.mark.parametrize("file", shipped.CASE_FILES, ids=lambda file: file.name)
def test_sections_are_those_of_files_of_cases(
    editor: list[str], file: Path, tmp_path: Path
) -> None:
    text = file.read_text(encoding="utf-8")
    groups = _groups(editor, file, tmp_path / "groups.json")
    found = [text.strip(" <|>").lower() for line in groups for name, text in line if name == "Turn"]
    assert found == [section.name for section in sections_of(text).all]
