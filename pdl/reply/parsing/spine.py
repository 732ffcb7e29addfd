"""The brackets that end where a text has come to: those that are open, and those that ended last.

Where closers are missing, some of what stands behind a comma in one of them may belong to one that
is further out: `{"s": [{"t": 1, "s": [{"t": 2}, {"t": 3}]}` lacks `]}` behind the 2 or at its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl._types import JsonPath
    from pdl.reply.parsing.events import Event
    from pdl.reply.parsing.nodes import Nodes
    from pdl.reply.parsing.state import Frame

_BRACKETS = frozenset(["object", "array"])
_MANY = 8  # closers that may be missing at one place


@dataclass(slots=True)
class Level:
    """A bracket: how many parts it has, and the keys that are known of it, the last one first.

    `closed`: its closer is there, so that all of its keys are known.
    """

    is_object: bool = False
    path: JsonPath = ()
    size: int = 0
    names: list[str] = field(default_factory=list)
    closed: bool = True

    def last(self) -> str | int:
        """The key or the index of its last part."""
        return self.names[0] if self.is_object and self.names else self.size - 1


def spine(frame: Frame, last: Event | None, path: JsonPath) -> list[Level]:
    """The levels from the outermost bracket in; `path` is that of the open one, `frame`."""
    levels = _open_around(frame)
    for level in ended(last):
        level.path = (*levels[-1].path, levels[-1].last()) if levels else ()
        levels.append(level)
    levels[frame.depth - 1].path = path
    levels[frame.depth - 1].closed = False
    return levels


def _open_around(frame: Frame) -> list[Level]:
    """The brackets around the open one, of which it is the last part."""
    found: list[Level] = []
    around = frame.parent
    while around:
        names = [around.key] if isinstance(around.key, str) else []
        found.append(Level(around.is_object, (), around.size + 1, names, closed=False))
        around = around.parent
    found.reverse()
    for outer, inner in pairwise(found):
        inner.path = (*outer.path, outer.last())
    return found


def ended(event: Event | None) -> list[Level]:
    """The open bracket, and in it the one that ended last, and so on, from the events before."""
    levels = [Level()]
    while event and event.op in {"close", "repair"}:
        levels += [Level()] if event.op == "close" else []
        event = event.before
    known, depth = len(levels), len(levels) - 1  # levels that are not yet read, and the present
    while event and depth >= 0:
        depth += event.op == "close"
        if event.op in _BRACKETS:
            if depth < known:
                levels[depth].is_object = event.op == "object"
            known = min(known, depth)
            depth -= 1
        if 0 <= depth < known:
            levels[depth].size += event.op == "value" or event.op in _BRACKETS
            levels[depth].names += [event.payload] if event.op == "key" else []
        event = event.before
    return levels


def may_shift(levels: list[Level], opened: int, missing: int, nodes: Nodes) -> bool:
    """Whether the last part of a level may belong to one that is two or more further out.

    `opened` levels are open, of which `missing` lack their closers. Closers that are there would
    then end other brackets, which must be of the same kinds. Of very many nothing is certain.
    """
    if missing > _MANY:
        return True
    for at, level in enumerate(levels):
        first = opened - missing - 1 if at < opened else 0
        for outer in range(max(0, first, at - missing), at - 1) if level.size > 1 else ():
            count = max(1, at - opened + 1)
            if _same_kinds(levels, at, outer, count) and _fits(levels, at, outer, nodes):
                return True
    return False


def _same_kinds(levels: list[Level], at: int, outer: int, count: int) -> bool:
    """Whether closers that are there may be those of levels further out as well."""
    return all(
        levels[at - step].is_object == levels[outer - step].is_object
        for step in range(min(count, outer + 1))
    )


def _fits(levels: list[Level], at: int, outer: int, nodes: Nodes) -> bool:
    """Whether the schema has the last part of a level at a level further out as well."""
    inside, around = levels[at], levels[outer]
    if inside.is_object:
        name = str(inside.last())
        return nodes.declares(around.path, name) or not nodes.declares(inside.path, name)
    item = (*around.path, 0)
    if at + 1 == len(levels):
        return bool(nodes.kinds(item) & nodes.kinds((*inside.path, 0)))
    part = levels[at + 1]
    if not part.is_object:
        return "array" in nodes.kinds(item)
    return nodes.may_have(item, part.names, whole=part.closed)
