"""Numbers in prose: which digits can be an answer, and which only look like it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pdl.reply.phrases import say
from pdl.reply.prose.namings import ANSWER
from pdl.reply.prose.scales import all_scaled, is_scaled
from pdl.reply.prose.signs import is_signed, sign_of
from pdl.reply.prose.spoken import Spoken
from pdl.reply.prose.thousands import LOCAL
from pdl.reply.prose.vocabulary import Vocabulary, words_of
from pdl.reply.result import Repair, Span
from pdl.reply.validation.json_types import exact
from pdl.reply.validation.json_types import whole as whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"(?:(?<![\w.])\.)?\d(?>(?:\d|(?:[.,'’_:/–‐．，٫٬-]|\{,\}|\\,)(?=\d)"
    "|[\u00a0\u2009\u202f](?=\\d{3}(?!\\d)))*)(?:[eE][+-]?\\d++)?"
)
_PLAIN = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+")
_GROUPED = re.compile(
    "[1-9][0-9]{0,2}(?P<mark>[,'’_\u00a0\u2009\u202f])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?:\\.[0-9]+)?"
)
_MARKS = re.compile("[,'’_\u00a0\u2009\u202f]")
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
    r"|\s*(?:(?:hundred|thousand|million|billion|trillion|dozen|pair)s?|mio|mrd|mln|bn|tausend|million\w*"
    r"|milliard\w*|lakhs?|crores?|mil(?:lones)?|milhões|mille|тыс\w*|млн|млрд|миллион\w*|миллиард\w*)\b"
    r"|\+|\s?[十百千万萬億亿兆만억조천백]|\s*(?:\.{2,}|…)|\{"
    r"|\\(?![)\]}])|[/^²³¹⁰-₟½¼¾⅓-⅞]",
    re.IGNORECASE,
)
_OPERATOR_BEHIND = re.compile(
    r"[*_)]*\s*+(?:[×÷^=<>≤≥±+*/·]|\*\*|[-–−](?=\s)|x(?=\s*\d))\s*+[*_`$]*[-+(−]?\d"
)
_EQUATION = re.compile(
    r"[\s\d.,'()*_$×÷·+−–*/x^`-]{0,80}?(?:(?<![<>!=])=(?!=)|(?<=[\s`])(?:is|equals|makes|gives)\b)"
    r"[\s*_`$(]*[-−+]?\d"
)
_OPERATOR_BEFORE = re.compile(r"(?:[×÷^<>≤≥±·√]|[<>!≠]=|≠|\d[)\s]*[-–−+*/x])\s*[-+(−]?$|[-+−]{2}$")
_ABBREVIATION = re.compile(r"\b(?:no|nr|num|art|fig|vol|pp?|ch|sec)\.\s*$", re.IGNORECASE)
_GROUP_BEHIND = re.compile("[ \u00a0\u2009\u202f][0-9]{3}(?![0-9])")
_GROUP_BEFORE = re.compile("[0-9][ \u00a0\u2009\u202f]$")
_BOX = re.compile(r"\\(?:boxed|fbox)\{\s*(?:\\(?:text|mathrm|textbf|mathbf)\{)?\s*\\?[$£€]?[-+−]?$")
_BOUND = re.compile(
    r"(?:(?:more|less|fewer|greater|higher|lower|smaller|bigger|larger|older|younger|rather|other)\s+than"
    r"|over|under|above|below|at\s+least|at\s+most|up\s+to|between|within|until|every"
    r"|mehr\s+als|weniger\s+als|mindestens|höchstens|über|unter|bis|moins\s+de|plus\s+de|au\s+moins"
    r"|más\s+de|menos\s+de|al\s+menos|mais\s+de|più\s+di|meno\s+di|almeno|meer\s+dan|minder\s+dan"
    r"|więcej\s+niż|mniej\s+niż|больше|меньше|более|менее|не\s+менее|mer\s+än|mindre\s+än|více\s+než"
    r"|pages?|steps?|chapter|section|figure|fig\.|table|question|line|example|exercise|problem"
    r"|equation|footnote)\s+[$€£¥*_`\"'(]*[-+−]?$",
    re.IGNORECASE,
)
_SPACELESS = "\u0e00"  # from Thai on, most scripts set no blanks between words
_ENGLISH = Vocabulary("the and are answer there that this which about approximately")
_ENGLISH_ANSWERS = Vocabulary("answer answers ans solution conclusion verdict")
_FOREIGN = Vocabulary(
    "der die das ist und sind le la les el il un une una est es son ist het een zijn jest den det",
    "gewicht preis betrag summe etwa prix poids montant precio peso valor prezzo gewicht aantal",
)
_WESTERN = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f\u1e00-\u1fff]")
"""Letters of scripts whose languages write a fraction behind a comma."""

_EURO = re.compile(r"(?:€|R\$|\bkr\.?)\s?$", re.IGNORECASE)
_GROUP = 3  # digits that blanks set apart: 555 000
_BEFORE = 40  # characters in front of a number that can change what it says
_FAR = 160  # the same for what a label says of it


_NO_FLOAT = {
    "large": say("large-number"),
    "small": say("small-number"),
    "precise": say("precise-number"),
}


def numbers(text: str, digits: int, *, whole: bool) -> Iterator[Spoken]:
    """The numbers of a text, in order, and what is too near to one to be ignored.

    Dates, times, versions, ordinals, list markers, digits in names (`v1`, `x2`) and the operands
    of a calculation that has a result are idle. `whole`: only whole numbers are asked for.
    """
    odd, foreign = _locale(text)
    scaled = all_scaled(text)
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
        sign = sign_of(before)
        span = (start - len(sign), end)
        said = _ascii(token[0])
        label = _label(text, start, end, before, sign)
        if label:
            yield Spoken(span, None, label, idle=True)
            continue
        why = _why_not(text, end, before, said)
        if not why and LOCAL.fullmatch(said) and _is_local(said, before, (whole, odd, foreign)):
            why = say("number-or-fraction")
        if (
            not why
            and not sign
            and is_signed(text[max(0, start - _BEFORE) : start], said, text[end : end + _BEFORE])
        ):
            why = _SIGN_IN_WORDS
        if not why and (scaled or is_scaled(text, end, _line(text, start))):
            why = _WITH_UNIT
        if why:
            idle = why == _CALCULATION and _EQUATION.match(text, end) is not None
            yield Spoken(span, None, why, idle=idle)
        else:
            yield _number(span, sign, token[0], digits)


def _ascii(token: str) -> str:
    """The digits and points of any one script as those of JSON."""
    if len({char.isascii() for char in token if char.isdigit()}) > 1:
        return token
    token = token.replace("{,}", ",").replace("\\,", ",").replace("．", ".").replace("，", ",")
    if token.isascii():
        return token
    return "".join(str(unicodedata.decimal(char, char)) for char in token)


def _locale(text: str) -> tuple[bool, bool]:
    """Whether nothing shows that a text is in English, and whether something shows it is not."""
    if not LOCAL.search(text):
        return False, False
    words = words_of(text)
    if _ENGLISH.any_of(words):
        return False, False
    named = any(w in _FOREIGN or (w in ANSWER and w not in _ENGLISH_ANSWERS) for w in words)
    return True, named or _WESTERN.search(text) is not None


def _is_local(token: str, before: str, way: tuple[bool, bool, bool]) -> bool:
    """Whether a number is read in two ways: where `1,234` is 1234 elsewhere it is 1.234.

    If whole numbers are asked for, a comma parts thousands, and a point is no answer. English has
    one reading for each, but not for prices in money of other countries.
    """
    whole, odd, foreign = way
    if whole:
        return "." in token or foreign
    return odd or ("." in token and _EURO.search(before) is not None)


def _line(text: str, start: int) -> str:
    """The line in front of a number, the near part of it."""
    return text[max(0, start - _FAR) : start].rpartition("\n")[2]


def _label(text: str, start: int, end: int, before: str, sign: str) -> str:
    """What digits are that are no number: a part of a name, a date, an ordinal, a list marker."""
    if _NO_NUMBER.fullmatch(text, start, end):
        return say("part-of-date")
    if _is_name(before, sign):
        return say("part-of-name")
    if _ORDINAL.match(text, end):
        return say("ordinal")
    line = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    if not line.strip(" \t>*_#-(") and _LIST_MARKER.match(text, start - len(line)):
        return say("list-number")
    return ""


def _is_name(before: str, sign: str) -> bool:
    """Digits of a name: a letter, or a letter and a hyphen, stand right before them."""
    if sign or not before:
        return False
    if _ABBREVIATION.search(before):
        return True
    last, other = before[-1], before[-2:-1]
    if last.isalpha():
        return last < _SPACELESS or last == "第"
    if last in "-‐_/\\.@":
        return other.isalnum() or last in "\\@" or (last == "/" and other in {"", " ", "/", "."})
    return last in "#№§"


_CALCULATION = say("part-of-calculation")
_NO_PLAIN_NUMBER = say("no-plain-number")
_WITH_UNIT = say("with-unit")
_SIGN_IN_WORDS = say("sign-in-words")
_ONLY_A_BOUND = say("only-a-bound")
_PART_OF_NUMBER = say("part-of-number")
_PART_OF_FORMULA = say("part-of-formula")


def _why_not(text: str, end: int, before: str, token: str) -> str:
    """What keeps a token from being a number that stands for itself."""
    behind = text[end : end + 1]
    inch = (behind == '"' and before[-1:] != '"') or (behind.isalpha() and behind < _SPACELESS)
    grouped = len(token) == _GROUP and _GROUP_BEFORE.search(before)
    reasons = (
        (not (_PLAIN.fullmatch(token) or _GROUPED.fullmatch(token)), _NO_PLAIN_NUMBER),
        (inch or _UNIT.match(text, end), _WITH_UNIT),
        (_OPERATOR_BEHIND.match(text, end) and not _is_result(text, end, before), _CALCULATION),
        (_OPERATOR_BEFORE.search(before), _CALCULATION),
        (_BOUND.search(before), _ONLY_A_BOUND),
        (grouped or _GROUP_BEHIND.match(text, end), _PART_OF_NUMBER),
        (before.endswith("{") and not _BOX.search(before), _PART_OF_FORMULA),
    )
    return next((why for found, why in reasons if found), "")


def _is_result(text: str, end: int, before: str) -> bool:
    """Whether a number stands between two equals signs: `3 + 4 = 7 = 8` has two results."""
    return before.rstrip().endswith("=") and text[end : end + 2].lstrip().startswith("=")


def _number(span: Span, sign: str, said: str, digits: int) -> Spoken:
    plain = _MARKS.sub("", _ascii(said))
    is_float = any(char in plain for char in ".eE")
    number = exact(plain) if is_float and len(plain) <= digits else whole_number(plain, digits)
    if number is None:
        return Spoken(span, None, say("long-number", number=digits))
    if isinstance(number, str):
        return Spoken(span, None, _NO_FLOAT[number])
    value = number if sign[:1] in {"", "+"} else -number
    changed = plain != said or sign not in {"", "-", "+"}
    repairs = (Repair("number", span, (), sign + said, str(value)),) if changed else ()
    return Spoken(span, value, "", repairs)
