"""A JSON value that grows, of which every earlier moment can be had again.

The brackets that are open are a linked list of tuples, each with the number of the parts that it
held: parts are only ever added, so a moment is the innermost of them and what stands in it.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath
    from pdl.reply.streaming.growing import Growing


class Open(NamedTuple):
    """A bracket that is open: where it stands in the one around it, and its first `size` parts.

    `again` says that it is, or is in, the second value of a key that stands twice.
    """

    around: Open | None
    key: str | int | None
    box: Any
    size: int
    again: bool = False

    def path(self) -> JsonPath:
        """The keys and indices that lead to it."""
        steps: list[str | int] = []
        current: Open | None = self
        while current is not None and current.key is not None:
            steps.append(current.key)
            current = current.around
        return tuple(reversed(steps))

    def holds(self, step: str | int) -> bool:
        """Whether one of the parts that it held stands there."""
        if isinstance(self.box, list):
            return step in range(self.size)
        if len(self.box) == self.size:
            return step in self.box
        return step in islice(self.box, self.size)

    def held(self) -> Any:
        """A copy of what it held."""
        if isinstance(self.box, list):
            return self.box[: self.size]
        if len(self.box) == self.size:
            return dict(self.box)
        return dict(islice(self.box.items(), self.size))


class Tail(NamedTuple):
    """A scalar that is not in its bracket yet: the text of a string so far, or a value."""

    key: str | int
    text: Growing | None
    length: int
    scalar: Json
    is_open: bool
    again: bool = False

    def value(self) -> Json:
        """What is there of it."""
        return self.scalar if self.text is None else self.text.upto(self.length)


def leads(value: Json, path: JsonPath) -> bool:
    """Whether a path leads to a part of a value."""
    for step in path:
        if isinstance(value, dict):
            there = step in value
        else:
            there = isinstance(value, list) and step in range(len(value))
        if not there:
            return False
        value = value[step]
    return True


class Whole(NamedTuple):
    """A value that is complete."""

    root: Json

    def holds(self, path: JsonPath) -> bool:
        """Whether a part stands at a path."""
        return leads(self.root, path)

    def value(self) -> Json:
        """The value."""
        return self.root

    def growing(self) -> JsonPath | None:
        """Nothing is open."""
        return None


def same(one: object, other: object) -> bool:
    """Whether two moments show the same; parts are compared by their identity."""
    if isinstance(one, Growth) and isinstance(other, Growth):
        return one.top is other.top and one.tail == other.tail
    return isinstance(one, Whole) and isinstance(other, Whole) and one.root is other.root


class Growth(NamedTuple):
    """A value whose brackets are open: the innermost of them, and the scalar behind its parts."""

    top: Open
    tail: Tail | None

    def value(self) -> Json:
        """The value so far: the brackets that are open, from the innermost out."""
        current: Open | None = self.top
        part, key = (self.tail.value(), self.tail.key) if self.tail else (None, None)
        while current is not None:
            box = current.held()
            if isinstance(key, int):
                box.append(part)
            elif key is not None:
                box.setdefault(key, part)  # a key that stands twice keeps its first value
            part, key, current = box, current.key, current.around
        return part

    def holds(self, path: JsonPath) -> bool:
        """Whether a part that is complete stands at a path; scalars behind the parts are none."""
        chain = self._chain()
        current = chain[0]
        for depth, step in enumerate(path, 1):
            inner = chain[depth] if depth < len(chain) else None
            if inner is None or inner.key != step or inner.again:
                return current.holds(step) and leads(current.box[step], path[depth:])
            current = inner
        return False

    def _chain(self) -> list[Open]:
        """The brackets that are open, from the outermost in."""
        found: list[Open] = []
        current: Open | None = self.top
        while current is not None:
            found.append(current)
            current = current.around
        return found[::-1]

    def growing(self) -> JsonPath | None:
        """The path of the innermost part that is open and shown."""
        tail, current = self.tail, self.top
        if tail and tail.is_open and not tail.again and not current.again:
            return (*current.path(), tail.key)
        while current.again and current.around is not None:
            current = current.around
        return current.path()
