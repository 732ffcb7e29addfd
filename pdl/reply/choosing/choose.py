"""Which candidate is the answer.

Never by position alone: first or last is how injected text wins.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl._types import Json, JsonPath, format_path
from pdl.reply.choosing import json_lines as lines
from pdl.reply.choosing.asides import called_otherwise, is_form, other_call, settled
from pdl.reply.choosing.candidates import Candidate, candidates
from pdl.reply.choosing.evaluate import Judged, judge, placed
from pdl.reply.choosing.widen import widened
from pdl.reply.late import coerce
from pdl.reply.parsing.parsed import Broken, Parsed, parse
from pdl.reply.phrases import kinds, say
from pdl.reply.prose.marks import is_aside, lead_clause
from pdl.reply.prose.omissions import left_out_behind
from pdl.reply.prose.withdrawals import contested
from pdl.reply.result import Reading, Rejected, Span, Violation, failed
from pdl.reply.segments.segmenter import cut
from pdl.reply.validation.json_types import first_difference, key
from pdl.reply.validation.referee import violations_of
from pdl.reply.wording import brief, shorten

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pdl.reply.query import Asked


_FEW = 8  # candidates of another kind that are looked into for tool calls, or in reasoning
_CITATION = re.compile(r"\[\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\s*\]")


def read(asked: Asked) -> Reading:
    """The one answer among the bracketed spans of a reply, or why there is none."""
    found = candidates(asked)
    if len(found) > asked.limits.reply_candidates:
        return failed("limit", say("many-candidates", number=asked.limits.reply_candidates))
    wanted = _wanted(asked, found)
    if not wanted:
        return _sequence(asked, found) or _nothing(asked, found)
    top = max(candidate.rank for candidate in wanted)
    group = [one for one in wanted if _competes(one, top)]
    judged = widened(asked, [judge(asked, candidate) for candidate in group])
    reading = _decide(asked, judged)
    rivals = _rivals(asked, wanted, reading) if top == 1 and not reading.reason else []
    if rivals:
        group += [one.candidate for one in rivals]
        judged = sorted([*judged, *rivals], key=lambda one: one.candidate.span)
        reading = _decide(asked, judged)
    if not reading.reason and (other := called_otherwise(asked, found, group)):
        return _ambiguous(asked, other)
    if reading.reason == "wrong-schema":
        reading = _sequence(asked, found) or reading
    outranked = [
        Rejected(one.span, "another one is marked as the answer")
        for one in wanted
        if one not in group
    ]
    rejected = [*_rejected(judged, reading), *outranked]
    return replace(reading, rejected=tuple(sorted(rejected, key=lambda other: other.span)))


def _ambiguous(asked: Asked, other: Candidate) -> Reading:
    """One candidate fits, and another one, of a kind that does not, is called the answer."""
    excerpt = shorten(asked.text[slice(*other.span)], 32)
    wanted = "object" if other.kind == "array" else "array"
    why = say("type", wanted=kinds([wanted]), found=kinds([other.kind]))
    message = say("one-fits", other=excerpt, why=why)
    return failed("ambiguous", message, span=other.span, found=excerpt, wanted="1 answer")


def _wanted(asked: Asked, found: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates of a kind that fits; all of them if a change of the kind may make one fit."""
    if asked.coercions:
        return found
    wanted = [one for one in found if one.kind in asked.kinds or one.bracket.cut]
    if wanted or len(found) > _FEW:
        return wanted
    calls = [one for one in found if one.kind == "array" and judge(asked, one).fate == "fits"]
    return calls and found


def _sequence(asked: Asked, found: Sequence[Candidate]) -> Reading | None:
    """The reading of all candidates as the items of one array, if they are that."""
    if "array" not in asked.kinds or len({one.kind for one in found}) != 1:
        return None
    reading = lines.read(asked, [judge(asked, one) for one in found])
    if reading is None or reading.span is None:
        return reading
    short = left_out_behind(asked.text, reading.span[1], listed=True)
    if not short:
        return reading
    said = shorten(asked.text[slice(*short)])
    return failed("elided", say("leaves-out", found=said), span=short, found=said)


def _competes(one: Candidate, top: int) -> bool:
    """Whether a candidate has a say where the most clearly marked one has the rank `top`."""
    return one.rank == top or one.bracket.cut or (top == 1 and one.claimed)


