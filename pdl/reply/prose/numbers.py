"""Numbers in prose: which digits can be an answer, and what the others are."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl.reply.parsing.parsed import exact, whole
from pdl.reply.phrases import say
from pdl.reply.prose.candidates import Candidate
from pdl.reply.prose.lexicon import begins, ends, ends_joined, joined, lexicon, tokens
from pdl.reply.result import Repair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NO_FLOAT = {
    "large": say("large-number"),
    "small": say("small-number"),
    "precise": say("precise-number"),
}
_LOCAL = re.compile(r"[1-9][0-9]{0,2}(?P<mark>[.,])[0-9]{3}")
_TOKEN = re.compile(
    r"(?:(?<![\w.])\.)?\d(?>(?:\d|(?:[.,'’_:/–‐．，٫٬-]|\{,\}|\\,)(?=\d)"
    "|[\u00a0\u2009\u202f](?=\\d{3}(?!\\d)))*)(?:[eE][+-]?\\d++)?"
)
_PLAIN = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+")
_GROUPED = re.compile(
    "[1-9][0-9]{0,2}(?P<mark>[,'’_\u00a0\u2009\u202f])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?:\\.[0-9]+)?"
)
_CONTINENTAL = re.compile("[1-9][0-9]{0,2}(?:[.\u00a0\u202f][0-9]{3})+,[0-9]{1,2}")
"""`1.249,50`, which is written so where a comma is followed by the fraction."""

_MARKS = re.compile("[,'’_\u00a0\u2009\u202f]")
_DATED = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}"
    r"|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?|[0-9]+(?:\.[0-9]+){2,}"
)
_RATIO = re.compile(r"(?P<part>\d+(?:\.\d+)?)/(?P<all>\d+(?:\.\d+)?)")
_OUT_OF = re.compile(
    r"[*_`]*\s*(?:/|(?P<open>\()?(?P<words>[^\W\d_]+(?: [^\W\d_]+)?))"
    r"\s*[*_`]*(?P<all>\d+(?:\.\d+)?)(?!\w|[.,:/]\d)"
)
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th)\b|(?:er|ère|e|º|ª|°)\b(?!C)|번째|番目|[年月日号년월일時时]|:\d"
    r"|\s?[ap]\.?m\b|\s?o['’]clock|\s?(?:Uhr|h\d\d)\b|\s+past\b",
    re.IGNORECASE,
)
_LIST_MARKER = re.compile(r"[ \t>*_#-]*\(?[0-9]{1,3}[.):][*_]*[ \t]+\S")
_PERCENT = re.compile(r"\s?[%％]")
_LARGER = re.compile(
    r"\+(?!\s*\d)|\s?[十百千万萬億亿兆만억천백]|\s*(?:\.{2,}|…)|[{²³¹⁰-₟½¼¾⅓-⅞]|\\(?![)\]}\s])"
    r"|(?:[xX]|bn)\b|[kKMB](?!\w)"
)
"""What makes a number a larger one, or a part of one."""

_OPERATED = re.compile(
    r"[*_)]*\s*+(?:[×÷^<>≤≥±+*·≠]|\*\*|!=|[-–−](?=\s)|/(?=\s|\()|x(?=\s*\d))\s*+[*_`$(]*[-+−]?\d"
)
_OPERATING = re.compile(r"(?:[×÷^<>≤≥±·√]|[<>!≠]=|≠|[\d)][*_`]*\s*[-–−+*/x×])\s*[-+(−]?$|[-+−]{2}$")
_EQUALS = ("=", "＝")
_ABBREVIATION = re.compile(r"\b(?:no|nr|num|art|fig|vol|pp?|ch|sec)\.\s*$", re.IGNORECASE)
_GROUP_BEHIND = re.compile("[ \u00a0\u2009\u202f][0-9]{3}(?![0-9])")
_GROUP_BEFORE = re.compile("[0-9][ \u00a0\u2009\u202f]$")
_MINUS = "-−–‒﹣－"
_MONEY = r"(?:(?:US|CA|AU|NZ|HK|R|S)?\\?\$|[€£¥₹₩₽₺₴₫฿])"
_SIGN = re.compile(rf"(?<![^\W\u0e00-\U0003ffff])(?<![)\]/])[{_MINUS}+]{_MONEY}?$")
_UNSURE_SIGN = re.compile(
    rf"(?<![\w)\]])[{_MINUS}—―‐‑⁻¬∓±](?:[*_`\"'“‘(\[{{\\]|{_MONEY})+$|[⁻¬∓±]$|(?<!\w)[—―‐‑]$"
    rf"|[:：=]\s*[{_MINUS}—―]\s+$|/[-−+]$|(?<!\\)(?:\({_MONEY}|{_MONEY}\s?\()$"
)
_ACCOUNT = re.compile(r"[:：=]\s*\($")
_IN_LARGER = re.compile(r"[(\[]\s*(?:USD|EUR|GBP)?\s?[$€£¥]?\s?[mkbMKB]n?\s*[)\]]")
_IN_MONTH = re.compile(r"([^\W\d_]+)\.? (?:\d{1,2}(?:st|nd|rd|th)?,? )?$")
_LABELS = re.compile(r"[^\n:：.!?;]{1,48}[:：][\s*_`$(\[]*[-−]?[$€£]?\d")
_BULLET = re.compile(rf"[\s>#]*[{_MINUS}—]\s+{_MONEY}?$")
_BOX = re.compile(
    r"\\(?:boxed|fbox)\{\s*(?:\\(?:text|math)\w*\{)?\s*[^\W\d_]?\s*=?\s*\\?[$£€]?[-+−]?$"
)
_SPACELESS = "\u0e00"  # from Thai on, most scripts set no blanks between words
_NEAR = 48  # characters around a number that can change what it says
_GROUP = 3  # digits that blanks set apart: 555 000
_HUNDRED = 100  # the most where numbers are percents
_ANGLICIZED = str.maketrans({",": ".", ".": "", "\u00a0": "", "\u202f": ""})
_ATTACHED = re.compile(r"[^\W\d_]+")
_NEXT = re.compile(r"[*_`\"]*\s+(\D{1,24}?)[*_`\"$]*\d")
_LAST = re.compile(r"\d[*_`\"]*\s+(\D{1,24}?)[*_`\"$]*$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What numbers a schema wants: whole ones only, of how many digits, and the most of them."""

    whole: bool
    digits: int
    most: float | None = None


