"""The parts of a reply that might be its answer, and how clearly the reply marks each one."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from pdl import _re as re
from pdl.reply.parsing.parsed import parse
from pdl.reply.phrases import line_before
from pdl.reply.prose.signs import Lead
from pdl.reply.prose.visible import is_plain, silent_spans
from pdl.reply.prose.words import hear
from pdl.reply.result import Parsed, Repair
from pdl.reply.segments.spans import Spans
from pdl.reply.validation.json_types import key
from pdl.reply.validation.schema_walk import Node, lacking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
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
    def lead(self) -> Lead:
        """The words before it."""
        return Lead(self.query.front, self.since, self.outer[0])

    @cached_property
    def rank(self) -> int:
        """How clearly the reply marks it as the answer: `TAGGED`, `FENCED` or `BARE`."""
        if self.query.parts.in_answer(self.span[0]) or self.lead.announces():
            return TAGGED
        named = self.fence is not None and _JSON_INFO.match(self.fence.label)
        return FENCED if named and not self.lead.exemplifies() else BARE

    @cached_property
    def doubt(self) -> str:
        """The key of the reason why it might not be an answer although it fits; empty for none."""
        if self.span[0] in self.silent:
            return "in-comment"
        if self._is_mark():
            return "in-sentence"
        if self._is_in_program():
            return "in-program"
        return "unmeant" if self.lead.disowns() else ""

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
    """The candidates of a reply, in its order; one more than the limit if there are more."""
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
        closers = _CLOSERS.match(text, end)
        rest = closers.end() if closers else end
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
    from pdl.reply.parsing.readings import ESCAPED  # noqa: PLC0415 - most JSON is as it should be

    return ESCAPED.match(text, at) is not None


_STRING = r"""(?:"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)"|'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)')"""
_NUMBER, _WORD = r"-?\d[\d.eE+-]*+", r"(?i:true|false|null|none)\b"
_TOKEN = f"(?:{_STRING}|{_NUMBER}|{_WORD})"
_ENDS = r"""(?:\s*+[\]}]|[ \t\r]*+(?:,\s*+["'\d\[{-]|,?[ \t\r]*+(?:\n|\Z)))"""
_MORE = re.compile(
    rf"""[\s}}\])]*+(?:,\s*+(?:(?:{_STRING}|[\w$-]++)\s*+:(?!//)|{_TOKEN}{_ENDS})"""
    rf"""|;?\s*+{_STRING}\s*+[:}}\]])"""
)
"""Another member: a key and a colon. Or items: up to a closing bracket or the end of the line."""
_ITEM_AFTER = re.compile(
    rf"""[\s}}\])]*+(?:,\s*+[{{\[]|\{{\s*+["']|{_TOKEN}{_ENDS})|\[(?!\d{{1,3}}\])"""
)
"""Another item of an array."""
_ITEM_BEFORE = re.compile(
    rf"(?:(?P<object>\}})|(?:\A|\n)[ \t]*+(?:(?P<string>{_STRING})|(?P<number>{_NUMBER})"
    rf"|(?P<word>{_WORD})))[ \t]*+,?\s*+\Z"
)
_KINDS = {"number": {"number", "integer"}, "word": {"boolean", "null"}}
INSIDE = re.compile(
    r"""[^\s{]["']\s*+(?::++|=>)\s*+\Z"""
    r"""|(?:["'\d]|\b(?:true|false|null))\s*+,\s*+\Z|(?<=[^\s=({\[,:>])["']\Z"""
)
"""A key, or an item and a comma: the text after them is part of an outer value."""
INSIDE_ENDS = frozenset(":>,\"'")
"""The last character, other than spaces, of every text that it matches."""
_RUNS_ON = re.compile(r"""\d|\w++"|"\w""")
"""A digit, or a word with a quote, without a space: a part of the data was closed too early."""
MEMBER = re.compile(
    r"""(?<![\w.-])(?P<more>[^\W\d][\w-]*+[ ])?(?P<name>[^\W\d][\w-]*+)["'”`*_]{0,4}+[ \t]*+"""
    r"[:=](?![:=/])"
)
"""A name, or two words, and a colon."""
_OPENER = re.compile(r"[{\[<]")
_CLOSERS = re.compile(r"[ \t\r\n]*+([}\]](?>(?:[ \t\r\n]*+[}\]])*))")
_BRACKET = re.compile(r"[{}\[\]]")
_STEPS = {"[": 1, "]": -1, "{": 1j, "}": -1j}
_DATA = re.compile(r"""[{}\[\]]|^[\s>]*+[,"“\d*+•-]|["”][ \t]*+[:,]""", re.MULTILINE)
_EMPTY_LINE = re.compile(r"\n[ \t\r]*+\n")
_STRUCTURE = frozenset(["missing-closer", "missing-comma", "trailing-comma"])
"""Repairs that say nothing certain where a closing bracket is left over."""
_STRINGS = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)("?)', re.DOTALL)
_ENDS_LATER = re.compile(r'"\s*+[,}\]]')
_SIGNS = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|[}\]]', re.DOTALL)
_FOLLOWED = re.compile(r"\s*+,")
_BEFORE = 80  # characters before a bracket that are looked at
_BLOCK = 4000  # characters after a bracket that are looked at
_OPEN = 16  # brackets before a fence that are looked at
_TRIES = 8  # closing brackets that might be the extra one; with more of them it is unclear which


