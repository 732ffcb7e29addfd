"""The column of pdl in docs/comparison.md is true now."""

from __future__ import annotations

import importlib.util
import re
from typing import TYPE_CHECKING

import pytest
from doc_blocks import ROOT

if TYPE_CHECKING:
    from types import ModuleType

PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (`[^|]+|[^|]*`[^|]*?) \| ([^|]+) \|", PAGE, re.MULTILINE))


def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("converters", ROOT / "benchmarks/converters.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CONVERTERS = benchmark()


@pytest.mark.parametrize("name", CONVERTERS.CASES)
def test_what_pdl_enforces(name: str) -> None:
    assert ROWS[name] == CONVERTERS.verdict(CONVERTERS.of_pdl, CONVERTERS.CASES[name])
