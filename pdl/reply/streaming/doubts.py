"""Why a bracket may turn out to be something else than the answer that it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.choosing.tool_call import payload
from pdl.reply.validation.json_types import KINDS

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.streaming.nesting import Seat
    from pdl.reply.streaming.tree import Open
    from pdl.reply.streaming.wish import Wish


class Doubts:
    """Hears of the parts of a bracket, and knows whether they are surely those of the answer.

    A bracket may be a tool call around the answer until it has a key that no call has. It may be
    the first of several lines (JSON Lines) that are one array together until it has a part that
    no line has. In a fence a part may be outside of where it seems to be; the last bracket ends
    that doubt. `lasting` is a doubt that only the end of the reply ends.
    """

    def __init__(self, wish: Wish, limits: Limits, *, fenced: bool, lasting: bool) -> None:
        self._wish = wish
        self._limits = limits
        self._fenced = fenced
        self._lasting = lasting
        self._call = True
        self._line = False
        self._misplaced = False
        self._seats: list[Seat] = []

    def __bool__(self) -> bool:
        return self._call or self._line or self._misplaced or self._lasting

    def open(self, top: Open | None, key: str | int | None, box: Json) -> None:
        """A bracket opens, in `top`."""
        if top is None or key is None:
            self._line = self._wish.may_be_line(box)
        else:
            self._part(top, key, box)
        if self._fenced:
            self._seats.append(self._seats[-1].at(key) if key is not None else self._wish.seat)

    def key(self, top: Open, name: str) -> None:
        """A key of the object `top` is complete."""
        around = top.around
        in_item = top.key == 0 and around is not None and around.around is None
        if (around is None or in_item) and not self._wish.may_hold_call(name):
            self._call = False
        if self._fenced and around is not None and isinstance(around.box, dict):
            self._misplace(name)

    def scalar(self, top: Open, key: str | int, value: Json) -> None:
        """A scalar is complete."""
        self._part(top, key, value)

    def _part(self, top: Open, key: str | int, value: Json) -> None:
        """A part of `top` begins."""
        if not isinstance(key, int):
            return
        around = top.around
        if around is None:
            self._first(key, value)
        elif self._fenced and key and isinstance(around.box, list):
            self._misplace(key)

    def _misplace(self, key: str | int) -> None:
        outer, inner = self._seats[-2:]
        self._misplaced = self._misplaced or outer.may_be_outside(inner, key)

    def _first(self, index: int, value: Json) -> None:
        """A list shows by its first item what it is; that of a tool call is its only one."""
        self._call = self._call and index == 0 and isinstance(value, dict)
        if index == 0:
            self._line = self._line and any(KINDS[kind](value) for kind in self._wish.inner)

    def close(self, top: Open) -> None:
        """A bracket is closed."""
        if self._fenced:
            self._seats.pop()
        if top.around is None:
            self._misplaced = False
            self._call = self._call and payload(top.box, self._limits) is not None
