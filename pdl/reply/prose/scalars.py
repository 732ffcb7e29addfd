"""Answers that are one number, boolean, null, or word of an enum, somewhere in prose."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from pdl.reply import late
from pdl.reply.phrases import kinds, row, say
from pdl.reply.prose.choices import booleans, choices, nulls
from pdl.reply.prose.explanations import unexplained
from pdl.reply.prose.literals import accept, wanted_kinds
from pdl.reply.prose.marks_old import announced, answered
from pdl.reply.prose.numbers import numbers
from pdl.reply.prose.owners import is_anothers, is_cited, is_quoted
from pdl.reply.prose.places import boxed, placed
from pdl.reply.prose.sentences import PLAIN_FENCES, Sentences, blanked, masked, untagged
from pdl.reply.prose.spoken import Spoken
from pdl.reply.prose.subjects import subjects
from pdl.reply.prose.taking_back import disowned, shared
from pdl.reply.result import Reading, Reason, Rejected, Span, Violation, failed
from pdl.reply.segments.spans import Spans
from pdl.reply.validation.json_types import key
from pdl.reply.validation.schema_walk import is_free_text, literals
from pdl.reply.wording import brief, shorten

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from pdl.reply.query import Asked

_AMID = "stands amid other words, not where an answer does"
_COMMAND = re.compile(r"\\[A-Za-z]*$")
"""What makes a bracket one of LaTeX's, as around the text in a box."""

_BEFORE = 16  # characters in front of a bracket in which such a command is looked for
_LINE = re.compile(r"\A\W*+(?P<said>\w[^\n]*?)[^\w\n]*(?:\n|\Z)")
_CITATION = re.compile(r"\[\s*\d[\d,\s-]*\]")
_CLOSED = re.compile(r"(?<!\d)[.!?][*_\"')\]]*[ \t]+[ \t*_`\"'(\[]*$")
"""A sentence that ends on the line of what follows: it calls that nothing."""

_LABELLED = re.compile(
    r"(?:^|[.!?]\s)\W*(?:(?:the|your|this|from\s+the|in\s+the)\s+)?(?:documents?|inputs?|texts?|questions?|examples?|contexts?|e?mails?"
    r"|users?|tools?|prompts?|sources?|drafts?|messages?|pages?|articles?|passages?|templates?|formats?|customers?|students?)\b"
    r"[^.!?\n]{0,40}[:：][\s*_`]*$",
    re.IGNORECASE,
)
_TALLY = re.compile(
    r"\W*(?:correct|right|richtig|correct[ao]s?|juist|верно|правильно)\W*", re.IGNORECASE
)
_OTHER_TALLY = re.compile(
    r"^\W*(?:incorrect|wrong|false|errors?|mistakes?|falsch|incorrect[ao]s?|onjuist|fout|неверно|неправильно)\W*[:：]\W*\d",
    re.IGNORECASE | re.MULTILINE,
)
_OTHERWISE = re.compile(
    r"\b(?:if|when|counting|including|excluding|otherwise|else|without|wenn|falls|si|se|als|если)\b[^.!?\n]*"
    r"(?:[:=]|\b(?:is|are|be|becomes?|gets?|makes?|gives?|have|say|answer|ist|sind|wäre|es|son|est|sont|è|sono|будет))"
    r"[\s*_`\"'(]*$",
    re.IGNORECASE,
)
_SO = re.compile(
    r"(?:\b(?:so|therefore|thus|hence|altogether|consequently)\b,?[^.;:\n]{0,40}?"
    r"(?:\b(?:is|are|be|get|gives|makes|equals)\b|=)"
    r"|\b(?:the|my)\s+(?:final\s+|correct\s+|right\s+)?(?:answer|result|total|sum|label|sentiment|category|class)\s+"
    r"(?:is|was|should\s+be|must\s+be|would\s+be)\b|\bwe\s+get|\bit\s+(?:is|should\s+be|must\s+be)\b)"
    r"(?:\s+(?:clearly|really|actually|definitely|obviously|therefore|then|thus|in\s+fact|an?|the|just))*[\s*_`\"'(]*$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[*_`\"')]*[ \t]*(?:$|[.,;!\n])")
