"""One value after another where an array is wanted: JSON Lines, with or without list marks.

JSON Lines (jsonlines.org) writes a value on each line. Nothing may be lost: all that looks like
data in the reply must be part of the one sequence.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl.reply.parsing.parsed import Parsed
from pdl.reply.result import Reading, Repair
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.choosing.evaluate import Evaluated
    from pdl.reply.query import Query

_GAP = re.compile(r"[\s,;]*+(?>(?:(?:[-*+•]|\d{1,6}[.):])[ \t]++)?)")


def read(query: Query, evaluated: Sequence[Evaluated]) -> Reading | None:
    """The array of all the candidates of a reply, if they are one sequence and it fits."""
    if "array" not in query.kinds or len(evaluated) < 2:  # noqa: PLR2004 - one value is no sequence
        return None
    made = [one.made for one in evaluated if isinstance(one.made, Parsed)]
    if len(made) < len(evaluated) or any(one.candidate.doubt for one in evaluated):
        return None
    spans = [one.candidate.span for one in evaluated]
    text = query.text
    if not all(_GAP.fullmatch(text, left[1], right[0]) for left, right in pairwise(spans)):
        return None
    value = [one.value for one in made]
    if not query.is_valid(value):
        return None
    span = (spans[0][0], spans[-1][1])
    joined = Repair("json-lines", span, (), shorten(text[slice(*span)]), "[…]")
    return Reading(value, span, repairs=(*(r for one in made for r in one.repairs), joined))
