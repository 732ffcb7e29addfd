"""Text next to a bracketed span that might belong inside it.

A closing bracket that is too early leaves data after it: `[{"a": 1}], {"a": 2}]`. The part
before the bracket still fits the schema, so the answer would silently lose the rest. A bracket that
is missing, or inside a string, has the same effect.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.parsing.parsed import parse
from pdl.reply.prose.words import hear
from pdl.reply.result import Parsed, Repair
from pdl.reply.validation.json_types import key
from pdl.reply.validation.schema_walk import Node, lacking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.query import Query
    from pdl.reply.result import Segment, Span
    from pdl.reply.segments.brackets import Bracketed

_STRING = r"""(?:"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)"|'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)')"""
_NUMBER, _WORD = r"-?\d[\d.eE+-]*+", r"(?i:true|false|null|none)\b"
_TOKEN = f"(?:{_STRING}|{_NUMBER}|{_WORD})"
_ENDS = r"""(?:\s*+[\]}]|[ \t\r]*+(?:,\s*+["'\d\[{-]|,?[ \t\r]*+(?:\n|\Z)))"""
_MORE = re.compile(
    rf"""[\s}}\])]*+(?:,\s*+(?:(?:{_STRING}|[\w$-]++)\s*+:(?!//)|{_TOKEN}{_ENDS})"""
    rf"""|;?\s*+{_STRING}\s*+[:}}\]])"""
)
"""Another member: a key and a colon. Or items: up to a closing bracket or the end of the line."""
_ITEM = re.compile(rf"""[\s}}\])]*+(?:,\s*+[{{\[]|\{{\s*+["']|{_TOKEN}{_ENDS})|\[(?!\d{{1,3}}\])""")
"""Another item of an array."""
_ITEM_BEFORE = re.compile(
    rf"(?:(?P<object>\}})|(?:\A|\n)[ \t]*+(?:(?P<string>{_STRING})|(?P<number>{_NUMBER})"
    rf"|(?P<word>{_WORD})))[ \t]*+,?\s*+\Z"
)
_KINDS = {"number": {"number", "integer"}, "word": {"boolean", "null"}}
_LED = re.compile(
    r"""[^\s{]["']\s*+(?::++|=>)\s*+\Z"""
    r"""|(?:["'\d]|\b(?:true|false|null))\s*+,\s*+\Z|(?<=[^\s=({\[,:>])["']\Z"""
)
"""A key, or an item and a comma: the text after them is part of an outer value."""
_RUNS_ON = re.compile(r"""\d|\w++"|"\w""")
"""A digit, or a word with a quote, without a space: a part of the data was closed too early."""
_MEMBER = re.compile(
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
_NEAR = 80  # characters before a bracket that are looked at
_BLOCK = 4000  # characters after a bracket that are looked at
_OPEN = 16  # brackets before a fence that are looked at
_TRIES = 8  # closing brackets that might be the extra one; with more of them it is unclear which


def is_headless(query: Query, span: Span) -> bool:
    """Whether a key or an item comes before it, so the bracket around both is never opened.

    Of lines such as `5` and `["b"]` where an array is expected, only the second would be taken.
    """
    text, start = query.text, span[0]
    before = text[max(0, start - _NEAR) : start]
    if _LED.search(before):
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
    if _MORE.match(text, end) or (array and _ITEM.match(text, end)):
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


def after_closers(text: str, end: int) -> int:
    """The end of the closing brackets right after a span, and of the spaces around them."""
    found = _CLOSERS.match(text, end)
    return found.end() if found else end


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
    named = [(one["name"], (one["more"] or "") + one["name"]) for one in _MEMBER.finditer(after)]
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
