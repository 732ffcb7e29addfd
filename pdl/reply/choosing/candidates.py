"""The parts of a reply that might be its answer, and how clearly the reply marks each one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from pdl import _re as re
from pdl.reply.choosing.trailing import after_closers, unopened
from pdl.reply.prose.signs import announced, claimed, exemplified, unmeant
from pdl.reply.prose.visible import is_plain, silent_spans
from pdl.reply.segments.spans import Spans
from pdl.reply.wording import line_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.reply.query import Query
    from pdl.reply.result import Segment, Span
    from pdl.reply.segments.brackets import Bracketed

TAGGED, FENCED, BARE = 2, 1, 0
"""Ranks: by words or an answer tag, by a fence for JSON among fences, by nothing."""

_JSON_INFO = re.compile(r"(?:json\w*|application/json)\b", re.IGNORECASE)
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_BOX = re.compile(r"\[\s*+[xX]?\s*+\](?=[ \t]+\S)")
_INDEXED = re.compile(r"[A-Za-z0-9_)]")
_MARK_IN_PROSE = re.compile(
    r"\[\s*\d{1,3}(?:\s*[–-]\s*\d{1,3})?\s*\]|\{\s*\}|\[\s*\]|\{\{[^{}\n]{0,60}\}\}"
)
_LED = re.compile(r"(?:[:：=→>]|\b(?:is|are))[\s*_`\"“]*$")
_HARMLESS_CODE = (
    r"(?:[ \t]*(?:(?:const|let|var|final|return|export|default)\s+)*"
    r"(?:[\w$.]+\s*(?::\s*[\w\[\], ]+)?=\s*)?(?:[\w.]{1,40}\()?)?$"
)
_NEAR = 16  # characters at the end of a line in which a word and marks lead to a value
_LINE = 200  # characters before a bracket that are looked at


@dataclass(frozen=True)
class Candidate:
    """A bracketed span that looks like data, in `fence` if that isn't None.

    `since` is the end of the candidate before it: the words from there on are about this one.
    `closes` is the offset of the next unmatched closing bracket after it; 0 if there is none.
    `silent` are the parts of the reply that contain no answer.
    """

    span: Span
    kind: Literal["object", "array"]
    bracket: Bracketed
    query: Query = field(repr=False, compare=False)
    silent: Spans = field(repr=False, compare=False)
    fence: Segment | None = None
    since: int = 0
    closes: int = 0

    @property
    def fenced(self) -> bool:
        """Whether it is in a closed fence, so it is not cut off."""
        return self.fence is not None and self.fence.closed

    @property
    def outer(self) -> Span:
        """The span of its fence if nothing comes before it there, or else of the candidate."""
        fence = self.fence
        return fence.span if fence and fence.span[0] >= self.since else self.span

    @cached_property
    def rank(self) -> int:
        """How clearly the reply marks it as the answer: `TAGGED`, `FENCED` or `BARE`."""
        query, at = self.query, self.outer[0]
        if query.parts.in_answer(self.span[0]) or announced(query.front, self.since, at):
            return TAGGED
        named = self.fence is not None and _JSON_INFO.match(self.fence.label)
        return FENCED if named and not self.is_example else BARE

    @cached_property
    def claimed(self) -> bool:
        """Whether it is after `Answer:`."""
        return claimed(self.query.front, self.since, self.outer[0])

    @cached_property
    def is_example(self) -> bool:
        """Whether the words before it call it an example, a draft, or an earlier version."""
        return exemplified(self.query.front, self.since, self.outer[0])

    @cached_property
    def doubt(self) -> str:
        """The key of the reason why it might not be an answer although it fits; empty for none."""
        query = self.query
        if self.span[0] in self.silent:
            return "in-comment"
        if self._is_mark():
            return "in-sentence"
        if self._is_in_program():
            return "in-program"
        return "unmeant" if unmeant(query.front, self.since, self.outer[0]) else ""

    def _is_mark(self) -> bool:
        """Whether it is a mark such as `[1]` or `{}` inside a sentence."""
        text, (start, end) = self.query.text, self.span
        if self.fence or not _MARK_IN_PROSE.fullmatch(text, start, end):
            return False
        line = line_before(text, start)
        after = text[end : end + _LINE].partition("\n")[0].strip(" \t*_`.")
        noted = end - start > len("[]") and after[:1] not in {"", "["}  # `[1] A book.`
        amid = line.strip(" \t*_`>")
        if not (amid or noted) or amid.endswith(("]", "}")):
            return False
        return not _LED.search(line[-_NEAR:])

    def _is_in_program(self) -> bool:
        """Whether code in its fence does more with it than name it."""
        fence = self.fence
        if not fence or is_plain(fence.label):
            return False
        text, (start, end) = self.query.text, self.span
        before = line_before(text, start, fence.body[0])
        if not re.fullmatch(_HARMLESS_CODE, before):
            return True
        name = re.match(r"\s*(?:\w+\s+)*?([\w$.]+)\s*(?::[^=\n]*)?=\s*$", before)
        if not name:
            return False
        used = rf"(?<![\w.$]){re.escape(name[1])}\s*(?:\[|[-+*/|&]?=(?!=)|\.\w+\s*[(=])"
        return re.search(used, text[end : fence.body[1]]) is not None


def candidates(query: Query) -> list[Candidate]:
    """What looks like data in a reply, in its order; one more than the limit if there are more."""
    found = list(islice(_data(query), query.limits.reply_candidates + 1))
    silent = Spans(silent_spans(query.front))
    text, until, closes = query.text, len(query.text), 0
    made: list[Candidate] = []
    for place in range(len(found) - 1, -1, -1):
        bracket, fence = found[place]
        start, end = bracket.span
        since = found[place - 1][0].span[1] if place else 0
        kind: Literal["object", "array"] = "object" if text[start] == "{" else "array"
        first = unopened(text, end, until)
        rest = after_closers(text, end)
        later = (unopened(text, rest, until) if first and rest > first else first) or closes
        made.append(Candidate((start, end), kind, bracket, query, silent, fence, since, later))
        until, closes = start, first or closes
    return made[::-1]


def _data(query: Query) -> Iterator[tuple[Bracketed, Segment | None]]:
    """The spans that look like data, each with the fence around it."""
    skipped = 0
    for bracket, fence in query.parts.brackets:
        if bracket.closed and _is_no_data(query.text, bracket.span, skipped):
            skipped = bracket.span[1]
        elif bracket.shaped and not _is_in_a_string(query.text, bracket.span[0]):
            yield bracket, fence


def _is_no_data(text: str, span: Span, before: int) -> bool:
    """Whether an array is not data: a task box, the text of a link, an index.

    `before` is the end of the last span that was not data.
    """
    start, end = span
    if text[start] != "[":
        return False
    if text.startswith("(", end) or (start and start == before):
        return True
    if start and _INDEXED.match(text, start - 1) and text[start - 1].isascii():
        return True
    line = line_before(text, start)
    return bool(_BOX.match(text, start) and _ITEM.fullmatch(line))


def _is_in_a_string(text: str, at: int) -> bool:
    """Whether a bracket begins JSON that is the content of a string: the value is the string."""
    if not at or text[at - 1] != '"':
        return False
    from pdl.reply.parsing.parser import ESCAPED  # noqa: PLC0415 - most JSON is as it should be

    return ESCAPED.match(text, at) is not None
