"""Candidates for a scalar answer in prose: numbers, literals, and the words of an enum."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.parsing.parsed import exact, whole
from pdl.reply.phrases import say
from pdl.reply.prose.words import begins, ends, ends_joined, joined, lexicon, tokens
from pdl.reply.result import Repair, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl._types import Json

_SPACELESS = "\u0e00-\U0003ffff"  # from Thai on, most scripts do not separate words by spaces
_START = rf"(?-i:(?<![^\W{_SPACELESS}])(?<![\w]-)(?<!!))"
_END = rf"(?-i:(?![^\W{_SPACELESS}]|-[^\W{_SPACELESS}]|\.[a-z0-9]{{1,5}}(?!\w)|[+#]|-(?![\s-])|!=))"
_MARK = re.compile(r"([!-/:-@\[-`{-~])")
_FLAG = re.compile(r"(?<![\w!-])(?:(?P<flag>true|false)|null)(?![\w-])", re.IGNORECASE)
_NAMES = re.compile(r"[*_`\"'”’]*\s*[:：=]\s*[*_`\"'“‘]*")
_CROSSED = re.compile("[❌✖✗✘👎🚫⛔☐□]")
MONEY = r"(?:(?:US|CA|AU|NZ|HK|R|S)?\\?\$|[€£¥₹₩₽₺₴₫฿])"
BOX = re.compile(
    r"\\(?:boxed|fbox)\{\s*(?:\\(?:text|math)\w*\{\s*)?(?:[^\W\d_]\s*=\s*)?\\?[$£€]?[-+−]?$"
)
"""The beginning of a LaTeX box."""

_MANY, _SHORT = 500, 10_000


@dataclass(frozen=True, slots=True)
class ScalarCandidate:
    """A part of a text that might be the answer.

    `why` explains why it is not one; `idle`: it then does not compete with others, as a date or an
    operand. `rated`: it is the 4 of `4 out of 5`, and 5 is the most that the schema allows.
    `result`: an equals sign leads to it. `free`: it cannot be an ordinary word, such as a date.
    """

    span: Span
    value: Json = None
    why: str = ""
    repairs: tuple[Repair, ...] = ()
    idle: bool = False
    rated: bool = False
    result: bool = False
    free: bool = False


def flags(text: str, *, flags: bool, null: bool) -> Iterator[ScalarCandidate]:
    """True, false and null in any case."""
    for word in _FLAG.finditer(text):
        if flags and word["flag"]:
            yield ScalarCandidate(word.span(), word["flag"].lower() == "true")
        elif null and not word["flag"]:
            yield ScalarCandidate(word.span(), None)


def choices(text: str, words: Sequence[str]) -> Iterator[ScalarCandidate]:
    """The choices of an enum as whole words, in any case, with backslashes as Markdown has them."""
    by_fold: dict[str, list[str]] = {}
    for word in words:
        by_fold.setdefault(word.casefold(), []).append(word)
    longest_first = sorted(filter(str.strip, _near(text, words)), key=len, reverse=True)
    if not longest_first:
        return
    pattern = "|".join(map(_escapable, longest_first))
    for found in re.finditer(rf"{_START}(?:{pattern}){_END}", text, re.IGNORECASE):
        yield _choice(text, found, by_fold)


def _near(text: str, words: Sequence[str]) -> Sequence[str]:
    """The words that a short text can contain: a pattern of very many takes long to compile."""
    if len(words) < _MANY or len(text) > _SHORT or not text.isascii():
        return words
    folded = text.lower().replace("\\", "")
    return [w for w in words if not w.isascii() or w.lower().replace("\\", "") in folded]


def _escapable(word: str) -> str:
    r"""A pattern for a choice, in which `bug\_report` is `bug_report`."""
    return "".join(
        rf"\\?{re.escape(part)}" if _MARK.fullmatch(part) else re.escape(part)
        for part in _MARK.split(word)
    )


def _choice(text: str, word: re.Match[str], by_fold: dict[str, list[str]]) -> ScalarCandidate:
    span, said = word.span(), word[0]
    if _is_weighed(text, span, said):
        return ScalarCandidate(span, why="is weighed or used as a label, not chosen", idle=True)
    exact = by_fold.get(said.casefold())
    if exact is None:
        said = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", said)
        exact = by_fold.get(said.casefold(), [])
    if word[0] in exact:
        return ScalarCandidate(span, word[0])
    if said in exact or len(exact) == 1:
        kind = "escape" if said in exact else "case"
        value = said if said in exact else exact[0]
        return ScalarCandidate(span, value, "", (Repair(kind, span, (), word[0], value),))
    return ScalarCandidate(span, why="is written in another case")


def _is_weighed(text: str, span: Span, said: str) -> bool:
    """Whether a word is not chosen: it is crossed out, has a value, or is a label."""
    start, end = span
    if _CROSSED.search(text[max(0, start - 3) : start] + text[end : end + 4].partition("\n")[0]):
        return True
    names = _NAMES.match(text, end)
    return names is not None and len(said) > 1 and text[names.end() : names.end() + 1].strip() != ""


_NO_FLOAT = {
    "large": say("large-number"),
    "small": say("small-number"),
    "precise": say("precise-number"),
}
_LOCAL = re.compile(r"[1-9][0-9]{0,2}(?P<mark>[.,])[0-9]{3}")
_TOKEN = re.compile(
    r"(?:(?<![\w.])\.)?\d(?>(?:\d|(?:[.,'’_:/–‐．，٫٬-]|\{,\})(?=\d)"
    "|[\u00a0\u2009\u202f](?=\\d{3}(?!\\d)))*)(?:[eE][+-]?\\d++)?"
)
_PLAIN = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+")
_GROUPED = re.compile(
    "[1-9][0-9]{0,2}(?P<mark>[,'’_\u00a0\u2009\u202f])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?:\\.[0-9]+)?"
)
_CONTINENTAL = re.compile("[1-9][0-9]{0,2}(?:[.\u00a0\u202f][0-9]{3})+,[0-9]{1,2}")
"""`1.249,50`, which is written so where a comma is followed by the fraction."""

_ANGLICIZED = str.maketrans({",": ".", ".": "", "\u00a0": "", "\u202f": ""})
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
_LIST_MARKER = re.compile(r"[ \t>*_#-]*\(?[0-9]{1,3}[.):][*_]*[ \t]+\S")
_PERCENT = re.compile(r"\s?[%％]")
_LARGER = re.compile(r"\+(?!\s*\d)|\s*(?:\.{2,}|…)|[{²³¹⁰-₟½¼¾⅓-⅞]|\\(?![)\]}\s])|[MB](?!\w)")
"""Text after a number that makes it larger, or a part of one."""

_OPERATED = re.compile(
    r"[*_)]*\s*+(?:[×÷^<>≤≥±+*·≠]|\*\*|!=|[-–−](?=\s)|/(?=\s|\()|x(?=\s*\d))\s*+[*_`$(]*[-+−]?\d"
)
_OPERATING = re.compile(
    r"(?:[×÷^<>≤≥±·√]|[<>!≠]=|≠|[\d)][*_`]*\s*[-–−+*/x×])\s*[-+(−]?$|[-+−]{2}$"
    r"|[\w)]\s*\*\*\s+[-+(−]?$"
)
_EQUALS = ("=", "＝")
_PART_AFTER = re.compile("[ \u00a0\u2009\u202f]([0-9]|[½¼¾⅓-⅞])")
_PART_BEFORE = re.compile("[0-9][ \u00a0\u2009\u202f]$")
_MINUS = "-−–‒﹣－"
_SIGN = re.compile(rf"(?<![^\W\u0e00-\U0003ffff])(?<![)\]/])[{_MINUS}+]{MONEY}?$")
_UNSURE_SIGN = re.compile(
    rf"(?<![\w)\]])[{_MINUS}—―‐‑⁻¬∓±](?:[*_`\"'“‘(\[{{\\]|{MONEY})+$|[⁻¬∓±]$|(?<!\w)[—―‐‑]$"
    rf"|[:：=]\s*[{_MINUS}—―]\s+$|/[-−+]$|(?<!\\)(?:\({MONEY}|{MONEY}\s?\()$"
)
"""Text that might be a minus sign: `-**5**`, `— 5`, `($1,250)`."""

_ACCOUNT = re.compile(r"[:：=]\s*\($")  # `(1,250)` in accounts is -1250
_IN_LARGER = re.compile(r"[(\[]\s*(?:USD|EUR|GBP)?\s?[$€£¥]?\s?[mkbMKB]n?\s*[)\]]")
_BULLET = re.compile(rf"[\s>#]*[{_MINUS}—]\s+{MONEY}?$")
_NEAR = 48  # characters around a number that can change its meaning
_THAI = "\u0e00"  # from here on, most scripts set no spaces between words
_HUNDRED = 100  # the most where numbers are percents
_ATTACHED = re.compile(r"[^\W_]+")
_NEXT = re.compile(r"[*_`\"]*\s+(\D{1,24}?)[*_`\"$]*\d")
_LAST = re.compile(r"\d[*_`\"]*\s+(\D{1,24}?)[*_`\"$]*$")
_CALCULATION = say("part-of-calculation")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The numbers that a schema expects: only integers, how many digits, and the maximum."""

    whole: bool
    digits: int
    most: float | None = None