_SENTENCE = 120  # characters of a sentence in front of an answer that are looked at
_NUMBER_WORD = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?"
    r"|hundred|thousand|dozen)\b",
    re.IGNORECASE,
)


def read(asked: Asked) -> Reading:
    """The only scalar that the prose of a reply gives."""
    text = prose(asked)
    if is_free_text(asked.document):
        found = late.reader("formatted")(asked)
        missing = f"is no JSON {wanted_kinds(asked)}"
        told = failed("absent", missing, wanted="JSON", found=shorten(text))
        return told if found.reason == "absent" else found
    data = next((b for b, _ in asked.cut.brackets if _is_data(asked.text, b.span, b.shaped)), None)
    if data:
        return _bracketed(asked, data.span)
    text = blanked(text, [m.span() for m in _CITATION.finditer(text)])
    return choose(asked, text, _all_spoken(asked, text))


def prose(asked: Asked) -> str:
    """The text of a reply, as long as the reply is, without fences of programs and without tags."""
    return untagged(masked(asked.text, asked.cut, PLAIN_FENCES))


def _is_data(text: str, span: Span, shaped: bool) -> bool:  # noqa: FBT001
    formula = _COMMAND.search(text, max(0, span[0] - _BEFORE), span[0])
    return shaped and not formula and not _CITATION.fullmatch(text, *span)


def _bracketed(asked: Asked, span: Span) -> Reading:
    found = "object" if asked.text[span[0]] == "{" else "array"
    names = wanted_kinds(asked)
    message = say("type", wanted=kinds(names), found=kinds([found]))
    excerpt = shorten(asked.text[slice(*span)])
    violation = Violation((), "type", excerpt, " or ".join(names), message, span)
    return Reading(reason="wrong-schema", span=span, errors=(violation,))


def _all_spoken(asked: Asked, text: str) -> Iterator[Spoken]:
    """All that the prose says and that the schema's types could mean."""
    if asked.kinds & {"integer", "number"}:
        whole = "number" not in asked.kinds
        yield from numbers(text, asked.limits.integer_digits, whole=whole)
    if "boolean" in asked.kinds:
        yield from booleans(text)
    if "null" in asked.kinds:
        yield from nulls(text)
    words = [word for word in literals(asked.document, asked.document) if isinstance(word, str)]
    if words and "string" in asked.kinds:
        yield from choices(text, words)


def choose(asked: Asked, text: str, spoken: Iterable[Spoken]) -> Reading:
    """The one answer among what a text says, or why there is none.

    What is marked (final, boxed) decides, else what is called the answer; else all must agree.
    """
    most = asked.limits.reply_candidates
    found = sorted(islice(spoken, most + 1), key=lambda one: one.span)
    if len(found) > most:
        return failed("limit", f"has more than {most} candidates")
    sentences = Sentences(text)
    ends = [0, *(one.span[1] for one in found)]
    everything = [_judged(text, sentences, end, one) for end, one in zip(ends, found, strict=False)]
    told = [one for one in everything if not one.idle]
    group, marked = _group(asked, text, sentences, told)
    values: dict[Hashable, Spoken] = {}
    for one in group:
        if one.clear:
            values.setdefault(key(one.value), one)
    if len(values) > 1:
        return _conflict(asked, list(values.values()), told)
    unclear = next((one for one in group if not one.clear), None)
    loose = [one for one in group if one.clear and not one.placed]
    if loose and len(loose) == len(group):
        unclear, values = replace(loose[0], why=_AMID), {}
    if unclear:
        return _unclear(asked, text, unclear, values)
    if not values:
        return _nothing(asked, text, everything)
    return _taken(asked, text, next(one for one in group if one.placed), group, told, marked=marked)


