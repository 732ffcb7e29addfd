"""Which candidate is the answer.

Structure decides, never position alone: first or last is how injected text wins.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl._types import Json, JsonPath, format_path
from pdl.reply.choosing import json_lines
from pdl.reply.choosing.candidates import BARE, FENCED, Candidate, candidates
from pdl.reply.choosing.evaluate import Evaluated, evaluate, placed
from pdl.reply.choosing.tool_call import payload
from pdl.reply.choosing.widen import widened
from pdl.reply.coercing import coerce
from pdl.reply.parsing.parsed import Broken, Parsed, parse
from pdl.reply.phrases import kinds, say
from pdl.reply.prose.omissions import left_out_behind
from pdl.reply.prose.withdrawals import is_withdrawal, sentences, taken_back
from pdl.reply.result import Reading, Rejected, Repair, Span, Violation, failed
from pdl.reply.segments.segmenter import cut
from pdl.reply.validation.json_types import first_difference, key
from pdl.reply.wording import brief, shorten

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pdl.reply.query import Query

_WORDS = frozenset(["text", "reasoning"])
"""Segments whose words may take an answer back."""

_FEW = 8  # candidates of another kind that are looked into for tool calls, or in reasoning


def read(query: Query) -> Reading:
    """The one answer among the bracketed spans of a reply, or why there is none."""
    found = candidates(query)
    if len(found) > query.limits.reply_candidates:
        return failed("limit", say("many-candidates", number=query.limits.reply_candidates))
    wanted = _wanted(query, found)
    if not wanted:
        return _sequence(query, found) or _nothing(query, found)
    group = _group(query, wanted)
    reading = _decide(query, group)
    if not reading.reason and (other := _called_otherwise(found, group)):
        return _uncertain(
            query,
            other,
            say("type", wanted=kinds([group[0].candidate.kind]), found=kinds([other.kind])),
        )
    if reading.reason == "wrong-schema":
        reading = _sequence(query, found) or reading
    taken = {one.candidate.span for one in group}
    outranked = [
        Rejected(one.span, "another one is marked as the answer")
        for one in wanted
        if one.span not in taken
    ]
    rejected = [*_rejected(group, reading), *outranked]
    return replace(reading, rejected=tuple(sorted(rejected, key=lambda other: other.span)))


def _wanted(query: Query, found: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates of a kind that fits; all of them if a change of the kind may make one fit."""
    if query.coercions:
        return found
    wanted = [one for one in found if one.kind in query.kinds or one.bracket.cut]
    if wanted or len(found) > _FEW:
        return wanted
    calls = [one for one in found if one.kind == "array" and evaluate(query, one).fate == "fits"]
    return calls and found


def _group(query: Query, wanted: Sequence[Candidate]) -> list[Evaluated]:
    """Those that have a say: all of the highest rank, and what no fence decides against.

    A fence for JSON is a mark among fences only: what is bare in the prose, fits and differs has a
    say beside it.
    """
    top = max(one.rank for one in wanted)
    group = [
        one
        for one in wanted
        if one.rank == top or one.bracket.cut or (top == FENCED and one.claimed)
    ]
    found = widened(query, [evaluate(query, one) for one in group])
    if top != FENCED:
        return found
    values = {key(one.value) for one in found if one.fate == "fits"}
    bare = (one for one in wanted if one.rank == BARE and one.fence is None and not one.claimed)
    for one in bare:
        rival = evaluate(query, one)
        if rival.fate == "fits" and key(rival.value) not in values and not _is_aside(one):
            found.append(rival)
    return sorted(found, key=lambda one: one.candidate.span)


def _is_aside(one: Candidate) -> bool:
    return bool(one.doubt) or one.is_example


def _called_otherwise(found: Sequence[Candidate], taken: Sequence[Evaluated]) -> Candidate | None:
    """What is of a kind that isn't wanted and is called the answer, while nothing else is."""
    if any(one.candidate.rank > FENCED or one.candidate.claimed for one in taken):
        return None
    own = {one.candidate.kind for one in taken}
    others = (one for one in found if one.kind not in own and not _is_aside(one))
    return next((one for one in others if one.rank > FENCED or one.claimed), None)