def is_local(text: str) -> bool:
    """Whether a number with a point might be a thousand in another language."""
    found = _LOCAL.fullmatch(text.lstrip("-"))
    return found is not None and found["mark"] == "."


def numbers(text: str, wanted: Wanted) -> Iterator[ScalarCandidate]:
    """The numbers of a text, in order.

    Dates, times, versions, ordinals, list markers, and digits in names are idle.
    """
    past = 0
    words = tokens(text) if " in " in text else []
    scaled = any(one == "in" and two in lexicon("multiplier") for one, two in pairwise(words))
    for token in _TOKEN.finditer(text):
        if token.start() >= past:
            one, past = _read(text, _Near(text, token), wanted)
            yield replace(one, why=say("with-unit")) if scaled and not one.why else one


def reckoned(text: str, found: Sequence[ScalarCandidate]) -> list[ScalarCandidate]:
    """The same, where operands of a calculation are idle if its result follows on their line."""
    kept: list[ScalarCandidate] = []
    line = -1
    for one in reversed(found):
        if one.why == _CALCULATION and line >= 0 and "\n" not in text[one.span[1] : line]:
            one = replace(one, idle=True)  # noqa: PLW2901 - the same with a mark
        elif not one.why:
            line = one.span[0]
        kept.append(one)
    return kept[::-1]


