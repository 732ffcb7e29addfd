"""The parts of a reply that may be its answer, and what each turned out to be."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.reply import late
from pdl.reply.doubt import Surroundings
from pdl.reply.elision import elided_at, elided_behind, placeholder_at
from pdl.reply.marks import announced, claimed, exemplified
from pdl.reply.parse import Broken, Parsed, parse
from pdl.reply.shape import resembles
from pdl.reply.wholeness import left_out
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.asked import Asked
    from pdl.reply.brackets import Bracketed
    from pdl.reply.outcome import Extent, Segment

Fate: TypeAlias = Literal["fits", "misfit", "other", "broken"]
"""It fits the schema; it does not, but was meant to; it was never meant to; it does not parse."""

_JSON_INFO = re.compile(r"(?:json\w*|application/json)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bracketed span of the wanted kind, and how clearly the reply says that it is the answer.

    `rank`: 2 by words (final, corrected) or an answer tag, 1 by a json fence, 0 by nothing.
    `claimed`: it stands behind `Answer:`; that does not decide, but no fence decides against it.
    `doubt`: why it may be no answer although it fits.
    """

    span: Extent
    kind: Literal["object", "array"]
    bracket: Bracketed
    rank: int
    claimed: bool
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate after parsing and checking it; `made` is its value or why it has none."""

    candidate: Candidate
    fate: Fate
    made: Parsed | Broken

    @property
    def value(self) -> Json:
        """The value of a candidate that parsed."""
        assert isinstance(self.made, Parsed)
        return self.made.value


def candidates(asked: Asked) -> list[Candidate]:
    """What looks like data in a reply, in its order."""
    found: list[Candidate] = []
    around = Surroundings(asked.text)
    end = skipped = 0
    for bracket, fence in asked.cut.brackets:
        if bracket.closed and around.no_data(bracket.span, skipped):
            skipped = bracket.span[1]
        elif bracket.shaped:
            found.append(_candidate(asked, bracket, fence, end, around))
            end = bracket.span[1]
    return found


def _candidate(
    asked: Asked, bracket: Bracketed, fence: Segment | None, end: int, around: Surroundings
) -> Candidate:
    """What a bracket is; `end` is where the candidate before it ended."""
    kind: Literal["object", "array"] = "object" if asked.text[bracket.span[0]] == "{" else "array"
    rank = _rank(asked, end, bracket, fence)
    said = claimed(asked.text, end, bracket.span[0])
    doubt = around.doubt(bracket.span, fence, end)
    return Candidate(bracket.span, kind, bracket, rank, said, doubt)


def _rank(asked: Asked, end: int, bracket: Bracketed, fence: Segment | None) -> int:
    at = bracket.span[0]
    outside = fence.span[0] if fence and fence.span[0] >= end else at
    tagged = any(start <= at < stop for start, stop in asked.cut.answers)
    if tagged or announced(asked.text, end, outside):
        return 2
    fenced = fence is not None and _JSON_INFO.match(fence.label)
    return 1 if fenced and not exemplified(asked.text, end, outside) else 0


def judge(asked: Asked, candidate: Candidate) -> Judged:
    """Parse a candidate and hold its value against the schema."""
    made = _read(asked, candidate)
    if isinstance(made, Broken):
        return Judged(candidate, "broken", made)
    if asked.verdict(made.value):
        return Judged(candidate, "fits", made)
    return Judged(candidate, "misfit" if resembles(asked.document, made.value) else "other", made)


def _read(asked: Asked, candidate: Candidate) -> Parsed | Broken:
    start, end = candidate.span
    body = asked.text[start:end]
    if candidate.bracket.deep:
        return Broken("limit", f"is nested deeper than {asked.limits.reply_depth} brackets")
    made = parse(body, asked.limits) if candidate.bracket.closed else None
    if isinstance(made, Broken) and made.reason != "limit":
        made = _respelled(body, start, asked) or made
    if isinstance(made, Parsed):
        behind = elided_behind(asked.text, end)
        return _elided(asked.text, behind) if behind else _whole(asked, made)
    return made if made and made.reason == "limit" else _broken(body, candidate.bracket, made)


def _respelled(body: str, start: int, asked: Asked) -> Parsed | None:
    """The value of what is JSON but for its spelling, unless it says that data is missing."""
    if elided_at(body) is not None or placeholder_at(body) is not None:
        return None
    read = late.read_tolerantly(body, asked.limits)
    if read is None:
        return None
    value, repairs = read
    placed = [replace(r, span=(r.span[0] + start, r.span[1] + start)) for r in repairs]
    return Parsed(value, tuple(placed))


def _broken(body: str, bracket: Bracketed, made: Broken | None) -> Broken:
    """Why a span that does not parse does not: the model's own word for it comes first."""
    if (place := elided_at(body)) is not None:
        return _elided(body, place)
    if bracket.cut:
        kept = body.rstrip()
        found = shorten(kept[-24:], 24)
        return Broken("truncated", f"is cut off at `{found}`", len(kept), found)
    if (place := placeholder_at(body)) is not None:
        found = shorten(body[slice(*place)], 24)
        return Broken(
            "elided", f"has the placeholder `{found}` where a value belongs", place[0], found
        )
    return made or Broken("unparsable", "lacks a closing bracket", len(body))


def _whole(asked: Asked, made: Parsed) -> Parsed | Broken:
    """What was parsed, if no string in it stands for data that is left out."""
    said = left_out(asked.document, made.value)
    if not said:
        return made
    found = shorten(said, 24)
    return Broken("elided", f"has `{found}` where data belongs", 0, found)


def _elided(text: str, place: Extent) -> Broken:
    found = shorten(text[slice(*place)].strip(), 24)
    return Broken("elided", f"leaves something out at `{found}`", place[0], found)
