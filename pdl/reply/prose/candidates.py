"""What in a text may be the answer: the words that a schema names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.result import Repair, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl._types import Json

_SPACELESS = "\u0e00-\U0003ffff"  # from Thai on, most scripts set no blanks between words
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
"""A box of LaTeX, in front of what is in it."""

_MANY, _SHORT = 500, 10_000


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something in a text that may be the answer.

    `why` says what keeps it from being one; `idle` that it then has no say beside others, as a
    date or an operand. `rated`: it is the 4 of `4 out of 5`, and 5 is the most that the schema
    allows. `result`: an equals sign leads to it. `free`: no other word is like it, as of a date.
    """

    span: Span
    value: Json = None
    why: str = ""
    repairs: tuple[Repair, ...] = ()
    idle: bool = False
    rated: bool = False
    result: bool = False
    free: bool = False


def flags(text: str, *, flags: bool, null: bool) -> Iterator[Candidate]:
    """True, false and null in any case."""
    for word in _FLAG.finditer(text):
        if flags and word["flag"]:
            yield Candidate(word.span(), word["flag"].lower() == "true")
        elif null and not word["flag"]:
            yield Candidate(word.span(), None)


def choices(text: str, words: Sequence[str]) -> Iterator[Candidate]:
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
    """Without words that a short text can't have: a pattern of very many takes long to compile."""
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


def _choice(text: str, word: re.Match[str], by_fold: dict[str, list[str]]) -> Candidate:
    span, said = word.span(), word[0]
    if _is_weighed(text, span, said):
        return Candidate(
            span, why="is weighed, or names what follows, and is not chosen", idle=True
        )
    exact = by_fold.get(said.casefold())
    if exact is None:
        said = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", said)
        exact = by_fold.get(said.casefold(), [])
    if word[0] in exact:
        return Candidate(span, word[0])
    if said in exact or len(exact) == 1:
        kind = "escape" if said in exact else "case"
        value = said if said in exact else exact[0]
        return Candidate(span, value, "", (Repair(kind, span, (), word[0], value),))
    return Candidate(span, why="is written in another case")


def _is_weighed(text: str, span: Span, said: str) -> bool:
    """Whether a word is not chosen: it is crossed out, given a value, or names what follows."""
    start, end = span
    if _CROSSED.search(text[max(0, start - 3) : start] + text[end : end + 4].partition("\n")[0]):
        return True
    names = _NAMES.match(text, end)
    return names is not None and len(said) > 1 and text[names.end() : names.end() + 1].strip() != ""
