"""The parts of a reply that may be its answer, and what each turned out to be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.reply.elision import elided_at, elided_behind, placeholder_at
from pdl.reply.marks import announced, claimed, exemplified
from pdl.reply.parse import Broken, Parsed, parse
from pdl.reply.shape import resembles
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
    """

    span: Extent
    kind: Literal["object", "array"]
    bracket: Bracketed
    rank: int
    claimed: bool


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
    end = 0
    for bracket, fence in asked.cut.brackets:
        if bracket.shaped:
            rank = _rank(asked, end, bracket, fence)
            opener = asked.text[bracket.span[0]]
            kind: Literal["object", "array"] = "object" if opener == "{" else "array"
            said = claimed(asked.text, end, bracket.span[0])
            found.append(Candidate(bracket.span, kind, bracket, rank, said))
            end = bracket.span[1]
    return found


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
    if isinstance(made, Parsed):
        behind = elided_behind(asked.text, end)
        return _elided(asked.text, behind) if behind else made
    return made if made and made.reason == "limit" else _broken(body, candidate.bracket, made)


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


def _elided(text: str, place: Extent) -> Broken:
    found = shorten(text[slice(*place)].strip(), 24)
    return Broken("elided", f"leaves something out at `{found}`", place[0], found)