def is_headless(query: Query, span: Span) -> bool:
    """Whether a key or an item comes before it, so the bracket around both is never opened.

    Of lines such as `5` and `["b"]` where an array is expected, only the second would be taken.
    """
    text, start = query.text, span[0]
    before = text[max(0, start - _BEFORE) : start]
    if before.rstrip()[-1:] in INSIDE_ENDS and INSIDE.search(before):
        return True
    if text[start] != "[" or "array" not in query.kinds:
        return False
    item = _ITEM_BEFORE.search(before)
    kind = item.lastgroup if item else None
    return kind is not None and not Node(query.document).at(0).kinds.isdisjoint(
        _KINDS.get(kind, {kind})
    )


def goes_on(candidate: Candidate, made: Parsed) -> bool:
    """Whether the text after a span might be part of its value."""
    query, (start, end), fence = candidate.query, candidate.span, candidate.fence
    text = query.text
    array = text[end - 1] == "]" and "array" in query.kinds
    if _MORE.match(text, end) or (array and _ITEM_AFTER.match(text, end)):
        return True
    quoted = start and text[start - 1] in "\"'" and text.startswith(text[start - 1], end)
    if quoted and any(repair.kind == "bare-value" for repair in made.repairs):
        return True  # a string that reads as a list
    stops = fence and fence.closed and _stops(text, fence.span[1], made)
    return bool(
        (_RUNS_ON.match(text, end) and not quoted)
        or stops
        or _ends_later(candidate)
        or _names_member(query, end, made.value)
    )


def _ends_later(candidate: Candidate) -> bool:
    """Whether a bracket that was never opened is closed later in its block.

    A block ends with its fence, or outside of fences with an empty line.
    """
    end, place, fence = candidate.span[1], candidate.closes, candidate.fence
    if not end < place < (fence.body[1] if fence else end + _BLOCK):
        return False
    return bool(fence) or _EMPTY_LINE.search(candidate.query.text, end, place) is None


def unopened(text: str, start: int, end: int) -> int:
    """The offset of the first unmatched closing bracket in a part of a text; 0 if there is none."""
    depth = 0j
    for mark in _BRACKET.finditer(text, start, end):
        depth += _STEPS[mark[0]]
        if depth.real < 0 or depth.imag < 0:
            return mark.start()
    return 0


def _names_member(query: Query, end: int, value: Json) -> bool:
    """Whether a key follows with a value that the last object lacks and the schema has.

    `{"a": 1}, b = 2`. It can be on a separate line, or in a sentence.
    """
    stop = _OPENER.search(query.text, end, end + _BLOCK)
    after = query.text[end : stop.start() if stop else end + _BLOCK]
    members = MEMBER.finditer(after) if ":" in after or "=" in after else ()
    named = [(one["name"], (one["more"] or "") + one["name"]) for one in members]
    keys = lacking(query.document, value) if named else frozenset()
    spoken = {name.casefold().replace("_", " ") for name in keys}
    return any(
        name in keys
        or (name.casefold().replace("_", " ") in spoken and not hear(name).is_whole("remark"))
        for names in named
        for name in names
    )


def _stops(text: str, at: int, made: Parsed) -> bool:
    """Whether a fence with a missing closing bracket is followed by data, or by the reason for it.

    Only the end of the fence shows that nothing was cut off.
    """
    if all(repair.kind != "missing-closer" for repair in made.repairs):
        return False
    after = text[at : at + _BLOCK]
    return _DATA.search(after) is not None or hear(after).says("stopped")


def in_open_string(query: Query, fence: Segment) -> bool:
    """Whether a fence is in a string of a bracket that began before it.

    `{"body": "Use:`, a fence, and later on a quote that ends the string.
    """
    brackets = query.parts.brackets
    at = bisect_left(brackets, fence.span[0], key=_start)
    for bracket, around in brackets[max(0, at - _OPEN) : at]:
        if around is None and not bracket.closed and not bracket.cut:
            strings = _STRINGS.finditer(query.text, *bracket.span)
            if any(not one[1] for one in strings):
                return _ENDS_LATER.search(query.text, fence.span[1]) is not None
    return False


def _start(place: tuple[Bracketed, Segment | None]) -> int:
    return place[0].span[0]


# Closing brackets that close nothing


def extra_closers(text: str, end: int) -> Repair | None:
    """The closing brackets right after a span that close nothing, as a repair of it."""
    found = _CLOSERS.match(text, end)
    return Repair("extra-closer", found.span(1), (), found[1], "") if found else None


def is_certain(query: Query, body: str, read: Parsed, surplus: str) -> bool:
    """Whether the value of a body is certain although extra closing brackets follow it.

    `{"a": {"b": 1}, "c": 2}}` has an extra bracket at its end, or one after the 1, and then `c` is
    in `a`; `[1]]` might lack an opening bracket. One reading is certain only if the schema excludes
    the others. The body begins with its bracket and ends where it is closed.
    """
    own = body[-1]
    nests = Node(query.document).may_nest() if body[0] == "[" else "array" in query.kinds
    if ("]" in surplus and nests) or any(one.kind in _STRUCTURE for one in read.repairs):
        return False
    if own not in surplus:
        return True
    found = key(read.value)
    for tries, place in enumerate(_inner(body, own)):
        if tries == _TRIES or read.repairs:
            return False
        other = parse(body[:place] + body[place + 1 :] + own, query.limits)
        if isinstance(other, Parsed) and key(other.value) != found and query.is_valid(other.value):
            return False
    return True


def _inner(body: str, mark: str) -> Iterator[int]:
    """Where brackets of a kind end inside a body with another part after them."""
    for sign in _SIGNS.finditer(body):
        if sign[0] == mark and _FOLLOWED.match(body, sign.end()):
            yield sign.start()
