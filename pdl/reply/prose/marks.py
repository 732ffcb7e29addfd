"""What the words right in front of something call it: final, the answer, an example."""

from __future__ import annotations

from pdl import _re as re
from pdl.reply.prose.words import SENTENCE_END, hear

_DECORATION = " \t\r*_#=>`\"'“”|-–—✅☑✔👉➡️"
_COLON = re.compile(r"[:：=→][\s*_`\"'“‘«「(\[{$\\]*$")
_QUOTED = re.compile(r"[ \t]*>")
_QUOTES = (("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("‘", "’"))
_LINE = 300  # characters of a line that are looked at
_BLANK_LINES = 6  # lines without words between such a word and the answer at most
_NEAR = 50  # characters between such a word and the answer at most


def announced(text: str, start: int, at: int, noun: str = "answer") -> bool:
    """Whether what is at `at` is called final or corrected, on its line or just above it.

    `start` is where the answer before it ends: words in front of that one are not about this one.
    `noun` is the meaning of what it may be called besides. What a block quote says (GFM 5.1) is not
    said by the model.
    """
    clause = lead_clause(text, start, at)
    if not clause or _QUOTED.match(text, text.rfind("\n", 0, at) + 1):
        return False
    heard = hear(clause)
    ends = [len(clause) - found.end() for found in heard.find("final")]
    if not any(end <= _NEAR for end in ends):
        return False
    if _is_cited(text[max(start, at - 3 * _LINE) : at]):
        return False
    named = min(ends) <= 1 or heard.says("answer", noun)
    return named and "?" not in clause and not heard.says("not", "example", "former", "another")


def _is_cited(front: str) -> bool:
    """Whether the words that lead to something are in a quotation, or end one: `"final:" 3`."""
    front = front.rstrip(_DECORATION + "\n「«„")
    line = front.rpartition("\n")[2]
    *_, sentence = SENTENCE_END.split(line.rstrip(".:："))
    if sentence.count('"') % 2 or sentence.count("`") % 2:
        return True
    return any(line.rfind(opener) > line.rfind(closer) for opener, closer in _QUOTES)


def claimed(text: str, start: int, at: int) -> bool:
    """Whether what is at `at` is called the answer: `Answer:`, `The result is`."""
    lead = _lead(text, start, at)
    clause = _clause(lead)
    if not clause:
        return False
    heard = hear(clause)
    linked = _COLON.search(lead) or len(clause.split()) <= 1 or heard.says("is")
    return bool(linked) and heard.says("answer") and not heard.says("not", "former")


def exemplified(text: str, start: int, at: int) -> bool:
    """Whether what is at `at` is called an example, a format, or what was there before."""
    clause = lead_clause(text, start, at)
    return bool(clause) and is_example(clause)


def is_example(clause: str) -> bool:
    """Whether words say that what follows them is an example, a draft, or a former try."""
    heard = hear(clause)
    return heard.says("example", "former") and not heard.says("not_example")


def lead_clause(text: str, start: int, at: int) -> str:
    """The last sentence of the words that lead to what is at `at`; they begin at `start`."""
    return _clause(_lead(text, start, at))


def _lead(text: str, start: int, at: int) -> str:
    """The words on the line of `at`; if there are none, those just above that announce it."""
    before = text[max(start, at - 3 * _LINE) : at]
    head, newline, here = before.rpartition("\n")
    if here.strip(_DECORATION):
        return here[-_LINE:].rstrip(_DECORATION)
    above = ""
    for _ in range(_BLANK_LINES):
        if above or not newline:
            break
        head, newline, line = head.rpartition("\n")
        above = line.strip(_DECORATION)[-_LINE:]
    return above


def _clause(line: str) -> str:
    """The last sentence of a line."""
    clause = line
    for end in SENTENCE_END.finditer(line):
        if line[end.end() :].strip(_DECORATION + ":："):
            clause = line[end.end() :]
    return clause.strip(_DECORATION)
