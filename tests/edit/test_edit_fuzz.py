"""Random edits of the shipped prompts: no request fails, and the findings are those of the file.

`benchmarks/editor_fuzz.py` does as many as one likes.
"""

from __future__ import annotations

import gc
import weakref
from random import Random
from typing import TYPE_CHECKING

import pytest
from editor_walks import FEATURES, PROMPTS, Walks
from hypothesis import settings

from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

LENGTH = 20


def walked(folder: Path, seed: int, sequences: int) -> None:
    rng = Random(seed)  # noqa: S311 - it is to be repeated
    walks = Walks(folder, rng, patience=10)  # machines of tests are slow
    for _ in range(sequences):
        walks.walk(LENGTH)
    assert not walks.failures, walks.failures[0]
    assert walks.edits == sequences * LENGTH


def test_a_few_edits(tmp_path: Path) -> None:
    walked(tmp_path, 1, 3)


@pytest.mark.slow
def test_many_edits(tmp_path: Path) -> None:
    """160, or 800 others with `--hypothesis-profile=long`, and 160,000 with `fuzz`."""
    profile = settings.default
    assert profile is not None
    seed = 2 if profile.derandomize else Random().randrange(1_000_000)  # noqa: S311
    walked(tmp_path, seed, profile.max_examples // 5 * 2)


def test_documents_are_forgotten() -> None:
    """What is derived from a text lives as long as the text: each keystroke makes another one."""
    folder = PROMPTS.resolve()
    workspace = Workspace((folder,))
    path = folder / "agent.pdl"
    text = path.read_text(encoding="utf-8")
    documents = []
    for number, feature in enumerate(FEATURES.values()):
        document = workspace.open(path, f"{text}{number}")
        feature(workspace, document, text.index("{{") + 4)
        documents.append(weakref.ref(document))
    del document
    workspace.open(path, text)
    workspace.graph()
    gc.collect()
    kept = [name for name, one in zip(FEATURES, documents, strict=True) if one() is not None]
    assert not kept