def is_local(text: str) -> bool:
    """Whether a number with a point may be a thousand elsewhere."""
    found = _LOCAL.fullmatch(text.lstrip("-"))
    return found is not None and found["mark"] == "."


def numbers(text: str, wanted: Wanted) -> Iterator[Candidate]:
    """The numbers of a text, in order.

    Dates, times, versions, ordinals, list markers and digits in names are idle.
    """
    english: bool | None = None
    scaled = " in " in text and _all_scaled(text)
    past = 0
    for token in _TOKEN.finditer(text):
        if token.start() < past:
            continue
        if english is None and not token[0].isdigit():
            english = not lexicon("english").isdisjoint(tokens(text))
        one, past = _read(text, token, wanted, english=english is not False)
        yield replace(one, why=_WITH_UNIT) if scaled and not one.why else one


def _all_scaled(text: str) -> bool:
    """Whether a text says that its numbers are in thousands or the like."""
    words = tokens(text)
    return any(
        one == "in" and next_one in lexicon("multiplier") for one, next_one in pairwise(words)
    )


def reckoned(text: str, found: Sequence[Candidate]) -> list[Candidate]:
    """The same, where operands of a calculation are idle if its result follows on their line."""
    kept: list[Candidate] = []
    line = -1
    for one in reversed(found):
        if one.why == _CALCULATION and line >= 0 and "\n" not in text[one.span[1] : line]:
            one = replace(one, idle=True)  # noqa: PLW2901 - the same with a mark
        elif not one.why:
            line = one.span[0]
        kept.append(one)
    return kept[::-1]


def _read(
    text: str, token: re.Match[str], wanted: Wanted, *, english: bool
) -> tuple[Candidate, int]:
    """The number of a token, and where what belongs to it ends."""
    near = _Near(text, token)
    rated = _rated(near, wanted.most)
    if rated:
        part, past = rated
        one = _number(near, part, wanted.digits, token[0][: len(part)])
        return replace(one, rated=True), near.end + past
    why = _idle(near, wanted.most)
    if why:
        return Candidate(near.span, why=why, idle=True), near.end
    digits = near.digits
    if not wanted.whole and _CONTINENTAL.fullmatch(digits):
        digits = digits.translate(_ANGLICIZED)
    why = _why_not(near, digits, wanted) or _unclear(text, near, digits, wanted, english=english)
    if why:
        return Candidate(near.span, why=why), near.end
    result = near.line[: len(near.line) - len(near.sign)].rstrip(" *_`$([").endswith(_EQUALS)
    return replace(_number(near, digits, wanted.digits, token[0]), result=result), near.end


