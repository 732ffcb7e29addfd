"""What each candidate turned out to be: whether it fits, and with which value."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from pdl.reply import late
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
    from pdl.reply.query import Asked
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


def evaluate(asked: Asked, candidate: Candidate) -> Evaluated:
    """Parse a candidate and hold its value against the schema."""
    made = read(asked, candidate)
    if isinstance(made, Broken):
        return Evaluated(candidate, "form" if _is_form(asked, candidate, made) else "broken", made)
    inside = payload(made.value, asked.limits)
    called = inside is not None and asked.verdict(inside[0])
    if asked.verdict(made.value):
        return (
            Evaluated(candidate, "broken", _TWO_WAYS)
            if called
            else Evaluated(candidate, "fits", made)
        )
    if called and inside is not None:
        return Evaluated(candidate, "fits", _called(asked, candidate, made, inside[0]))
    if asked.coercions and (changed := _coerced(asked, candidate, made)):
        return Evaluated(candidate, "fits", changed)
    return Evaluated(
        candidate, "misfit" if resembles(asked.document, made.value) else "other", made
    )


def _is_form(asked: Asked, candidate: Candidate, made: Broken) -> bool:
    """Whether what does not parse is a variable, `{{name}}`, or the form of an answer."""
    if candidate.bracket.cut:
        return False
    if _VARIABLE.fullmatch(asked.text, *candidate.span):
        return candidate.fence is None
    return made.reason == "elided" and bool(candidate.is_example or candidate.doubt)


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
    paths = {one.path[:length] for one in found for length in range(len(one.path) + 1)}
    if made.made:
        own = made.made.places(paths)
        places = {path: (a + start, b + start) for path, (a, b) in own.items()}
    else:
        places = locate(asked.text, *candidate.span, paths)
    spans = [_nearest(places, one.path, candidate.span) for one in found]
    return tuple(replace(one, span=span) for one, span in zip(found, spans, strict=True))


def _nearest(places: Mapping[JsonPath, Span], path: JsonPath, whole: Span) -> Span:
    """Where a part stands, or the part around it: some paths lead into JSON inside a string."""
    prefixes = (path[:length] for length in range(len(path), 0, -1))
    return next((places[prefix] for prefix in prefixes if prefix in places), whole)
