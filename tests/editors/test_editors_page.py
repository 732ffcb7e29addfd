"""docs/editors.md shows the files of editors/ as they are."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest
from doc_blocks import ROOT, blocks

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCKS = blocks((ROOT / "docs" / "editors.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["helix/languages.toml", "zed/settings.json", "zed/tasks.json"])
def test_files_are_shown(name: str) -> None:
    text = (ROOT / "editors" / name).read_text(encoding="utf-8")
    assert text in [block.text for block in BLOCKS]


@pytest.mark.parametrize(
    ("language", "read"), [("toml", tomllib.loads), ("json", json.loads)], ids=["toml", "json"]
)
def test_settings_can_be_read(language: str, read: Callable[[str], object]) -> None:
    texts = [block.text for block in BLOCKS if block.language == language]
    assert texts
    assert all(map(read, texts))