class _Near:
    """A token of digits and what is around it."""

    def __init__(self, text: str, token: re.Match[str]) -> None:
        start, self.end = token.span()
        self.above = text[max(0, start - _NEAR) : start]
        self.line = self.above.rpartition("\n")[2]
        self.behind = text[self.end : self.end + _NEAR].partition("\n")[0]
        self.leading, self.words = tokens(self.line), tokens(self.behind)
        sign = _SIGN.search(self.line)
        self.sign = sign[0] if sign else ""
        self.digits = _ascii(token[0])
        self.span = (start - len(self.sign), self.end)
        marked = not self.line.strip(" \t>*_#-(")
        self.lists = marked and _LIST_MARKER.match(text, start - len(self.line)) is not None


def _ascii(token: str) -> str:
    """The digits and points of any one script as those of JSON."""
    if token.isascii() and "{" not in token and "\\" not in token:
        return token
    if len({char.isascii() for char in token if char.isdigit()}) > 1:
        return token
    token = token.replace("{,}", ",").replace("\\,", ",").replace("．", ".").replace("，", ",")
    return "".join(str(unicodedata.decimal(char, char)) for char in token)


def _rated(near: _Near, most: float | None) -> tuple[str, int] | None:
    """The 4 of `4/5`, `4 out of 5`, `4 von 5`, and how much of what follows belongs to it."""
    ratio = _RATIO.fullmatch(near.digits)
    if most is None or ratio:
        fits = ratio is not None and most is not None and float(ratio["all"]) == most
        return (ratio["part"], 0) if ratio and fits else None
    found = _OUT_OF.match(near.behind)
    if not found or float(found["all"]) != most or not _PLAIN.fullmatch(near.digits):
        return None
    words = (found["words"] or "").lower()
    return (near.digits, found.end()) if not words or words in lexicon("scale") else None


def _idle(near: _Near, most: float | None) -> str:
    """What digits are that are no number: a part of a name, a date, an ordinal, a list marker."""
    if _DATED.fullmatch(near.digits) or _is_in_date(near):
        return say("part-of-date")
    if _ORDINAL.match(near.behind):
        return say("ordinal")
    sure = _PERCENT.match(near.behind) and begins("sure", near.words)
    if sure or _is_name(near.line, signed=near.sign != "") or _LABELS.match(near.behind):
        return say("part-of-name")
    if near.lists:
        return say("list-number")
    named = begins("full", near.words) or near.behind.lstrip().startswith(joined("full"))
    full = near.digits.isascii() and near.digits.isdigit() and float(near.digits) == most
    return _ONLY_A_BOUND if full and (named or ends_joined("full", near.line)) else ""


def _is_in_date(near: _Near) -> bool:
    """Whether a month is named in front of a number, or behind it."""
    month = _IN_MONTH.search(near.line)
    named = [*near.words[:2], month[1].lower() if month else ""]
    return not lexicon("month").isdisjoint(named)


def _is_name(line: str, *, signed: bool) -> bool:
    """Digits of a name: a letter, or a letter and a hyphen, stand right before them."""
    if signed or not line:
        return False
    if _ABBREVIATION.search(line):
        return True
    last, other = line[-1], line[-2:-1]
    if last.isalpha():
        return last < _SPACELESS or last == "第"
    if last in "-‐_/\\.@":
        return other.isalnum() or last in "\\@" or (last == "/" and other in {"", " ", "/", "."})
    return last in "#№§·"


_CALCULATION = say("part-of-calculation")
_NO_PLAIN_NUMBER = say("no-plain-number")
_WITH_UNIT = say("with-unit")
_SIGN_IN_WORDS = say("sign-in-words")
_ONLY_A_BOUND = say("only-a-bound")
_PART_OF_NUMBER = say("part-of-number")
_PART_OF_FORMULA = say("part-of-formula")