def _decide(query: Query, group: Sequence[Evaluated]) -> Reading:
    for one in group:
        if one.candidate.bracket.cut and isinstance(one.made, Broken):
            return _unread(query, one)
    listed = _in_sequence(query.text, group)
    meant = [one for one in group if one.fate != "other" or one.candidate.span in listed]
    fitting = [one for one in meant if one.fate == "fits"]
    if len(_distinct(fitting)) > 1:
        fitting = _remaining(query, fitting)
    distinct = _distinct(fitting)
    if len(distinct) > 1:
        return _conflict(query, distinct)
    if not fitting:
        return _nearest(query, meant or group)
    answer = fitting[0]
    odd = next((one for one in meant if one.fate not in {"fits", "form"}), None)
    odd = odd or _other_call(query, answer, group)
    if odd:
        return _uncertain(query, odd.candidate, _unread(query, odd).errors[0].message)
    return _taken(query, answer, fitting)


def _taken(query: Query, answer: Evaluated, copies: Sequence[Evaluated]) -> Reading:
    """The reading of the answer, unless the reply takes it back."""
    assert isinstance(answer.made, Parsed)
    if all(one.candidate.doubt for one in copies):
        return _doubtful(query, answer, answer.candidate.doubt)
    if any(map(partial(_contradicts, query, answer), answer.made.repairs)):
        return _doubtful(query, answer, "is contradicted by a comment in it")
    if taken_back(_behind(query, copies[-1].candidate.outer[1]), answer.value):
        return _doubtful(query, answer, "is taken back by the words after it")
    return Reading(answer.value, answer.candidate.span, repairs=answer.made.repairs)


def _contradicts(query: Query, answer: Evaluated, repair: Repair) -> bool:
    """Whether a repair dropped a comment that takes back the value beside it."""
    if repair.kind != "comment":
        return False
    said = query.text[slice(*repair.span)].strip("/*#<!-> ")
    name = repair.path[-1] if repair.path else "that"
    return is_withdrawal(said) or bool(taken_back(f"\n{name} {said}", answer.value))


def _behind(query: Query, at: int) -> str:
    """The words behind an answer, also second thoughts, without fences."""
    parts = (one.span for one in query.cut.segments if one.kind in _WORDS and one.span[1] > at)
    return "\n".join(query.text[max(at, start) : end] for start, end in parts)


def _remaining(query: Query, fitting: Sequence[Evaluated]) -> list[Evaluated]:
    """Those of several that differ which are no examples, nor taken back in front of the next."""
    back = {
        one.candidate.span
        for one, other in pairwise(fitting)
        if _is_taken_back(query.text[one.candidate.outer[1] : other.candidate.outer[0]])
    }
    kept = [one for one in fitting if one.candidate.span not in back]
    return [one for one in kept if not _is_aside(one.candidate)] or kept


def _is_taken_back(between: str) -> bool:
    """Whether a sentence in front of the next candidate takes this one back; no lead to that."""
    return any(is_withdrawal(said) for said in sentences(between) if said[-1] not in ":：")


def _in_sequence(text: str, group: Sequence[Evaluated]) -> set[Span]:
    """The spans that stand beside another with nothing but blanks between: they are one list."""
    spans: set[Span] = set()
    stated = [one.candidate.span for one in group if one.fate != "other" or not one.candidate.doubt]
    for left, right in pairwise(stated):
        if not text[left[1] : right[0]].strip(" \t\r\n,;"):
            spans |= {left, right}
    return spans


def _distinct(fitting: Sequence[Evaluated]) -> Sequence[Evaluated]:
    if len(fitting) < 2:  # noqa: PLR2004 - nothing to compare
        return fitting
    first: dict[Hashable, Evaluated] = {}
    for one in fitting:
        first.setdefault(key(one.value), one)
    return list(first.values())


def _other_call(query: Query, answer: Evaluated, group: Sequence[Evaluated]) -> Evaluated | None:
    """Another tool call beside the one that holds the answer."""
    assert isinstance(answer.made, Parsed)
    if all(repair.kind != "tool-call" for repair in answer.made.repairs):
        return None
    others = (one for one in group if one.fate == "other" and isinstance(one.made, Parsed))
    return next((one for one in others if payload(one.value, query.limits)), None)


def _sequence(query: Query, found: Sequence[Candidate]) -> Reading | None:
    """The reading of all candidates as the items of one array, if they are that."""
    if "array" not in query.kinds or len({one.kind for one in found}) != 1:
        return None
    reading = json_lines.read(query, [evaluate(query, one) for one in found])
    if reading is None or reading.span is None:
        return reading
    short = left_out_behind(query.text, reading.span[1], listed=True)
    if short:
        said = shorten(query.text[slice(*short)])
        return failed("elided", say("leaves-out", found=said), span=short, found=said)
    if taken_back(_behind(query, reading.span[1]), reading.value):
        return failed(
            "ambiguous",
            say("unclear", found="[…]", why="is taken back by the words after it"),
            span=reading.span,
        )
    return reading


