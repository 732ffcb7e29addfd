"""Neovim with the plugin and the language server, as its user has them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from editor_prompt import FORMATTED, MISTAKES, RENAMED, ROOT, environment, write_prompt

SCRIPT = Path(__file__).parent / "neovim.lua"
OLDEST = (0, 7)

pytestmark = pytest.mark.editor


@pytest.fixture(scope="module")
def nvim() -> str:
    """The program, if it has a client for language servers that can be used."""
    program = shutil.which("nvim")
    if program is None:
        pytest.skip("nvim is not installed")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)  # noqa: S603 - of PATH
    version = re.search(r"v(\d+)\.(\d+)", said.stdout)
    if version is None or (int(version[1]), int(version[2])) < OLDEST:
        pytest.skip(f"{said.stdout.splitlines()[0]} is older than 0.7")
    return program


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("neovim")


@pytest.fixture(scope="module")
def result(nvim: str, folder: Path) -> dict[str, Any]:
    """What the script saw while it worked on the prompt."""
    file, output = write_prompt(folder / "project"), folder / "result.json"
    own = {"PDL_PLUGIN": str(ROOT / "editors" / "nvim"), "PDL_OUTPUT": str(output)}
    done = subprocess.run(  # noqa: S603 - the editor of PATH
        [nvim, "--headless", "--clean", "-u", str(SCRIPT), str(file)],
        capture_output=True,
        cwd=file.parent,
        env=environment(folder) | own,
        text=True,
        timeout=120,
        check=True,
    )
    found: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    assert "problem" not in found, f"{found['problem']}\n{done.stderr}"
    return found


def test_findings_are_shown(result: dict[str, Any]) -> None:
    assert result["filetype"] == "pdl-prompt"
    assert {one["line"]: one["code"] for one in result["diagnostics"]} == MISTAKES
    columns = {one["code"]: one["column"] for one in result["diagnostics"]}
    assert columns["template/undefined"] == len("😀 | {{ ".encode())


def test_findings_vanish_once_they_are_mended(result: dict[str, Any]) -> None:
    assert [one["code"] for one in result["after"]] == ["input/unused"]


def test_a_fix_is_offered(result: dict[str, Any]) -> None:
    if "fixed" not in result:
        pytest.skip("the server offers no fixes")
    assert "user" in result["fixed"]


def test_completion_and_hover(result: dict[str, Any]) -> None:
    assert "review" in result["completion"]["input"]
    assert "str" in result["completion"]["type"]
    assert "upper" in result["completion"]["filter"]
    assert "what a customer wrote" in result["hover"]


def test_an_input_is_found_and_renamed_in_all_files(result: dict[str, Any], folder: Path) -> None:
    assert result["definition"] == 3
    assert result["renamed"] == RENAMED
    project = folder / "project"
    assert (project / "p.pdl").read_text(encoding="utf-8") == RENAMED
    assert (project / "rules.txt").read_text(encoding="utf-8") == "Answer about {{ words }}.\n"


def test_formatting_is_one_step_to_undo(result: dict[str, Any]) -> None:
    assert result["formatted"] == FORMATTED
    assert result["undone"] == RENAMED


def test_semantic_tokens_and_commands(result: dict[str, Any]) -> None:
    if "grammar" not in result:
        pytest.skip("Neovim has semantic tokens and shows documents since 0.9")
    assert result["token"]
    assert result["grammar"].startswith("root ::=")
