"""The parts of a reply that may be its answer, and what each turned out to be."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from pdl.reply import late
from pdl.reply.doubt import Surroundings
from pdl.reply.elision import elided_at, elided_behind, placeholder_at
from pdl.reply.envelope import payload
from pdl.reply.locate import locate
from pdl.reply.marks import announced, claimed, exemplified
from pdl.reply.outcome import Repair, Violation
from pdl.reply.parse import Broken, Parsed, parse
from pdl.reply.sentences import PLAIN_FENCES, language
from pdl.reply.shape import resembles
from pdl.reply.tolerant.errors import UnreadableError
from pdl.reply.wholeness import left_out
from pdl.reply.wording import brief, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdl._types import Json, JsonPath
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
_GLUED = re.compile(r"""\\?["'][^\n]*[}\],][ \t`;]*+(?:\n|\Z)""")
"""A quote right behind the end, and another end later in the line: it was in a string."""
_NAMED = re.compile(r"""[^\s{]["']\s*+:\s*+\Z""")
_NAME = 80  # characters in front of a bracket that are looked at
_ESCAPED = re.compile(r'[{\[](?:\s|\\[nrt]|[{\[])*+\\"')
_PARTS = re.compile(r"""[^\n]*?["}\]]""")
_DOTS = re.compile(r"[\n,\[][ \t]*+(?:\.{3,}|…)[ \t]*+(?:[\n,\]]|\Z)")
_GUESSES = frozenset(["inner-quotes", "missing-quote", "missing-closer", "mistyped-closer"])
_TWO_WAYS = Broken("ambiguous", "fits as it is, and as a tool call that holds the answer")
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
        self._end = end  # of the candidate before it
        self._around = around

    @cached_property
    def rank(self) -> int:
        """2 by words (final, corrected) or an answer tag, 1 by a json fence, 0 by nothing."""
        return _rank(self._asked, self._end, self._bracket, self._fence)

    @cached_property
    def claimed(self) -> bool:
        """Whether it stands behind `Answer:`.

        That does not decide, but no fence decides against it.
        """
        start = self._bracket.span[0]
        return not _in_program(self._fence) and claimed(self._asked.text, self._end, start)

    @cached_property
    def doubt(self) -> str:
        """Why it may be no answer although it fits; an empty string if nothing says so."""
        return self._around.doubt(self._bracket.span, self._fence, self._end)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bracketed span of the wanted kind, and how clearly the reply says that it is the answer.

    `fence`: the fence that it stands in. `rank`, `claimed` and `doubt` are those of `Said`.
    """

    span: Extent
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


def _is_part(text: str, at: int) -> bool:
    """Whether a key in quotes stands in front: then this is part of an object without an opener."""
    return _NAMED.search(text[max(0, at - _NAME) : at]) is not None


def _rank(asked: Asked, end: int, bracket: Bracketed, fence: Segment | None) -> int:
    at = bracket.span[0]
    outside = fence.span[0] if fence and fence.span[0] >= end else at
    if asked.cut.in_answer(at) or (
        announced(asked.text, end, outside) and not _cited(asked.text, outside)
    ):
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
    if asked.coercions and (changed := _coerced(asked, candidate, made)):
        return Judged(candidate, "fits", changed)
    return Judged(candidate, "misfit" if resembles(asked.document, made.value) else "other", made)


def _called(asked: Asked, candidate: Candidate, made: Parsed, inside: Json) -> Parsed:
    """The arguments of a tool call as the answer."""
    said = shorten(asked.text[slice(*candidate.span)])
    repair = Repair("tool-call", candidate.span, (), said, brief(inside))
    return Parsed(inside, (*made.repairs, repair))


def _coerced(asked: Asked, candidate: Candidate, made: Parsed) -> Parsed | None:
    """The value with the changes that the caller allows, if it fits with them."""
    value, changes = late.coerce(asked.document, made.value, asked.coercions, asked.limits)
    if not changes:
        return None
    return Parsed(value, (*made.repairs, *placed(asked, candidate, made, changes)))


_Placed = TypeVar("_Placed", Violation, Repair)


def placed(
    asked: Asked, candidate: Candidate, made: Parsed, found: Sequence[_Placed]
) -> tuple[_Placed, ...]:
    """Violations or repairs of a value, each with the place of the part that it is about."""
    start = candidate.span[0]
    if made.made:
        own = made.made.places()
        places = {path: (a + start, b + start) for path, (a, b) in own.items()}
    else:
        places = locate(
            asked.text,
            *candidate.span,
            {one.path[:length] for one in found for length in range(len(one.path) + 1)},
        )
    spans = [_nearest(places, one.path, candidate.span) for one in found]
    return tuple(replace(one, span=span) for one, span in zip(found, spans, strict=True))


def _nearest(places: Mapping[JsonPath, Extent], path: JsonPath, whole: Extent) -> Extent:
    """Where a part stands, or the part around it: some paths lead into JSON inside a string."""
    prefixes = (path[:length] for length in range(len(path), 0, -1))
    return next((places[prefix] for prefix in prefixes if prefix in places), whole)


def _read(asked: Asked, candidate: Candidate) -> Parsed | Broken:
    start, end = candidate.span
    body = asked.text[start:end]
    if candidate.bracket.deep:
        return Broken("limit", f"is nested deeper than {asked.limits.reply_depth} brackets")
    if _is_part(asked.text, start):
        return Broken("unparsable", "is the value of a key, in an object that never begins")
    exact = candidate.bracket.exact
    closed = candidate.bracket.closed
    made = exact.findings.made if exact else parse(body, asked.limits) if closed else None
    if (made is None or isinstance(made, Broken)) and not (made and made.reason == "limit"):
        made = _respelled(body, candidate, asked, made)
    if isinstance(made, Parsed):
        if _goes_on(asked.text, candidate, made):
            return Broken("unparsable", "goes on behind the bracket that closes it", end - start)
        if behind := elided_behind(asked.text, end):
            return _elided(asked.text, behind)
        return made if exact and not exact.findings.suspect else _whole(asked, made)
    return made if made and made.reason == "limit" else _broken(body, candidate.bracket, made)


def _goes_on(text: str, candidate: Candidate, made: Parsed) -> bool:
    """Whether what stands behind a bracket belongs inside of it: then the bracket is misplaced.

    Where quotes in strings lack their backslash, a bracket in a string may be taken for the last.
    """
    start, end = candidate.span
    if _MORE.match(text, end):
        return True
    if _GLUED.match(text, end) and text[start - 1 : start] != text[end]:
        return True
    if not any(repair.kind in _GUESSES for repair in made.repairs):
        return False
    if candidate.fence:
        return bool(text[end : candidate.fence.body[1]].strip(" \t\r\n;}])"))
    return _PARTS.match(text, end) is not None


def _respelled(
    body: str, candidate: Candidate, asked: Asked, broken: Broken | None
) -> Parsed | Broken | None:
    """The value of what is JSON but for its spelling, unless words in it say what is missing."""
    bracket = candidate.bracket
    if bracket.cut or not (bracket.closed or candidate.fenced):
        return broken
    start = bracket.span[0]
    read = late.read_tolerantly(
        body, asked.document, asked.verdict, asked.limits, fenced=candidate.fenced
    )
    if isinstance(read, UnreadableError):
        return Broken("unparsable", read.why, read.at) if read.why else broken
    for repair in read.repairs:
        said = body[slice(*repair.span)]
        words = repair.kind in {"comment", "bare-value"} and elided_at(said)
        if words or (repair.kind in _GUESSES and _DOTS.search(said)):
            return _elided(body, repair.span)
    moved = [replace(r, span=(r.span[0] + start, r.span[1] + start)) for r in read.repairs]
    return Parsed(read.value, tuple(moved), read)


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
