"""The parts of a reply that may be its answer, and what the reply says about them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pdl.reply.prose.doubt import Surroundings
from pdl.reply.prose.marks import announced, claimed, exemplified
from pdl.reply.prose.sentences import PLAIN_FENCES, language

if TYPE_CHECKING:
    from pdl.reply.query import Asked
    from pdl.reply.result import Segment, Span
    from pdl.reply.segments.brackets import Bracketed

_LONGEST_TAG = 200  # characters
_ESCAPED = re.compile(r'[{\[](?>(?:\s|\\[nrt]|[{\[])*)\\"')
_JSON_INFO = re.compile(r"(?:json\w*|application/json)\b", re.IGNORECASE)


class Said:
    """What a reply says about one of its brackets, looked up when it is asked for.

    Most brackets in prose, such as `[1]`, are of a kind that is not wanted: nobody asks.
    """

    def __init__(
        self, asked: Asked, place: tuple[Bracketed, Segment | None], end: int, around: Surroundings
    ) -> None:
        self._asked = asked
        self._bracket, self._fence = place
        self.since = end  # the end of the candidate before it
        self._around = around

    @cached_property
    def rank(self) -> int:
        """2 by words (final, corrected) or an answer tag, 1 by a json fence, 0 by nothing."""
        asked, at = self._asked, self._bracket.span[0]
        if asked.cut.in_answer(at) and not self._around.anothers(_tag(asked, at), self.since):
            return 2
        return _rank(asked, self.since, self._bracket, self._fence)

    @cached_property
    def claimed(self) -> bool:
        """Whether it stands behind `Answer:`.

        That does not decide, but no fence decides against it.
        """
        start = self._bracket.span[0]
        return not _in_program(self._fence) and claimed(self._asked.front, self.since, start)

    @cached_property
    def doubt(self) -> str:
        """Why it may be no answer although it fits; an empty string if nothing says so."""
        return self._around.doubt(self._bracket.span, self._fence, self.since)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bracketed span of the wanted kind, and how clearly the reply says that it is the answer.

    `fence`: the fence that it stands in. `rank`, `claimed` and `doubt` are those of `Said`.
    """

    span: Span
    kind: Literal["object", "array"]
    bracket: Bracketed
    said: Said = field(repr=False)
    fence: Segment | None = None

    @property
    def fenced(self) -> bool:
        """Whether it stands in a fence that is closed, so that it is not cut off."""
        return self.fence is not None and self.fence.closed

    @property
    def rank(self) -> int:
        """How clearly it is marked as the answer, from 0 to 2."""
        return self.said.rank

    @property
    def claimed(self) -> bool:
        """Whether it is called the answer."""
        return self.said.claimed

    @property
    def doubt(self) -> str:
        """Why it may be no answer although it fits."""
        return self.said.doubt


def candidates(asked: Asked) -> list[Candidate]:
    """What looks like data in a reply, in its order."""
    found: list[Candidate] = []
    around = Surroundings(asked.text, asked.front)
    end = skipped = 0
    for bracket, fence in asked.cut.brackets:
        if bracket.closed and around.no_data(bracket.span, skipped):
            skipped = bracket.span[1]
        elif bracket.shaped and not _in_a_string(asked.text, bracket.span[0]):
            found.append(candidate_at(asked, (bracket, fence), end, around))
            end = bracket.span[1]
            if len(found) > asked.limits.reply_candidates:
                break  # too many, however many more there are
    return found


def _in_a_string(text: str, at: int) -> bool:
    """Whether a bracket begins JSON that is the content of a string: the value is the string."""
    return bool(at) and text[at - 1] == '"' and _ESCAPED.match(text, at) is not None


def candidate_at(
    asked: Asked, place: tuple[Bracketed, Segment | None], end: int, around: Surroundings
) -> Candidate:
    """What a bracket and its fence are; `end` is where the candidate before it ended."""
    bracket, fence = place
    kind: Literal["object", "array"] = "object" if asked.text[bracket.span[0]] == "{" else "array"
    said = Said(asked, place, end, around)
    return Candidate(bracket.span, kind, bracket, said, fence)


def _in_program(fence: Segment | None) -> bool:
    """Whether a fence holds code: `result = {…}` in it says nothing about the answer."""
    named = language(fence.label) if fence else ""
    return named not in PLAIN_FENCES and not named.startswith("json")


def _tag(asked: Asked, at: int) -> int:
    """Where the answer tag begins in which a place is."""
    index = bisect_right(asked.cut.answers, (at, len(asked.text))) - 1
    start = asked.cut.answers[index][0]
    opener = asked.text.rfind("<", max(0, start - _LONGEST_TAG), start + 1)
    return opener if opener >= 0 else start


def _rank(asked: Asked, end: int, bracket: Bracketed, fence: Segment | None) -> int:
    at = bracket.span[0]
    outside = fence.span[0] if fence and fence.span[0] >= end else at
    if announced(asked.front, end, outside) and not _cited(asked.text, outside):
        return 2
    fenced = fence is not None and _JSON_INFO.match(fence.label)
    return 1 if fenced and not exemplified(asked.front, end, outside) else 0


def _cited(text: str, at: int) -> bool:
    """Whether a place is in a block quote (GFM 5.1): whose words those are is not known."""
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith(">")