def _rivals(asked: Asked, wanted: Sequence[Candidate], answer: Reading) -> list[Judged]:
    """What stands in the prose and fits as well as the JSON fence that was chosen, and differs.

    The fence is a mark against other fences. What is called an example, a draft or a former try is
    no rival, nor is what does not fit: braces in prose need not be data.
    """
    taken = key(answer.value)
    judged: list[Judged] = []
    end = 0
    for one in wanted:
        loose = one.fence is None or (answer.span is not None and answer.span < one.span)
        if loose and one.rank == 0 and not one.claimed and not one.doubt:
            start = one.fence.span[0] if one.fence else one.span[0]
            clause = lead_clause(asked.front, end, start)
            told = not is_aside(clause) and (clause or one.fence is None)
            said = judge(asked, one) if told else None
            if said and said.fate == "fits" and key(said.value) != taken:
                judged.append(said)
        end = one.span[1]
    return judged


def _nothing(asked: Asked, found: Sequence[Candidate]) -> Reading:
    if not found:
        return _other_value(asked) or _only_in_reasoning(asked) or _absent(asked)
    wanted = "object" if "object" in asked.kinds else "array"
    other = found[0]
    message = say("type", wanted=kinds([wanted]), found=kinds([other.kind]))
    excerpt = shorten(asked.text[slice(*other.span)])
    violation = Violation((), "type", excerpt, wanted, message, other.span)
    rejected = tuple(Rejected(one.span, f"is not {kinds([wanted])}") for one in found)
    return Reading(reason="wrong-schema", span=other.span, errors=(violation,), rejected=rejected)


def _only_in_reasoning(asked: Asked) -> Reading | None:
    """The reading of a reply whose reasoning ends with what fits, and that says no more."""
    bodies = (one.body for one in asked.cut.segments if one.kind == "reasoning")
    for start, end in bodies:
        body = asked.text[start:end]
        for bracket, _ in cut(body, asked.limits, asked.dialects).brackets[-_FEW:]:
            first, last = bracket.span
            made = parse(body[first:last], asked.limits) if bracket.closed else None
            if isinstance(made, Parsed) and asked.verdict(made.value):
                place = (start + first, start + last)
                message = say("only-in-reasoning")
                found, wanted = shorten(asked.text[slice(*place)]), _sought(asked)
                return failed("absent", message, span=place, found=found, wanted=wanted)
    return None


def _sought(asked: Asked) -> str:
    """`object`, `array`, either, or JSON of any kind."""
    kinds = [kind for kind in ("object", "array") if kind in asked.kinds]
    several = len(asked.kinds - {"number", "integer"}) > len(kinds)
    return "JSON" if several else " or ".join(kinds)


def _absent(asked: Asked) -> Reading:
    wanted = _sought(asked)
    shown = say("a-value") if wanted == "JSON" else kinds(wanted.split(" or "))
    return failed("absent", say("holds-no", wanted=shown), wanted=wanted, found=shorten(asked.text))


def _other_value(asked: Asked) -> Reading | None:
    """The reading of a reply that is one JSON scalar, where none is wanted, or not this one."""
    body = asked.text.strip(" \t\r\n")
    made = parse(body, asked.limits) if body else None
    if not isinstance(made, Parsed):
        return None
    start = asked.text.find(body)
    span = (start, start + len(body))
    value, changes = (
        coerce(asked.document, made.value, asked.coercions, asked.limits)
        if asked.coercions
        else (None, ())
    )
    if changes:
        return Reading(value, span, repairs=tuple(replace(one, span=span) for one in changes))
    errors = tuple(replace(e, span=span) for e in violations_of(asked.document, made.value))
    return Reading(reason="wrong-schema", span=span, errors=errors) if errors else None


def _decide(asked: Asked, judged: Sequence[Judged]) -> Reading:
    for one in judged:
        if one.candidate.bracket.cut and isinstance(one.made, Broken):
            return _unread(asked, one)
    listed = _in_sequence(asked.text, judged)
    meant = [one for one in judged if one.fate != "other" or one.candidate.span in listed]
    meant = [one for one in meant if not is_form(asked, one)]
    fitting = _distinct([one for one in meant if one.fate == "fits"])
    called = settled(asked, fitting) if len(fitting) > 1 else None
    if len(fitting) > 1 and not called:
        return _conflict(asked, fitting)
    if not fitting:
        return _nearest(asked, meant or judged)
    answer = called or fitting[0]
    odd = next((one for one in meant if one.fate != "fits"), None)
    odd = odd or other_call(asked, answer, judged)
    if odd:
        return _uncertain(asked, odd)
    assert isinstance(answer.made, Parsed)
    if why := _doubt(asked, [answer] if called else meant, answer.made):
        return _doubtful(asked, answer, why)
    return Reading(answer.value, answer.candidate.span, repairs=answer.made.repairs)


