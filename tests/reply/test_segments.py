"""Into what a reply is cut: `NAME.reply` is one, `NAME.txt` lists its segments and its data."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamed import calls

from pdl.limits import DEFAULT_LIMITS
from pdl.reply.segments.segmenter import Segmenter, segmented

if TYPE_CHECKING:
    from snapshots import Snapshot

    from pdl.reply.segments.spans import Segmented

CASES = Path(__file__).parent.parent / "cases" / "segments"


def listing(text: str, parts: Segmented) -> str:
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
    parts = segmented(text, DEFAULT_LIMITS)
    ends = [0, *(segment.span[1] for segment in parts.segments)]
    assert [segment.span[0] for segment in parts.segments] == ends[:-1]
    assert ends[-1] == len(text)
    snapshot.check(path.with_suffix(".txt"), listing(text, parts))


PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"a"', '"', "'", ":", ",", "1", "true", "a", "b", " ", " " * 30, "\n",
     "\n\n", '{"a": "x"}', '{"a": ["y', '"a": ', "{x: ", "[1]", "[12", "x[0]", "```", "```json\n",
     "~~~", "`", "```py\n", "```thinking\n", "> ```", "<think>", "</think>", "<thinking>",
     "</thinking>", "<th", "</think>\n", "\n</think>\n", "[THINK]", "[/THINK]", "[ANSWER]",
     "<answer>", "</answer>", ">", "<|channel|>analysis<|message|>", "<|channel|>final",
     "<|message|>", "<|end|>", "<|im_start|>", "assistant", "user", "analysis", "assistantfinal",
     "- ", "Here: ", "// no\n", "/* x */", "/*", "*/", "//", "# ", "/", "*", "\\", "\\n", "“",
     "”", "，", "：", "é", "\ud800", "name", "  "]
)  # fmt: skip
REPLIES = st.lists(PIECES | st.text(max_size=2), max_size=20).map("".join)


def without_values(parts: Segmented) -> Segmented:
    """The parts less what the C parser read, which only reads what is there as a whole."""
    brackets = tuple((one._replace(exact=None), fence) for one, fence in parts.brackets)
    return replace(parts, brackets=brackets)


@given(REPLIES, st.lists(st.integers(0, 200), max_size=6))
@example("[truefinal: ", [])
def test_the_pieces_make_no_difference(reply: str, places: list[int]) -> None:
    ends = sorted({0, len(reply), *(min(place, len(reply)) for place in places)})
    for pieces in (reply, [reply[start:end] for start, end in pairwise(ends)]):
        segmenter, at_once = Segmenter(DEFAULT_LIMITS), Segmenter(DEFAULT_LIMITS)
        at_once.feed(reply)
        settled = 0
        for piece in pieces:
            began = segmenter.segments
            segmenter.feed(piece)
            assert segmenter.segments is not began or segmenter.settled >= settled
            settled = segmenter.settled
        for name in ("at", "settled", "segments", "fence", "answer"):
            assert getattr(segmenter, name) == getattr(at_once, name)
        assert segmenter.stack.spans == at_once.stack.spans
        assert segmenter.stack.data == at_once.stack.data
        assert without_values(segmenter.end()) == without_values(segmented(reply, DEFAULT_LIMITS))


UNITS = {
    "braces": "{", "brackets": "[", "quotes": '"', "smart quotes": "[“", "apostrophes": "['",
    "ticks": "`", "blanks in data": '{"a": 1,   ', "closers": "</think>", "openers": "<think>",
    "fences": "```json\n", "fenced closers": "- ```x\n</think>\n",
    "thoughts": "```thinking\nx\n```\n", "keys": '{"a\n</think>\n', "long strings": '{,"x\n',
    "prose": '[see {"a": 1} ', "half tags": "<th", "turns": "<|im_start|>user ",
    "channels": "<|channel|>a", "answers": "<answer></answer>", "stripped": "analysis assistant",
    "comments": "{/* ", "boxes": "- [ ] ", "candidates": '{"b": 1} ',
}  # fmt: skip


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_effort_follows_length(unit: str) -> None:
    """Four times the text takes about four times as many calls, as a whole and in pieces."""

    def cut_up(length: int, step: int) -> None:
        text = unit * (length // len(unit))
        segmenter = Segmenter(DEFAULT_LIMITS)
        for at in range(0, len(text), step):
            segmenter.feed(text[at : at + step])
        segmenter.end()

    for step in (8, 80_000):
        once, more = (calls(partial(cut_up, length, step)) for length in (4_000, 16_000))
        assert more < 6 * once
