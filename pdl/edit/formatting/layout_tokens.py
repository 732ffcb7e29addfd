"""The tokens of the schema DSL for its layout: each with its brackets, its entry, and its width."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pdl.edit.notation import Kind, Notation

TIGHT: frozenset[Kind] = frozenset({"bounds", "rest"})
"""Brackets without spaces, which are never broken."""

Mode = Literal["flat", "hug", "broken"]
"""How brackets are printed: on one line; around brackets that are broken; an entry a line."""


@dataclass(slots=True)
class Token:
    """A terminal other than a comma; `lines` counts the newlines between it and the one before.

    A bar that comments follow comes after them, and is empty there until it is written.
    """

    text: str
    start: int
    end: int
    lines: int
    frame: Frame
    entry: Entry
    is_comment: bool = False
    opens: Frame | None = None
    closes: Frame | None = None
    comma: bool = False
    line: int = 0
    flat: int = 0  # where it would end if all were on one line
    is_aligned: bool = False  # a comment that continues the one above, which follows something


@dataclass(slots=True)
class Entry:
    """What is between two commas, or a definition or tool: indices of its tokens and its bars.

    `start` is where its type begins, and `breaks` are the bars that begin a line.
    """

    frame: Frame
    first: int
    last: int = -1
    start: int = -1
    bars: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """Brackets; `breaks` says that there is a newline in them, `own` that it is in no inner ones.

    When they are printed, `inner` is the indentation of their entries, `outer` that of the closing
    bracket, and `base` that of the entry which is being printed.
    """

    kind: Kind
    parent: Frame | None
    opener: int
    closer: int = -1
    breaks: bool = False
    own: bool = False
    entries: list[Entry] = field(default_factory=list)
    mode: Mode = "broken"
    inner: int = 0
    outer: int = 0
    base: int = 0


class Reader:
    """Gives each token its brackets and its entry, and notes where the author broke lines."""

    def __init__(self, text: str, notation: Notation) -> None:
        self.text = text
        self.notation = notation
        self.root = self.frame = Frame("text", None, -1)
        self.found: list[Token] = []
        self.last: Token | None = None  # the last one that is no comment
        self.begins = True  # whether an entry begins with the next token

    def tokens(self) -> list[Token]:
        """The tokens, with commas as a part of what precedes them."""
        openers = {frame.opener: frame.kind for frame in self.notation.frames[1:]}
        closers = {frame.closer for frame in self.notation.frames[1:]}
        end = most = 0
        bar: int | None = None  # the lines before one that comments follow, which comes after them
        for index, one in enumerate(self.notation.tokens):
            lines = self.text.count("\n", end, one.start)
            if one.text == "|" and self._precedes_comment(index):
                bar, end = lines, one.end
                continue
            if bar is not None and one.role == "comment":
                most = 2 if lines else 1  # what follows a line describes, whatever is below it
                lines, bar = lines + bar, 0
            elif bar is not None:
                self._add("|", end, min(lines, most), is_comment=False)
                self.found[-1].end = end
                lines, bar = 0, None
            end = one.end
            if one.text == "," and self.frame.kind != "bounds" and one.role == "operator":
                assert self.last is not None
                self.last.comma = self.begins = True
                self._note_lines(lines)
                continue
            if index in closers and self.last is not None:
                self.last.comma = False
            if one.role in ("definition", "tool") and self.frame is self.root:
                self.begins = True
            self._add(one.text, one.start, lines, is_comment=one.role == "comment")
            if index in openers:
                self._open(openers[index])
            elif index in closers:
                self._close()
        return self.found

    def _precedes_comment(self, index: int) -> bool:
        following = self.notation.tokens[index + 1 : index + 2]
        return bool(following) and following[0].role == "comment"

    def _add(self, text: str, start: int, lines: int, *, is_comment: bool) -> None:
        frame, index = self.frame, len(self.found)
        self._note_lines(lines or is_comment)
        if (self.begins or not frame.entries) and not is_comment:
            frame.entries.append(Entry(frame, index))
            self.begins = False
        entry = frame.entries[-1] if frame.entries else Entry(frame, index)
        made = Token(text, start, start + len(text), lines, frame, entry, is_comment)
        made.line = lines + (self.found[-1].line if self.found else 0)
        if is_comment:
            made.is_aligned = self._continues(made)
            made.flat = self.last.flat if self.last is not None else 0
        else:
            self._count(made, index)
        self.found.append(made)

    def _note_lines(self, lines: int) -> None:
        if lines:
            self.frame.breaks = self.frame.own = True

    def _count(self, made: Token, index: int) -> None:
        """Note a token in its entry, and its width."""
        entry, before = made.entry, self.last
        entry.last = index
        if made.text == "|":
            entry.bars.append(index)
        if made.text in (":", "=") and entry.first != index and not entry.bars:
            entry.start = -1  # which the next token is
        elif entry.start < 0:
            entry.start = index
        made.flat = len(made.text)
        if before is not None:
            made.flat += before.flat + before.comma + len(space(before, made))
        self.last = made

    def _continues(self, made: Token) -> bool:
        """Whether a comment is part of the one above it, as `comments` joins them."""
        above = self.found[-1] if self.found else None
        if above is None or not above.is_comment or made.lines != 1:
            return False
        begun = above.is_aligned or above.lines == 0
        return begun and self._column(above.start) == self._column(made.start)

    def _column(self, at: int) -> int:
        return at - self.text.rfind("\n", 0, at)

    def _open(self, kind: Kind) -> None:
        index = len(self.found) - 1
        self.frame = Frame(kind, self.frame, index)
        self.found[index].opens = self.frame
        self.begins = True

    def _close(self) -> None:
        """Note the closing bracket, which was added to what it closes."""
        made, inner = self.found[-1], self.frame
        outer = inner.parent
        assert outer is not None
        inner.closer = len(self.found) - 1
        if inner.entries and inner.entries[-1].first == inner.closer:
            inner.entries.pop()
        elif inner.entries:
            inner.entries[-1].last = self._before(inner.closer)
        outer.breaks = outer.breaks or inner.breaks
        made.closes, made.frame, made.entry = inner, outer, outer.entries[-1]
        made.entry.last = inner.closer
        self.frame, self.begins = outer, False

    def _before(self, index: int) -> int:
        index -= 1
        while self.found[index].is_comment:
            index -= 1
        return index


def space(before: Token, after: Token) -> str:
    """The space between two tokens on one line."""
    is_tight = before.frame.kind in TIGHT or after.text in (":", "?", ")", "]", ">", "<", ",")
    if is_tight or before.text in ("(", "[", "<"):
        return ""
    if after.text == "(" and not before.comma and before.text not in (":", "|", "="):
        return ""  # of a tool
    return "" if before.text == "{" and after.text == "}" else " "