def _why_not(near: _Near, digits: str, wanted: Wanted) -> str:
    """What keeps a token from being a number that stands for itself."""
    percent = _PERCENT.match(near.behind) or begins("percent", near.words)
    bound = ends("bound", near.leading) or begins("bound", near.words)
    grouped = len(digits) == _GROUP and _GROUP_BEFORE.search(near.line)
    reasons = (
        (not (_PLAIN.fullmatch(digits) or _GROUPED.fullmatch(digits)), _NO_PLAIN_NUMBER),
        (_is_operand(near.line, near.behind), _CALCULATION),
        (percent and not wanted.whole and wanted.most != _HUNDRED, _WITH_UNIT),
        (_LARGER.match(near.behind) or _is_multiplied(near), _WITH_UNIT),
        (bound or ends_joined("bound", near.line), _ONLY_A_BOUND),
        (near.behind.lstrip().startswith(joined("bound")), _ONLY_A_BOUND),
        (grouped or _GROUP_BEHIND.match(near.behind), _PART_OF_NUMBER),
        (near.line.endswith("{") and not _BOX.search(near.line), _PART_OF_FORMULA),
    )
    return next((why for found, why in reasons if found), "")


def _is_operand(line: str, behind: str) -> bool:
    """Whether a number is reckoned with, in signs or in words: `3 + `, `6 times `."""
    if _OPERATED.match(behind) or _OPERATING.search(line):
        return True
    if behind.lstrip(" *_`$)").startswith(_EQUALS):
        return not line.rstrip(" *_`$").endswith(_EQUALS)
    words = [found[1] for found in (_NEXT.match(behind), _LAST.search(line)) if found]
    return not lexicon("operator").isdisjoint(word.strip().lower() for word in words)


def _is_multiplied(near: _Near) -> bool:
    """Whether `million` or the like follows, or stands in the label: `Revenue (in millions): 5`."""
    attached = _ATTACHED.match(near.behind)
    if attached and attached[0] < _SPACELESS and attached[0].lower() not in lexicon("unit"):
        return True
    if near.behind.startswith("-") and near.behind[1:2].isalpha():
        return not begins("points", near.words)
    words = near.words[1:] if near.words[:1] == ["in"] else near.words
    label = near.line.rstrip(" *_`").endswith((":", "：", "="))
    named = label and not lexicon("multiplier").isdisjoint(near.leading)
    return named or begins("multiplier", words) > 0 or _IN_LARGER.search(near.line) is not None


def _unclear(text: str, near: _Near, digits: str, wanted: Wanted, *, english: bool) -> str:
    """Whether a number is read in two ways: as a thousand or a fraction, or with another sign.

    Where `1,234` is 1234 elsewhere it is 1.234.
    """
    if _LOCAL.fullmatch(digits):
        foreign = not english and not lexicon("continental").isdisjoint(tokens(text))
        euro = "." in digits and near.line.endswith("€")
        if ("." in digits or foreign) if wanted.whole else (not english or euro):
            return say("number-or-fraction")
    return "" if near.sign or not _may_be_negative(near) else _SIGN_IN_WORDS


def _may_be_negative(near: _Near) -> bool:
    """Whether a number without a sign of its own may be negative: `-**5**`, `— 5`, `($1,250)`."""
    line, behind = near.line, near.behind
    if _UNSURE_SIGN.search(line) or ends("minus", tokens(near.above[-24:])):
        return True
    if behind.startswith(" (") and begins("minus", near.words):
        return True
    if _ACCOUNT.search(line) and behind.startswith(")") and "," in near.digits:
        return True
    if line.endswith((" - ", " – ", " — ")) and ends("states", near.leading):
        return True
    return _BULLET.fullmatch(line) is not None and not behind.strip(" .*_`")


def _number(near: _Near, digits: str, most: int, said: str) -> Candidate:
    sign = near.sign
    span = (near.span[0], near.span[0] + len(sign) + len(said))
    plain = _MARKS.sub("", digits)
    is_float = any(char in plain for char in ".eE")
    number = exact(plain) if is_float and len(plain) <= most else whole(plain, most)
    if number is None:
        return Candidate(span, why=say("long-number", number=most))
    if isinstance(number, str):
        return Candidate(span, why=_NO_FLOAT[number])
    value = number if sign[:1] in {"", "+"} else -number
    changed = plain != said or sign not in {"", "-", "+"}
    repairs = (Repair("number", span, (), sign + said, str(value)),) if changed else ()
    return Candidate(span, value, "", repairs)
