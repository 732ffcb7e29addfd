"""Closing brackets: those that are there, are missing, or are one too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.tolerant import tokens
from pdl.reply.tolerant.errors import UnreadableError
from pdl.reply.tolerant.scalars import Scalars

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.tolerant.nodes import Nodes
    from pdl.reply.tolerant.state import Frame


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
            self._leave_for(is_object=wanted)
        elif self._fenced and self._mended != "missing":
            self._mended = "extra"
            self._repair("extra-closer", self._at, self._at + 1, "")
            self._at += 1
        else:
            raise UnreadableError(self._at, f"has a `{mark}` that closes nothing")

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
            raise UnreadableError(self._at)
        while self._frame and self._frame.is_object != is_object:
            self._imply()

    def _end(self) -> None:
        """The end of a fence that is closed ends what is open in it; other ends cut it off."""
        if not self._fenced:
            raise UnreadableError(self._at, "lacks a closing bracket")
        while self._frame:
            self._imply()

    def _imply(self) -> None:
        frame = self._frame
        assert frame
        if not frame.size or self._mended == "extra":
            raise UnreadableError(self._at, "lacks a closing bracket")
        if not self._early and self._may_end_earlier(frame):
            why = "lacks a closing bracket, whose place is not certain"
            raise UnreadableError(self._at, why)
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

    def _may_end_earlier(self, frame: Frame) -> bool:
        """Whether some of what a bracket holds may belong to the bracket around it."""
        parent = frame.parent
        if parent is None or parent.is_object != frame.is_object or frame.size == 1:
            return False
        inner, outer = self._path(parent), self._path(parent.parent)
        if not frame.is_object:
            return bool(self._nodes.kinds((*outer, 0)) & self._nodes.kinds((*inner, 0)))
        return any(
            self._nodes.declares(outer, name) or not self._nodes.declares(inner, name)
            for name in self._keys()[1:]
        )

    def _keys(self) -> list[str]:
        """The keys of the object that is open, in their order."""
        names: list[str] = []
        depth = 0
        event = self._trail
        while event and depth >= 0:
            depth += (event.op == "close") - (event.op in {"object", "array"})
            if event.op == "key" and depth == 0:
                names.append(event.payload)
            event = event.before
        return names[::-1]
