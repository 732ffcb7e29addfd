"""The choice of the answer among the candidates, and the reasons for refusals.

Structure decides, never position alone: with "first" or "last", injected text would win.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl._types import format_path
from pdl.reply.choosing.candidates import BARE, FENCED, TAGGED, Candidate, candidates
from pdl.reply.choosing.evaluate import Evaluated, evaluate, evaluate_all, payload
from pdl.reply.coercing import coerce
from pdl.reply.parsing.events import placed
from pdl.reply.parsing.parsed import parse
from pdl.reply.phrases import brief, kinds, say, shorten
from pdl.reply.prose.omissions import left_out_after
from pdl.reply.prose.signs import is_withdrawal, taken_back
from pdl.reply.result import Broken, Parsed, Reading, Rejected, Repair, Violation, failed
from pdl.reply.validation.json_types import first_difference, key

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pdl._types import Json, JsonPath
    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.query import Query
    from pdl.reply.result import Span

_WORDS = frozenset(["text", "reasoning"])
"""Segments whose words can withdraw an answer."""

_GAP = re.compile(r"[\s,;]*+(?>(?:(?:[-*+•]|\d{1,6}[.):])[ \t]++)?)")
"""The gap between two items of a list without brackets: JSON Lines, with or without marks."""

_FEW = 8  # candidates of another kind that are looked into for tool calls


def read(query: Query) -> Reading:
    """The one answer among the bracketed spans of a reply, or why there is none."""
    found = candidates(query)
    if len(found) > query.limits.reply_candidates:
        return failed("limit", say("many-candidates", number=query.limits.reply_candidates))
    wanted = _wanted(query, found)
    if not wanted:
        return _lines(query, found) or (other_kind(query, found) if found else absent(query))
    group = _group(query, wanted)
    reading = _decide(query, group)
    if not reading.reason and (other := _tagged_otherwise(found, group)):
        named = kinds([group[0].candidate.kind])
        why = say("type", wanted=named, found=kinds([other.kind]))
        return rivaled(query, other.span, why)
    if reading.reason == "wrong-schema":
        reading = _lines(query, found) or reading
    taken = {one.candidate.span for one in group}
    outranked = [
        Rejected(one.span, "another one is marked as the answer")
        for one in wanted
        if one.span not in taken
    ]
    others = sorted([*rejected(group, reading), *outranked], key=lambda other: other.span)
    return replace(reading, rejected=tuple(others)) if others else reading


def _wanted(query: Query, found: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates of a type that fits; all of them if a coercion might make one fit."""
    if query.coercions:
        return found
    wanted = [one for one in found if one.kind in query.kinds or one.bracket.cut]
    if wanted or len(found) > _FEW:
        return wanted
    calls = [one for one in found if one.kind == "array" and evaluate(query, one).fate == "fits"]
    return calls and found


def _group(query: Query, wanted: Sequence[Candidate]) -> list[Evaluated]:
    """The candidates that compete: all of the highest rank, and what no fence decides against.

    A JSON fence outranks only other fences: a bare candidate in the prose that fits and differs
    competes with it.
    """
    if len(wanted) == 1:
        return evaluate_all(query, wanted)
    top = max(one.rank for one in wanted)
    group = evaluate_all(query, [one for one in wanted if one.rank == top or one.bracket.cut])
    if top != FENCED:
        return group
    bare = (one for one in wanted if one.rank == BARE and one.fence is None and not _is_aside(one))
    rivals = [one for one in evaluate_all(query, list(bare)) if one.fate == "fits"]
    values = {key(one.value) for one in group if one.fate == "fits"} if rivals else set()
    group += [one for one in rivals if key(one.value) not in values]
    return sorted(group, key=lambda one: one.candidate.span)


def _is_aside(one: Candidate) -> bool:
    return bool(one.doubt) or one.lead.exemplifies()


