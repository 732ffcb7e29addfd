"""The model that a prompt or the environment names, where the program names none."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import TYPE_CHECKING

import pytest
from models.conftest import PROMPT
from models.hostile import GOOD
from models.scripted import VALUE, says

import pdl

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With recorded replies, and an environment that names no model."""
    monkeypatch.delenv("PDL_MODEL", raising=False)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "good.txt").write_text(GOOD, encoding="utf-8")
    (tmp_path / "outside.txt").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.txt").write_text("no", encoding="utf-8")
    return tmp_path


def prompt(folder: Path, model: str) -> pdl.Rendered:
    path = folder / "below" / "who.pdl"
    path.write_text(f"<|config|>\nmodel: {model}\n\n{PROMPT}", encoding="utf-8")
    return pdl.load(path).render()


def test_the_prompt_names_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found next to the prompt, and comes before that of the environment."""
    monkeypatch.setenv("PDL_MODEL", f"replay:{folder / 'bad.txt'}")
    rendered = prompt(folder, "replay:good.txt")
    assert pdl.ask(rendered).value == VALUE
    assert asyncio.run(pdl.ask_async(rendered)).value == VALUE
    assert pdl.ask(rendered).model == f"replay:{folder / 'below' / 'good.txt'}"


def test_the_program_comes_first(folder: Path) -> None:
    rendered = prompt(folder, "replay:good.txt")
    with pytest.raises(pdl.AskError):
        pdl.ask(rendered, f"replay:{folder / 'bad.txt'}", retries=0)
    with pytest.raises(pdl.AskError):
        pdl.ask(rendered, config={"model": f"replay:{folder / 'bad.txt'}"}, retries=0)
    assert pdl.ask(rendered, says(GOOD)).model == "function:model"


def test_the_environment_names_it(
    folder: Path, rendered: pdl.Rendered, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDL_MODEL", f"replay:{folder / 'outside.txt'}")
    assert pdl.ask(rendered).value == VALUE


def test_nobody_names_it(rendered: pdl.Rendered, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDL_MODEL", "")
    with pytest.raises(pdl.ConfigError) as caught:
        pdl.ask(rendered)
    assert caught.value.problem.code == "config/no-model"
    message, hint = str(caught.value).splitlines()
    assert message == "no model is named"
    assert hint.startswith("  hint: pass a model (`--model NAME`), write `model: NAME` in the")


@pytest.mark.parametrize("name", ["replay:../outside.txt", "replay:{outside}", "llama:../x.gguf"])
def test_a_prompt_names_only_files_below_its_folder(name: str, folder: Path) -> None:
    """It may be a stranger's; a program that knows better passes the model itself."""
    rendered = prompt(folder, name.format(outside=folder / "outside.txt"))
    with pytest.raises(pdl.ConfigError, match="names a file that may not be read") as caught:
        pdl.ask(rendered)
    assert "or in Python as the argument `model`" in str(caught.value)
    homeless = pdl.loads("<|config|>\nmodel: replay:good.txt\n\n" + PROMPT).render()
    with pytest.raises(pdl.ConfigError, match="the prompt has no directory"):
        pdl.ask(homeless)


def test_the_folder_is_no_part_of_what_is_sent(folder: Path) -> None:
    """Two renderings are equal wherever their prompts are; copies keep the folder."""
    rendered = prompt(folder, "replay:good.txt")
    alike = pdl.loads(f"<|config|>\nmodel: replay:good.txt\n\n{PROMPT}").render()
    assert rendered == alike
    assert "folder" not in repr(rendered)
    for again in (copy.deepcopy(rendered), pickle.loads(pickle.dumps(rendered))):  # noqa: S301
        assert pdl.ask(again).value == VALUE
