"""Candidates whose end was misevaluated: a quote without a backslash hides which brackets count.

The pass that finds brackets takes each quote for what it would be in JSON. Where a candidate cannot
be read, what it may have been is tried: all up to the last closing bracket of its fence, or of its
paragraph. Only a reading that fits the schema counts, and it takes in all that stands in its span.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply.choosing.evaluate import Evaluated, evaluate
from pdl.reply.parsing.parsed import Broken, Parsed, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.query import Query

_TRIES = 4  # candidates of one reply that are tried; each may cost a pass over the rest of it
_PARAGRAPH = re.compile(r"\n[ \t]*+\n(?=[^\s{}\[\]\"'])")
_BEHIND = re.compile(r"[\s.;,`]*+(?>(?:<[^<>\n]{1,40}>\s*+)*)")


def widened(query: Query, evaluated: Sequence[Evaluated]) -> list[Evaluated]:
    """The candidates, with those that could not be read at their true length if that can."""
    out: list[Evaluated] = []
    tries = _TRIES
    for one in evaluated:
        if out and one.candidate.span[0] < out[-1].candidate.span[1]:
            continue  # in the span of one that was made longer
        if tries and _may_be_longer(one):
            tries -= 1
            longer = _longer(query, one.candidate)
            found = evaluate(query, longer) if longer else None
            if found and found.fate == "fits" and not _runs_on(query, one, found):
                out.append(found)
                continue
        out.append(one)
    return out


def _may_be_longer(one: Evaluated) -> bool:
    return isinstance(one.made, Broken) and one.made.reason in {"unparsable", "truncated"}


def _runs_on(query: Query, short: Evaluated, long: Evaluated) -> bool:
    """Whether a reading takes prose behind a whole value for the rest of one of its strings."""
    made = long.made
    if not short.candidate.bracket.closed or not isinstance(made, Parsed):
        return False
    start, end = short.candidate.span
    whole = isinstance(parse(query.text[start:end], query.limits), Parsed)
    return whole and any(repair.kind == "raw-control" for repair in made.repairs)


def _longer(query: Query, candidate: Candidate) -> Candidate | None:
    """The candidate up to the last closing bracket of its kind in its block, if that is another."""
    start, end = candidate.span
    fence = next(
        (part for part in query.cut.segments if part.kind == "fence" and _holds(part.body, start)),
        None,
    )
    stop = fence.body[1] if fence else _paragraph_end(query.text, start)
    last = query.text.rfind("}" if candidate.kind == "object" else "]", start, stop) + 1
    cut = candidate.bracket.cut and not _BEHIND.fullmatch(query.text, last, stop)
    if not last or cut or (last == end and candidate.bracket.closed):
        return None
    bracket = candidate.bracket._replace(span=(start, last), closed=True, cut=False, exact=None)
    return replace(candidate, span=(start, last), bracket=bracket)


def _holds(span: tuple[int, int], at: int) -> bool:
    return span[0] <= at < span[1]


def _paragraph_end(text: str, at: int) -> int:
    """Where prose begins again behind an empty line, or the end."""
    end = _PARAGRAPH.search(text, at)
    return end.start() if end else len(text)
