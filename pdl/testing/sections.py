"""The text of a file of cases, in sections: what reading, formatting, and an editor share.

A section begins with a mark that begins a line, such as `<|reply|>`. Nothing in the file is a
template: all else is text as it stands, so that a recorded reply needs no escapes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pdl._types import CASES_SUFFIX
from pdl.errors import nearest
from pdl.prompt.turns import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIX: Final = CASES_SUFFIX
"""How the name of a file of cases ends."""

MARKS: Final = {
    "case": "a case, by the name that follows on the line",
    "data": "the values for the prompt: YAML, JSON, or `@FILE`",
    "reply": "what a model answered, `@FILE`, or `refused REASON`",
    "expect": "the value that the reply has: JSON, or a schema",
    "assert": "Jinja expressions that hold, one in a line",
    "messages": "the messages that are sent, as `pdl render` prints them",
    "cases": "a table with a case in each row: `@FILE.jsonl` or `@FILE.csv`",
    "judge": "a prompt that judges the answer, and what it must answer",
}
"""The marks, and what their sections hold."""

SHARED: Final = frozenset({"data", "assert", "judge"})
"""The sections that, before the first case, belong to every case."""

_MARK = re.compile(
    r"^[^\S\n]*(<\|[^\S\n]*([A-Za-z]+)[^\S\n]*\|>)[^\S\n]*(.*?)[^\S\n]*$", re.MULTILINE
)
_WORD_ONLY = re.compile(r"^[^\S\n]*<\|[^\S\n]*([A-Za-z]+)[^\S\n]*\|>[^\S\n]*$", re.MULTILINE)


_BLANKS = "[^\\S\n]|[\\u200b-\\u200f\\u2060\\ufeff]"
_NEARLY = re.compile(
    rf"^[^\S\n]*((?:[\u200b-\u200f\u2060\ufeff](?:{_BLANKS})*)?(?:[<‹＜][|｜¦]+(?:{_BLANKS})*([A-Za-z]+)"
    rf"|[<‹＜|｜]?([A-Za-z]+)(?:{_BLANKS})*[|｜¦][>›＞])[^\n]*)$",
    re.MULTILINE,
)
"""A line that begins with what might be meant as a mark: one of its two signs is there."""

_OTHERS = frozenset({"call", "channel", "constrain", "end", "im", "message", "return", "start"})
"""Names that models have in marks of their own, such as `<|message|>`."""


class Range(NamedTuple):
    """A half-open range of offsets."""

    start: int
    end: int


class Section(NamedTuple):
    """A part of a file: its mark, the text behind that on its line, the lines below.

    `argument` has no white space around it, `body` no blank lines; either may be empty.
    """

    name: str
    mark: Range
    argument: Range
    body: Range


class Stray(NamedTuple):
    """A line that looks like a mark of an unknown name, and the index of the section around it.

    The index is -1 before the first section. `meant` is the mark that it nearly is, or empty.
    """

    name: str
    place: Range
    section: int
    meant: str = ""


class Sections(NamedTuple):
    """All sections of a text, where the text before the first one is, and the stray marks."""

    all: tuple[Section, ...]
    preamble: Range
    strays: tuple[Stray, ...]


def is_cases(path: str | Path) -> bool:
    """Return whether a file, by its name, holds cases rather than a prompt."""
    return str(path).endswith(SUFFIX)


def sections_of(text: str) -> Sections:
    """Return the sections of a text, whose lines end in LF; any text has some, or none."""
    marks = [found for found in _MARK.finditer(text) if found[2].lower() in MARKS]
    ends = [*(found.start() for found in marks), len(text)][1:]
    sections = tuple(
        Section(
            found[2].lower(),
            Range(*found.span(1)),
            Range(*found.span(3)),
            _inner(text, found.end(), end),
        )
        for found, end in zip(marks, ends, strict=True)
    )
    first = marks[0].start() if marks else len(text)
    return Sections(sections, Range(0, first), tuple(_strays(text, sections)))


def _strays(text: str, sections: tuple[Section, ...]) -> Iterator[Stray]:
    index = -1
    known = {one.mark.start for one in sections}
    for found in _NEARLY.finditer(text):
        start, end = found.span(1)
        if start in known:
            continue
        name = (found[2] or found[3]).lower()
        while index + 1 < len(sections) and sections[index + 1].mark.start <= start:
            index += 1
        meant = _meant(found, name, is_last=not text[end:].strip())
        if meant or _WORD_ONLY.match(text, text.rfind("\n", 0, start) + 1):
            yield Stray(name, Range(start, start + len(found[1].rstrip())), index, meant)


def _meant(found: re.Match[str], name: str, *, is_last: bool) -> str:
    """The mark that the beginning of a line nearly is; empty for the marks of models."""
    if name in MARKS:
        return name
    rest = found.string[found.end(2) : found.end()] if found[2] else ""
    if name in ROLES or rest[:1] in {"_", "-"}:
        return ""
    if name in _OTHERS and not (name == "message" and re.match(r"\s*\|>(?:\s|$)", rest)):
        return ""
    if is_last and not rest.strip():
        return next((one for one in MARKS if one.startswith(name)), "")
    return nearest(name, MARKS, 0.7)


def _inner(text: str, start: int, end: int) -> Range:
    """The lines of a range without the blank ones around them, and without the last line end."""
    while (line := text.find("\n", start, end)) >= 0 and not text[start:line].strip():
        start = line + 1
    return Range(start, start + len(text[start:end].rstrip()))
