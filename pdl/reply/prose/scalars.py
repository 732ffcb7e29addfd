"""Answers that are one number, boolean, null, or word of an enum, somewhere in prose; and `yesno`.

Everything that fits the types of the schema is a candidate; the best position decides.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.phrases import ROW, brief, kinds, row, say, shorten
from pdl.reply.prose.clauses import Rank, is_spoiled
from pdl.reply.prose.literals import accept, wanted_kinds
from pdl.reply.prose.places import Placed, placed
from pdl.reply.prose.scalar_candidates import (
    ScalarCandidate,
    Wanted,
    choices,
    flags,
    numbers,
    reckoned,
)
from pdl.reply.prose.signs import sentences, taken_back
from pdl.reply.prose.visible import PLAIN_FENCES, blanked, masked, untagged
from pdl.reply.prose.words import has, hear, joined, lexicon, tokens
from pdl.reply.result import Reading, Reason, Rejected, Span, Violation, failed
from pdl.reply.validation.json_types import as_integer, key
from pdl.reply.validation.schema_walk import branches, literals, only_literals

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from pdl._types import Json
    from pdl.reply.query import Query


_AMID = "is among other words, not where an answer would be"
_TURNED = "is denied, conditional or asked about"
_TAKEN_BACK = "is taken back, or not meant"
_UNSURE = "is next to words that say that the answer is unknown"
_COMMAND = re.compile(r"\\[A-Za-z]*$")
_BEFORE = 16  # characters before a bracket in which a LaTeX command is looked for
_CITATION = re.compile(r"\[\s*\d[\d,\s-]*\](?!\])")
_JUDGED = re.compile(r"\[\[[^\[\]\n]{1,80}\]\]")
_BLOCK_QUOTE = re.compile(r"^[ \t]*>.*", re.MULTILINE)
_SEARCHED = 10_000  # characters in which a number in words is looked for
_ENDS = frozenset(".!?\n。！？")
_NO = re.compile(r"[^\w\s'’]\s*(?P<no>[^\W\d_]+)[,.!]?\s*$")


def read(query: Query) -> Reading:
    """The only scalar that the prose of a reply states."""
    data = next(
        (b for b, _ in query.parts.brackets if _is_data(query.text, b.span, b.shaped)), None
    )
    if data:
        return _bracketed(query, data.span)
    text = prose(query)
    return choose(query, text, candidates(query, text))


def prose(query: Query) -> str:
    """The text of a reply, of the same length, without programs, tags, citations, and quotes."""
    text = untagged(masked(query.text, query.parts, PLAIN_FENCES))
    if "[" in text:
        text = blanked(
            text,
            [m.span() for m in _CITATION.finditer(text) if text[m.start() - 1 : m.start()] != "["],
        )
    if ">" in text and _BLOCK_QUOTE.sub("", text).strip():
        text = _BLOCK_QUOTE.sub(lambda line: " " * len(line[0]), text)
    return text


def _is_data(text: str, span: Span, shaped: bool) -> bool:  # noqa: FBT001
    formula = _COMMAND.search(text, max(0, span[0] - _BEFORE), span[0])
    cited = _CITATION.fullmatch(text, *span) or _JUDGED.fullmatch(text, *span)
    return shaped and not formula and not cited


def _bracketed(query: Query, span: Span) -> Reading:
    found = "object" if query.text[span[0]] == "{" else "array"
    names = wanted_kinds(query)
    message = say("type", wanted=kinds(names), found=kinds([found]))
    excerpt = shorten(query.text[slice(*span)])
    violation = Violation((), message, "type", excerpt, " or ".join(names), span)
    return Reading(reason="wrong-schema", span=span, errors=(violation,))


def candidates(query: Query, text: str) -> Iterator[ScalarCandidate]:
    """All that the prose says and that the schema's types could mean."""
    kinds = query.kinds
    if kinds & {"integer", "number"}:
        bounds = (branch.get("maximum") for branch in branches(query.document, query.document))
        most = next((bound for bound in bounds if bound is not None), None)
        yield from numbers(text, Wanted("number" not in kinds, query.limits.integer_digits, most))
    if kinds & {"boolean", "null"}:
        yield from flags(text, flags="boolean" in kinds, null="null" in kinds)
    words = [word for word in literals(query.document, query.document) if isinstance(word, str)]
    if words and "string" in kinds:
        yield from choices(text, words)


