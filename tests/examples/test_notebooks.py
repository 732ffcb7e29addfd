"""The notebooks of `examples/`: each cell gives what is committed below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from notebooks import cells_of, run, text_of, told
from shipped import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from snapshots import Snapshot

FOLDER = ROOT / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def outputs(document: dict[str, Any]) -> list[dict[str, str]]:
    """What people see below each cell; a kernel can send what is printed in several pieces."""
    found = []
    for cell in document["cells"]:
        seen: dict[str, str] = {}
        for one in map(told, cell.get("outputs", ())):
            seen |= {form: seen.get(form, "") + text for form, text in one.items()}
        found.append(seen)
    return found


@by_name
def test_a_notebook(path: Path, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its outputs are those that it has; `--update-cases` writes them."""
    monkeypatch.chdir(FOLDER)
    snapshot.check(path, text_of(run(cells_of(path), path.stem)))


@by_name
def test_a_notebook_in_a_kernel(path: Path) -> None:
    """IPython shows the same: .ci/run installs nbclient and ipykernel, and runs this."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    document = nbformat.read(path, as_version=4)
    nbformat.validate(document)
    expected = outputs(document)
    resources = {"metadata": {"path": str(FOLDER)}}
    nbclient.NotebookClient(document, timeout=120, resources=resources).execute()
    assert outputs(document) == expected


@by_name
def test_a_notebook_is_listed(path: Path) -> None:
    assert f"[`{path.name}`]({path.name})" in (FOLDER / "README.md").read_text(encoding="utf-8")
