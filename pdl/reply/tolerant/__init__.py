"""JSON in other spellings: Python's and JavaScript's, and what models make of it.

Reads what the C parser refuses. Every departure from RFC 8259 is a repair that changes how a value
is written, never which value it is: nothing is filled in, cut, rounded or dropped but commas,
comments, closers and blanks. Where a text can be read in two ways the schema decides, if only one
of them fits it; else nothing is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.equality import key
from pdl.reply.tolerant.encoded import decoded
from pdl.reply.tolerant.errors import UnreadableError
from pdl.reply.tolerant.machine import Machine
from pdl.reply.tolerant.nodes import Nodes
from pdl.reply.tolerant.trail import Made
from pdl.reply.wording import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.references import Document
    from pdl.reply.tolerant.state import Whole

__all__ = ["Made", "UnreadableError", "read"]

_BRACKETS = frozenset(["missing-closer", "extra-closer", "mistyped-closer"])
_QUOTES = frozenset(["inner-quotes", "missing-quote"])


def read(
    text: str,
    document: Document,
    fits: Callable[[Json], bool],
    limits: Limits,
    *,
    fenced: bool = False,
) -> Made:
    """The value of a text, with repairs and places as offsets in it.

    `fenced` says that the text is all of a closed fence, so that a closer that is missing at its
    end is no sign of a reply that was cut off. Raises UnreadableError where no reading is certain.
    """
    made = decoded(text, limits)
    if made is not None:
        return made
    found = _readings(text, Nodes(document), limits, fenced=fenced)
    found = [one for one in found if not _daring(one)]
    if not found:
        raise UnreadableError(0, "has misplaced brackets, and quotes without a backslash")
    if len(found) == 1:
        return found[0].made
    distinct: dict[Hashable, Whole] = {}
    for one in found:
        distinct.setdefault(key(one.made.value), one)
    return _choose(list(distinct.values()), fits).made


def _readings(text: str, nodes: Nodes, limits: Limits, *, fenced: bool) -> list[Whole]:
    """All readings; where a closer is missing, those as well in which it is missing earlier."""
    try:
        found = Machine(text, nodes, limits, fenced=fenced, early=False).readings()
    except UnreadableError:
        if not fenced:
            raise
        found = []
    if fenced and not any(one.closed for one in found):
        found += Machine(text, nodes, limits, fenced=fenced, early=True).readings()
    return found


def _daring(reading: Whole) -> bool:
    """Whether a reading guesses both at brackets and at the ends of strings: it proves nothing."""
    kinds = {repair.kind for repair in reading.made.repairs}
    return not kinds.isdisjoint(_BRACKETS) and not kinds.isdisjoint(_QUOTES)


def _choose(readings: list[Whole], fits: Callable[[Json], bool]) -> Whole:
    """The only reading, or the only one that fits."""
    if len(readings) == 1:
        return readings[0]
    fitting = [one for one in readings if fits(one.made.value)]
    if len(fitting) == 1 and not fitting[0].passed:
        return fitting[0]
    one, other = (brief(each.made.value, 24) for each in readings[:2])
    raise UnreadableError(0, f"can be read in two ways, as `{one}` or as `{other}`")