def _is_form(one: Evaluated) -> bool:
    """Whether what does not parse shows the form of an answer: `Format: {"n": <name>}`."""
    if not isinstance(one.made, Broken) or not _is_aside(one.candidate):
        return False
    return one.made.reason == "elided" or one.candidate.doubt == "in-sentence"  # `Dear {{name}}`


def _tagged_otherwise(found: Sequence[Candidate], group: Sequence[Evaluated]) -> Candidate | None:
    """The candidate of another type that is called the answer, if no other candidate is."""
    own = {one.candidate.kind for one in group}
    others = [one for one in found if one.kind not in own]
    if not others or any(_is_called_answer(one.candidate) for one in group):
        return None
    return next((one for one in others if not _is_aside(one) and _is_called_answer(one)), None)


def _is_called_answer(one: Candidate) -> bool:
    return one.rank == TAGGED or one.lead.claims()


def _decide(query: Query, group: Sequence[Evaluated]) -> Reading:
    for one in group:
        if one.candidate.bracket.cut and isinstance(one.made, Broken):
            return unread(query, one)
    listed = _in_sequence(query.text, group)
    meant = [one for one in group if one.fate != "other" or one.candidate.span in listed]
    fitting = [one for one in meant if one.fate == "fits"]
    if len(_distinct(fitting)) > 1:
        fitting = [one for one in fitting if not _is_aside(one.candidate)] or fitting
    distinct = _distinct(fitting)
    if len(distinct) > 1:
        return several(query, distinct)
    if not fitting:
        return nearest(query, meant or group)
    answer = fitting[0]
    odd = next((one for one in meant if one.fate != "fits" and not _is_form(one)), None)
    odd = odd or _other_call(query, answer, group)
    if odd:
        why = unread(query, odd).errors[0].message
        return rivaled(query, odd.candidate.span, why)
    return _taken(query, answer, fitting)


def _taken(query: Query, answer: Evaluated, copies: Sequence[Evaluated]) -> Reading:
    """The reading of the answer, unless the reply takes it back."""
    assert isinstance(answer.made, Parsed)
    span = answer.candidate.span
    if all(one.candidate.doubt for one in copies):
        return unclear(query, span, answer.candidate.doubt)
    if any(_contradicts(query, answer, repair) for repair in answer.made.repairs):
        return unclear(query, span, "contradicted")
    if taken_back(_words_after(query, copies[-1].candidate.outer[1]), answer.value):
        return unclear(query, span, "taken-back")
    return Reading(answer.value, span, repairs=answer.made.repairs)


def _contradicts(query: Query, answer: Evaluated, repair: Repair) -> bool:
    """Whether a repair dropped a comment that withdraws the value next to it."""
    if repair.kind != "comment":
        return False
    said = query.text[slice(*repair.span)].strip("/*#<!-> ")
    name = repair.path[-1] if repair.path else "that"
    return is_withdrawal(said) or bool(taken_back(f"\n{name} {said}", answer.value))


def _words_after(query: Query, at: int) -> str:
    """The words after an answer, also second thoughts, without fences."""
    parts = (one.span for one in query.parts.segments if one.kind in _WORDS and one.span[1] > at)
    return "\n".join(query.text[max(at, start) : end] for start, end in parts)


def _in_sequence(text: str, group: Sequence[Evaluated]) -> set[Span]:
    """The spans that are separated only by spaces: they are one list."""
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
    """Another tool call next to the one that contains the answer."""
    assert isinstance(answer.made, Parsed)
    if all(repair.kind != "tool-call" for repair in answer.made.repairs):
        return None
    others = (one for one in group if one.fate == "other" and isinstance(one.made, Parsed))
    return next((one for one in others if payload(one.value, query.limits)), None)