def _nothing(query: Query, found: Sequence[Candidate]) -> Reading:
    if not found:
        return _other_value(query) or _only_in_reasoning(query) or _absent(query)
    wanted = "object" if "object" in query.kinds else "array"
    other = found[0]
    message = say("type", wanted=kinds([wanted]), found=kinds([other.kind]))
    excerpt = shorten(query.text[slice(*other.span)])
    violation = Violation((), "type", excerpt, wanted, message, other.span)
    rejected = tuple(Rejected(one.span, f"is not {kinds([wanted])}") for one in found)
    return Reading(reason="wrong-schema", span=other.span, errors=(violation,), rejected=rejected)


def _only_in_reasoning(query: Query) -> Reading | None:
    """The reading of a reply whose reasoning ends with what fits, and that says no more."""
    bodies = (one.body for one in query.cut.segments if one.kind == "reasoning")
    for start, end in bodies:
        body = query.text[start:end]
        for bracket, _ in cut(body, query.limits, query.dialects).brackets[-_FEW:]:
            first, last = bracket.span
            made = parse(body[first:last], query.limits) if bracket.closed else None
            if isinstance(made, Parsed) and query.is_valid(made.value):
                place = (start + first, start + last)
                found = shorten(query.text[slice(*place)])
                message = say("only-in-reasoning")
                return failed("absent", message, span=place, found=found, wanted=_sought(query))
    return None


def _sought(query: Query) -> str:
    """`object`, `array`, either, or JSON of any kind."""
    each = [kind for kind in ("object", "array") if kind in query.kinds]
    several = len(query.kinds - {"number", "integer"}) > len(each)
    return "JSON" if several else " or ".join(each)


def _absent(query: Query) -> Reading:
    wanted = _sought(query)
    shown = say("a-value") if wanted == "JSON" else kinds(wanted.split(" or "))
    return failed("absent", say("holds-no", wanted=shown), wanted=wanted, found=shorten(query.text))


def _other_value(query: Query) -> Reading | None:
    """The reading of a reply that is one JSON scalar, where none is wanted, or not this one."""
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


def _conflict(query: Query, fitting: Sequence[Evaluated]) -> Reading:
    one, other = fitting[0], fitting[1]
    path = first_difference(one.value, other.value) or ()
    values = [_shown(each.value, path) for each in (one, other)]
    found = f"{values[0]} and {values[1]}"
    both = [shorten(query.text[slice(*each.candidate.span)], 32) for each in (one, other)]
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


def _uncertain(query: Query, odd: Candidate, why: str) -> Reading:
    """One candidate fits, and another one that does not may have been meant."""
    excerpt = shorten(query.text[slice(*odd.span)], 32)
    message = say("one-fits", other=excerpt, why=why)
    return failed("ambiguous", message, span=odd.span, found=excerpt, wanted="1 answer")


def _doubtful(query: Query, one: Evaluated, why: str) -> Reading:
    """The only one that fits is no clear answer."""
    span = one.candidate.span
    excerpt = shorten(query.text[slice(*span)], 32)
    message = say("unclear", found=excerpt, why=why)
    return failed("ambiguous", message, span=span, found=excerpt, wanted="1 answer")


def _nearest(query: Query, group: Sequence[Evaluated]) -> Reading:
    """Nothing fits: the reading of the candidate that came nearest, judged by its violations."""
    readings = [_unread(query, one) for one in group]
    return min(
        readings, key=lambda reading: (reading.reason != "wrong-schema", len(reading.errors))
    )


def _unread(query: Query, one: Evaluated) -> Reading:
    """The reading of a candidate that is no answer."""
    start, end = one.candidate.span
    if isinstance(one.made, Broken):
        place = (min(start + one.made.at, end), end)
        violation = Violation((), one.made.reason, one.made.found, "", one.made.message, place)
        return Reading(reason=one.made.reason, span=(start, end), errors=(violation,))
    from pdl.reply.validation.referee import violations_of  # noqa: PLC0415 - seldom needed

    errors = placed(query, one.candidate, one.made, violations_of(query.document, one.value))
    return Reading(reason="wrong-schema", span=(start, end), errors=errors)


def _rejected(group: Sequence[Evaluated], reading: Reading) -> list[Rejected]:
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