def choose(query: Query, text: str, spoken: Iterable[ScalarCandidate]) -> Reading:
    """The one answer among the candidates of a text, or why there is none.

    The best position decides; in it all must agree, or the last one concludes.
    """
    most = query.limits.reply_candidates
    found = sorted(islice(spoken, most + 1), key=lambda one: one.span)
    if len(found) > most:
        return failed("limit", say("many-candidates", number=most))
    fits = partial(_fits, query)
    everything = placed(query.text, text, reckoned(text, found), query.parts.answers, fits)
    group = _best(everything)
    values: dict[Hashable, Placed] = {}
    for each in group:
        if not each.one.why:
            values.setdefault(key(each.one.value), each)
    if len(values) > 1:
        return _conflict(query, [each.one for each in values.values()], everything)
    unclear = next((each.one for each in group if each.one.why), None)
    if unclear:
        return _unclear(query, text, unclear, [each.one for each in values.values()])
    if not values:
        return _nothing(query, text, everything)
    [answer] = values.values()
    return _taken(query, text, answer, everything, group)


def _fits(query: Query, one: ScalarCandidate) -> bool:
    value = one.value
    if isinstance(value, float) and value.is_integer():
        value = as_integer(value)
    return query.is_valid(value) or query.is_valid(one.value)


def _best(everything: Sequence[Placed]) -> list[Placed]:
    """Those in the best position, without misfits if others fit."""
    best = max((each.rank for each in everything), default=Rank.NOWHERE)
    if best is Rank.NOWHERE:
        return []
    group = [each for each in everything if each.rank == best]
    group = _fitting(group)
    if best <= Rank.MARKED:
        last = [each for each in everything if each.rank >= Rank.STATED and each.fits][-1:]
        if last and last[0].concluded:
            if len({key(each.one.value) for each in group if not each.one.why}) > 1:
                return last
            return group if last[0] in group else [*group, *last]
    return group


def _fitting(group: list[Placed]) -> list[Placed]:
    fitting = [each for each in group if each.fits or each.one.why]
    return fitting if any(each.fits for each in group) else group


def _taken(
    query: Query, text: str, answer: Placed, everything: Sequence[Placed], group: Sequence[Placed]
) -> Reading:
    """The reading of the answer, unless the reply takes it back or also states another one."""
    one = answer.one
    other = _rival(text, answer, everything) or _unplaced(answer, everything)
    if other:
        return _conflict(query, [one, other], everything)
    if answer.rank == Rank.STATED and hear(text).says("unknown"):
        return _unclear(query, text, replace(one, why=_UNSURE), [])
    if _disowned(text, one.span[1], one.value):
        return _unclear(query, text, replace(one, why=_TAKEN_BACK), [])
    reading = accept(query, one.span, one.value, one.repairs)
    chosen = {each.one.span for each in group}
    others = [
        Rejected(each.one.span, "another one is marked as the answer")
        for each in everything
        if each.one.span not in chosen and not each.one.idle
    ]
    return replace(reading, rejected=tuple(others))


def _rival(text: str, answer: Placed, everything: Sequence[Placed]) -> ScalarCandidate | None:
    """Another value that is a sentence by itself, or the result of a later calculation."""
    if answer.rank >= Rank.FINAL:
        return None
    mine = key(answer.one.value)
    others = [each for each in everything if each.fits and each.rank >= Rank.STATED]
    differing = [each for each in others if key(each.one.value) != mine]
    for each in differing:
        if each.alone:
            return each.one
    end = answer.one.span[1]
    results = [each for each in others if each.one.span[0] > end and each.one.result]
    if results and all(key(each.one.value) != mine for each in results):
        return results[-1].one
    later = [one for one in everything if one.fits and not one.aside and one.one.span[0] > end]
    again = [each for each in later if key(each.one.value) != mine and not each.turned]
    flag = isinstance(answer.one.value, bool)
    found = (one.one for one in again if _corrects(text, end, one.one.span, is_flag=flag))
    return next(found, None)