def _judged(text: str, sentences: Sentences, end: int, one: Spoken) -> Spoken:
    """The same, with a word on where it stands; `end` is where the one before it ends."""
    if not one.clear:
        return one
    start, at = sentences.around(one.span)[0], one.span[0]
    if sentences.turned(one.span):
        rival = _OTHERWISE.search(text, max(start, at - _SENTENCE), at) is not None
        return replace(one, why="is denied, conditional or asked about", rival=rival)
    if is_anothers(text, end, at) or is_cited(text, one.span[1]):
        return replace(one, why="is what another says, or no final answer")
    return replace(one, placed=one.placed or placed(text, sentences.around(one.span), one.span))


def _group(
    asked: Asked, text: str, sentences: Sentences, told: Sequence[Spoken]
) -> tuple[list[Spoken], bool]:
    """Those who have a say, and whether that is because they are marked."""
    marked = [one for one, mark in zip(told, _marked(asked, text, told), strict=True) if mark]
    if marked:
        return _with_neighbours(text, sentences, told, marked), True
    ends = [0, *(one.span[1] for one in told)]
    named = [one for one, end in zip(told, ends, strict=False) if answered(text, end, one.span[0])]
    if not named:
        return unexplained(text, sentences, told), False
    first = named[0].span[0]
    rivals = [one for one in unexplained(text, sentences, told) if one.clear and one.placed]
    rivals = [one for one in rivals if one.span[0] > first or _leads(text, one)]
    rivals += [one for one in told if _is_otherwise(one, named[0])]
    return _with_neighbours(text, sentences, told, [*named, *rivals]), False


def _with_neighbours(
    text: str, sentences: Sentences, told: Sequence[Spoken], chosen: Sequence[Spoken]
) -> list[Spoken]:
    """What was chosen, and what else their sentences say behind it: `Answer: 5, 6`."""
    kept = {id(one) for one in chosen}
    begun: dict[Span, int] = {}
    for one in chosen:
        if not boxed(text, one.span):
            begun.setdefault(sentences.around(one.span), one.span[0])
    for one in unexplained(text, sentences, told):
        if one.span[0] > begun.get(sentences.around(one.span), len(text)):
            kept.add(id(one))
    return [one for one in told if id(one) in kept]


def _is_otherwise(one: Spoken, named: Spoken) -> bool:
    """Whether another answer is given for another case, as in `If the box counts, it is 5`."""
    behind = one.rival and one.span[0] > named.span[0]
    return behind and named.clear and key(one.value) != key(named.value)


def _leads(text: str, one: Spoken) -> bool:
    """Whether it is the first line: then it may be the answer, whatever follows."""
    first = _LINE.search(text)
    return first is not None and first.span("said") == one.span


def _marked(asked: Asked, text: str, spoken: Sequence[Spoken]) -> Iterator[bool]:
    tagged = Spans(span for span in asked.cut.answers if not _is_labelled(asked.text, span[0]))
    end = 0
    for one in spoken:
        start = one.span[0]
        closed = _CLOSED.search(text, max(end, start - _BEFORE), start) is not None
        called = announced(text, end, start) and not closed and not _is_tally(text, end, start)
        yield start in tagged or boxed(text, one.span) or called
        end = one.span[1]


def _is_labelled(text: str, at: int) -> bool:
    """Whether words in front of a tag say whose its text is: `Document: <result>3</result>`."""
    line = text[max(0, at - _SENTENCE) : at].rpartition("\n")[2].rpartition("<")[0]
    return _LABELLED.search(line) is not None


def _is_tally(text: str, start: int, at: int) -> bool:
    """Whether right and wrong ones are counted: `Correct: 3`, `Incorrect: 7`."""
    lead = text[max(start, at - _SENTENCE) : at].rpartition("\n")[2]
    return _TALLY.fullmatch(lead) is not None and _OTHER_TALLY.search(text) is not None


