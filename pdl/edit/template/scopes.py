"""Which variable each name in the tags of a template is, by Jinja's rules.

These are those of `jinja2.idtracking`: a frame is looked at as a whole before the frames within it;
a name that it sets is its own there, unless it was read before, or is set in some branch only.
Names of different frames are one variable if a value can pass from one to the other under the same
name, so that they can only be renamed together.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from jinja2.defaults import DEFAULT_NAMESPACE

from pdl.edit.template.mentions import IMPLICIT, Branches, Mention
from pdl.prompt.tera import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.edit.template.mentions import Event, Frame, Keyword, Mentions

Key: TypeAlias = tuple[int, str]
"""A variable: the frame that it belongs to, CONTEXT for what is passed to the template."""
CONTEXT = -1
GLOBALS = frozenset({*DEFAULT_NAMESPACE, *FUNCTIONS})
"""The functions that each template can call."""

_Origin: TypeAlias = Literal["context", "outer", "nothing", "parameter"]


class _Table:
    """The names of a frame and where their first values come from.

    That of a branch is laid over the one of its frame (`base`).
    """

    __slots__ = ("base", "origins", "parent", "stored")

    def __init__(self, parent: _Table | None, base: _Table | None = None) -> None:
        self.parent = parent
        self.base = base
        self.origins: dict[str, _Origin] = {}
        self.stored: set[str] = set()

    def has(self, name: str) -> bool:
        """Whether the frame has a name of its own."""
        at: _Table | None = self
        while at is not None:
            if name in at.origins:
                return True
            at = at.base
        return False

    def is_outer(self, name: str) -> bool:
        """Whether a frame around it has the name."""
        at = self.parent
        while at is not None:
            if name in at.origins:
                return True
            at = at.parent
        return False

    def _is_stored(self, name: str) -> bool:
        at: _Table | None = self
        while at is not None:
            if name in at.stored:
                return True
            at = at.base
        return False

    def read(self, name: str) -> None:
        if not self.has(name) and not self.is_outer(name):
            self.origins[name] = "context"

    def write(self, name: str) -> None:
        if not self.has(name):
            self.origins[name] = "outer" if self.is_outer(name) else "nothing"
        self.stored.add(name)

    def declare(self, name: str) -> None:
        self.origins[name] = "parameter"
        self.stored.add(name)

    def merge(self, branches: Iterable[_Table]) -> None:
        """Take over the names of branches: what these set, may also come from elsewhere."""
        doubtful: set[str] = set()
        for one in branches:
            doubtful |= one.stored
        doubtful = {name for name in doubtful if not self._is_stored(name)}
        for one in branches:
            self.origins |= one.origins
            self.stored |= one.stored
        for name in doubtful:
            self.origins[name] = "outer" if self.is_outer(name) else "context"


class Scopes:
    """The variables of all tags."""

    def __init__(self, mentions: Mentions) -> None:
        self.mentions = mentions
        self.frames: list[Frame] = mentions.frames
        self._same: dict[Key, Key] = {}
        self._known: dict[Key, Key] = {}
        self.tables: list[_Table] = []
        for number, frame in enumerate(self.frames):
            is_inner = frame.sees_parent and frame.parent >= 0
            table = _Table(self.tables[frame.parent] if is_inner else None)
            self.tables.append(table)
            self._run(frame.events, table)
            self._unite(number, table)
        for block in mentions.blocks:
            if block.is_scoped:
                self._open(block.around)

    def _run(self, events: Iterable[Event], table: _Table) -> None:
        for event in events:
            if isinstance(event, Branches):
                branches: list[_Table] = []
                for body in (event.body, event.elifs, event.otherwise):
                    branches.append(_Table(table.parent, table))
                    self._run(body, branches[-1])
                table.merge(branches)
            elif event.access == "parameter":
                table.declare(event.text)
            elif event.text not in self.mentions.globals:
                (table.read if event.access == "read" else table.write)(event.text)

    def _unite(self, number: int, table: _Table) -> None:
        """What a frame reads from outside is the same there; what the template sets, is passed."""
        for name, origin in table.origins.items():
            if origin == "context" or (number == 0 and origin != "parameter"):
                self._join((number, name), (CONTEXT, name))
            elif origin == "outer":
                self._join((number, name), self._outside(self.frames[number].parent, name))

    def _open(self, around: int) -> None:
        """A `scoped` block sees the names around it."""
        while around >= 0:
            for name in self.tables[around].stored:
                self._join((CONTEXT, name), (around, name))
            around = self.frames[around].parent if self.frames[around].sees_parent else -1

    def _outside(self, frame: int, name: str) -> Key:
        while frame >= 0:
            if name in self.tables[frame].origins:
                return frame, name
            frame = self.frames[frame].parent if self.frames[frame].sees_parent else CONTEXT
        return CONTEXT, name

    def key(self, frame: int, name: str) -> Key:
        """Return the variable that a name is in a frame; all its names have the same key."""
        own = frame, name
        if own not in self._known:
            is_global = name in self.mentions.globals
            outside = (CONTEXT, name) if is_global else self._outside(frame, name)
            self._known[own] = self._root(outside)
        return self._known[own]

    def of(self, mention: Mention) -> Key:
        """Return the variable that a mention is of."""
        find = self.own if mention.access == "parameter" else self.key
        return find(mention.frame, mention.text)

    def own(self, frame: int, name: str) -> Key:
        """Return the variable of a frame's own name, as parameters are."""
        return self._root((frame, name))

    def _root(self, key: Key) -> Key:
        while (up := self._same.get(key, key)) != key:
            self._same[key] = self._same.get(up, up)
            key = up
        return key

    def _join(self, one: Key, other: Key) -> None:
        """Make two one variable; that of the context is its key if it is one of them."""
        one, other = self._root(one), self._root(other)
        if one != other:
            low, high = min(one, other), max(one, other)
            self._same[high] = low
            self._known.clear()

    @cached_property
    def free(self) -> frozenset[str]:
        """The names that the template reads from what is passed to it.

        As `pdl.prompt.template` says them; not those of functions, and of `set_global`.
        """
        found = {
            name
            for table in self.tables
            for name, origin in table.origins.items()
            if origin == "context"
        }
        return frozenset(found - GLOBALS - IMPLICIT - self.mentions.globals)

    @cached_property
    def macros(self) -> dict[Key, list[int]]:
        """The frames of the macros that a variable is."""
        found: dict[Key, list[int]] = {}
        for number, frame in enumerate(self.frames):
            if frame.owner is not None:
                found.setdefault(self.of(frame.owner), []).append(number)
        return found

    def parameter(self, macro: Key, name: str) -> Key | None:
        """Return the parameter of a macro that has a name."""
        frames = [
            frame
            for frame in self.macros.get(macro, ())
            if self.tables[frame].origins.get(name) == "parameter"
        ]
        for other in frames[1:]:
            self._join((frames[0], name), (other, name))
        return self._root((frames[0], name)) if frames else None

    def argument(self, keyword: Keyword) -> Key | None:
        """Return the parameter of a macro of this file that a keyword argument names."""
        if not isinstance(keyword.callee, Mention):
            return None
        return self.parameter(self.of(keyword.callee), keyword.text)