def _unplaced(answer: Placed, everything: Sequence[Placed]) -> ScalarCandidate | None:
    """Another number next to one that is only stated, which must be the only one that fits."""
    if answer.rank > Rank.STATED or answer.concluded:
        return None
    if not isinstance(answer.one.value, int | float) or isinstance(answer.one.value, bool):
        return None
    mine = key(answer.one.value)
    others = (each.one for each in everything if each.fits and not each.turned and not each.aside)
    return next((one for one in others if not one.idle and key(one.value) != mine), None)


def _corrects(text: str, at: int, span: Span, *, is_flag: bool) -> bool:
    """Whether the sentence of another value begins as a second thought."""
    lead = text[max(at, span[0] - 80) : span[0]]
    ended = text[span[1] : span[1] + 1] in {"", ".", "!", ",", ";", "\n", "。"}
    if is_flag and ended and not lexicon("because").isdisjoint(tokens(lead)[-1:]):
        return True
    words = tokens(text[at : span[0]][-80:])
    several = words[-1:] and words[-1] in lexicon("or") and lexicon("because").isdisjoint(words)
    if several and _ENDS.isdisjoint(text[at : span[0]][-80:]):
        return True
    last = _NO.search(lead)
    return (last is not None and last["no"].lower() in lexicon("no")) or hear(lead).says(
        "second_thought"
    )


def _disowned(text: str, at: int, value: Json) -> bool:
    """Whether the text after an answer withdraws it; `that is wrong` agrees with a no."""
    said = taken_back("\n" + text[at:])
    denies = value is False or (isinstance(value, str) and value.lower() in {"no", "false"})
    words = tokens(said)
    agrees = denies and (has("rejected", words, said) or has("denied", words, said))
    if said and not agrees:
        return True
    flag = {"yes": True, "no": False}.get(value.lower()) if isinstance(value, str) else value
    if isinstance(flag, bool) and is_spoiled(text[at:], flag):
        return True
    return any(hear(each).says("second_thought") for each in sentences(text[at:]))


def _nothing(query: Query, text: str, everything: Sequence[Placed]) -> Reading:
    """The reading of a text without an answer, which names the nearest candidate."""
    if query.kinds == {"null"}:
        return failed("absent", say("not-null"), found=shorten(text), wanted="null")
    nearest = next((each for each in everything if not each.one.idle), None)
    nearest = nearest or next(iter(everything), None)
    if nearest:
        why = nearest.one.why or (_TURNED if nearest.turned else _AMID)
        return _unclear(query, text, replace(nearest.one, why=why), [])
    names = wanted_kinds(query)
    word = _number_word(text) if query.kinds & {"integer", "number"} else None
    if word:
        said = ScalarCandidate(word, why="is a number in words, where digits belong")
        return _unclear(query, text, said, [])
    wanted, shown = " or ".join(names), kinds(names)
    if values := only_literals(query.document):
        wanted = shown = row(map(brief, values[:ROW]), "list-or", number=len(values))
    return failed("absent", say("holds-no", wanted=shown), found=shorten(text), wanted=wanted)


def _number_word(text: str) -> Span | None:
    known = lexicon("number")
    words = re.finditer(r"[^\W\d_]+", text[:_SEARCHED])
    return next((word.span() for word in words if word[0].lower() in known), None)


def _conflict(
    query: Query, values: Sequence[ScalarCandidate], everything: Sequence[Placed]
) -> Reading:
    shown = row([brief(one.value, 20) for one in values])
    message = say("several-scalars", wanted=kinds(wanted_kinds(query)), found=shown)
    span = values[1].span
    reading = failed("ambiguous", message, span=span, found=shorten(shown), wanted="one answer")
    rejected = [
        Rejected(each.one.span, each.one.why or "differs from another one") for each in everything
    ]
    return replace(reading, rejected=tuple(rejected))


