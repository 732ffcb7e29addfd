"""Closing brackets: those that are there, are missing, or are one too many."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pdl.reply.parsing import tokens
from pdl.reply.parsing.errors import UnreadableError
from pdl.reply.parsing.scalars import Scalars
from pdl.reply.parsing.spine import ended, may_shift, spine
from pdl.reply.phrases import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import JsonPath
    from pdl.limits import Limits
    from pdl.reply.parsing.events import Event
    from pdl.reply.parsing.nodes import Nodes
    from pdl.reply.parsing.state import Frame


_PLACE = "lacks a closing bracket, whose place is not certain"


class Closers(Scalars):
    """A reader that knows when a bracket ends.

    `fenced` says that the end of the text is that of a closed fence: nothing is cut off. `early`:
    an object may end, without its closer, in front of a key that the one around it has.
    """

    def __init__(
        self, text: str, nodes: Nodes, limits: Limits, *, fenced: bool, early: bool
    ) -> None:
        super().__init__(text, nodes, limits)
        self._fenced = fenced
        self._early = early

    def _close(self, width: int) -> None:
        """Leave a bracket; `width` is that of its closer, 0 if it is missing."""
        assert self._frame
        self._event("close", None, self._at, self._at + width)
        self._at += width
        self._frame = self._frame.parent
        self._stored()

    def _mismatch(self, mark: str) -> None:
        """A closer of another bracket: of one further out, or of none."""
        wanted = mark == "}"
        frame = self._frame
        while frame and (frame.is_object != wanted or frame.closer != mark):
            frame = frame.parent
        if frame:
            self._keep_mistyped()
            self._imply_to(frame.depth)
        elif self._fenced and self._mended != "missing" and self._is_surplus(mark):
            self._mended = "extra"
            self._repair("extra-closer", self._at, self._at + 1, "")
            self._at += 1
        else:
            raise UnreadableError(self._at, say("wrong-closer", found=mark))

    def _is_surplus(self, mark: str) -> bool:
        """Whether a closer that closes nothing can only be one too many.

        A `]` may belong to an array without an opener, a `}` may stand for one that came early.
        """
        frame = self._frame
        if mark == "}" or frame is None:
            return not self._holds_early_closer()
        last = self._keys()[-1] if frame.is_object else frame.size - 1
        path = (*self._path(frame.parent), last)
        if self._text[self._last_end() - 1] == "]":
            return not self._nodes.may_nest(path)
        return "array" not in self._nodes.kinds(path)

    def _holds_early_closer(self) -> bool:
        """Whether in the object that was closed last an object has another key behind it."""
        event, depth, keyed = self._trail, 0, False
        while event:
            depth += event.op == "close"
            keyed = keyed or (event.op == "key" and depth == 1)
            if keyed and event.op == "object" and depth == 2:  # noqa: PLR2004 - inside of it
                return True
            depth -= event.op in {"object", "array"}
            if depth == 0 and event.op != "repair":
                break
            event = event.before
        return False

    def _keep_mistyped(self) -> None:
        """Keep the reading in which the closer is of the wrong kind."""
        frame, trail, at = self._frame, self._trail, self._at
        if frame and frame.size and not self._mended:
            self._repair("mistyped-closer", at, at + 1, frame.closer)
            self._close(1)
            self._keep(phase=self._phase, mended="missing")
            self._frame, self._trail, self._at, self._phase = frame, trail, at, "after"

    def _leave_for(self, *, is_object: bool) -> None:
        """Close brackets whose closers are missing, up to one of the kind."""
        frame = self._frame
        while frame and frame.is_object != is_object:
            frame = frame.parent
        if frame is None:
            raise UnreadableError(self._at, expected="expected-comma")
        self._imply_to(frame.depth)

    def _end(self) -> None:
        """The end of a fence that is closed ends what is open in it; other ends cut it off."""
        if not self._fenced:
            raise UnreadableError(self._at, "lacks a closing bracket")
        self._imply_to(0)

    def _imply_to(self, depth: int) -> None:
        """Close the brackets that are deeper, each of which lacks its closer."""
        frame = self._frame
        missing = frame.depth - depth if frame else 0
        if self._mended == "missing" and not self._is_mended_here():
            raise UnreadableError(self._at, _PLACE)
        if frame and missing > 1 and frame.size:
            levels = spine(frame, self._trail, self._path(frame.parent))
            if may_shift(levels, frame.depth, missing, self._nodes):
                raise UnreadableError(self._at, _PLACE)
        while self._frame and self._frame.depth > depth:
            self._imply()

    def _is_mended_here(self) -> bool:
        """Whether what came last is a closer that was missing in front of this place."""
        event = self._trail
        while event and event.op == "close":
            event = event.before
        return event is not None and event.op == "repair" and event.start == self._at

    def _imply(self) -> None:
        frame = self._frame
        assert frame
        if not frame.size or self._mended == "extra":
            raise UnreadableError(self._at, "lacks a closing bracket")
        doubled = self._may_be_doubled(frame)
        if doubled or (not self._early and self._may_belong_elsewhere(frame)):
            error = UnreadableError(self._at, _PLACE)
            self._doubt = error if doubled and not self._mended else self._doubt
            raise error
        if tokens.ENDS_IN_CLOSER.search(self._text, max(0, self._at - tokens.KEPT), self._at):
            raise UnreadableError(self._at, "ends with a closing bracket in a string")
        self._mended = "missing"
        self._repair("missing-closer", self._at, self._at, frame.closer)
        self._close(0)

    def _close_early(self) -> None:
        """Behind a comma: keep the reading in which a closer is missing in front of it."""
        frame = self._frame
        if not (self._early and frame and frame.parent) or self._mended:
            return
        if frame.parent.is_object == frame.is_object and self._may_be_outside(frame):
            trail = self._trail
            self._repair("missing-closer", self._at, self._at, frame.closer)
            self._close(0)
            self._keep(phase="key" if frame.is_object else "value", mended="missing")
            self._frame, self._trail = frame, trail

    def _may_be_outside(self, frame: Frame) -> bool:
        """Whether what comes next may belong to the bracket around, not to the one that is open."""
        assert frame.parent
        inner, outer = self._path(frame.parent), self._path(frame.parent.parent)
        if not frame.is_object:
            return bool(self._nodes.kinds((*outer, 0)) & self._nodes.kinds((*inner, 0)))
        ahead = tokens.QUOTED_KEY_AHEAD.match(self._text, self._at)
        name = ahead["name"] if ahead else ""
        return self._nodes.declares(outer, name) or not self._nodes.declares(inner, name)

    def _may_be_doubled(self, frame: Frame) -> bool:
        """Whether an array may lack its closer because one of its arrays has an opener too many."""
        if frame.is_object:
            return False
        path = self._path(frame.parent)
        inner = self._nodes.kinds((*path, 0))
        overlap = "array" in inner and not inner.isdisjoint(self._nodes.kinds((*path, 0, 0)))
        return overlap and any(event.op == "array" for event in self._parts())

    def _may_belong_elsewhere(self, frame: Frame) -> bool:
        """Whether the closer may be missing earlier, so that other brackets end where some do."""
        if self._may_end_earlier(frame):
            return True
        outer = self._path(frame.parent)
        for around, within in pairwise([level.names[::-1] for level in ended(self._trail)]):
            inner = (*outer, around[-1] if around else 0)
            if around and any(self._may_leave(outer, inner, name) for name in within[1:]):
                return True
            outer = inner
        return False

    def _may_leave(self, outer: JsonPath, inner: JsonPath, name: str) -> bool:
        """Whether a key that stands in the inner object may be one of the outer."""
        return self._nodes.declares(outer, name) or not self._nodes.declares(inner, name)

    def _may_end_earlier(self, frame: Frame) -> bool:
        """Whether some of what a bracket holds may belong to the bracket around it."""
        parent = frame.parent
        if parent is None or parent.is_object != frame.is_object or frame.size == 1:
            return False
        inner, outer = self._path(parent), self._path(parent.parent)
        if not frame.is_object:
            return bool(self._nodes.kinds((*outer, 0)) & self._nodes.kinds((*inner, 0)))
        return any(self._may_leave(outer, inner, name) for name in self._keys()[1:])

    def _keys(self) -> list[str]:
        """The keys of the object that is open, in their order."""
        return [event.payload for event in self._parts() if event.op == "key"][::-1]

    def _parts(self) -> Iterator[Event]:
        """The events of the bracket that is open, from the last, without those inside its parts."""
        depth = 0
        event = self._trail
        while event:
            depth -= event.op in {"object", "array"}
            if depth < 0:
                return
            if depth == 0:
                yield event
            depth += event.op == "close"
            event = event.before
