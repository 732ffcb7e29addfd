"""The choices of an enum, the booleans and null as words in prose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.spoken import Spoken
from pdl.reply.result import Repair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BOOLEAN = re.compile(r"(?<![\w-])(?:true|false)(?![\w-])", re.IGNORECASE)
_QUALIFIED = re.compile(
    r"\b(?:mostly|mainly|partly|partially|largely|half|very|somewhat|almost|nearly|technically|generally"
    r"|essentially|basically|predominantly|often|usually|sometimes|in\s+part)[\s-]+[*_`\"]*$",
    re.IGNORECASE,
)
_MANY = 500
_SHORT = 10_000
_BEFORE_WORD = 24  # characters in front of a word that may qualify it
_NULL = re.compile(r"(?<![\w-])null(?![\w-])", re.IGNORECASE)
_SPACELESS = "\u0e00-\U0003ffff"  # from Thai on, most scripts set no blanks between words
_BEFORE = rf"(?-i:(?<![^\W{_SPACELESS}])(?<!-))"
_BEHIND = rf"(?-i:(?![^\W{_SPACELESS}]|-[^\W{_SPACELESS}]|\.[a-z0-9]{{1,5}}(?!\w)))"
"""Words end where letters end, but in scripts without blanks nobody can tell."""

_MARK = re.compile(r"([!-/:-@\[-`{-~])")
_NAMES = re.compile(r"[*_`\"'”’]*\s*[:：=]\s*[*_`\"'“‘]*")
"""What follows a word that names another: `negative: 0.9`, `category: cat`."""

_GIVEN = re.compile(
    r"(?:[ \t]*[*_`\"'”’]*[ \t]*(?:[:：=(\[]|[–—-](?=[ \t]))[ \t*_`\"'“‘]*"
    r"|[ \t*_`\"'”’]+(?:is|was|were|has\s+been|does|did)\s+"
    r"(?:considered\s+and\s+|then\s+|later\s+|also\s+)*)"
    r"(?:false|true|no|yes|none|nil|null|n/a|not|low|zero|unlikely|impossible|implausible|rejected|removed|excluded|eliminated"
    r"|discarded|dismissed|disputed|doubtful|ruled\s+out|does\s+not|doesn['’]t|wrong|incorrect)(?![\w-])",
    re.IGNORECASE,
)
"""What follows a word that is weighed, not chosen: `bug: false`, `bug (rejected)`."""

_FIELDS = frozenset(
    [
        *("error", "errors", "warning", "question", "note", "feature", "title", "input", "output"),
        *("answer", "example", "request", "info", "summary", "task", "comment", "message", "issue"),
        *("result", "response", "status", "critical", "important", "hint", "tip", "caution"),
    ]
)
"""Choices that are names of what follows them: `Error: rate limit exceeded`."""

_HEADS = re.compile(r"[*_`]*[ \t]*[:：][*_`]*[ \t]*[^\s*_`]")
_HEADING = re.compile(r"[*_` \t]*\n\s*\w")
_OF = re.compile(
    r"[*_`\"'”’]*\s+of\s+(?:the|these|those|them|my|your|above|it|us|you)\b", re.IGNORECASE
)
_CROSSED = "❌✖✗✘👎🚫⛔"
_CROSSED_BEFORE = re.compile(rf"[{_CROSSED}☐□]\ufe0f?[ \t]*[*_`\"']*$")
_CROSSED_BEHIND = re.compile(rf"[*_`\"'”’]*[ \t]*[:：]?[ \t]*[{_CROSSED}]")


def booleans(text: str) -> Iterator[Spoken]:
    """True and false in any case; what is mostly true is neither."""
    for word in _BOOLEAN.finditer(text):
        if _QUALIFIED.search(text, max(0, word.start() - _BEFORE_WORD), word.start()):
            yield Spoken(word.span(), None, "is said with a reservation")
        else:
            yield Spoken(word.span(), word[0].lower() == "true")


def nulls(text: str) -> Iterator[Spoken]:
    """The word null in any case."""
    for word in _NULL.finditer(text):
        yield Spoken(word.span(), None)


def choices(text: str, words: Sequence[str]) -> Iterator[Spoken]:
    """The choices of an enum as whole words, in any case, with backslashes as Markdown has them."""
    by_fold: dict[str, list[str]] = {}
    for word in words:
        by_fold.setdefault(word.casefold(), []).append(word)
    longest_first = sorted(filter(str.strip, _near(text, words)), key=len, reverse=True)
    if not longest_first:
        return
    pattern = "|".join(map(_escapable, longest_first))
    found = list(re.finditer(rf"{_BEFORE}(?:{pattern}){_BEHIND}", text, re.IGNORECASE))
    starts = {word.start() for word in found}
    for one in found:
        names = _NAMES.match(text, one.end())
        label = one[0] not in words and names is not None and names.end() in starts
        if not label:
            yield _choice(text, one, by_fold, names)


def _near(text: str, words: Sequence[str]) -> Sequence[str]:
    """Without words that a short text can't have: a pattern of very many takes long to compile."""
    if len(words) < _MANY or len(text) > _SHORT or not text.isascii():
        return words
    folded = text.lower().replace("\\", "")
    return [w for w in words if not w.isascii() or w.lower().replace("\\", "") in folded]


def _is_weighed(text: str, word: re.Match[str]) -> bool:
    """Whether a word is not chosen: it is crossed out, given a value, or names what follows."""
    start, end = word.span()
    if _CROSSED_BEHIND.match(text, end) or _GIVEN.match(text, end) or _OF.match(text, end):
        return True
    before = text[max(0, start - _BEFORE_WORD) : start]
    if _CROSSED_BEFORE.search(before):
        return True
    if word[0].casefold() not in _FIELDS:
        return False
    if _HEADS.match(text, end):
        return True
    return before.rpartition("\n")[2].startswith("#") and _HEADING.match(text, end) is not None


def _escapable(word: str) -> str:
    r"""A pattern for a choice, in which `bug\_report` is `bug_report`."""
    parts = (
        rf"\\?{re.escape(part)}" if _MARK.fullmatch(part) else re.escape(part)
        for part in _MARK.split(word)
    )
    return "".join(parts)


def _choice(
    text: str, word: re.Match[str], by_fold: dict[str, list[str]], names: re.Match[str] | None
) -> Spoken:
    span, said = word.span(), word[0]
    if _is_weighed(text, word):
        return Spoken(span, None, "is weighed, or names what follows, and is not chosen")
    if names and text[names.end() : names.end() + 1].isdigit():
        return Spoken(span, None, "is given a number, not chosen")
    exact = by_fold.get(said.casefold())
    if exact is None:
        said = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", said)
        exact = by_fold.get(said.casefold(), [])
    if word[0] in exact:
        return Spoken(span, word[0])
    if said in exact or len(exact) == 1:
        kind = "escape" if said in exact else "case"
        value = said if said in exact else exact[0]
        return Spoken(span, value, "", (Repair(kind, span, (), word[0], value),))
    return Spoken(span, None, "is written in another case")
