"""Where a reader of a text stands, and the smallest steps that it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl.reply.parsing import tokens
from pdl.reply.parsing.errors import UnreadableError
from pdl.reply.parsing.events import Event, Op
from pdl.reply.parsing.state import Frame, Phase, State

if TYPE_CHECKING:
    from pdl._types import JsonPath
    from pdl.limits import Limits
    from pdl.reply.parsing.nodes import Nodes

_BRANCHES = 16  # places at which a text may be read in two ways


class Cursor:
    """A place in a text and what was read up to it; the states that it may go back to."""

    def __init__(self, text: str, nodes: Nodes, limits: Limits) -> None:
        self._text = text
        self._nodes = nodes
        self._limits = limits
        self._others: list[State] = []
        self._branches = 0
        self._doubt: UnreadableError | None = None  # of all readings, as nothing settles it
        self._resume(State())

    def _resume(self, state: State) -> None:
        self._at = state.at
        self._phase: Phase = state.phase
        self._frame = state.frame
        self._trail = state.trail
        self._passed = state.passed
        self._mended = state.mended
        self._string = state.string
        self._ending = state.ending

    def _keep(self, **changes: Any) -> None:
        """Keep the present state, with changes, to come back to."""
        self._branches += 1
        if self._branches > _BRANCHES:
            raise UnreadableError(self._at, "can be read in too many ways")
        state = State(self._at, self._phase, self._frame, self._trail, self._passed, self._mended)
        self._others.append(replace(state, **changes))

    def _skip(self) -> None:
        """Pass over blanks and comments."""
        text = self._text
        while text[self._at : self._at + 1] not in tokens.SOLID:
            blank = tokens.BLANKS.match(text, self._at)
            assert blank is not None
            self._at = blank.end()
            if self._at == len(text):
                return
            if odd := tokens.ODD_BLANKS.match(text, self._at):
                if odd[0][-2:-1] == "\\" and text[odd.end() : odd.end() + 1].isalpha():
                    raise UnreadableError(self._at)  # it may be of a text: `\there`
                self._repair("blank", odd.start(), odd.end(), " ")
                self._at = odd.end()
            elif comment := tokens.COMMENT.match(text, self._at):
                self._comment(comment.start(), comment.end())
            else:
                return

    def _comment(self, start: int, end: int) -> None:
        """Pass over a comment, unless it stands behind data and may hide some.

        One with half of a pair of quotes may be data that lost the other half.
        """
        line = self._text[self._text.rfind("\n", 0, start) + 1 : start]
        said = self._text[start:end]
        glued = line[-1:] in {'"', "'"} and any(quote in said for quote in "\"'")
        glued = glued or (line[-1:].isalnum() and said[:1] == "#")
        hides = line.strip() and (glued or tokens.HIDDEN.match(said))
        if hides or said.count('"') % 2 or tokens.HASHTAGS.fullmatch(said):
            raise UnreadableError(start, "has a comment that may hide data")
        self._repair("comment", start, end, "")
        self._at = end

    def _punctuation(self, wanted: str) -> bool:
        mark = self._text[self._at : self._at + 1]
        if mark == wanted:
            self._at += 1
            return True
        if tokens.PUNCTUATION.get(mark) != wanted:
            return False
        self._repair("full-width", self._at, self._at + 1, wanted)
        self._at += 1
        return True

    def _semicolon(self) -> bool:
        if self._text[self._at : self._at + 1] not in {";", "；"}:
            return False
        self._repair("semicolon", self._at, self._at + 1, ",")
        self._at += 1
        return True

    def _event(self, op: Op, payload: Any, start: int, end: int | None = None) -> None:
        self._trail = Event(self._trail, op, payload, start, self._at if end is None else end)

    def _repair(self, kind: str, start: int, end: int, after: str) -> None:
        self._trail = Event(self._trail, "repair", (kind, after), start, end)

    def _stored(self) -> None:
        """A value is complete."""
        frame = self._frame
        if frame is None:
            self._phase = "done"
            return
        size = frame.size + 1
        key = None if frame.is_object else size
        self._frame = Frame(frame.parent, frame.is_object, key, size, frame.closer, frame.depth)
        self._phase = "after"

    def _kinds(self) -> frozenset[str]:
        """The types that the schema allows for the value that is to come."""
        return self._nodes.kinds(self._path(self._frame))

    def _last_end(self) -> int:
        """Where the last thing ended that is no repair."""
        event = self._trail
        while event and event.op == "repair":
            event = event.before
        return event.end if event else 0

    def _path(self, frame: Frame | None) -> JsonPath:
        steps: list[str | int] = []
        while frame:
            if frame.key is not None:
                steps.append(frame.key)
            frame = frame.parent
        return tuple(steps[::-1])
