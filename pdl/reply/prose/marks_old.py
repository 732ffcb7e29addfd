"""Words with which a model says what the data that follows is: final, an answer, an example."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.ascriptions import owned
from pdl.reply.prose.citations import without_citations
from pdl.reply.prose.namings import (
    ALONE,
    ANSWER,
    COMPOUND,
    COPULA,
    CORRECT,
    DENIAL,
    DENIAL_PHRASE,
    EXAMPLE,
    EXAMPLE_PHRASE,
    FINAL,
    FORMER,
    FORMER_PHRASE,
    NAMED,
    PHRASE,
    RESULT,
)
from pdl.reply.prose.vocabulary import WORD, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SENTENCE = re.compile(r"[.!?](?=\s|$)|[;；。！？।؟]")
_DECORATION = " \t\r*_#=>`\"'“”|-–—✅☑✔👉➡️"
_TRAILING = " \t\r*_#>`\"'“”|"
_COLON = re.compile(r"[*_\s)）\]]*[:：]")
_ENUMERATED = re.compile(r"(?:^|[\s*_(])(?:a|ans)\s*[.:：][*_\s]*$", re.IGNORECASE)
_LINK = re.compile(r"[:：=—–→-][\s*_`\"'“‘«「(\[{$\\]*$")
_CLAUSE = 50  # characters between such a word and the answer at most
_LINE = 300  # characters of a line that are looked at
_BLANK_LINES = 6  # lines of no words between such a word and the answer at most
_DIGIT = re.compile(r"[\d:：]")
_SHORT = 2  # words of a lead that needs no colon
_AMID = 8  # words between `answer` and `is` at most: `the answer to your question is`


def announced(text: str, start: int, at: int) -> bool:
    """Whether the answer at `at` is called final or corrected, on its line or just above it.

    `start` is where the answer before it ends: words in front of that one are not about this one.
    What a quotation (`> Final answer`, `"Final answer: …"`) says is not said by the model.
    """
    clause = lead_clause(text, start, at)
    if not clause or not is_mark(clause) or _is_quoted(text, at):
        return False
    before = text[max(start, at - 3 * _LINE) : at]
    own = without_citations(before, text, at)
    if own != before:
        clause = lead_clause(own, 0, len(own))
    ends = _mark_ends(clause)
    return bool(ends) and len(clause) - ends[-1] <= _CLAUSE


def is_mark(clause: str) -> bool:
    """Whether a clause calls something final or corrected, that is the model's own and still so."""
    return bool(_mark_ends(clause)) and not _denied(clause) and not owned(clause)


def _is_quoted(text: str, at: int) -> bool:
    return text[max(0, at - _LINE) : at].rpartition("\n")[2].lstrip().startswith(">")


def _mark_ends(clause: str) -> list[int]:
    """Where in a clause the words end that call something final or corrected."""
    found = list(WORD.finditer(clause.lower()))
    words = [word[0] for word in found]
    ends = [word.end() for i, word in enumerate(found) if _is_mark(clause, words, i, word)]
    return sorted([*ends, *(phrase.end() for phrase in PHRASE.finditer(clause))])


def _is_mark(clause: str, words: Sequence[str], i: int, found: re.Match[str]) -> bool:
    word, after = words[i], words[i + 1] if i + 1 < len(words) else ""
    if clause[found.start() - 1 : found.start()] == "-" or (i and words[i - 1] in FORMER):
        return False
    if word in COMPOUND:
        return True
    if word in FINAL or word in CORRECT:
        noun = after in ANSWER or after in RESULT
        before = words[i - 1] if i else ""
        behind = before not in FINAL and (before in ANSWER or before in RESULT)
        if noun or (behind and not _is_english(word)):
            return True
    ends = i + 1 == len(words) or _COLON.match(clause, found.end()) is not None
    return (word in ALONE and ends) or (word in CORRECT and after in {"one", "is"})


def _is_english(word: str) -> bool:
    """Whether a word stands in front of its noun: `the answer corrected` is no mark."""
    return word in {"corrected", "updated", "fixed", "amended", "revised", "correct"}


def _denied(clause: str) -> bool:
    words = words_of(clause)
    return (
        DENIAL.any_of(words)
        or EXAMPLE.any_of(word for word in words if word not in {"original", "previous", "given"})
        or "?" in clause
        or "？" in clause
        or (DENIAL_PHRASE.search(clause) or EXAMPLE_PHRASE.search(clause)) is not None
    )


def exemplified(text: str, start: int, at: int) -> bool:
    """Whether what stands at `at` is called an example, a format, or what was there before."""
    clause = lead_clause(text, start, at)
    return bool(clause) and (
        EXAMPLE.any_of(words_of(clause)) or EXAMPLE_PHRASE.search(clause) is not None
    )


def is_aside(clause: str) -> bool:
    """Whether words say that what follows is an example, a draft, or a former try."""
    return bool(clause) and (
        EXAMPLE.any_of(words_of(clause))
        or (EXAMPLE_PHRASE.search(clause) or FORMER_PHRASE.search(clause)) is not None
    )


def claimed(text: str, start: int, at: int) -> bool:
    """Whether what stands at `at` is called the answer: `Answer:`, `The result is`."""
    return _is_named(_lead(text, start, at), lambda word: word in ANSWER or word in RESULT)


def answered(text: str, start: int, at: int) -> bool:
    """Whether what stands at `at` is called the answer itself, no mere result on the way to it."""
    lead = _lead(text, start, at)
    return _is_named(_clause(lead), ANSWER.__contains__) or _ENUMERATED.search(lead) is not None


def _is_named(lead: str, is_noun: Callable[[str], bool]) -> bool:
    """Whether a lead ends in a noun and a colon, or in a noun and a verb some words behind it."""
    if not lead:
        return False
    if NAMED.search(lead):
        return True
    words = words_of(lead)
    if not words:
        return False
    last, *_ = reversed(words)
    if last in COPULA:
        return any(map(is_noun, words[-_AMID:]))
    # `Answer: 42`, `Ответ — 42`, or two words and no more: `Doğru cevap 42.`
    return is_noun(last) and (
        _LINK.search(lead) is not None or (len(words) <= _SHORT and not _DIGIT.search(lead))
    )


def lead_clause(text: str, start: int, at: int) -> str:
    """The last sentence of the words that lead to what stands at `at`; they begin at `start`."""
    lead = _lead(text, start, at)
    return _clause(lead) if lead else ""


def _lead(text: str, start: int, at: int) -> str:
    """The words on the line of `at`; if there are none, those just above that announce it."""
    before = text[max(start, at - 3 * _LINE) : at]
    head, newline, here = before.rpartition("\n")
    if here.strip(_DECORATION):
        return here[-_LINE:].rstrip(_TRAILING)
    above = ""
    for _ in range(_BLANK_LINES):
        if above or not newline:
            break
        head, newline, line = head.rpartition("\n")
        above = line.strip(_DECORATION)[-_LINE:]
    # A line announces what is below it if it ends in a colon, or is a heading, no sentence.
    return above if above.endswith((":", "：")) or not _SENTENCE.search(above) else ""


def _clause(line: str) -> str:
    """The last sentence of a line."""
    clause = line
    for end in _SENTENCE.finditer(line):
        if line[end.end() :].strip(_DECORATION + ":："):
            clause = line[end.end() :]
    return clause.strip(_DECORATION)
