"""The reply that holds one candidate and it is JSON: how clearly it is marked decides nothing.

Most replies that are not clean are clean JSON with words around it. For them this gives the reading
that `choose.read` gives, and asks of the brackets in the prose no more than what they begin with.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.choosing.asides import CITATION, is_called
from pdl.reply.choosing.candidates import candidate_at
from pdl.reply.choosing.evaluate import judge
from pdl.reply.parsing.parsed import Broken
from pdl.reply.prose.doubt import Surroundings
from pdl.reply.prose.namings import ALONE, ANSWER, COPULA, CORRECT, FINAL, RESULT
from pdl.reply.result import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.query import Asked
    from pdl.reply.segments.brackets import Bracketed

_OPENERS = {"object": "{", "array": "["}
_UNDECORATED = re.compile(r".*[^\s*_`>#]", re.DOTALL)
_COLONS = (":", "：", "=", "json")
_NEAR = 40  # characters in front of a bracket in which words end
_WORD = 20  # characters of a word
_SHORT = 20  # characters of a citation
_NEIGHBOURS = 20  # brackets right beside one another that are looked at


def read(asked: Asked) -> Reading | None:
    """The reading of the only candidate; None if there are more, or it is no clear answer."""
    index = _only(asked)
    if index is None:
        return None
    place = asked.cut.brackets[index]
    span = place[0].span
    around = Surroundings(asked.text, asked.front)
    since = _since(asked, around, index)
    if since is None or around.no_data(span, -1):
        return None
    candidate = candidate_at(asked, place, since, around)
    if candidate.doubt:
        return None
    judged = judge(asked, candidate)
    if _others_called(asked, index) and not is_called(asked, candidate):
        return None
    if judged.fate != "fits" or isinstance(judged.made, Broken):
        return None
    return Reading(judged.value, span, repairs=judged.made.repairs)


def _only(asked: Asked) -> int | None:
    """Where among the brackets of a reply the only one stands that may be the answer."""
    if asked.coercions or not asked.kinds <= _OPENERS.keys():
        return None  # others may fit after a change, or the reply as a whole as a scalar
    text, brackets = asked.text, asked.cut.brackets
    openers = [opener for kind, opener in _OPENERS.items() if kind in asked.kinds]
    wanted = [
        index
        for index, (bracket, _) in enumerate(brackets)
        if bracket.cut or (bracket.shaped and text[bracket.span[0]] in openers)
    ]
    if len(wanted) != 1 or len(brackets) > asked.limits.reply_candidates:
        return None
    index = wanted[0]
    alone = not index or brackets[index - 1][0].span[1] < brackets[index][0].span[0]
    exact = brackets[index][0].exact
    return index if alone and exact and not exact.findings.suspect else None


def _others_called(asked: Asked, index: int) -> bool:
    """Whether the words in front of a bracket of another kind may call it the answer."""
    text, brackets = asked.text, asked.cut.brackets
    opener = text[brackets[index][0].span[0]]
    others = [bracket.span for bracket, _ in brackets if bracket.shaped]
    return any(
        text[start] != opener and not _is_cited(text, start, end) and _may_be_called(text, start)
        for start, end in others
    )


def _is_cited(text: str, start: int, end: int) -> bool:
    """Whether a bracket is a mark amid a sentence, such as `[1]`."""
    if end - start >= _SHORT or text[start - 1 : start] != " " or not text[start - 2].isalpha():
        return False
    return text[start + 1 : end - 1].isdigit() or CITATION.fullmatch(text, start, end) is not None


def _may_be_called(text: str, start: int) -> bool:
    """Whether a bracket stands behind a colon, a verb, or a noun for answers."""
    found = _UNDECORATED.match(text, max(0, start - _NEAR), start)
    if found is None:
        return start > 0
    lead = found[0]
    if lead.endswith(_COLONS):
        return True
    last = lead[-_WORD:].lower().split()[-1]
    return any(last in words for words in (COPULA, ANSWER, RESULT, FINAL, CORRECT, ALONE))


def _since(asked: Asked, around: Surroundings, index: int) -> int | None:
    """Where the candidate before that one ends; None if it is not worth finding out.

    A bracket right behind one that is no data is none either, so neighbours are asked in order.
    """
    brackets = asked.cut.brackets
    while index:
        last = index
        index -= 1
        while index and brackets[index - 1][0].span[1] == brackets[index][0].span[0]:
            index -= 1
        if last - index > _NEIGHBOURS:
            return None
        end = _last_data([bracket for bracket, _ in brackets[index:last]], around)
        if end:
            return end
    return 0


def _last_data(row: Sequence[Bracketed], around: Surroundings) -> int:
    """Where the last of some neighbours ends that may be data; 0 if none may."""
    end = skipped = 0
    for bracket in row:
        if bracket.closed and around.no_data(bracket.span, skipped):
            skipped = bracket.span[1]
        elif bracket.shaped:
            end = bracket.span[1]
    return end
