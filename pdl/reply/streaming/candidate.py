"""A bracket that may begin the answer, and when it is plain enough to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.kinds import is_integer, is_number, kind_of
from pdl.reply.streaming.machine import Machine

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.outcome import Extent
    from pdl.reply.streaming.judge import Judge
    from pdl.reply.streaming.tags import Tags
    from pdl.reply.streaming.tree import Open
    from pdl.reply.streaming.wish import Wish

_LONG_LIST = 3  # numbers that no citation has, such as `[1, 2]`
_CITED = 999  # the highest number of a citation


class Place(NamedTuple):
    """Where a bracket stands.

    `rank`: how clearly the reply says that it is the answer, as in `pdl.reply.candidates`. `clear`:
    nothing but an answer stands there: at the beginning, behind a colon, in a fence for data.
    `depth`: how many brackets of prose it is in.
    """

    rank: int
    clear: bool
    depth: int
    fenced: bool


class Candidate:
    """Reads one bracket; hears what the machine reads and tells the judge.

    Prose has brackets as well: `{name}`, `[1]`, `[see below]`. Where one would do, a bracket counts
    from what makes it data: a string, a key with its colon, a bracket in it.
    """

    def __init__(self, wish: Wish, place: Place, judge: Judge, limits: Limits, tags: Tags) -> None:
        self.place = place
        self.judge = judge
        self.machine = Machine(limits, self, tags, fenced=place.fenced)
        self._wish = wish
        self._level = 0
        self._wanted = False
        self._is_list = False
        self._solid = False  # it is data
        self._known = False  # it looks like the answer
        self._only_call = True  # all of its keys may be those of a tool call
        self._call = False  # it seems to be one, around the answer
        self._cited = 0  # numbers in it that may be citations

    def is_shown(self, rival: Candidate | None) -> bool:
        """Whether it is to be shown, in the place of an earlier one if there is a rival."""
        if not self._wanted or self._call:
            return False
        if rival is not None and (not self._known or self.place.rank < rival.place.rank):
            return False
        return self.place.clear or self.is_data

    @property
    def is_data(self) -> bool:
        """Whether it is data, wanted or not."""
        return self._solid or self.machine.quoted

    # What the machine reads

    def open(self, key: str | int | None, box: Json, *, again: bool) -> None:
        """A bracket opens."""
        if key is None:
            self._is_list = isinstance(box, list)
            self._wanted = kind_of(box) in self._wish.kinds
        elif self._level == 1:
            self._part(kind_of(box))
        self._level += 1
        self.judge.open(key, box, again=again)

    def key(self, top: Open, name: str, span: Extent) -> None:
        """A key is complete."""
        if self._level == 1:
            self._solid = True
            self._note(name)
        self.judge.key(top, name, span)

    def _note(self, name: str) -> None:
        """A key of the outermost object: of the answer, of a tool call around it, or of both."""
        known, of_call = self._wish.knows(name), self._wish.is_of_call(name)
        self._known = self._known or known
        self._only_call = self._only_call and of_call
        if not of_call:
            self._call = self._call and not known
        elif not known:
            self._call = self._only_call

    def scalar(self, top: Open, key: str | int, value: Json, span: Extent) -> None:
        """A scalar is complete."""
        self._solid = self._solid or self.place.clear
        if self._level == 1 and self._is_list:
            if is_integer(value) and 0 <= value <= _CITED and self._cited < _LONG_LIST - 1:
                self._cited += 1
                self._known = self._known or (self.place.clear and self._takes("integer"))
            elif not is_number(value) or self._takes(kind_of(value)):
                self._part(kind_of(value))
        self.judge.scalar(top, key, value, span)

    def close(self, top: Open, span: Extent) -> None:
        """A bracket closes."""
        self._level -= 1
        self.judge.close(top, span)

    def _part(self, kind: str) -> None:
        self._solid = True
        if self._is_list:
            self._known = self._known or self._takes(kind)

    def _takes(self, kind: str) -> bool:
        return kind in self._wish.items