def _taken(  # noqa: PLR0913 - what was chosen, from what, and why
    asked: Asked,
    text: str,
    answer: Spoken,
    group: Sequence[Spoken],
    told: Sequence[Spoken],
    *,
    marked: bool,
) -> Reading:
    """The reading of the answer, unless the reply takes it back."""
    start = answer.span[1] if marked else 0
    if disowned(text, answer.span[1], start, denies=_denies(answer.value)):
        return _unclear(asked, text, replace(answer, why="is taken back, or not meant"), {})
    if isinstance(answer.value, str) and shared(text):
        return _unclear(asked, text, replace(answer, why="is not the only right one"), {})
    if is_quoted(text, answer.span[0]):
        return _unclear(asked, text, replace(answer, why="is what another says"), {})
    if not marked and subjects(text, [one.span for one in group if one.clear and one.placed]):
        return _unclear(asked, text, replace(answer, why="is said of several things"), {})
    other = _contrary(text, answer, group, told)
    if other:
        return _conflict(asked, [answer, other], told)
    reading = accept(asked, answer.span, answer.value, answer.repairs)
    kept = {id(one) for one in group}
    others = [
        Rejected(o.span, "another one is marked as the answer") for o in told if id(o) not in kept
    ]
    return replace(reading, rejected=tuple(others))


def _contrary(
    text: str, answer: Spoken, group: Sequence[Spoken], told: Sequence[Spoken]
) -> Spoken | None:
    """Another result that the explanation of an answer comes to, and never to the answer."""
    kept = {id(one) for one in group}
    results = [
        one
        for one in told
        if one.clear
        and id(one) not in kept
        and one.span[0] > answer.span[1]
        and _SO.search(text, max(0, one.span[0] - _SENTENCE), one.span[0])
        and _ENDS.match(text, one.span[1])
    ]
    if any(key(one.value) == key(answer.value) for one in results):
        return None
    return results[-1] if results else None


def _denies(value: object) -> bool:
    return value is False or (isinstance(value, str) and value.lower() in {"no", "false"})


def _nothing(asked: Asked, text: str, everything: Sequence[Spoken]) -> Reading:
    """The reading of a text that has no answer, with a word on what came nearest to one."""
    names = wanted_kinds(asked)
    if asked.kinds == {"null"}:
        return failed("absent", say("not-null"), found=shorten(text), wanted="null")
    idle = next((one for one in everything if one.idle), None)
    if idle:
        return _unclear(asked, text, idle, {})
    word = _NUMBER_WORD.search(text) if asked.kinds & {"integer", "number"} else None
    if word:
        said = Spoken(word.span(), None, "is a number in words, where digits belong")
        return _unclear(asked, text, said, {})
    return failed(
        "absent",
        say("holds-no", wanted=kinds(names)),
        found=shorten(text),
        wanted=" or ".join(names),
    )


def _conflict(asked: Asked, values: Sequence[Spoken], spoken: Sequence[Spoken]) -> Reading:
    shown = row([brief(one.value, 20) for one in values])
    message = say("several-scalars", wanted=kinds(wanted_kinds(asked)), found=shown)
    reading = failed(
        "ambiguous", message, span=values[1].span, found=shorten(shown), wanted="1 answer"
    )
    rejected = [Rejected(one.span, one.why or "differs from another one") for one in spoken]
    return replace(reading, rejected=tuple(rejected))


def _unclear(asked: Asked, text: str, unclear: Spoken, values: dict[Hashable, Spoken]) -> Reading:
    found = shorten(text[slice(*unclear.span)])
    names = wanted_kinds(asked)
    reason: Reason = "absent"
    message: str = say("unclear", found=found, why=unclear.why)
    if values:
        [clear] = values.values()
        reason = "ambiguous"
        shown = brief(clear.value, 20)
        message = say("one-clear", wanted=kinds(names), one=shown, other=found, why=unclear.why)
    reading = failed(reason, message, span=unclear.span, found=found, wanted=" or ".join(names))
    return replace(reading, rejected=(Rejected(unclear.span, unclear.why),))