def _lines(query: Query, found: Sequence[Candidate]) -> Reading | None:
    """The array of all candidates, if they are its items: JSON Lines (jsonlines.org).

    Nothing must be lost: everything in the reply that looks like data must be in the sequence.
    """
    text, spans = query.text, [one.span for one in found]
    if "array" not in query.kinds or len(found) < 2 or len({one.kind for one in found}) > 1:  # noqa: PLR2004
        return None
    if not all(_GAP.fullmatch(text, left[1], right[0]) for left, right in pairwise(spans)):
        return None
    made = [evaluate(query, one).made for one in found if not one.doubt]
    parsed = [one for one in made if isinstance(one, Parsed)]
    value = [one.value for one in parsed]
    if len(value) < len(found) or not query.is_valid(value):
        return None
    span = (spans[0][0], spans[-1][1])
    if short := left_out_after(text, span[1], listed=True):
        said = shorten(text[slice(*short)])
        return failed("elided", say("leaves-out", found=said), span=short, found=said)
    if taken_back(_words_after(query, span[1]), value):
        return unclear(query, span, "taken-back")
    joined = Repair("json-lines", span, (), shorten(text[slice(*span)]), "[…]")
    return Reading(value, span, repairs=(*(r for one in parsed for r in one.repairs), joined))


_EXCERPT = 32  # characters of a candidate in a message


def several(query: Query, fitting: Sequence[Evaluated]) -> Reading:
    """Several fit and differ."""
    one, other = fitting[0], fitting[1]
    path = first_difference(one.value, other.value) or ()
    found = " and ".join(_shown(each.value, path) for each in (one, other))
    spans = (each.candidate.span for each in (one, other))
    first, second = (shorten(query.text[slice(*span)], _EXCERPT) for span in spans)
    at, number = format_path(path), len(fitting)
    message = say("several-answers", number=number, one=first, other=second, path=at, found=found)
    span = other.candidate.span
    return failed("ambiguous", message, span=span, path=path, found=found, wanted="one answer")


def _shown(value: Json, path: JsonPath) -> str:
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return "nothing"
    return brief(value, 16)


def rivaled(query: Query, span: Span, why: str) -> Reading:
    """One candidate fits, but another one that does not might have been meant."""
    found = shorten(query.text[slice(*span)], _EXCERPT)
    message = say("one-fits", other=found, why=why)
    return failed("ambiguous", message, span=span, found=found, wanted="one answer")


def unclear(query: Query, span: Span, why: str) -> Reading:
    """The only one that fits is not a clear answer; `why` is the key of the reason."""
    found = shorten(query.text[slice(*span)], _EXCERPT)
    message = say("unclear", found=found, why=say(why))
    return failed("ambiguous", message, span=span, found=found, wanted="one answer")


def nearest(query: Query, group: Sequence[Evaluated]) -> Reading:
    """None fits: the errors of the nearest candidate, which has the fewest violations."""
    readings = [unread(query, one) for one in group]
    return min(readings, key=lambda one: (one.reason != "wrong-schema", len(one.errors)))


def unread(query: Query, one: Evaluated) -> Reading:
    """The errors of one candidate."""
    start, end = one.candidate.span
    if isinstance(one.made, Broken):
        place = (min(start + one.made.at, end), end)
        violation = Violation((), one.made.message, one.made.reason, one.made.found, span=place)
        return Reading(reason=one.made.reason, span=(start, end), errors=(violation,))
    found = query.violations(one.value, None)
    errors = placed(found, one.made, query.text, one.candidate.span)
    return Reading(reason="wrong-schema", span=(start, end), errors=errors)


def other_kind(query: Query, found: Sequence[Candidate]) -> Reading:
    """There are only objects where arrays are expected, or the other way round."""
    wanted = "object" if "object" in query.kinds else "array"
    other = found[0]
    message = say("type", wanted=kinds([wanted]), found=kinds([other.kind]))
    excerpt = shorten(query.text[slice(*other.span)])
    violation = Violation((), message, "type", excerpt, wanted, other.span)
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
    errors = query.violations(made.value, span)
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
