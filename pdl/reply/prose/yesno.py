"""`yesno`: the word of a clear answer at the beginning, or the only one where an answer stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.phrases import say
from pdl.reply.prose.marks_old import announced, answered
from pdl.reply.prose.owners import is_anothers, is_cited, is_quoted
from pdl.reply.prose.places import SIGNS, placed
from pdl.reply.prose.sentences import PLAIN_FENCES, Sentences, masked, untagged
from pdl.reply.prose.subjects import subjects
from pdl.reply.prose.taking_back import disowned
from pdl.reply.prose.yes_rests import ECHO, ENGLISH, FRONT, NOT
from pdl.reply.prose.yes_spoilers import spoiled
from pdl.reply.prose.yes_words import (
    AGAINST,
    APART_BEFORE,
    APART_BEHIND,
    ASSERTED,
    BUT,
    CLAUSE,
    CONTRARY,
    CONTRAST,
    DENIAL,
    ENDED,
    HEDGE,
    HEDGED,
    LINKED,
    NEGATED,
    NUMBERED,
    OFFER,
    WHOLE,
    WORD,
    YES,
)
from pdl.reply.result import Reading, Span, failed
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.query import Asked

_TRUE = frozenset(YES)
_START = re.compile(rf"[\s*_`\"'“‘«「#>(•\[{SIGNS}-]*+(?>(?:1[.)]\s++)?)[*_`\"'“(\[]*+")
_DECORATION = " \t\r\n*_`\"'“”‘’«»()[]"
_RUSSIAN = re.compile(r"[ыэъё]", re.IGNORECASE)
_SENTENCE = 160  # characters of the sentence in front of a word that are looked at
_DENIES = re.compile(
    r"[ \t]+(?!(?:because|since|it|this|that|they|there|way|weil"
    r"|parce|car|porque|perché|pois|omdat|ponieważ|bo)\b)[^\W\d_]"
)
"""A verb right behind a word that may be a mere not: `Nie da się`."""

_BEFORE = 48  # characters in front of a second word that tell whether it stands apart


def read(asked: Asked) -> Reading:
    """True for yes, False for no."""
    text = untagged(masked(asked.text, asked.cut, PLAIN_FENCES))
    whole = _whole(text)
    if whole:
        return whole
    echo = ECHO.match(text)
    begin = echo.end() if echo else 0
    words = [word for word in WORD.finditer(text, begin) if _is_meant(text, word)]
    focus = _focus(asked, text, words)
    if len(focus) > 1:
        return _unclear(text, words)
    [(start, end)] = focus or [(begin, len(text))]
    area = text[:end]
    denial = DENIAL.match(area, _begin(area, start))
    if denial and not disowned(area, denial.end(), start, denies=True):
        return Reading(False, denial.span("word"))  # noqa: FBT003 - the value that was read
    inside = [word for word in words if start <= word.start() and word.end() <= end]
    return _answer(area, inside, start) or _unclear(text, words)


def _whole(text: str) -> Reading | None:
    """The reading of a reply that is no more than `Absolutely.`."""
    body = text.strip(_DECORATION)
    for value, pattern in WHOLE:
        if len(body) <= _BEFORE and pattern.fullmatch(body):
            start = text.find(body)
            return Reading(value, (start, start + len(body)))
    return None


def _is_meant(text: str, word: re.Match[str]) -> bool:
    """Whether a word is yes or no in the language of its text: `так` is `so` in Russian."""
    return word["word"].lower() != "так" or not _RUSSIAN.search(text)


def _begin(text: str, start: int) -> int:
    found = _START.match(text, start)
    return found.end() if found else start


def _focus(asked: Asked, text: str, words: list[re.Match[str]]) -> list[Span]:
    """The insides of answer tags, or all from what is called the answer on."""
    if asked.cut.answers:
        return list(asked.cut.answers)
    pairs = list(zip(words, [0, *(word.end() for word in words)], strict=False))
    for calls in (announced, answered):
        called = [word for word, end in pairs if calls(text, end, word.start())]
        if called:
            break
    else:
        return []
    turned = Sentences(_without(text, words)).turned
    theirs = [
        word for word, end in pairs if word in called and is_anothers(text, end, word.start())
    ]
    if theirs or any(turned(word.span()) for word in called) or len(set(map(_value, called))) > 1:
        return [word.span() for word in called[:1]] * 2
    if calls is answered and _leads(text, words[0]) and _value(words[0]) != _value(called[0]):
        return [words[0].span(), called[0].span()]
    return [(called[0].start(), len(text))]


def _leads(text: str, word: re.Match[str], start: int = 0) -> bool:
    return _START.fullmatch(text, start, word.start()) is not None


def _answer(text: str, words: list[re.Match[str]], start: int) -> Reading | None:
    """`Yes, …` and `No.` at the beginning, or the only answer that stands where answers do."""
    if not words or NUMBERED.match(text, _begin(text, start)):
        return None
    if subjects(text, [word.span() for word in words]):
        return None
    sentences = Sentences(_without(text, words))
    leads = _leads(text, words[0], start)
    said = {_value(word) for word in words}
    for word in words[:1] if leads else words if len(said) == 1 else ():
        span = word.span()
        sentence = sentences.around(span)
        stands = placed(text, (max(sentence[0], start), sentence[1]), span)
        clause = leads and word[0].isascii() and CLAUSE.match(text, span[1])
        turned = _is_turned(sentences, word, leads=leads)
        if not (stands or clause) or turned or _is_of_others(text, word, (start, sentence[0])):
            continue
        kept = _is_kept(text, word, start, sentence[1])
        return Reading(_value(word), word.span("word")) if kept else None
    return None


def _is_turned(sentences: Sentences, word: re.Match[str], *, leads: bool) -> bool:
    """Whether the sentence of a word denies it; a denial behind a no goes with it."""
    if sentences.asked(word.span()):
        return True
    if leads:
        return False
    return (
        sentences.turned_before(word.span()) if not _value(word) else sentences.turned(word.span())
    )


def _is_of_others(text: str, word: re.Match[str], starts: Span) -> bool:
    """Whether a word is said by another, or with a hedge in front, or denies the verb behind it.

    `starts`: where the part of the text begins that is read, and where the word's sentence does.
    """
    start, end = word.span()
    begin = max(starts[1], start - _SENTENCE)
    if is_anothers(text, starts[0], start) or is_cited(text, end) or is_quoted(text, start):
        return True
    if FRONT.search(text, begin, start):
        return True
    return word["word"].lower() in NOT and _DENIES.match(text, end) is not None


def _value(word: re.Match[str]) -> bool:
    return word["word"].lower() in _TRUE


def _is_kept(text: str, word: re.Match[str], start: int, end: int) -> bool:
    """Whether the rest of the reply says nothing else: no opposite, no retraction, no refusal.

    `end` is where the sentence of the word ends.
    """
    value, at = _value(word), word.end()
    if disowned(text, at, start, denies=not value) or HEDGE.search(text, at):
        return False
    if spoiled(text, word["word"].lower() in ENGLISH, value, at, end):
        return False
    if HEDGED.search(text, at, end) or OFFER.match(text, at) or CONTRARY[value].search(text, at):
        return False
    if _turns_round(text, at, value=value) or not AGAINST[value].isdisjoint(text):
        return False
    return not any(_is_opposite(text, other, value=value) for other in WORD.finditer(text, at))


def _turns_round(text: str, at: int, *, value: bool) -> bool:
    """Whether the reply goes on with `however` and the opposite; in other languages, with that."""
    for found in CONTRAST.finditer(text, at):
        clause = found["clause"]
        denied = NEGATED.search(clause) is not None
        if denied if value else ASSERTED.search(clause) and not denied:
            return True
        if value and not found["but"]:
            return True
    return False


def _is_opposite(text: str, other: re.Match[str], *, value: bool) -> bool:
    """Whether a second word says the opposite and stands as an answer of its own."""
    if _value(other) == value:
        return False
    before = text[max(0, other.start() - _BEFORE) : other.start()]
    if BUT.search(before) or (LINKED.search(before) and ENDED.match(text, other.end())):
        return True
    apart = APART_BEFORE.search(before) is not None
    return apart and APART_BEHIND.match(text, other.end()) is not None


def _without(text: str, words: list[re.Match[str]]) -> str:
    """The text with blanks in place of words, which would count as denials otherwise."""
    parts: list[str] = []
    at = 0
    for word in words:
        parts += [text[at : word.start()], " " * (word.end() - word.start())]
        at = word.end()
    return "".join([*parts, text[at:]])


def _unclear(text: str, words: list[re.Match[str]]) -> Reading:
    found = shorten(text.strip())
    if len({_value(word) for word in words}) > 1:
        return failed("ambiguous", say("both-yes-and-no"), found=found, wanted="yes or no")
    return failed("absent", say("neither-yes-nor-no"), found=found, wanted="yes or no")
