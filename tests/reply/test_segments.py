"""Into what a reply is cut: `NAME.reply` is one, `NAME.txt` lists its segments and its data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pdl.limits import DEFAULT_LIMITS
from pdl.reply.segments.segmenter import Cut, cut

if TYPE_CHECKING:
    from snapshots import Snapshot

CASES = Path(__file__).parent.parent / "cases" / "segments"


def listing(text: str, parts: Cut) -> str:
    """A line for each segment, then a line for each span that looks like data."""
    lines = []
    for segment in parts.segments:
        label = f" {segment.label}" if segment.label else ""
        state = "" if segment.closed else " (never closed)"
        lines.append(f"{segment.kind}{label}{state}: {_shown(text, segment.body)}")
    for bracket, fence in parts.brackets:
        if bracket.shaped:
            where = "data in a fence" if fence else "data"
            state = " (cut off)" if bracket.cut else "" if bracket.closed else " (not closed)"
            lines.append(f"{where}{state}: {_shown(text, bracket.span)}")
    lines += [f"inside of an answer tag: {_shown(text, inside)}" for inside in parts.answers]
    return "\n".join(lines)


def _shown(text: str, span: tuple[int, int]) -> str:
    return json.dumps(text[slice(*span)], ensure_ascii=False)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.reply")), ids=lambda path: path.stem)
def test_segments(path: Path, snapshot: Snapshot) -> None:
    """Each part is what it is taken for, and together they are the whole reply."""
    with path.open(encoding="utf-8", newline="") as file:
        text = file.read().removesuffix("\n")
    parts = cut(text, DEFAULT_LIMITS)
    ends = [0, *(segment.span[1] for segment in parts.segments)]
    assert [segment.span[0] for segment in parts.segments] == ends[:-1]
    assert ends[-1] == len(text)
    snapshot.check(path.with_suffix(".txt"), listing(text, parts))
