"""Answers that are one number, boolean, or word of an enum, somewhere in prose."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply.equality import key
from pdl.reply.literals import accept, wanted_kinds
from pdl.reply.marks import announced
from pdl.reply.numbers import Spoken, numbers
from pdl.reply.outcome import Extent, Reading, Reason, Rejected, Repair, Violation, failed
from pdl.reply.places import placed, taken_back
from pdl.reply.sentences import PLAIN_FENCES, Sentences, blanked, masked, untagged
from pdl.reply.shape import is_free_text, literals
from pdl.reply.wording import brief, listed, shorten

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from pdl.reply.asked import Asked

_BOOLEAN = re.compile(r"(?<![\w-])(?:true|false)(?![\w-])", re.IGNORECASE)
_AMID = "stands amid other words, not where an answer does"
_CITATION = re.compile(r"\[\s*\d[\d,\s-]*\]")


def read(asked: Asked) -> Reading:
    """The only scalar that the prose of a reply gives."""
    text = untagged(masked(asked.text, asked.cut, PLAIN_FENCES))
    if is_free_text(asked.document):
        return failed(
            "absent", f"is no JSON {wanted_kinds(asked)}", wanted="JSON", found=shorten(text)
        )
    data = next((b for b, _ in asked.cut.brackets if _is_data(asked.text, b.span, b.shaped)), None)
    if data:
        return _bracketed(asked, data.span)
    text = blanked(text, [m.span() for m in _CITATION.finditer(text)])
    spoken = sorted(_spoken(asked, text), key=lambda one: one.span)
    return _choose(asked, text, spoken)


def _is_data(text: str, span: Extent, shaped: bool) -> bool:  # noqa: FBT001
    return shaped and not _CITATION.fullmatch(text, *span)


def _bracketed(asked: Asked, span: Extent) -> Reading:
    found = "object" if asked.text[span[0]] == "{" else "array"
    wanted = wanted_kinds(asked)
    message = f"has a wrong type: it must be {wanted}, not `{found}`"
    excerpt = shorten(asked.text[slice(*span)])
    violation = Violation((), "type", excerpt, wanted.replace("`", ""), message, span)
    return Reading(reason="wrong-schema", span=span, errors=(violation,))


def _spoken(asked: Asked, text: str) -> Iterator[Spoken]:
    """All that the prose says and that the schema's types could mean."""
    sentences = Sentences(text)
    for one in _all_spoken(asked, text):
        if one.value is None:
            yield one
        elif sentences.turned(one.span):
            yield replace(one, value=None, why="is denied, conditional or asked about")
        else:
            yield replace(one, placed=placed(text, sentences.around(one.span), one.span))


def _all_spoken(asked: Asked, text: str) -> Iterator[Spoken]:
    if asked.kinds & {"integer", "number"}:
        yield from numbers(text, asked.limits.integer_digits)
    if "boolean" in asked.kinds:
        yield from _booleans(text)
    words = [
        choice for choice in literals(asked.document, asked.document) if isinstance(choice, str)
    ]
    if words and "string" in asked.kinds:
        yield from _words(text, words)


def _booleans(text: str) -> Iterator[Spoken]:
    """True and false in any case."""
    for word in _BOOLEAN.finditer(text):
        yield Spoken(word.span(), word[0].lower() == "true")


def _words(text: str, words: Sequence[str]) -> Iterator[Spoken]:
    """The choices of an enum as whole words; in another case only where an answer stands."""
    by_fold: dict[str, list[str]] = {}
    for word in words:
        by_fold.setdefault(word.casefold(), []).append(word)
    longest_first = sorted((w for w in words if w.strip()), key=len, reverse=True)
    if not longest_first:
        return
    pattern = "|".join(map(re.escape, longest_first))
    for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w]|-\w)", text, re.IGNORECASE):
        span, said = found.span(), found[0]
        choices = by_fold.get(said.casefold(), [])
        if said in choices:
            yield Spoken(span, said)
        elif len(choices) == 1:
            yield Spoken(span, choices[0], "", (Repair("case", span, (), said, choices[0]),))
        else:
            yield Spoken(span, None, "is written in another case")


def _choose(asked: Asked, text: str, spoken: Sequence[Spoken]) -> Reading:
    marked = [one for one, mark in zip(spoken, _marked(asked, text, spoken), strict=True) if mark]
    group = marked or spoken
    values: dict[Hashable, Spoken] = {}
    for one in group:
        if one.value is not None:
            values.setdefault(key(one.value), one)
    unclear = next((one for one in group if one.value is None), None)
    if len(values) > 1:
        return _conflict(asked, list(values.values()), spoken)
    loose = [one for one in group if one.value is not None and not one.placed]
    if not marked and len(loose) == len(group) > 0:
        unclear, values = replace(loose[0], value=None, why=_AMID), {}
    if unclear:
        return _unclear(asked, text, unclear, values)
    if not values:
        wanted = wanted_kinds(asked)
        if asked.kinds == {"null"}:
            return failed("absent", "is not null", found=shorten(text), wanted="null")
        return failed(
            "absent", f"holds no {wanted}", found=shorten(text), wanted=wanted.replace("`", "")
        )
    answer = next(one for one in group if one.placed or marked)
    start = answer.span[1] if marked else 0
    if taken_back(text, answer.span[1], start, denies=_denies(answer.value)):
        return _unclear(asked, text, replace(answer, why="is taken back, or not meant"), {})
    reading = accept(asked, answer.span, answer.value, answer.repairs)
    kept = {id(one) for one in group}
    others = [
        Rejected(o.span, "another one is marked as the answer") for o in spoken if id(o) not in kept
    ]
    return replace(reading, rejected=tuple(others))


def _denies(value: object) -> bool:
    return value is False or (isinstance(value, str) and value.lower() in {"no", "false"})


def _marked(asked: Asked, text: str, spoken: Sequence[Spoken]) -> Iterator[bool]:
    end = 0
    for one in spoken:
        start = one.span[0]
        tagged = any(a <= start < b for a, b in asked.cut.answers)
        boxed = text[max(0, start - 8) : start].lstrip("\\").endswith("boxed{")
        yield tagged or boxed or announced(text, end, start)
        end = one.span[1]


def _conflict(asked: Asked, values: Sequence[Spoken], spoken: Sequence[Spoken]) -> Reading:
    shown = listed([brief(one.value, 20) for one in values], " and ")
    message = f"has more than 1 candidates for {wanted_kinds(asked)}: {shown}"
    reading = failed(
        "ambiguous", message, span=values[1].span, found=shorten(shown), wanted="1 answer"
    )
    rejected = [Rejected(one.span, one.why or "differs from another one") for one in spoken]
    return replace(reading, rejected=tuple(rejected))


def _unclear(asked: Asked, text: str, unclear: Spoken, values: dict[Hashable, Spoken]) -> Reading:
    found = shorten(text[slice(*unclear.span)])
    wanted = wanted_kinds(asked)
    reason: Reason = "absent"
    message = f"says nothing clear: `{found}` {unclear.why}"
    if values:
        [clear] = values.values()
        reason = "ambiguous"
        message = (
            f"has more than 1 candidates for {wanted}: {brief(clear.value, 20)}, "
            f"and `{found}`, which {unclear.why}"
        )
    wanted = wanted.replace("`", "")
    reading = failed(reason, message, span=unclear.span, found=found, wanted=wanted)
    return replace(reading, rejected=(Rejected(unclear.span, unclear.why),))
