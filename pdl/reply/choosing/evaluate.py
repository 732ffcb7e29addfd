"""What each candidate turned out to be: whether it fits, and with which value."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from pdl.reply.choosing.reading import read
from pdl.reply.choosing.tool_call import payload
from pdl.reply.parsing.events import locate
from pdl.reply.parsing.parsed import Broken, Parsed
from pdl.reply.phrases import say
from pdl.reply.result import Repair, Violation
from pdl.reply.validation.schema_walk import resembles
from pdl.reply.wording import brief, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdl._types import Json, JsonPath
    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.query import Query
    from pdl.reply.result import Span

Fate: TypeAlias = Literal["fits", "misfit", "other", "broken", "form"]
"""It fits the schema; it does not, but was meant to; it was never meant to; it does not parse; it
does not since it shows the form of an answer."""

_VARIABLE = re.compile(r"\{\{\s*[\w.]{1,60}\s*\}\}|\{%[^{}\n]{0,100}%\}")

_TWO_WAYS = Broken("ambiguous", say("two-ways"))


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A candidate after parsing and checking it; `made` is its value or why it has none."""

    candidate: Candidate
    fate: Fate
    made: Parsed | Broken

    @property
    def value(self) -> Json:
        """The value of a candidate that parsed."""
        assert isinstance(self.made, Parsed)
        return self.made.value


def evaluate(query: Query, candidate: Candidate) -> Evaluated:
    """Parse a candidate and hold its value against the schema."""
    made = read(query, candidate)
    if isinstance(made, Broken):
        return Evaluated(candidate, "form" if _is_form(query, candidate, made) else "broken", made)
    inside = payload(made.value, query.limits)
    called = inside is not None and query.is_valid(inside[0])
    if query.is_valid(made.value):
        return (
            Evaluated(candidate, "broken", _TWO_WAYS)
            if called
            else Evaluated(candidate, "fits", made)
        )
    if called and inside is not None:
        return Evaluated(candidate, "fits", _called(query, candidate, made, inside[0]))
    if query.coercions and (changed := _coerced(query, candidate, made)):
        return Evaluated(candidate, "fits", changed)
    return Evaluated(
        candidate, "misfit" if resembles(query.document, made.value) else "other", made
    )


def _is_form(query: Query, candidate: Candidate, made: Broken) -> bool:
    """Whether what does not parse is a variable, `{{name}}`, or the form of an answer."""
    if candidate.bracket.cut:
        return False
    if _VARIABLE.fullmatch(query.text, *candidate.span):
        return candidate.fence is None
    return made.reason == "elided" and bool(candidate.is_example or candidate.doubt)


def _called(query: Query, candidate: Candidate, made: Parsed, inside: Json) -> Parsed:
    """The arguments of a tool call as the answer."""
    said = shorten(query.text[slice(*candidate.span)])
    repair = Repair("tool-call", candidate.span, (), said, brief(inside))
    return Parsed(inside, (*made.repairs, repair))


def _coerced(query: Query, candidate: Candidate, made: Parsed) -> Parsed | None:
    """The value with the changes that the caller allows, if it fits with them."""
    from pdl.reply.coercing import coerce  # noqa: PLC0415 - only where it is allowed

    value, changes = coerce(query.document, made.value, query.coercions, query.limits)
    if not changes:
        return None
    return Parsed(value, (*made.repairs, *placed(query, candidate, made, changes)))


_Placed = TypeVar("_Placed", Violation, Repair)


def placed(
    query: Query, candidate: Candidate, made: Parsed, found: Sequence[_Placed]
) -> tuple[_Placed, ...]:
    """Violations or repairs of a value, each with the place of the part that it is about."""
    start = candidate.span[0]
    paths = {one.path[:length] for one in found for length in range(len(one.path) + 1)}
    if made.made:
        own = made.made.places(paths)
        places = {path: (a + start, b + start) for path, (a, b) in own.items()}
    else:
        places = locate(query.text, *candidate.span, paths)
    spans = [_nearest(places, one.path, candidate.span) for one in found]
    return tuple(replace(one, span=span) for one, span in zip(found, spans, strict=True))


def _nearest(places: Mapping[JsonPath, Span], path: JsonPath, whole: Span) -> Span:
    """Where a part stands, or the part around it: some paths lead into JSON inside a string."""
    prefixes = (path[:length] for length in range(len(path), 0, -1))
    return next((places[prefix] for prefix in prefixes if prefix in places), whole)
