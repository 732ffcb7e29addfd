"""JSON in other spellings: Python's and JavaScript's, and what models make of it.

Reads what the C parser refuses. Every departure from RFC 8259 is a repair that changes how a value
is written, never which value it is: nothing is filled in, cut, rounded or dropped but commas,
comments, closers and blanks. Where a text can be read in two ways the schema decides, if only one
of them fits it; else nothing is read.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pdl.reply.parsing.encoded import decoded
from pdl.reply.parsing.errors import UnreadableError
from pdl.reply.parsing.events import Made
from pdl.reply.parsing.nodes import Nodes
from pdl.reply.parsing.parser import Machine
from pdl.reply.validation.equality import key
from pdl.reply.wording import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pdl._types import Json, JsonPath
    from pdl.limits import Limits
    from pdl.reply.parsing.events import Event
    from pdl.reply.parsing.state import Whole
    from pdl.reply.result import Repair
    from pdl.reply.validation.references import Document

__all__ = ["Made", "UnreadableError", "read"]

_BRACKETS = frozenset(["missing-closer", "extra-closer", "mistyped-closer"])
_PARTNERS = {"}": "{", "]": "[", "{": "}", "[": "]"}
_QUOTES = frozenset(["inner-quotes", "missing-quote"])
_TOO_MUCH = (
    (_BRACKETS, _QUOTES),
    (_BRACKETS, frozenset(["missing-comma", "extra-comma", "brackets"])),
    (_QUOTES, frozenset(["missing-comma"])),
    (frozenset(["extra-closer"]), frozenset(["trailing-comma"])),
    (frozenset(["mistyped-closer"]), frozenset(["missing-closer"])),
)
"""Repairs that are not made in one reading: where the one is, the other may be a sign of it."""


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
    """Whether a reading guesses at two things at once, so that one of them proves nothing."""
    kinds = {repair.kind for repair in reading.made.repairs}
    if not kinds.isdisjoint(_BRACKETS) and _swallows(reading.made.last):
        return True
    return (
        _mixes(reading.made)
        or _parts_in_two_ways(reading.made)
        or any(not kinds.isdisjoint(one) and not kinds.isdisjoint(two) for one, two in _TOO_MUCH)
    )


def _swallows(event: Event | None) -> bool:
    """Whether a text ends with a bracket without its partner: it may be the one that is missing."""
    while event:
        said = event.payload if event.op in {"key", "value"} else ""
        mark = said[-1:] if isinstance(said, str) else ""
        if mark in _PARTNERS and said.count(mark) > said.count(_PARTNERS[mark]):
            return True
        event = event.before
    return False


def _mixes(made: Made) -> bool:
    """Whether a list has texts with quotes and without: a comma may be part of one of them.

    So it may be in an object, where some keys have quotes and some have none.
    """
    bare = {repair.path for repair in made.repairs if repair.kind == "bare-value"}
    keys = Counter(repair.path for repair in made.repairs if repair.kind == "bare-key")
    if any(0 < keys[path[:-1]] < len(_part(made.value, path[:-1])) for path in bare if path):
        return True
    lists = {path[:-1] for path in bare if path and isinstance(path[-1], int)}
    return any(
        isinstance(item, str) and (*path, index) not in bare
        for path in lists
        for index, item in enumerate(_part(made.value, path))
    )


def _parts_in_two_ways(made: Made) -> bool:
    """Whether commas and semicolons part one list: the commas may be those of decimal numbers."""
    marks = Counter(one.path[:-1] for one in made.repairs if _is_between_items(one))
    return any(count < len(_part(made.value, path)) - 1 for path, count in marks.items())


def _is_between_items(repair: Repair) -> bool:
    return repair.kind == "semicolon" and bool(repair.path) and isinstance(repair.path[-1], int)


def _part(value: Json, path: JsonPath) -> Json:
    for step in path:
        value = value[step]
    return value


def _choose(readings: list[Whole], fits: Callable[[Json], bool]) -> Whole:
    """The only reading, or the only one that fits."""
    if len(readings) == 1:
        return readings[0]
    fitting = [one for one in readings if fits(one.made.value)]
    if len(fitting) == 1 and not fitting[0].passed:
        return fitting[0]
    one, other = (brief(each.made.value, 24) for each in readings[:2])
    raise UnreadableError(0, f"can be read in two ways, as `{one}` or as `{other}`")