def _in_sequence(text: str, judged: Sequence[Judged]) -> set[Span]:
    """The spans that stand beside another with nothing but blanks between: they are one list."""
    spans: set[Span] = set()
    stated = [one for one in judged if not _is_citation(text, one)]
    for left, right in pairwise(one.candidate.span for one in stated):
        if not text[left[1] : right[0]].strip(" \t\r\n,;"):
            spans |= {left, right}
    return spans


def _is_citation(text: str, one: Judged) -> bool:
    """Whether a span such as `[1]` or `[2, 3]` is a mark in prose, not a list of the answer's."""
    return one.fate == "other" and _CITATION.fullmatch(text, *one.candidate.span) is not None


def _distinct(fitting: Sequence[Judged]) -> Sequence[Judged]:
    if len(fitting) < 2:  # noqa: PLR2004 - nothing to compare
        return fitting
    first: dict[Hashable, Judged] = {}
    for one in fitting:
        first.setdefault(key(one.value), one)
    return list(first.values())


def _conflict(asked: Asked, fitting: Sequence[Judged]) -> Reading:
    one, other = fitting[0], fitting[1]
    path = first_difference(one.value, other.value) or ()
    values = [_shown(judged.value, path) for judged in (one, other)]
    found = f"{values[0]} and {values[1]}"
    both = [shorten(asked.text[slice(*each.candidate.span)], 32) for each in (one, other)]
    place = format_path(path)
    message = say(
        "several-answers", number=len(fitting), one=both[0], other=both[1], path=place, found=found
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


def _uncertain(asked: Asked, odd: Judged) -> Reading:
    """One candidate fits, and another one that does not may have been meant."""
    why = _unread(asked, odd).errors[0]
    span = odd.candidate.span
    excerpt = shorten(asked.text[slice(*span)], 32)
    message = say("one-fits", other=excerpt, why=why.message)
    return failed("ambiguous", message, span=span, found=excerpt, wanted="1 answer")


def _doubt(asked: Asked, meant: Sequence[Judged], made: Parsed) -> str:
    """Why the only one that fits is no clear answer: what stands around it, or in its comments."""
    if all(one.candidate.doubt for one in meant):
        return meant[0].candidate.doubt
    comments = (repair.span for repair in made.repairs if repair.kind == "comment")
    if any(contested(asked.text[slice(*span)]) for span in comments):
        return "is contradicted by a comment in it"
    return ""


def _doubtful(asked: Asked, one: Judged, why: str) -> Reading:
    """The only one that fits is no clear answer."""
    span = one.candidate.span
    excerpt = shorten(asked.text[slice(*span)], 32)
    message = say("unclear", found=excerpt, why=why)
    return failed("ambiguous", message, span=span, found=excerpt, wanted="1 answer")


def _nearest(asked: Asked, judged: Sequence[Judged]) -> Reading:
    """Nothing fits: the reading of the candidate that came nearest, judged by its violations."""
    readings = [_unread(asked, one) for one in judged]
    return min(
        readings, key=lambda reading: (reading.reason != "wrong-schema", len(reading.errors))
    )


def _unread(asked: Asked, one: Judged) -> Reading:
    """The reading of a candidate that is no answer."""
    start, end = one.candidate.span
    if isinstance(one.made, Broken):
        place = (min(start + one.made.at, end), end)
        violation = Violation((), one.made.reason, one.made.found, "", one.made.message, place)
        return Reading(reason=one.made.reason, span=(start, end), errors=(violation,))
    errors = placed(asked, one.candidate, one.made, violations_of(asked.document, one.value))
    return Reading(reason="wrong-schema", span=(start, end), errors=errors)


def _rejected(judged: Sequence[Judged], reading: Reading) -> list[Rejected]:
    """The candidates that were not taken; the answer itself is not among them."""
    return [
        Rejected(one.candidate.span, _why(one, reading))
        for one in judged
        if reading.reason or one.candidate.span != reading.span
    ]


def _why(one: Judged, reading: Reading) -> str:
    if isinstance(one.made, Broken):
        return one.made.message
    if one.fate != "fits":
        return "does not fit the schema"
    if reading.reason:
        return "differs from another one that fits"
    same = key(one.value) == key(reading.value)
    return "is equal to the answer" if same else "is not called the answer"