class _Near:
    """A token of digits and the text around it."""

    def __init__(self, text: str, token: re.Match[str]) -> None:
        start, self.end = token.span()
        self.said = token[0]
        self.above = text[max(0, start - _NEAR) : start]
        self.line = self.above.rpartition("\n")[2]
        self.following = text[self.end : self.end + _NEAR].partition("\n")[0]
        self.leading, self.words = tokens(self.line), tokens(self.following)
        sign = _SIGN.search(self.line)
        self.sign = sign[0] if sign else ""
        self.digits = _ascii(token[0])
        self.span = (start - len(self.sign), self.end)
        marked = not self.line.strip(" \t>*_#-(")
        self.lists = marked and _LIST_MARKER.match(text, start - len(self.line)) is not None

    def says(self, meaning: str) -> bool:
        """Whether a phrase of a meaning comes right before or right after."""
        if ends(meaning, self.leading) or begins(meaning, self.words):
            return True
        near = self.following.lstrip().startswith(joined(meaning))
        return near or ends_joined(meaning, self.line)


def _ascii(token: str) -> str:
    """The digits and points of any one script as those of JSON."""
    token = token.replace("{,}", ",")
    if token.isascii() or len({char.isascii() for char in token if char.isdigit()}) > 1:
        return token
    token = token.replace("．", ".").replace("，", ",")
    return "".join(str(unicodedata.decimal(char, char)) for char in token)


def _read(text: str, near: _Near, wanted: Wanted) -> tuple[ScalarCandidate, int]:
    """The number of a token, and where what belongs to it ends."""
    rated = _rated(near, wanted.most)
    if rated:
        part, past = rated
        one = _number(near, part, wanted.digits)
        return replace(one, rated=True), near.end + past
    why = _idle(near)
    if why:
        return ScalarCandidate(near.span, why=why, idle=True), near.end
    if not wanted.whole and _CONTINENTAL.fullmatch(near.digits):
        near.digits = near.digits.translate(_ANGLICIZED)
    why = _why_not(near, wanted) or _unclear(text, near, wanted)
    if why:
        return ScalarCandidate(near.span, why=why), near.end
    result = near.line[: len(near.line) - len(near.sign)].rstrip(" *_`$([").endswith(_EQUALS)
    return replace(_number(near, near.digits, wanted.digits), result=result), near.end


def _rated(near: _Near, most: float | None) -> tuple[str, int] | None:
    """The 4 of `4/5`, `4 out of 5`, `4 von 5`, and how much of what follows belongs to it."""
    if most is None:
        return None
    ratio = _RATIO.fullmatch(near.digits)
    if ratio:
        return (ratio["part"], 0) if float(ratio["all"]) == most else None
    found = _OUT_OF.match(near.following)
    if not found or float(found["all"]) != most:
        return None
    words = (found["words"] or "").lower()
    return (near.digits, found.end()) if not words or words in lexicon("scale") else None


def _idle(near: _Near) -> str:
    """Why digits are not a number: they are part of a name, a date, an ordinal, a list marker."""
    dated = not lexicon("month").isdisjoint([*near.leading[-2:], *near.words[:2]])
    if dated or _DATED.fullmatch(near.digits) or begins("clock", near.words):
        return say("part-of-date")
    suffix = near.following[:1].isalpha() and begins("ordinal", near.words)
    if suffix or near.following.startswith(joined("ordinal")):
        return say("ordinal")
    sure = _PERCENT.match(near.following) and begins("sure", near.words)
    if sure or (near.line and not near.sign and _is_name(near)):
        return say("part-of-name")
    return say("list-number") if near.lists else ""


