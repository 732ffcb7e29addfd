"""Numbers in prose: which digits can be an answer, and which only look like it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.reply.kinds import exact
from pdl.reply.outcome import Extent, Repair

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(r"(?:(?<![\w.])\.)?\d(?:\d|[.,'’_:/–‐-](?=\d))*+(?:[eE][+-]?\d++)?")
_PLAIN = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_NO_NUMBER = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}"  # dates
    r"|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}"
    r"|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"  # times
    r"|[0-9]+(?:\.[0-9]+){2,}"  # versions
)
_LIST_MARKER = re.compile(r"[ \t>*_#-]*\(?[0-9]{1,3}[.):][*_]*[ \t]+\S")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|(?:er|ère|e|º|ª|°)\b|번째|番目|年|月|日|年|월|일|년")
_UNIT = re.compile(
    r"\s?(?:%|‰|°|percent|per\s+cent|prozent|pour\s*cent|por\s*ciento|процент\w*|백분율|퍼센트)"
    r"|\s*(?:hundred|thousand|million|billion|trillion|dozen|mio|mrd|mln|bn|tausend|million\w*|milliard\w*"
    r"|lakhs?|crores?|mil(?:lones)?|milhões|mille|тыс\w*|млн|млрд|миллион\w*|миллиард\w*)\b"
    r"|\+|\s?[十百千万萬億亿兆만억조천백]|\s*(?:\.\.\.|…)"
    r"|(?-i:[^\W\d_\u0e00-\U0003ffff])|[/^\\²³¹⁰-₟½¼¾⅓-⅞]",
    re.IGNORECASE,
)
_OPERATOR_BEHIND = re.compile(
    r"[*_)]*\s*+(?:[×÷^=<>≤≥±+*/·]|\*\*|[-–−](?=\s)|x(?=\s*\d))\s*+[-+(−]?\d"
)
_OPERATOR_BEFORE = re.compile(r"(?:[×÷^<>≤≥±·]|[<>!≠]=|\d[)\s]*[-–−+*/=x])\s*[-+(−]?$|[-+−]{2}$")
_GROUP_BEHIND = re.compile("[ \u00a0\u2009\u202f][0-9]{3}(?![0-9])")
_GROUP_BEFORE = re.compile("[0-9][ \u00a0\u2009\u202f]$")
_BOUND = re.compile(
    r"(?:(?:more|less|fewer|greater|higher|lower|smaller|bigger|larger|older|younger|rather|other)\s+than"
    r"|over|under|above|below|at\s+least|at\s+most|up\s+to|between|minus|negative|within|until|every"
    r"|mehr\s+als|weniger\s+als|mindestens|höchstens|über|unter|bis|moins\s+de|plus\s+de|au\s+moins"
    r"|más\s+de|menos\s+de|al\s+menos|mais\s+de"
    r"|pages?|steps?|chapter|section|figure|fig\.|table|question|line|example|exercise|problem"
    r"|equation|footnote)\s+[$€£¥*_`\"'(]*[-+−]?$",
    re.IGNORECASE,
)
_SPACELESS = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3000-\u9fff\uac00-\ud7af\uf900-\uffef]")
_GROUP = 3  # digits that blanks set apart: 555 000
_BEFORE = 40  # characters in front of a number that can change what it says


@dataclass(frozen=True, slots=True)
class Spoken:
    """Something in the text that may be a scalar answer; `value` is None if it cannot be read.

    Then `why` says what it is instead. `placed` tells whether it stands where an answer does.
    """

    span: Extent
    value: str | int | float | bool | None
    why: str = ""
    repairs: tuple[Repair, ...] = ()
    placed: bool = True


def numbers(text: str, digits: int) -> Iterator[Spoken]:
    """The numbers of a text, in order, and what is too near to one to be ignored.

    Passed over are dates, times, versions, ordinals, list markers and digits in names (`v1`, `x2`).
    """
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        before = text[max(0, start - _BEFORE) : start]
        sign = _sign(before)
        if _is_name(before, sign) or _is_label(text, start, end, before):
            continue
        span = (start - len(sign), end)
        why = _why_not(text, end, before, token[0])
        yield Spoken(span, None, why) if why else _number(span, sign, token[0], digits)


def _sign(before: str) -> str:
    sign = before[-1:]
    if sign not in {"-", "−", "+"} or not sign:
        return ""
    return sign if not before[-2:-1] or not (before[-2].isalnum() or before[-2] in ")]") else ""


def _is_name(before: str, sign: str) -> bool:
    """Digits of a name: a letter, or a letter and a hyphen, stand right before them."""
    if sign or not before:
        return False
    last, other = before[-1], before[-2:-1]
    if last.isalpha():
        return not _SPACELESS.match(last) or last == "第"
    if last in "-‐_/\\.@":
        return other.isalnum() or last in "\\@" or (last == "/" and other in {"", " ", "/", "."})
    return last in "#№§"


def _is_label(text: str, start: int, end: int, before: str) -> bool:
    if _NO_NUMBER.fullmatch(text, start, end) or _ORDINAL.match(text, end):
        return True
    line = before.rpartition("\n")[2]
    return not line.strip(" \t>*_#-(") and _LIST_MARKER.match(text, start - len(line)) is not None


def _why_not(text: str, end: int, before: str, token: str) -> str:
    """What keeps a token from being a number that stands for itself."""
    inch = text[end : end + 1] == '"' and before[-1:] != '"'
    grouped = len(token) == _GROUP and _GROUP_BEFORE.search(before)
    reasons = (
        (not (_PLAIN.fullmatch(token) or _GROUPED.fullmatch(token)), "is no plain number"),
        (inch or _UNIT.match(text, end), "has a unit, or is part of a larger number"),
        (_OPERATOR_BEHIND.match(text, end), "is part of a calculation"),
        (_OPERATOR_BEFORE.search(before), "is part of a calculation"),
        (_BOUND.search(before), "is a bound, or counts something else"),
        (grouped or _GROUP_BEHIND.match(text, end), "may be part of one number"),
        (before.endswith("{") and not before.endswith("\\boxed{"), "is part of a formula"),
    )
    return next((why for found, why in reasons if found), "")


def _number(span: Extent, sign: str, token: str, digits: int) -> Spoken:
    plain = token.replace(",", "")
    if len(plain) > digits:
        return Spoken(span, None, f"has more than {digits} digits")
    is_float = any(char in plain for char in ".eE")
    number = exact(plain) if is_float else int(plain)
    if isinstance(number, str):
        return Spoken(span, None, f"is too {number}")
    value = -number if sign in {"-", "−"} else number
    repairs = (
        (Repair("number", span, (), sign + token, str(value)),)
        if plain != token or sign == "−"
        else ()
    )
    return Spoken(span, value, "", repairs)
