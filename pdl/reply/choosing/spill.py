"""What stands right behind an answer, and whether it belongs inside of it.

A closing bracket that stands too early leaves data behind it: `[{"a": 1}], {"a": 2}]`. What is in
front of the bracket fits the schema all the same, so the answer would lose the rest in silence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.reply.prose.words import Text
from pdl.reply.result import Repair
from pdl.reply.validation.schema_walk import lacking as lacking_in

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.parsing.parsed import Parsed
    from pdl.reply.query import Query
    from pdl.reply.result import Span

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
_RUNS_ON = re.compile(r"""\d|\w++"|"\w""")
"""A digit, or a word with a quote, without a blank: something of the data was closed too early."""
_PARTS = re.compile(r"""[^\n]*?["}\]]""")
_CLOSERS = re.compile(r"[ \t\r\n]*+([}\]](?>(?:[ \t\r\n]*+[}\]])*))")
_MORE_DATA = re.compile(
    r"""[{}\[\]]|^[\s>]*+(?:,|-?\d[\d.]*+[ \t]*+(?:,|$)|["'“])|["'”][ \t]*+[:,]"""
    r"""|^[\s>]*+[-*+•][ \t]++["'`*_]*+[\w ]{1,40}+["'`*_]*+[ \t]*+[:=]""",
    re.MULTILINE,
)
"""Brackets, items or members, also those of a list in Markdown."""
_NEAR = 80  # characters in front of a bracket that are looked at
_BLOCK = 4000  # characters behind a bracket that are looked at
_EMPTY_LINE = re.compile(r"\n[ \t\r]*+\n")
_PARTNERS = {"[": "]", "{": "}"}
_FRONT = frozenset(",\"'}]0123456789")
_STRUCTURE = frozenset(["missing-closer", "mistyped-closer", "missing-comma", "trailing-comma"])
"""Repairs that say nothing certain where a closing bracket is left over."""
_GUESSES = frozenset(["inner-quotes", "missing-quote", "missing-closer", "mistyped-closer"])
_SIGN = re.compile(r"[:=](?![:=/])")
_NAMED = re.compile(
    r"""(?<![\w.-])(?P<more>[^\W\d][\w-]*+[ ])?(?P<name>[^\W\d][\w-]*+)["'”`*_]{0,4}+[ \t]*+\Z"""
)
"""What stands in front of a colon: a name, or two words."""
_OPENER = re.compile(r"[{\[<]")
_REMARKS = frozenset(
    ["note", "notes", "comment", "comments", "explanation", "reason", "reasoning", "warning",
     "summary", "source", "sources", "hint", "remark", "disclaimer", "caveat", "example"]
)  # fmt: skip
"""What a remark may begin with, written as a sentence begins."""


def spills(query: Query, span: Span, made: Parsed, body: Span | None) -> bool:
    """Whether what stands right behind a span may be part of what it holds.

    `body` is what the fence around it holds.
    """
    text, (start, end) = query.text, span
    kinds = {repair.kind for repair in made.repairs}
    in_front = text[max(0, start - _NEAR) : start].rstrip()[-1:]
    surplus = in_front in _FRONT or not kinds.isdisjoint(_STRUCTURE)
    return (
        _MORE.match(text, end) is not None
        or (text[end - 1] == "]" and _ITEM.match(text, end) is not None)
        or (_glued(text, end) and text[start - 1 : start] != text[end])
        or (surplus and _CLOSERS.match(text, end) is not None)
        or _ends_later(text, end, body[1] if body else None)
        or ("bare-value" in kinds and _in_quotes(text, span))
        or (not kinds.isdisjoint(_GUESSES) and _may_be_part(text, end, body))
    )


def _glued(text: str, end: int) -> bool:
    return _GLUED.match(text, end) is not None or _RUNS_ON.match(text, end) is not None


def _may_be_part(text: str, end: int, body: Span | None) -> bool:
    """Whether anything behind a span could be data, where it is not certain which quotes count."""
    if body:
        return bool(text[end : body[1]].strip(" \t\r\n;}])"))
    return _PARTS.match(text, end) is not None


def stops_behind(text: str, at: int, made: Parsed) -> bool:
    """Whether what is behind a fence, in which a closer is missing, is data or says why it is.

    The end of the fence is all that says that nothing was cut off.
    """
    if all(repair.kind != "missing-closer" for repair in made.repairs):
        return False
    behind = text[at : at + _BLOCK]
    return _MORE_DATA.search(behind) is not None or Text(behind).says("stopped")


def member_behind(query: Query, end: int, value: Json) -> bool:
    """Whether a key stands behind with a value that the last object lacks and the schema has.

    `{"a": 1}, b = 2`. It may be on a line of its own, or in a sentence.
    """
    stop = _OPENER.search(query.text, end, end + _BLOCK)
    behind = query.text[end : stop.start() if stop else end + _BLOCK]
    if ":" not in behind and "=" not in behind:
        return False
    named = [name for sign in _SIGN.finditer(behind) for name in _names(behind, sign.start())]
    if not named:
        return False
    lacking = lacking_in(query.document, value)
    return any(_is_key(name, lacking) for name in named)


def _names(text: str, at: int) -> list[str]:
    """The name in front of a colon, and it with the word before."""
    found = _NAMED.search(text, max(0, at - _NEAR), at)
    return [found["name"], f"{found['more'] or ''}{found['name']}"] if found else []


def _is_key(said: str, lacking: frozenset[str]) -> bool:
    if said in lacking:
        return True
    names = {name.casefold().replace("_", " ") for name in lacking} - _REMARKS
    return said.casefold().replace("_", " ") in names


def extra_closers(text: str, end: int) -> Repair | None:
    """The closing brackets right behind a span that close nothing, as a repair of it."""
    found = _CLOSERS.match(text, end)
    return Repair("extra-closer", found.span(1), (), found[1], "") if found else None


def _ends_later(text: str, end: int, stop: int | None) -> bool:
    """Whether a bracket that was never opened is closed later in the block, behind other text.

    A block ends with its fence, or outside of fences with an empty line.
    """
    last = min(end + _BLOCK, len(text) if stop is None else stop)
    if stop is None and (gap := _EMPTY_LINE.search(text, end, last)):
        last = gap.start()
    first = last - len(text[end:last].lstrip(" \t\r\n}]"))
    chunk = end - end % _BLOCK
    return any(
        places[at] < last - chunk
        for marks, places in _unopened(text[chunk : chunk + 2 * _BLOCK])
        if (at := bisect_left(marks, first - chunk)) < len(marks)
    )


@lru_cache(maxsize=4)
def _unopened(text: str) -> tuple[tuple[list[int], list[int]], ...]:
    """The places of each kind of bracket; and where, read from each, one closes that none opened.

    Many candidates ask about the same text, so that each of them reading on would be too long.
    """
    found = []
    for opener, closer in _PARTNERS.items():
        marks = [at for at, mark in enumerate(text) if mark in {opener, closer}]
        after = [len(marks)] * (len(marks) + 2)  # the mark that closes what is not opened
        for number in range(len(marks) - 1, -1, -1):
            closes = text[marks[number]] == closer
            after[number] = number if closes else after[after[number + 1] + 1]
        places = [*marks, len(text) + _BLOCK]
        found.append((marks, [places[number] for number in after[: len(marks)]]))
    return tuple(found)


def _in_quotes(text: str, span: Span) -> bool:
    """Whether a quote stands beside a bracket."""
    start, end = span
    return any(quote in text[max(0, start - 1) : start] + text[end : end + 1] for quote in "\"'")
