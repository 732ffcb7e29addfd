"""The agent of the examples, with recorded replies and with a real llama.cpp."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from snapshots import Snapshot

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "agent_loop.py"


def test_recorded(
    snapshot: Snapshot, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call has a wrong name in it, goes back, and comes right."""
    monkeypatch.setattr(sys, "argv", ["agent_loop.py"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    snapshot.check(EXAMPLE.with_suffix(".out"), capsys.readouterr().out)


def test_it_is_short() -> None:
    """The loop and all that it needs; the tools and the recorded replies aside."""
    lines = EXAMPLE.read_text(encoding="utf-8").split("def run(")[1].split("\n\n\n")[0].splitlines()
    assert len(lines) <= 40
