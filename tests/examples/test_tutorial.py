"""The tutorial needs nothing but pdl: its cases can be read without the extra for YAML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from doc_blocks import ROOT, blocks

from pdl.prompt.template import source_of
from pdl.testing import parse_cases, parts_of

if TYPE_CHECKING:
    import pytest

CASES = [
    block
    for block in blocks((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    if (block.file or "").endswith(".tests.pdl")
]


def test_its_cases_need_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert CASES
    for block in CASES:
        path = Path(block.file or "")
        for case in parse_cases(source_of(block.text, str(path)), path, root=Path()).cases:
            assert parts_of(case).data
