"""Whether a call that no mark announces stands by itself, or is a part of what is said.

A model that speaks of a call writes it as one that makes it. Only the place tells them apart: a
call has its lines, or its block, for itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING

from pdl.reply.extents import Extents

if TYPE_CHECKING:
    from pdl.reply.outcome import Extent, Segment

PARTING = " \t\r\n\v\f\xa0\u200b\u3000\ufeff;,"
"""What may stand between calls."""
_START = itemgetter(0)
_NEAR = 80
_ESCAPED_MARK = re.compile(
    r"(?:&lt;|&#0*+60;|\\u003c|\\x3c|\\<)/?(?:tool_calls?|function_calls?|\|python_tag\|)"
    r"(?:&gt;|&#0*+62;|\\u003e|\\x3e|\\?>)\s*+\Z",
    re.IGNORECASE,
)
_TICK = re.compile(r"`[ \t]*+\Z")
_TICK_BEHIND = re.compile(r"[ \t]*+`")
_QUOTE_MARK = re.compile(r"(?:^|\n)[ \t]*+>[> \t]*+\Z")


@dataclass
class Lines:
    """The lines of a reply in which certain extents are: calls, and what is no text."""

    text: str
    extents: list[Extent]
    _alone: list[bool] = field(init=False)
    _blocks: dict[Extent, bool] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Look at each gap between the extents once."""
        gaps = list(self._gaps())
        behind = _linked([(_is_blank(_last(gap)), "\n" in gap) for gap in gaps[:-1]])
        front = _linked([(_is_blank(_first(gap)), "\n" in gap) for gap in reversed(gaps[1:])])
        self._alone = [a and b for a, b in zip(behind, reversed(front), strict=True)]

    def _gaps(self) -> list[str]:
        """The text in front of, between and behind the extents."""
        starts = [*(start for start, _ in self.extents), len(self.text)]
        ends = [0, *(end for _, end in self.extents)]
        return [self.text[end:start] for end, start in zip(ends, starts, strict=True)]

    def alone(self, span: Extent) -> bool:
        """Whether nothing but other extents is on the lines of one of them."""
        index = bisect_right(self.extents, span[0], key=_START) - 1
        return index >= 0 and self._alone[index]

    def fills(self, fence: Segment) -> bool:
        """Whether a fence holds extents, and nothing else."""
        known = self._blocks.get(fence.body)
        if known is None:
            known = self._blocks[fence.body] = is_gone(self.text, fence.body, self.extents)
        return known


def _linked(gaps: list[tuple[bool, bool]]) -> list[bool]:
    """For each extent whether its line is blank up to its end on one side.

    A gap tells whether its part next to the extent is blank, and whether a line ends in it; without
    a line's end the extent beyond it is on the same line.
    """
    found: list[bool] = []
    for is_blank, has_end in gaps:
        found.append(is_blank and (has_end or not found or found[-1]))
    return found


def _is_blank(part: str) -> bool:
    return not part.strip(PARTING)


def _last(gap: str) -> str:
    return gap.rpartition("\n")[2]


def _first(gap: str) -> str:
    return gap.partition("\n")[0]


def lines_of(text: str, extents: list[Extent]) -> Lines:
    """The lines in which extents are, that may touch each other."""
    return Lines(text, list(Extents(extents)))


def is_gone(text: str, body: Extent, gone: list[Extent]) -> bool:
    """Whether extents, which are in order, are in the body of a fence, and nothing else."""
    at, end = body
    first = index = max(bisect_right(gone, at, key=_START) - 1, 0)
    while index < len(gone) and gone[index][0] < end:
        start, stop = gone[index]
        if text[at : max(start, at)].strip(PARTING):
            return False
        at = max(at, stop)
        index += 1
    return index > first and at > body[0] and not text[at:end].strip(PARTING)


def escaped_mark(text: str, at: int) -> bool:
    """Whether a mark of calls is written out in front of a place: `&lt;tool_call&gt;`."""
    return _ESCAPED_MARK.search(text[max(0, at - _NEAR) : at]) is not None


def spoken_of(text: str, outer: Extent) -> str:
    """Why a call with its marks is spoken of, not made; empty if it is made."""
    front = text[max(0, outer[0] - _NEAR) : outer[0]]
    if _TICK.search(front) and _TICK_BEHIND.match(text, outer[1]):
        return "stands in inline code"
    if _QUOTE_MARK.search(front if outer[0] > _NEAR else f"\n{front}"):
        return "stands in a quotation"
    return ""
