"""`yesno`: the word of a clear answer at the beginning, or the only one where an answer stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.marks import announced
from pdl.reply.outcome import Extent, Reading, failed
from pdl.reply.places import placed, taken_back
from pdl.reply.sentences import PLAIN_FENCES, Sentences, masked, untagged
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.asked import Asked

_YES = ("yes", "yeah", "yep", "yup", "yea", "aye", "affirmative")
_NO = ("no", "nope", "nah", "nay")
_YES_ELSEWHERE = (
    "ja",
    "oui",
    "sí",
    "si",
    "sim",
    "да",
    "是",
    "是的",
    "はい",
    "네",
    "예",
    "evet",
    "tak",
    "jawohl",
)
_NO_ELSEWHERE = (
    "nein",
    "non",
    "não",
    "нет",
    "不是",
    "否",
    "いいえ",
    "아니요",
    "아니오",
    "hayır",
    "nie",
    "nee",
)

_ALL = "|".join(sorted(_YES + _NO + _YES_ELSEWHERE + _NO_ELSEWHERE, key=len, reverse=True))
_ENGLISH = "|".join(_YES + _NO)
_TRUE = frozenset(_YES + _YES_ELSEWHERE)
_WORD = re.compile(
    rf"(?<![^\W_])(?<!['’-])(?P<word>{_ALL})(?:[\s,]+(?P=word))*+(?!_*[^\W_]|['’]\w|-\w|\.?\s?\d)",
    re.IGNORECASE,
)
_START = re.compile(r"[\s*_`\"'“”‘’«»#>(•-]*(?:1[.)]\s+)?[*_`\"'“(]*")
_DENIAL = re.compile(
    rf"{_START.pattern}(?P<word>(?:absolutely|certainly|definitely|of\s+course|surely)\s+not|not\s+at\s+all)"
    r"[*_`\"'”)]*\s*(?:$|[.!,\n])",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\s+(?:it|this|that|they|he|she|there|you|we|i|the)\b(?!\s+(?:idea|doubt))", re.IGNORECASE
)
_OPPOSITE = re.compile(
    r"(?:[.,;:!?\n—–/(\[。、，！-]|\b(?:and|but|or|wait|actually|sorry|rather|mean|also|then|think|guess|say"
    r"|aber|doch|und|oder|mais|et|ou|pero|y|o|mas|e|ma|i|ale|но|и|или))"
    rf"[\s*_`\"'“(]*(?:(?P<word>{_ALL})(?![^\W_]|['’]|-\w)[*_`\"'”)]*\s*(?:$|[.,;:!?\n)—–/。、，！]|[^\W\d_]+\s*$))"
    rf"|\b(?:but|though|aber|mais|pero|mas|ma|ale|но)\s+(?P<other>{_ALL})\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:only\s+(?:if|when)|unless|maybe|perhaps|possibly|depends|in\s+(?:some|certain|other)\s+cases|sometimes|hard\s+to\s+say"
    r"|not\s+(?:exactly|entirely|quite|really)|partly|partially|either\s+way|impossible\s+to)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"[\s,.!]+(?:of\s+course[\s,.!]+)?(?:(?:if|when|provided)|i\s+(?:can|could|will|would)\s+(?:certainly\s+|gladly\s+)?"
    r"(?:help|assist|do|answer|analy[sz]e|tell|provide|look|check|be\s+(?:happy|glad))"
    r"|i['’]ll|i\s+(?:understand|see\s+the)|i['’]?\s*a?m\s+(?:happy|glad|here|ready)|let\s+me|happy\s+to|sir|master)\b",
    re.IGNORECASE,
)
_IS = r"\b(?:it|that|this|they|he|she)\s+(?:is|are|does|do|did|was|were|has|have|can|will)"
_CONTRARY = {
    True: re.compile(rf"{_IS}(?:\s+not|n['’]t)\s*(?:[.!,;\n]|$)", re.IGNORECASE),
    False: re.compile(rf"{_IS}\s*(?:[.!,;\n]|$)", re.IGNORECASE),
}


def read(asked: Asked) -> Reading:
    """True for yes, False for no."""
    text = untagged(masked(asked.text, asked.cut, PLAIN_FENCES))
    focus = _focus(asked, text)
    if len(focus) > 1:
        return _unclear(text)
    [(start, end)] = focus or [(0, len(text))]
    area = text[:end]
    denial = _DENIAL.match(area, start)
    if denial and not taken_back(area, denial.end(), start, denies=True):
        return Reading(False, denial.span("word"))  # noqa: FBT003 - the value that was read
    words = list(_WORD.finditer(area, start))
    return _answer(area, words, start) or _unclear(text)


def _focus(asked: Asked, text: str) -> list[Extent]:
    """The insides of answer tags, or all from what is called the final answer on."""
    if asked.cut.answers:
        return list(asked.cut.answers)
    words = list(_WORD.finditer(text))
    ends = [0, *(word.end() for word in words)]
    marked = [w for w, end in zip(words, ends, strict=False) if announced(text, end, w.start())]
    return [(word.start(), len(text)) for word in marked]


def _answer(text: str, words: list[re.Match[str]], start: int) -> Reading | None:
    """`Yes, …` and `No.` at the beginning, or the only answer that stands where answers do."""
    if not words:
        return None
    sentences = Sentences(_without(text, words))
    leads = _START.fullmatch(text, start, words[0].start()) is not None
    said = {_value(word) for word in words}
    for word in words[:1] if leads else words if len(said) == 1 else ():
        span = word.span()
        stands = placed(text, _after(sentences.around(span), start), span)
        clause = leads and word[0].isascii() and _CLAUSE.match(text, span[1])
        turned = sentences.asked(span) if leads else sentences.turned(span)
        if (stands or clause) and not turned and _is_kept(text, word, start):
            return Reading(_value(word), word.span("word"))
    return None


def _after(sentence: Extent, start: int) -> Extent:
    return max(sentence[0], start), sentence[1]


def _value(word: re.Match[str]) -> bool:
    return word["word"].lower() in _TRUE


def _is_kept(text: str, word: re.Match[str], start: int) -> bool:
    """Whether the rest of the reply says nothing else: no opposite, no retraction, no refusal."""
    value, at = _value(word), word.end()
    if taken_back(text, at, start, denies=not value) or _HEDGE.search(text, at):
        return False
    if _OFFER.match(text, at) or _CONTRARY[value].search(text, at):
        return False
    others = (other["word"] or other["other"] for other in _OPPOSITE.finditer(text, at))
    return all((other.lower() in _TRUE) == value for other in others)


def _without(text: str, words: list[re.Match[str]]) -> str:
    """The text with blanks in place of words, which would count as denials otherwise."""
    parts: list[str] = []
    at = 0
    for word in words:
        parts += [text[at : word.start()], " " * (word.end() - word.start())]
        at = word.end()
    return "".join([*parts, text[at:]])


def _unclear(text: str) -> Reading:
    said = {_value(word) for word in _WORD.finditer(text)}
    found = shorten(text.strip())
    if len(said) > 1:
        return failed("ambiguous", "says both yes and no", found=found, wanted="yes or no")
    return failed("absent", "says neither yes nor no clearly", found=found, wanted="yes or no")
