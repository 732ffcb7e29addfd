"""The example of tools does what the text beside it shows."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from snapshots import Snapshot

EXAMPLE = Path(__file__).parents[2] / "examples" / "tools" / "notes.py"


def test_the_example(snapshot: Snapshot, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    snapshot.check(EXAMPLE.with_suffix(".out"), capsys.readouterr().out)
