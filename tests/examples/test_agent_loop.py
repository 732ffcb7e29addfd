"""The agent of the examples, with recorded replies and with a real llama.cpp."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
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
    assert len(lines) <= 10


CALL = '{"name": "weather", "arguments": {"city": "Cologne"}}'


@pytest.mark.parametrize(
    ("replies", "told"),
    [
        (["I do not know."], "There is no answer: "),
        ([f"<tool_call>{CALL}</tool_call>"], "There is no answer: replay:"),
        ([], "There is no answer: "),
    ],
)
def test_a_model_that_never_answers(
    replies: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence, no traceback: whether it says no answer, calls for ever, or is not there."""
    path = tmp_path / "replies.jsonl"
    lines = [json.dumps({"text": reply}) for reply in replies * 20]
    path.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["agent_loop.py", f"replay:{path}"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert str(caught.value).startswith(told)
    assert ("in the last step" in str(caught.value)) == bool(replies and "<" in replies[0])
