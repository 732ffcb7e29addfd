"""What the words of a reply settle among several values that fit, and what they speak against.

An example, an input or a draft gives way to what is called the answer; a value that is taken back
gives way to the one right behind. Where it stands never decides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.choosing.tool_call import payload
from pdl.reply.parsing.parsed import Broken, Parsed
from pdl.reply.prose.marks import claimed, is_aside, lead_clause
from pdl.reply.prose.vocabulary import Vocabulary, words_of
from pdl.reply.prose.withdrawals import withdrawn
from pdl.reply.validation.json_types import key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.choosing.evaluate import Judged
    from pdl.reply.query import Asked

_VARIABLE = re.compile(r"\{\{\s*[\w.]{1,60}\s*\}\}|\{%[^{}\n]{0,100}%\}")
CITATION = re.compile(r"\[\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\s*\]")
_COLONS = (":", "：")
_NEAR = 20  # characters in front of a bracket in which a colon stands
_FINAL = 2  # the rank of what is called final
_MENDS = Vocabulary(
    "oops whoops oh ah hmm wait no sorry actually that that's this it it's is was wrong incorrect",
    "not right should be have been read mistake error my a an the answer result value correct",
    "correction corrected here i made meant mean",
)
"""Words that say no more than that a value is replaced by the next one."""


def settled(asked: Asked, fitting: Sequence[Judged]) -> Judged | None:
    """The one of several that differ and fit which the words around them call the answer."""
    kept = [one for one in fitting if not set_aside(asked, one.candidate)]
    if len({key(one.value) for one in kept}) != 1 or not kept:
        return None
    dropped = (one.candidate for one in fitting if one not in kept)
    if any(is_called(asked, one.candidate) for one in kept) and not any(
        withdrawn(asked.text, _outer_end(one)) for one in dropped
    ):
        return kept[0]
    return kept[0] if _replaces(asked, fitting, kept[0]) else None


def _replaces(asked: Asked, fitting: Sequence[Judged], last: Judged) -> bool:
    """Whether a value stands right behind one that is taken back, and all before it are no more."""
    index = fitting.index(last)
    if not index or index + 1 != len(fitting):
        return False
    between = asked.text[fitting[index - 1].candidate.span[1] : last.candidate.span[0]]
    words = words_of(between.replace("’", "'"))
    if "?" in between or not all(map(_MENDS.__contains__, words)):
        return False
    return all(withdrawn(asked.text, _outer_end(one.candidate)) for one in fitting[:index])


def _outer_end(one: Candidate) -> int:
    return one.fence.span[1] if one.fence else one.span[1]


def set_aside(asked: Asked, one: Candidate) -> bool:
    """Whether the words around a candidate say that it is not the answer."""
    if one.rank == _FINAL:
        return False
    return bool(one.doubt) or is_aside(lead_clause(asked.front, one.said.since, _outer_start(one)))


def is_called(asked: Asked, one: Candidate) -> bool:
    """Whether a candidate, or the fence around it, stands behind `Answer:` or is called final."""
    start = _outer_start(one)
    text = asked.front
    closed = text.rfind("</", one.said.since, start)  # `</answer>` is no `Answer:`
    since = max(one.said.since, text.find(">", closed, start) + 1 if closed >= 0 else 0)
    return one.rank == _FINAL or claimed(text, since, start)


def _outer_start(one: Candidate) -> int:
    return one.fence.span[0] if one.fence else one.span[0]


def is_form(asked: Asked, one: Judged) -> bool:
    """Whether what does not parse is the form of an answer, or a variable: `{{name}}`."""
    if not isinstance(one.made, Broken) or one.candidate.bracket.cut:
        return False
    if _VARIABLE.fullmatch(asked.text, *one.candidate.span):
        return one.candidate.fence is None
    return one.made.reason == "elided" and set_aside(asked, one.candidate)


def other_call(asked: Asked, answer: Judged, judged: Sequence[Judged]) -> Judged | None:
    """Another tool call beside the one that holds the answer."""
    assert isinstance(answer.made, Parsed)
    if all(repair.kind != "tool-call" for repair in answer.made.repairs):
        return None
    others = (one for one in judged if one.fate == "other" and isinstance(one.made, Parsed))
    return next((one for one in others if payload(one.value, asked.limits)), None)


def called_otherwise(
    asked: Asked, found: Sequence[Candidate], taken: Sequence[Candidate]
) -> Candidate | None:
    """What is of a kind that is not wanted and is called the answer, while nothing else is."""
    if any(is_called(asked, one) for one in taken):
        return None
    kinds = {one.kind for one in taken}
    others = (one for one in found if one.kind not in kinds and is_called(asked, one))
    return next((one for one in others if not (one.doubt or _is_citation(asked.text, one))), None)


def _is_citation(text: str, one: Candidate) -> bool:
    """Whether what may be a list is a mark in a sentence: `the result [1]`."""
    if not CITATION.fullmatch(text, *one.span):
        return False
    return (
        not text[max(0, one.span[0] - _NEAR) : one.span[0]].rstrip(" \t\r\n*_`").endswith(_COLONS)
    )
