"""Closing brackets: those that are there, are missing, or are of the wrong kind.

Where one is missing, it may be missing at several places, and the text is read in each of these
ways: what comes after a comma may be in the bracket that is open or in one around it. Whether only
one of them is a reading, or only one fits the schema, shows at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.parsing import tokens
from pdl.reply.parsing.scalars import Scalars
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import say

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.parsing.reader import Frame, Phase
    from pdl.reply.validation.schema_walk import Node

_PLACE = "lacks a closing bracket, whose place is not certain"
_KIND_AHEAD = {"{": "object", "[": "array", "(": "array", **dict.fromkeys(tokens.QUOTES, "string")}


class Closers(Scalars):
    """A reader that knows when a bracket ends.

    `fenced` says that the end of the text is that of a closed fence: nothing is cut off. `mends`:
    closers may be wrong.
    """

    def __init__(self, node: Node, limits: Limits, *, fenced: bool, mends: bool) -> None:
        super().__init__(node, limits, mends=mends)
        self._fenced = fenced
        self._doubt: UnreadableError | None = None  # of all readings, as nothing settles it

    def _close(self, width: int) -> None:
        """Leave a bracket; `width` is that of its closer, 0 if it is missing."""
        frame = self._frame
        assert frame
        self._at += width
        self._leave(frame, self._at - width, self._at)

    def _mismatch(self, mark: str) -> None:
        """A closer of another bracket: of one further out, or of none."""
        frames = self._around(is_object=mark == "}", closer=mark)
        if frames and self._mends:
            self._leave_to(frames, "after")
        else:
            raise UnreadableError(self._at, say("wrong-closer", found=mark))

    def _around(self, *, is_object: bool, closer: str = "") -> list[Frame]:
        """The open brackets of a kind, from the innermost out."""
        found: list[Frame] = []
        frame = self._frame
        while frame:
            if frame.is_object == is_object and closer in {"", frame.closer}:
                found.append(frame)
            frame = frame.parent
        return found

    def _leave_to(self, frames: list[Frame], phase: Phase) -> None:
        """Go on in the first of some brackets, and keep the readings that go on in the others."""
        state, rollback = self._state(), self._rollback
        for frame in frames[1:]:
            self._keep_in(frame, phase)
            self._resume(state)
        self._rollback = rollback
        self._imply_to(frames[0].depth)
        self._phase = phase

    def _keep_in(self, frame: Frame, phase: Phase) -> None:
        """Keep the reading in which a bracket further out goes on here."""
        try:
            self._imply_to(frame.depth)
        except UnreadableError:
            return
        self._keep(phase=phase, early=True)

    def _leave_for(self, *, is_object: bool) -> None:
        """Close brackets whose closers are missing, up to one of the kind."""
        frames = self._around(is_object=is_object)
        if not frames or not self._mends:
            raise UnreadableError(self._at, expected="expected-comma")
        self._leave_to(frames, "key" if is_object else "value")

    def _end(self) -> None:
        """The end of a fence that is closed ends what is open in it; other ends cut it off."""
        if not self._fenced or not self._mends:
            raise UnreadableError(self._at, "lacks a closing bracket")
        self._imply_to(0)

    def _imply_to(self, depth: int) -> None:
        """Close the brackets that are deeper, each of which lacks its closer."""
        if self._missing not in {-1, self._at}:
            raise UnreadableError(self._at, _PLACE)
        while self._frame and self._frame.depth > depth:
            self._imply(self._frame)

    def _imply(self, frame: Frame) -> None:
        if not frame.size:
            raise UnreadableError(self._at, "lacks a closing bracket")
        if self._may_be_doubled(frame):
            error = UnreadableError(self._at, _PLACE)
            self._doubt = error if self._missing < 0 else self._doubt
            raise error
        if tokens.ENDS_IN_CLOSER.search(self._text, max(0, self._at - tokens.NEAR), self._at):
            raise UnreadableError(self._at, "ends with a closing bracket in a string")
        self._missing = self._at
        self._repair("missing-closer", self._at, self._at, frame.closer)
        self._close(0)

    def _may_be_doubled(self, frame: Frame) -> bool:
        """Whether an array may lack its closer because one of its arrays has an opener too many."""
        item = frame.node.at(0)
        kinds = item.kinds
        overlap = "array" in kinds and not kinds.isdisjoint(item.at(0).kinds)
        return frame.nests and not frame.is_object and overlap

    def _keep_outside(self, frame: Frame) -> None:
        """Keep the readings in which what comes next belongs to a bracket further out."""
        if not self._mends or self._missing >= 0:
            return
        ahead = self._sees(tokens.QUOTED_KEY_AHEAD, self._at) if frame.is_object else None
        name = ahead["name"] if ahead else ""
        kind = _KIND_AHEAD.get(self._peek(), "")
        frames = self._around(is_object=frame.is_object)
        frames = [one for one in frames[1:] if _may_hold(one.node, frame, name, kind)]
        state, rollback = self._state(), self._rollback
        for one in frames:
            self._keep_in(one, "key" if frame.is_object else "value")
            self._resume(state)
        self._rollback = rollback


def _may_hold(around: Node, frame: Frame, name: str, kind: str) -> bool:
    """Whether what seems to be a part of `frame` may be one of a bracket around it."""
    if frame.is_object:
        return around.declares(name) or not frame.node.declares(name)
    kinds = around.at(0).kinds
    return kind in kinds if kind else not kinds.isdisjoint(frame.node.at(0).kinds)
