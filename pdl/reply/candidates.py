"""The parts of a reply that may be its answer, and what each turned out to be."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.reply import late
from pdl.reply.doubt import Surroundings
from pdl.reply.elision import elided_at, elided_behind, placeholder_at
from pdl.reply.envelope import payload
from pdl.reply.marks import announced, claimed, exemplified
from pdl.reply.outcome import Repair
from pdl.reply.parse import Broken, Parsed, parse
from pdl.reply.shape import resembles
from pdl.reply.tolerant.errors import UnreadableError
from pdl.reply.wholeness import left_out
from pdl.reply.wording import brief, shorten

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.asked import Asked
    from pdl.reply.brackets import Bracketed
    from pdl.reply.outcome import Extent, Segment

Fate: TypeAlias = Literal["fits", "misfit", "other", "broken"]
"""It fits the schema; it does not, but was meant to; it was never meant to; it does not parse."""

_MORE = re.compile(
    r"""[\s}\])]*+,\s*+(?:(?:"[^"\\\n]*+"|'[^'\\\n]*+'|[\w$-]++)\s*+:(?!//)"""
    r"""|(?:"[^"\\\n]*+"|-?\d[\d.]*+|true|false|null)\s*+(?:,\s*+(?:"|-?\d)|[\]}]))"""
)
"""Another member behind the end: a key and a colon, or items up to a closing bracket."""
_PARTS = re.compile(r"""[^\n]*?["}\]]""")
_GUESSES = frozenset(["inner-quotes", "missing-quote", "missing-closer"])
_TWO_WAYS = Broken("ambiguous", "fits as it is, and as a tool call that holds the answer")
_JSON_INFO = re.compile(r"(?:json\w*|application/json)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bracketed span of the wanted kind, and how clearly the reply says that it is the answer.

    `rank`: 2 by words (final, corrected) or an answer tag, 1 by a json fence, 0 by nothing.
    `claimed`: it stands behind `Answer:`; that does not decide, but no fence decides against it.
    `fenced`: it stands in a fence that is closed.
    `doubt`: why it may be no answer although it fits.
    """

    span: Extent
    kind: Literal["object", "array"]
    bracket: Bracketed
    rank: int
    claimed: bool
    doubt: str = ""
    fenced: bool = False


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
    fenced = fence is not None and fence.closed
    return Candidate(bracket.span, kind, bracket, rank, said, doubt, fenced)


def _rank(asked: Asked, end: int, bracket: Bracketed, fence: Segment | None) -> int:
    at = bracket.span[0]
    outside = fence.span[0] if fence and fence.span[0] >= end else at
    tagged = any(start <= at < stop for start, stop in asked.cut.answers)
    if tagged or (announced(asked.text, end, outside) and not _cited(asked.text, outside)):
        return 2
    fenced = fence is not None and _JSON_INFO.match(fence.label)
    return 1 if fenced and not exemplified(asked.text, end, outside) else 0


def _cited(text: str, at: int) -> bool:
    """Whether a place is in a block quote (GFM 5.1): whose words those are is not known."""
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith(">")


def judge(asked: Asked, candidate: Candidate) -> Judged:
    """Parse a candidate and hold its value against the schema."""
    made = _read(asked, candidate)
    if isinstance(made, Broken):
        return Judged(candidate, "broken", made)
    inside = payload(made.value, asked.limits)
    called = inside is not None and asked.verdict(inside[0])
    if asked.verdict(made.value):
        return Judged(candidate, "broken", _TWO_WAYS) if called else Judged(candidate, "fits", made)
    if called and inside is not None:
        return Judged(candidate, "fits", _called(asked, candidate, made, inside[0]))
    return Judged(candidate, "misfit" if resembles(asked.document, made.value) else "other", made)


def _called(asked: Asked, candidate: Candidate, made: Parsed, inside: Json) -> Parsed:
    """The arguments of a tool call as the answer."""
    said = shorten(asked.text[slice(*candidate.span)])
    repair = Repair("tool-call", candidate.span, (), said, brief(inside))
    return Parsed(inside, (*made.repairs, repair))


def _read(asked: Asked, candidate: Candidate) -> Parsed | Broken:
    start, end = candidate.span
    body = asked.text[start:end]
    if candidate.bracket.deep:
        return Broken("limit", f"is nested deeper than {asked.limits.reply_depth} brackets")
    made = parse(body, asked.limits) if candidate.bracket.closed else None
    if (made is None or isinstance(made, Broken)) and not (made and made.reason == "limit"):
        made = _respelled(body, candidate, asked, made)
    if isinstance(made, Parsed):
        if _goes_on(asked.text, end, made):
            return Broken("unparsable", "goes on behind the bracket that closes it", end - start)
        behind = elided_behind(asked.text, end)
        return _elided(asked.text, behind) if behind else _whole(asked, made)
    return made if made and made.reason == "limit" else _broken(body, candidate.bracket, made)


def _goes_on(text: str, end: int, made: Parsed) -> bool:
    """Whether what stands behind a bracket belongs inside of it: then the bracket is misplaced.

    Where quotes in strings lack their backslash, a bracket in a string may be taken for the last.
    """
    if _MORE.match(text, end):
        return True
    guessed = any(repair.kind in _GUESSES for repair in made.repairs)
    return guessed and _PARTS.match(text, end) is not None


def _respelled(
    body: str, candidate: Candidate, asked: Asked, broken: Broken | None
) -> Parsed | Broken | None:
    """The value of what is JSON but for its spelling, unless it says that data is missing."""
    bracket = candidate.bracket
    missing = elided_at(body) is not None or placeholder_at(body) is not None
    if missing or bracket.cut or not (bracket.closed or candidate.fenced):
        return broken
    start = bracket.span[0]
    read = late.read_tolerantly(
        body, asked.document, asked.verdict, asked.limits, fenced=candidate.fenced
    )
    if isinstance(read, UnreadableError):
        return Broken("unparsable", read.why, read.at) if read.why else broken
    placed = [replace(r, span=(r.span[0] + start, r.span[1] + start)) for r in read.repairs]
    return Parsed(read.value, tuple(placed))


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