def _is_name(near: _Near) -> bool:
    """Whether digits belong to a name: a letter, or a letter and a hyphen, comes right before."""
    line = near.line
    last, other = line[-1], line[-2:-1]
    if last.isalpha():
        return last < _THAI or last == "第"
    if line.rstrip()[-1:] == "." and ends("abbreviation", near.leading):
        return True
    if last in "-‐_/\\.@":
        return other.isalnum() or last in "\\@" or (last == "/" and other in {"", " ", "/", "."})
    return last in "#№§·"


def _why_not(near: _Near, wanted: Wanted) -> str:
    """Why a token is not a number by itself."""
    digits = near.digits
    if not (_PLAIN.fullmatch(digits) or _GROUPED.fullmatch(digits)):
        return say("no-plain-number")
    if _is_operand(near.line, near.following):
        return _CALCULATION
    percent = _PERCENT.match(near.following) or begins("percent", near.words)
    part = percent and not wanted.whole and wanted.most != _HUNDRED
    if part or _LARGER.match(near.following) or _is_multiplied(near):
        return say("with-unit")
    if near.says("bound"):
        return say("only-a-bound")
    if _PART_AFTER.match(near.following) or _PART_BEFORE.search(near.line):
        return say("part-of-number")
    formula = near.line.endswith("{") and not BOX.search(near.line)
    return say("part-of-formula") if formula else ""


def _is_operand(line: str, following: str) -> bool:
    """Whether a number is an operand, in symbols or in words: `3 + `, `6 times `."""
    if _OPERATED.match(following) or _OPERATING.search(line):
        return True
    if following.lstrip(" *_`$)").startswith(_EQUALS):
        return not line.rstrip(" *_`$").endswith(_EQUALS)
    words = [found[1] for found in (_NEXT.match(following), _LAST.search(line)) if found]
    return not lexicon("operator").isdisjoint(word.strip().lower() for word in words)


def _is_multiplied(near: _Near) -> bool:
    """Whether `million` or the like follows, or is in the label: `Revenue (in millions): 5`."""
    attached = _ATTACHED.match(near.following)
    if attached and attached[0] < _THAI and attached[0].lower() not in lexicon("unit"):
        return True
    if near.following.startswith("-") and near.following[1:2].isalpha():
        return not begins("points", near.words)
    words = near.words[1:] if near.words[:1] == ["in"] else near.words
    if begins("multiplier", words) or near.following.lstrip().startswith(joined("multiplier")):
        return True
    label = near.line.rstrip(" *_`").endswith((":", "：", "="))
    scaled = not lexicon("multiplier").isdisjoint(near.leading) or _IN_LARGER.search(near.line)
    return label and bool(scaled)


def _unclear(text: str, near: _Near, wanted: Wanted) -> str:
    """Why a number is ambiguous: it might be a thousand or a fraction, or have another sign.

    In some languages `1,234` is 1234, in others 1.234.
    """
    if found := _LOCAL.fullmatch(near.digits):
        english, pointed = _speaks("english", text), found["mark"] == "."
        foreign = not english and (not wanted.whole or _speaks("continental", text))
        if foreign or (pointed and (wanted.whole or near.line.endswith("€"))):
            return say("number-or-fraction")
    return "" if near.sign or not _may_be_negative(near) else say("sign-in-words")


@lru_cache(maxsize=4)
def _speaks(language: str, text: str) -> bool:
    return not lexicon(language).isdisjoint(tokens(text))


def _may_be_negative(near: _Near) -> bool:
    """Whether a number without a sign might be negative, by a mark or in words."""
    if _UNSURE_SIGN.search(near.line) or ends("minus", tokens(near.above[-24:])):
        return True
    if _ACCOUNT.search(near.line) and near.following.startswith(")") and "," in near.said:
        return True
    if _BULLET.fullmatch(near.line):
        return not near.following.strip(" .*_`")
    if near.line.endswith((" - ", " – ", " — ")) and ends("states", near.leading):
        return True
    return near.following.startswith(" (") and begins("minus", near.words) > 0


def _number(near: _Near, digits: str, most: int) -> ScalarCandidate:
    sign, said = near.sign, near.said if digits == near.digits else digits
    span = (near.span[0], near.span[0] + len(sign) + len(said))
    plain = _MARKS.sub("", digits)
    is_float = any(char in plain for char in ".eE")
    number = exact(plain) if is_float and len(plain) <= most else whole(plain, most)
    if number is None:
        return ScalarCandidate(span, why=say("long-number", number=most))
    if isinstance(number, str):
        return ScalarCandidate(span, why=_NO_FLOAT[number])
    value = number if sign[:1] in {"", "+"} else -number
    changed = plain != said or sign not in {"", "-", "+"}
    repairs = (Repair("number", span, (), sign + said, str(value)),) if changed else ()
    return ScalarCandidate(span, value, "", repairs)
