"""From the text of a candidate to its value, or to why it has none."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply import late
from pdl.reply.elision import elided_at, elided_behind, placeholder_at
from pdl.reply.parse import Broken, Parsed, parse
from pdl.reply.phrases import say
from pdl.reply.wholeness import left_out
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.asked import Asked
    from pdl.reply.brackets import Bracketed
    from pdl.reply.candidates import Candidate
    from pdl.reply.outcome import Extent

_MORE = re.compile(
    r"""[\s}\])]*+,\s*+(?:(?:"[^"\\\n]*+"|'[^'\\\n]*+'|[\w$-]++)\s*+:(?!//)"""
    r"""|(?:"[^"\\\n]*+"|-?\d[\d.]*+|true|false|null)\s*+(?:,\s*+(?:"|-?\d)|[\]}]))"""
)
"""Another member behind the end: a key and a colon, or items up to a closing bracket."""
_GLUED = re.compile(r"""\\?["'][^\n]*[}\],][ \t`;]*+(?:\n|\Z)""")
"""A quote right behind the end, and another end later in the line: it was in a string."""
_NAMED = re.compile(r"""[^\s{]["']\s*+:\s*+\Z""")
_NAME = 80  # characters in front of a bracket that are looked at
_PARTS = re.compile(r"""[^\n]*?["}\]]""")
_DOTS = re.compile(r"[\n,\[][ \t]*+(?:\.{3,}|…)[ \t]*+(?:[\n,\]]|\Z)")
_AND_SO_ON = re.compile(
    r"\band\s+so\s+(?:on|forth)\b|\b(?:rest|remaining|others?)\b.*\b(?:unchanged|as\s+(?:before|above|is))\b",
    re.IGNORECASE,
)
_GUESSES = frozenset(["inner-quotes", "missing-quote", "missing-closer", "mistyped-closer"])


def read(asked: Asked, candidate: Candidate) -> Parsed | Broken:
    """Parse it, the C parser first, and look for what it says against itself."""
    start, end = candidate.span
    body = asked.text[start:end]
    if candidate.bracket.deep:
        return Broken("limit", say("too-deep", number=asked.limits.reply_depth))
    if _is_part(asked.text, start):
        return Broken("unparsable", say("headless"))
    exact = candidate.bracket.exact
    closed = candidate.bracket.closed
    made = exact.findings.made if exact else parse(body, asked.limits) if closed else None
    if (made is None or isinstance(made, Broken)) and not (made and made.reason == "limit"):
        made = _respelled(body, candidate, asked, made)
    if isinstance(made, Parsed):
        if _goes_on(asked.text, candidate, made):
            return Broken("unparsable", say("goes-on"), end - start)
        if behind := elided_behind(asked.text, end):
            return _elided(asked.text, behind)
        return made if exact and not exact.findings.suspect else _whole(asked, made)
    return made if made and made.reason == "limit" else _broken(body, candidate.bracket, made)


def _is_part(text: str, at: int) -> bool:
    """Whether a key in quotes stands in front: then this is part of an object without an opener."""
    return _NAMED.search(text[max(0, at - _NAME) : at]) is not None


def _goes_on(text: str, candidate: Candidate, made: Parsed) -> bool:
    """Whether what stands behind a bracket belongs inside of it: then the bracket is misplaced.

    Where quotes in strings lack their backslash, a bracket in a string may be taken for the last.
    """
    start, end = candidate.span
    if _MORE.match(text, end):
        return True
    if _GLUED.match(text, end) and text[start - 1 : start] != text[end]:
        return True
    if not any(repair.kind in _GUESSES for repair in made.repairs):
        return False
    if candidate.fence:
        return bool(text[end : candidate.fence.body[1]].strip(" \t\r\n;}])"))
    return _PARTS.match(text, end) is not None


def _respelled(
    body: str, candidate: Candidate, asked: Asked, broken: Broken | None
) -> Parsed | Broken | None:
    """The value of what is JSON but for its spelling, unless words in it say what is missing."""
    bracket = candidate.bracket
    if bracket.cut or not (bracket.closed or candidate.fenced):
        return broken
    start = bracket.span[0]
    read = late.read_tolerantly(
        body, asked.document, asked.verdict, asked.limits, fenced=candidate.fenced
    )
    if read is None or isinstance(read, Broken):
        return read or broken
    for repair in read.repairs:
        said = body[slice(*repair.span)]
        words = repair.kind in {"comment", "bare-value"} and (
            elided_at(said) or _AND_SO_ON.search(said)
        )
        if words or (repair.kind in _GUESSES and _DOTS.search(said)):
            return _elided(body, repair.span)
    moved = [replace(r, span=(r.span[0] + start, r.span[1] + start)) for r in read.repairs]
    return Parsed(read.value, tuple(moved), read)


def _broken(body: str, bracket: Bracketed, made: Broken | None) -> Broken:
    """Why a span that does not parse does not: the model's own word for it comes first."""
    if (place := elided_at(body)) is not None:
        return _elided(body, place)
    if bracket.cut:
        kept = body.rstrip()
        found = shorten(kept[-24:], 24)
        return Broken("truncated", say("cut-off", found=found), len(kept), found)
    if (place := placeholder_at(body)) is not None:
        found = shorten(body[slice(*place)], 24)
        return Broken("elided", say("placeholder", found=found), place[0], found)
    return made or Broken("unparsable", say("unclosed"), len(body))


def _whole(asked: Asked, made: Parsed) -> Parsed | Broken:
    """What was parsed, if no string in it stands for data that is left out."""
    said = left_out(asked.document, made.value)
    if not said:
        return made
    found = shorten(said, 24)
    return Broken("elided", say("stands-for-data", found=found), 0, found)


def _elided(text: str, place: Extent) -> Broken:
    found = shorten(text[slice(*place)].strip(), 24)
    return Broken("elided", say("leaves-out", found=found), place[0], found)
