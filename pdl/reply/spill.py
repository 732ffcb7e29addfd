"""What stands right behind an answer, and whether it belongs inside of it.

A closing bracket that stands too early leaves data behind it: `[{"a": 1}], {"a": 2}]`. What is in
front of the bracket fits the schema all the same, so the answer would lose the rest in silence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.outcome import Repair

if TYPE_CHECKING:
    from pdl.reply.asked import Asked
    from pdl.reply.outcome import Extent
    from pdl.reply.parse import Parsed

_STRING = r"""(?:"[^"\\\n]*+"|'[^'\\\n]*+')"""
_MORE = re.compile(
    rf"""[\s}}\])]*+(?:,\s*+(?:(?:{_STRING}|[\w$-]++)\s*+:(?!//)"""
    rf"""|(?:{_STRING}|-?\d[\d.]*+|true|false|null)[ \t\r]*+(?:\s*+[\]}}]|,\s*+["'\d-]|\n|\Z))"""
    rf"""|;?\s*+{_STRING}\s*+[:}}\]])"""
)
"""Another member: a key and a colon. Or items: up to a closing bracket or the end of the line."""
_ITEM = re.compile(r"""[\s}\])]*+(?:,\s*+[{\[]|\{\s*+["'])|\[(?!\d{1,3}\])""")
"""Another item of an array."""
_GLUED = re.compile(r"""\\?["'][^\n]*[}\],][ \t`;]*+(?:\n|\Z)""")
"""A quote right behind the end, and another end later in the line: it was in a string."""
_PARTS = re.compile(r"""[^\n]*?["}\]]""")
_CLOSERS = re.compile(r"[ \t\r\n]*+([}\]](?:[ \t\r\n]*+[}\]])*+)")
_NEAR = 80  # characters in front of a bracket that are looked at
_BLOCK = 4000  # characters behind a bracket that are looked at
_EMPTY_LINE = re.compile(r"\n[ \t\r]*+\n")
_PARTNERS = {"[": "]", "{": "}"}
_MARKS = re.compile(r"[{}\[\]]")
_FRONT = frozenset(",\"'}]0123456789")
_STRUCTURE = frozenset(["missing-closer", "mistyped-closer", "missing-comma", "trailing-comma"])
"""Repairs that say nothing certain where a closing bracket is left over."""
_GUESSES = frozenset(["inner-quotes", "missing-quote", "missing-closer", "mistyped-closer"])


def spills(asked: Asked, span: Extent, made: Parsed, body: Extent | None) -> bool:
    """Whether what stands right behind a span may be part of what it holds.

    `body` is what the fence around it holds.
    """
    text, (start, end) = asked.text, span
    kinds = {repair.kind for repair in made.repairs}
    in_front = text[max(0, start - _NEAR) : start].rstrip()[-1:]
    surplus = in_front in _FRONT or not kinds.isdisjoint(_STRUCTURE)
    return (
        _MORE.match(text, end) is not None
        or (text[end - 1] == "]" and _ITEM.match(text, end) is not None)
        or (_GLUED.match(text, end) is not None and text[start - 1 : start] != text[end])
        or (surplus and _CLOSERS.match(text, end) is not None)
        or _ends_later(text, end, body[1] if body else None)
        or ("bare-value" in kinds and _in_quotes(text, span))
        or (not kinds.isdisjoint(_GUESSES) and _may_be_part(text, end, body))
    )


def _may_be_part(text: str, end: int, body: Extent | None) -> bool:
    """Whether anything behind a span could be data, where it is not certain which quotes count."""
    if body:
        return bool(text[end : body[1]].strip(" \t\r\n;}])"))
    return _PARTS.match(text, end) is not None


def extra_closers(text: str, end: int) -> Repair | None:
    """The closing brackets right behind a span that close nothing, as a repair of it."""
    found = _CLOSERS.match(text, end)
    return Repair("extra-closer", found.span(1), (), found[1], "") if found else None


def _ends_later(text: str, end: int, stop: int | None) -> bool:
    """Whether a bracket that was never opened is closed later in the block, behind other text.

    A block ends with its fence, or outside of fences with an empty line.
    """
    behind = text[end : min(end + _BLOCK, len(text) if stop is None else stop)]
    if stop is None and (gap := _EMPTY_LINE.search(behind)):
        behind = behind[: gap.start()]
    behind = behind.lstrip(" \t\r\n}]")
    depth = {"]": 0, "}": 0}
    for mark in _MARKS.finditer(behind):
        closer = _PARTNERS.get(mark[0], mark[0])
        depth[closer] += 1 if mark[0] in _PARTNERS else -1
        if depth[closer] < 0:
            return True
    return False


def _in_quotes(text: str, span: Extent) -> bool:
    """Whether a quote stands beside a bracket."""
    start, end = span
    return any(quote in text[max(0, start - 1) : start] + text[end : end + 1] for quote in "\"'")
