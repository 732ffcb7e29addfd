"""A bracket that may begin the answer: when it is to be shown, and what of it is certain."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.streaming.cursor import Cursor
from pdl.reply.streaming.doubts import Doubts
from pdl.reply.streaming.machine import Machine
from pdl.reply.streaming.partial import NOTHING, Partial
from pdl.reply.streaming.tree import Growth, Whole, same
from pdl.reply.validation.json_types import is_integer, is_number, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.result import Span
    from pdl.reply.streaming.judge import Judge
    from pdl.reply.streaming.partial import View
    from pdl.reply.streaming.tree import Open
    from pdl.reply.streaming.wish import Wish

_LONG_LIST = 3  # numbers that no citation has, such as `[1, 2]`
_CITED = 999  # the highest number of a citation


class Place(NamedTuple):
    """Where a bracket stands: `start` is its offset in the reply.

    `rank`: how clearly the reply says that it is the answer, as in
    `pdl.reply.choosing.candidates`. `clear`: nothing but an answer stands there: at the
    beginning, behind a colon, in a fence for data.
    """

    rank: int
    clear: bool
    fenced: bool
    start: int
    lasting: bool  # nothing of it is certain before the reply ends


class Candidate:
    """Reads one bracket; hears what the machine reads, and tells the judge what of it is certain.

    `known` is what is certain; what is not yet is held back from the judge as well.

    Prose has brackets as well: `{name}`, `[1]`, `[see below]`. Where one would do, a bracket counts
    from what makes it data: a string, a key with its colon, a bracket in it.
    """

    def __init__(self, wish: Wish, place: Place, judge: Judge, limits: Limits) -> None:
        self.place = place
        self.judge = judge
        self.is_alone = False  # nothing can follow it any more
        self.machine = Machine(limits, self, fenced=place.fenced)
        self._cursor = Cursor(place.start)
        self.known: Growth | Whole | None = None
        self._told: tuple[View | None, Growth | Whole | None, Partial] = (None, None, NOTHING)
        self._held: list[Callable[[], None]] = []
        self._doubts = Doubts(wish, limits, fenced=place.fenced, lasting=place.lasting)
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

    def feed(self, text: str) -> None:
        """Read the next piece of it, in which no mark is."""
        self._cursor.add(text)
        while not (self.is_closed or self.is_stuck):
            at = self._cursor.at
            self.machine.read(self._cursor)
            if self.machine.marked:
                self.machine.plain(self._cursor)
            elif self._cursor.at == at:
                return

    @property
    def end(self) -> int:
        """The offset up to which it was fed."""
        return self._cursor.base + self._cursor.end

    @property
    def limit(self) -> str:
        """Which bound was reached."""
        return self.machine.limit

    @property
    def is_closed(self) -> bool:
        """Whether its last bracket is there."""
        return self.machine.status == "closed"

    @property
    def is_stuck(self) -> bool:
        """Whether what follows has no reading that is certain."""
        return self.machine.status == "stuck"

    @property
    def is_data(self) -> bool:
        """Whether it is data, wanted or not."""
        return self._solid or self.machine.quoted

    def partial(self) -> Partial:
        """What is known now: the same as before if nothing has changed."""
        view, errors = self.machine.view(), self.judge.errors
        last = self._told
        if not (same(view, last[0]) and self.known is last[1] and errors is last[2].errors):
            told = Partial(
                started=True,
                complete=isinstance(view, Whole),
                start=self.place.start,
                errors=errors,
                _view=view,
                _known=self.known,
            )
            self._told = (view, self.known, told)
        return self._told[2]

    # What the machine reads

    def open(self, top: Open | None, key: str | int | None, box: Json, *, again: bool) -> None:
        """A bracket opens."""
        if key is None:
            self._is_list = isinstance(box, list)
            self._wanted = kind_of(box) in self._wish.kinds
        elif self._level == 1:
            self._part(kind_of(box))
        self._level += 1
        self._doubts.open(top, key, box)
        self._held.append(partial(self.judge.open, key, box, again=again))

    def key(self, top: Open, name: str, span: Span) -> None:
        """A key is complete."""
        if self._level == 1:
            self._solid = True
            self._note(name)
        self._doubts.key(top, name)
        self._held.append(partial(self.judge.key, top, name, span))

    def _note(self, name: str) -> None:
        """A key of the outermost object: of the answer, of a tool call around it, or of both."""
        known, of_call = self._wish.knows(name), self._wish.is_of_call(name)
        self._known = self._known or known
        self._only_call = self._only_call and of_call
        if not of_call:
            self._call = self._call and not known
        elif not known:
            self._call = self._only_call

    def scalar(self, top: Open, key: str | int, value: Json, span: Span) -> None:
        """A scalar is complete."""
        self._solid = self._solid or self.place.clear
        if self._level == 1 and self._is_list:
            if is_integer(value) and 0 <= value <= _CITED and self._cited < _LONG_LIST - 1:
                self._cited += 1
                self._known = self._known or (self.place.clear and self._takes("integer"))
            elif not is_number(value) or self._takes(kind_of(value)):
                self._part(kind_of(value))
        self._doubts.scalar(top, key, value)
        self._held.append(partial(self.judge.scalar, top, key, value, span))

    def close(self, top: Open, span: Span) -> None:
        """A bracket closes."""
        self._level -= 1
        self._doubts.close(top)
        self._held.append(partial(self.judge.close, top, span))

    def sure(self, top: Open) -> None:
        """What was read by now can be read in no other way."""
        if not self._doubts:
            self._release()
            self.known = Growth(top, None)

    def settle(self, *, alone: bool) -> None:
        """Its last bracket is there; `alone`: so is the end of the fence that it is alone in.

        Behind a string the last bracket may be a part of it, as long as text comes.
        """
        self.is_alone = alone
        view = self.machine.view()
        certain = not self._doubts and self.machine.certainty.holds(alone=alone)
        if certain and isinstance(view, Whole):
            self._release()
            self.known = view

    @property
    def is_certain(self) -> bool:
        """Whether all that was read of it is certain."""
        return not self._doubts and self.machine.certainty.holds(alone=False)

    def _release(self) -> None:
        for tell in self._held:
            tell()
        self._held.clear()

    def _part(self, kind: str) -> None:
        self._solid = True
        if self._is_list:
            self._known = self._known or self._takes(kind)

    def _takes(self, kind: str) -> bool:
        return kind in self._wish.items
