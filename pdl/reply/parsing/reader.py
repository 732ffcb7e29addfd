"""The position of a parser in its text, and its smallest steps.

The text can still grow. Looking at characters that are not there yet raises `IncompleteError`, so
nothing depends on where the text ends until it is known to have ended.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pdl.reply.parsing import tokens
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import line_before
from pdl.reply.result import Event, Op

if TYPE_CHECKING:
    import re

    import regex

    from pdl.limits import Limits
    from pdl.reply.validation.schema_walk import Node

Phase: TypeAlias = Literal["value", "key", "first", "after", "comma", "done"]
"""The next part: a value, a key, either after an opening bracket, after a value, or its comma."""

_BRANCHES = 16  # positions at which a text can be read in two ways


class IncompleteError(Exception):
    """The reading depends on characters that have not come yet."""


class Frame(NamedTuple):
    """A bracket that is open; there is a new one at each key and each item.

    `key` is the key that waits for its value, or the index of the next item; `size` counts the
    values; `closer` ends it; `nests`: it contains one of its kind.
    """

    parent: Frame | None
    node: Node
    is_object: bool
    key: str | int | None
    size: int
    closer: str
    depth: int
    nests: bool = False

    def named(self, key: str) -> Frame:
        """The frame at a key, made in a third of the time that `_replace` takes."""
        return Frame(
            self.parent, self.node, self.is_object, key, self.size, self.closer, self.depth,
            self.nests,
        )  # fmt: skip


class ParserState(NamedTuple):
    """All that a parser knows at one moment: a handful of references, cheap to keep.

    `passed`: a quote was skipped that a key might follow. `string` is one to continue: its start,
    an offset, and the quotes in it so far; `ending` one that ends without a quote: its start and
    its end. `comma` is the offset of the last one.
    """

    at: int
    phase: Phase
    frame: Frame | None
    trail: Event | None
    passed: bool
    string: tuple[int, int, tuple[int, ...]] | None
    ending: tuple[int, int] | None
    comma: int


START = ParserState(0, "value", None, None, False, None, None, -1)  # noqa: FBT003


@lru_cache(maxsize=64)
def _partial(pattern: str, flags: int) -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - only replies that come in pieces need it

    return regex.compile(pattern.replace(r"\Z", "(?!)"), flags & regex.DOTALL)


def partial(pattern: re.Pattern[str]) -> regex.Pattern[str]:
    r"""The same pattern for `regex`, which recognizes a text that might become a match.

    In a text that has not ended yet, `\Z` matches nowhere.
    """
    return _partial(pattern.pattern, pattern.flags)  # whose hash is known, unlike the pattern's


class Reader:
    """A position in a text, the events up to it, and the other possible states."""

    def __init__(self, node: Node, limits: Limits) -> None:
        self._text = ""
        self._seen = 0  # characters that are looked at by now
        self._ended = False
        self._node = node
        self._limits = limits
        self._others: list[ParserState] = []
        self._begun = 0  # where the last string value begins
        self._branches = 0
        self.lost = False
        """Whether some readings of the text were given up, so no other is certain."""
        self._resume(START)

    def _resume(self, state: ParserState) -> None:
        (
            self._at, self._phase, self._frame, self._trail, self._passed,
            self._string, self._ending, self._comma,
        ) = state  # fmt: skip
        self._rollback = (state, len(self._others), self._branches)

    def _state(self, **changes: Any) -> ParserState:
        state = ParserState(
            self._at, self._phase, self._frame, self._trail, self._passed,
            self._string, self._ending, self._comma,
        )  # fmt: skip
        return state._replace(**changes) if changes else state

    def _keep(self, **changes: Any) -> None:
        """Keep the present state, with changes, as another one that is possible."""
        self._branches += 1
        if self._branches > _BRANCHES:
            self.lost = True
            raise UnreadableError(self._at, "can be read in too many ways")
        self._others.append(self._state(**{"string": None, "ending": None, **changes}))

    def _secure(self, **changes: Any) -> None:
        """Go on from here, not from the last step, if characters are missing."""
        if not self._ended:
            self._rollback = (self._state(**changes), len(self._others), self._branches)

    # Looking at the text

    def _sees(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """Match a pattern whose end does not depend on the text after it."""
        if not self._ended:
            found = partial(pattern).match(self._text, at, self._seen, partial=True)
            if found and found.partial:
                raise IncompleteError
            if not found:
                return None
        return pattern.match(self._text, at, self._seen)

    def _match(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """Match a pattern for which one more character decides where it ends."""
        found = self._sees(pattern, at)
        if found and found.end() == self._seen and not self._ended:
            raise IncompleteError
        return found

    def _peek(self, width: int = 1) -> str:
        """The next characters; fewer of them only at the end."""
        found = self._text[self._at : min(self._at + width, self._seen)]
        if len(found) < width and not self._ended:
            raise IncompleteError
        return found

    def _skip(self, *, secure: bool = True) -> None:
        """Skip spaces and comments; `secure`: they do not have to be read again."""
        while self._peek() not in tokens.SOLID:
            blank = tokens.BLANKS.match(self._text, self._at, self._seen)
            assert blank is not None
            self._at = blank.end()
            if secure:
                self._secure()
            if not self._peek():
                return
            if odd := self._match(tokens.ODD_BLANKS, self._at):
                if odd[0][-2:-1] == "\\" and self._text[odd.end() : odd.end() + 1].isalpha():
                    raise UnreadableError(self._at)  # it might belong to a string: `\there`
                self._repair("blank", odd.start(), odd.end(), " ")
                self._at = odd.end()
            elif comment := self._match(tokens.COMMENT, self._at):
                self._comment(comment.start(), comment.end())
            else:
                return

    def _comment(self, start: int, end: int) -> None:
        """Skip a comment, unless it comes after data and might hide some.

        One with half of a pair of quotes might be data that lost the other half.
        """
        front = line_before(self._text, start)
        said = self._text[start:end]
        glued = front[-1:] in {'"', "'"} and any(quote in said for quote in "\"'")
        glued = glued or (front[-1:].isalnum() and said[:1] == "#")
        hides = front.strip() and (glued or tokens.HIDDEN.match(said))
        if hides or said.count('"') % 2 or tokens.HASHTAGS.fullmatch(said):
            raise UnreadableError(start, "has a comment that might hide data")
        self._repair("comment", start, end, "")
        self._at = end

    def _punctuation(self, wanted: str) -> bool:
        mark = self._peek()
        if mark == wanted:
            self._at += 1
            return True
        if tokens.PUNCTUATION.get(mark) != wanted:
            return False
        self._repair("full-width", self._at, self._at + 1, wanted)
        self._at += 1
        return True

    # The parts that were read

    def _event(self, op: Op, payload: Any, start: int, end: int | None = None) -> None:
        self._trail = Event(self._trail, op, payload, start, self._at if end is None else end)

    def _repair(self, kind: str, start: int, end: int, after: str) -> None:
        self._trail = Event(self._trail, "repair", (kind, after), start, end)

    def _enter(self, is_object: bool, closer: str, start: int, end: int) -> None:  # noqa: FBT001
        """A bracket begins."""
        around = self._frame
        self._event("object" if is_object else "array", None, start, end)
        depth = around.depth + 1 if around else 1
        key = None if is_object else 0
        self._frame = Frame(around, self._place(), is_object, key, 0, closer, depth)
        self._phase = "first"

    def _leave(self, frame: Frame, start: int, end: int) -> None:
        """The bracket ends."""
        self._event("close", None, start, end)
        self._frame = frame.parent
        around = frame.parent
        self._stored(nests=around is not None and around.is_object == frame.is_object)

    def _stored(self, *, nests: bool = False) -> None:
        """A value is complete."""
        frame = self._frame
        if frame is None:
            self._phase = "done"
            return
        size = frame.size + 1
        key = None if frame.is_object else size
        self._frame = Frame(
            frame.parent, frame.node, frame.is_object, key, size, frame.closer, frame.depth,
            frame.nests or nests,
        )  # fmt: skip
        self._phase = "after"

    def _place(self) -> Node:
        """The schema node of the value that comes next."""
        frame = self._frame
        return self._node if frame is None or frame.key is None else frame.node.at(frame.key)

    def _last(self) -> Event | None:
        """The last event that is not a repair."""
        event = self._trail
        while event and event.op == "repair":
            event = event.before
        return event
