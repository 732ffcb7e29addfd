"""Why a reply has no answer: each refusal with its message, place and excerpt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.reply.choosing.evaluate import Evaluated, placed
from pdl.reply.coercing import coerce
from pdl.reply.parsing.parsed import Broken, Parsed, parse
from pdl.reply.phrases import kinds, say
from pdl.reply.result import Reading, Rejected, Violation, failed
from pdl.reply.validation.json_types import first_difference, key
from pdl.reply.wording import brief, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json, JsonPath
    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.query import Query
    from pdl.reply.result import Span

_EXCERPT = 32  # characters of a candidate in a message


def several(query: Query, fitting: Sequence[Evaluated]) -> Reading:
    """Several fit and differ."""
    one, other = fitting[0], fitting[1]
    path = first_difference(one.value, other.value) or ()
    found = " and ".join(_shown(each.value, path) for each in (one, other))
    both = [shorten(query.text[slice(*each.candidate.span)], _EXCERPT) for each in (one, other)]
    message = say(
        "several-answers",
        number=len(fitting),
        one=both[0],
        other=both[1],
        path=format_path(path),
        found=found,
    )
    span = other.candidate.span
    return failed("ambiguous", message, span=span, path=path, found=found, wanted="1 answer")


def _shown(value: Json, path: JsonPath) -> str:
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return "nothing"
    return brief(value, 16)


def rivaled(query: Query, span: Span, why: str) -> Reading:
    """One candidate fits, and another one that does not may have been meant."""
    found = shorten(query.text[slice(*span)], _EXCERPT)
    message = say("one-fits", other=found, why=why)
    return failed("ambiguous", message, span=span, found=found, wanted="1 answer")


def unclear(query: Query, span: Span, why: str) -> Reading:
    """The only one that fits is no clear answer; `why` is the key of the reason."""
    found = shorten(query.text[slice(*span)], _EXCERPT)
    message = say("unclear", found=found, why=say(why))
    return failed("ambiguous", message, span=span, found=found, wanted="1 answer")


def nearest(query: Query, group: Sequence[Evaluated]) -> Reading:
    """None fits: what is wrong with the candidate that came nearest, judged by its violations."""
    readings = [unread(query, one) for one in group]
    return min(readings, key=lambda one: (one.reason != "wrong-schema", len(one.errors)))


def unread(query: Query, one: Evaluated) -> Reading:
    """What is wrong with one candidate."""
    start, end = one.candidate.span
    if isinstance(one.made, Broken):
        place = (min(start + one.made.at, end), end)
        violation = Violation((), one.made.reason, one.made.found, "", one.made.message, place)
        return Reading(reason=one.made.reason, span=(start, end), errors=(violation,))
    from pdl.reply.validation.referee import violations_of  # noqa: PLC0415 - seldom needed

    errors = placed(query, one.candidate, one.made, violations_of(query.document, one.value))
    return Reading(reason="wrong-schema", span=(start, end), errors=errors)


def other_kind(query: Query, found: Sequence[Candidate]) -> Reading:
    """There are only objects where arrays are expected, or the other way round."""
    wanted = "object" if "object" in query.kinds else "array"
    other = found[0]
    message = say("type", wanted=kinds([wanted]), found=kinds([other.kind]))
    excerpt = shorten(query.text[slice(*other.span)])
    violation = Violation((), "type", excerpt, wanted, message, other.span)
    rejected = tuple(Rejected(one.span, f"is not {kinds([wanted])}") for one in found)
    return Reading(reason="wrong-schema", span=other.span, errors=(violation,), rejected=rejected)


def absent(query: Query) -> Reading:
    """There is nothing in brackets: the reply is one JSON scalar that is not allowed, or prose."""
    scalar = _scalar(query)
    if scalar:
        return scalar
    each = [kind for kind in ("object", "array") if kind in query.kinds]
    several_kinds = len(query.kinds - {"number", "integer"}) > len(each)
    wanted = "JSON" if several_kinds else " or ".join(each)
    shown = say("a-value") if several_kinds else kinds(each)
    return failed("absent", say("holds-no", wanted=shown), wanted=wanted, found=shorten(query.text))


def _scalar(query: Query) -> Reading | None:
    """The reading of a reply that is one JSON scalar, where none is expected, or not this one."""
    body = query.text.strip(" \t\r\n")
    made = parse(body, query.limits) if body else None
    if not isinstance(made, Parsed):
        return None
    start = query.text.find(body)
    span = (start, start + len(body))
    if query.coercions:
        value, changes = coerce(query.document, made.value, query.coercions, query.limits)
        if changes:
            return Reading(value, span, repairs=tuple(replace(one, span=span) for one in changes))
    from pdl.reply.validation.referee import violations_of  # noqa: PLC0415 - seldom needed

    errors = tuple(replace(e, span=span) for e in violations_of(query.document, made.value))
    return Reading(reason="wrong-schema", span=span, errors=errors) if errors else None


def rejected(group: Sequence[Evaluated], reading: Reading) -> list[Rejected]:
    """The candidates that were not taken; the answer itself is not among them."""
    return [
        Rejected(one.candidate.span, _why(one, reading))
        for one in group
        if reading.reason or one.candidate.span != reading.span
    ]


def _why(one: Evaluated, reading: Reading) -> str:
    if isinstance(one.made, Broken):
        return one.made.message
    if one.fate != "fits":
        return "does not fit the schema"
    if reading.reason:
        return "differs from another one that fits"
    same = key(one.value) == key(reading.value)
    return "is equal to the answer" if same else "is not called the answer"
