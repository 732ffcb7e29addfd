"""`yesno`: the word of a clear answer at the beginning, or the only one where an answer stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.marks import announced
from pdl.reply.outcome import Extent, Reading, failed
from pdl.reply.sentences import PLAIN_FENCES, Sentences, blanked, masked, untagged
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

_ENGLISH = "|".join(_YES + _NO)
_ALL = "|".join(sorted(_YES + _NO + _YES_ELSEWHERE + _NO_ELSEWHERE, key=len, reverse=True))
_TRUE = frozenset(_YES + _YES_ELSEWHERE)
_WORD = re.compile(rf"(?<![\w'’-])(?:{_ENGLISH})(?![\w'’]|-\w|\.?\s?\d)", re.IGNORECASE)
_START = re.compile(rf"[\s*_`\"'“”‘’«»#>(-]*+(?P<word>{_ALL})(?![\w'’]|-\w)", re.IGNORECASE)
_OVER = re.compile(r"[*_`\"'”’»)]*[ \t]*+(?:$|[.,;:!\n。、，！—–-](?!\s*\d))")
_CLAUSE = re.compile(
    r"\s+(?:it|this|that|they|he|she|there|you|we|i|the)\b(?!\s+(?:idea|doubt))", re.IGNORECASE
)
_OPPOSITE = re.compile(
    rf"(?:[.,;:!?\n—–/(-]|\b(?:and|but|or|wait|actually|sorry|rather|mean|also|then|think|guess|say))"
    rf"[\s*_`\"'“(]*(?P<word>{_ENGLISH})(?![\w'’]|-\w)[*_`\"'”)]*\s*(?:$|[.,;:!?\n)—–/])",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:(?:[:：=→?？]|\b(?:is|was|be|say|answer|vote|choose|therefore|hence|thus))\s*+"
    r"(?:an?\s+|(?:definitely|clearly|simply|just)\s+)?+|^[>#\s-]*)[*_`\"'“(]*$",
    re.IGNORECASE | re.MULTILINE,
)
_WINDOW = 80


def read(asked: Asked) -> Reading:
    """True for yes, False for no."""
    text = untagged(masked(asked.text, asked.cut, PLAIN_FENCES))
    focus = _focus(asked, text)
    for area in focus or [(0, len(text))]:
        reading = _leading(text, area) or _only(text, area)
        if reading:
            return reading if len(focus) < 2 else _unclear(text)  # noqa: PLR2004 - two answer tags
    return _unclear(text)


def _focus(asked: Asked, text: str) -> list[Extent]:
    """The insides of answer tags, or what is called the final answer."""
    if asked.cut.answers:
        return list(asked.cut.answers)
    words = list(_WORD.finditer(text))
    ends = [0, *(word.end() for word in words)]
    return [
        w.span() for w, end in zip(words, ends, strict=False) if announced(text, end, w.start())
    ]


def _leading(text: str, area: Extent) -> Reading | None:
    """`Yes, …` and `No.` at the beginning; anything may follow but the opposite answer."""
    start, end = area
    first = _START.match(text, start, end)
    if not first:
        return None
    value = first["word"].lower() in _TRUE
    over = _OVER.match(text, first.end(), end)
    goes_on = first["word"].isascii() and _CLAUSE.match(text, first.end(), end)
    if not over and not goes_on:
        return None
    opposite = any(
        (other["word"].lower() in _TRUE) != value
        for other in _OPPOSITE.finditer(text, first.end(), end)
    )
    return None if opposite else Reading(value, first.span("word"))


def _only(text: str, area: Extent) -> Reading | None:
    """The answer that stands where answers do, if nothing else says the opposite."""
    words = list(_WORD.finditer(text, *area))
    if len({word[0].lower() in _TRUE for word in words}) != 1:
        return None
    sentences = Sentences(blanked(text, [word.span() for word in words]))
    for word in words:
        before = text[max(area[0], word.start() - _WINDOW) : word.start()]
        stands = _PLACE.search(before) and _OVER.match(text, word.end(), area[1])
        if stands and not sentences.turned(word.span()):
            return Reading(word[0].lower() in _TRUE, word.span())
    return None


def _unclear(text: str) -> Reading:
    said = {word[0].lower() in _TRUE for word in _WORD.finditer(text)}
    found = shorten(text.strip())
    if len(said) > 1:
        return failed("ambiguous", "says both yes and no", found=found, wanted="yes or no")
    return failed("absent", "says neither yes nor no clearly", found=found, wanted="yes or no")