def _unclear(
    query: Query, text: str, unclear: ScalarCandidate, clear: Sequence[ScalarCandidate]
) -> Reading:
    found = shorten(text[slice(*unclear.span)])
    names = wanted_kinds(query)
    reason: Reason = "absent"
    message: str = say("unclear", found=found, why=unclear.why)
    if clear:
        reason = "ambiguous"
        shown = brief(clear[0].value, 20)
        wanted = kinds(names)
        message = say("one-clear", wanted=wanted, one=shown, other=found, why=unclear.why)
    reading = failed(reason, message, span=unclear.span, found=found, wanted=" or ".join(names))
    return replace(reading, rejected=(Rejected(unclear.span, unclear.why),))


_ECHO = re.compile(
    r"[\s*_`#>]*(?:(?:please )?(?:answer|reply) )?(?:with )?yes\s*(?:or|/)\s*no"
    r"[*_`\s]*[:：][*_`\s]*(?=\S)",
    re.IGNORECASE,
)
"""The question for a yes or a no, repeated before it."""

_NUMBERED = re.compile(r"\.?[ \t]?\d")
_UNCHOSEN = re.compile(r"(?:\[[ \t]?\]|☐)[ \t]*$")
_AGAINST = {True: frozenset("❌✖✗✘👎🚫⛔"), False: frozenset("✅✔👍✓")}
_SIGNS = 4  # characters around a word in which such symbols are looked for
_LONG = 100  # characters of such a reply
_WORDS = 4  # of a reply that is only `Absolutely not.`


def read_yesno(query: Query) -> Reading:
    """True for yes, False for no."""
    text = prose(query)
    whole = _whole(text)
    if whole:
        return whole
    echo = _ECHO.match(text)
    if echo:
        text = " " * echo.end() + text[echo.end() :]
    found = choose(query, text, _spoken(text))
    if found.reason and found.reason != "limit":
        return _unclear_yesno(text, both=found.reason == "ambiguous")
    return found


def _whole(text: str) -> Reading | None:
    """The reading of a reply that is only `Absolutely`."""
    body = text.strip()
    words = tokens(body) if len(body) < _LONG else []
    if not 0 < len(words) <= _WORDS or any(char in "?？" or char.isdigit() for char in body):
        return None
    said = " ".join(words)
    start = text.find(body)
    for value, meaning in ((True, "surely"), (False, "surely_not")):
        if said in lexicon(meaning) or body.strip(" .!。！") in joined(meaning):
            return Reading(value, (start, start + len(body)))
    return None


@cache
def _pattern() -> re.Pattern[str]:
    every = (lexicon("yes") | lexicon("no")) - lexicon("surely") - lexicon("surely_not")
    longest = sorted(every, key=len, reverse=True)
    apart = "|".join(
        re.escape(word) for word in longest if word not in joined("yes") + joined("no")
    )
    together = "|".join(re.escape(word) for word in longest if word in joined("yes") + joined("no"))
    return re.compile(
        rf"(?<![^\W_])(?<!['’-])(?P<word>{apart})(?!_*[^\W_]|['’]|-\w)"
        rf"|(?:(?<=[^\w])|(?<=[为為は은는])|\A)(?P<east>{together})(?=[^\w]|\Z|です|입니다|이에요|예요)",
        re.IGNORECASE,
    )


def _spoken(text: str) -> Iterator[ScalarCandidate]:
    """Each yes and no; `No. 5` is a number."""
    true = lexicon("yes")
    for word in _pattern().finditer(text):
        start, end = word.span()
        if _UNCHOSEN.search(text, max(0, start - 8), start):
            continue
        said = word[0].lower()
        if said == "no" and _NUMBERED.match(text, end):
            continue
        value = said in true
        around = text[max(0, start - _SIGNS) : start] + text[end : end + _SIGNS]
        if not _AGAINST[value].isdisjoint(around.replace("\n", "")):
            yield ScalarCandidate(
                (start, end), why="has a symbol next to it that means the opposite"
            )
            continue
        yield ScalarCandidate((start, end), value)


def _unclear_yesno(text: str, *, both: bool) -> Reading:
    found = shorten(text.strip())
    if both:
        return failed("ambiguous", say("both-yes-and-no"), found=found, wanted="yes or no")
    return failed("absent", say("neither-yes-nor-no"), found=found, wanted="yes or no")
