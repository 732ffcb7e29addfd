"""From the text of a candidate to its value, or to why it has none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.choosing import trailing
from pdl.reply.parsing.parsed import Broken, Parsed, furthest, parse
from pdl.reply.phrases import say
from pdl.reply.prose.omissions import (
    elided_at,
    leaves_out,
    left_out,
    left_out_behind,
    placeholder_at,
)
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.query import Query
    from pdl.reply.result import Repair, Span

_DOTS = re.compile(r"[\n,\[][ \t]*+(?:\.{3,}|…)[ \t]*+(?:[\n,\]]|\Z)")
_GUESSES = frozenset(["inner-quotes", "missing-quote", "missing-closer"])


def read(query: Query, candidate: Candidate) -> Parsed | Broken:
    """Parse it, the C parser first, and look for what it says against itself."""
    start, end = candidate.span
    body = query.text[start:end]
    if candidate.bracket.deep:
        return Broken("limit", say("too-deep", number=query.limits.reply_depth))
    if trailing.is_headless(query, candidate.span):
        return Broken("unparsable", say("headless"))
    if candidate.fence and trailing.in_open_string(query, candidate.fence):
        return Broken("unparsable", say("in-string"))
    exact = candidate.bracket.exact
    closed = candidate.bracket.closed
    made = exact.findings.made if exact else parse(body, query.limits, start) if closed else None
    if (made is None or isinstance(made, Broken)) and not (made and made.reason == "limit"):
        made = _respelled(body, candidate, query, made)
    if isinstance(made, Parsed):
        return _alone(query, candidate, made)
    return made if made and made.reason == "limit" else _broken(query, candidate, made)


def _alone(query: Query, candidate: Candidate, made: Parsed) -> Parsed | Broken:
    """What was parsed, if nothing around it or in it says that it is not all of the answer."""
    start, end = candidate.span
    if trailing.goes_on(candidate, made):
        return Broken("unparsable", say("goes-on"), end - start)
    if after := left_out_behind(query.text, end):
        return _elided(query.text, after)
    if extra := trailing.extra_closers(query.text, end):
        if not trailing.is_certain(query, query.text[start:end], made, extra.before):
            return Broken("unparsable", say("surplus-closer"), end - start)
        made = replace(made, repairs=(*made.repairs, extra))
    exact = candidate.bracket.exact
    return made if exact and not exact.findings.suspect else _whole(query, made)


def _respelled(
    body: str, candidate: Candidate, query: Query, broken: Broken | None
) -> Parsed | Broken | None:
    """The value of what is JSON but for its spelling, unless words in it say what is missing."""
    bracket = candidate.bracket
    if bracket.cut or not bracket.closed:
        return broken
    start = bracket.span[0]
    from pdl.reply.parsing import tolerant  # noqa: PLC0415 - most JSON is as it should be

    read = tolerant.read(body, query.document, query.is_valid, query.limits)
    if isinstance(read, Broken):
        return furthest(broken, read)
    for repair in read.repairs:
        said = body[slice(*repair.span)]
        words = repair.kind in {"comment", "bare-value"} and (elided_at(said) or leaves_out(said))
        if words or (repair.kind in _GUESSES and _DOTS.search(said)):
            return _elided(body, repair.span)
    if _is_aside(query, candidate, read.repairs):
        return Broken("unparsable", say("words-in-brackets"))
    moved = [replace(r, span=(r.span[0] + start, r.span[1] + start)) for r in read.repairs]
    return Parsed(read.value, tuple(moved), read)


def _broken(query: Query, candidate: Candidate, made: Broken | None) -> Broken:
    """Why a span that does not parse does not: the model's own word for it comes first."""
    bracket = candidate.bracket
    body = query.text[slice(*bracket.span)]
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


def _whole(query: Query, made: Parsed) -> Parsed | Broken:
    """What was parsed, if no string in it stands for data that is left out."""
    said = left_out(query.document, made.value)
    if not said:
        return made
    found = shorten(said, 24)
    return Broken("elided", say("stands-for-data", found=found), 0, found)


def _is_aside(query: Query, candidate: Candidate, repairs: Sequence[Repair]) -> bool:
    """Whether a list of words without quotes may be a remark in brackets: `[Note, see below]`."""
    if candidate.kind != "array" or candidate.fence:
        return False
    bare = any(one.kind == "bare-value" and " " in one.before for one in repairs)
    return bare and query.text.strip() != query.text[slice(*candidate.span)]


def _elided(text: str, place: Span) -> Broken:
    found = shorten(text[slice(*place)].strip(), 24)
    return Broken("elided", say("leaves-out", found=found), place[0], found)
