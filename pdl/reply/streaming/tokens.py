"""The tokens of an answer that take more than one character, each read as it comes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.reply.parsing.elision import elided_at
from pdl.reply.streaming import spelling
from pdl.reply.streaming.growing import Growing
from pdl.reply.streaming.spelling import NoReadingError

if TYPE_CHECKING:
    from pdl.reply.streaming.cursor import Cursor

Progress: TypeAlias = Literal["more", "done", "broken"]
"""It goes on with what is to come; it ended; it has no reading that is certain."""

_FENCE_LINE = re.compile(r"\n[ \t]{0,40}+(?:`{3}|~{3})")
_FENCE_WINDOW = 44
_LINE = re.compile(r"[^\n]*+")
_BLOCK = re.compile(r"(?>(?:[^*]|\*(?=[^/]))*)")


class _Token:
    """What has been read of it."""

    def __init__(self) -> None:
        self.text = Growing()

    def _take(self, cursor: Cursor, run: re.Pattern[str]) -> bool:
        """Read a run of characters; whether something stands behind it."""
        found = run.match(cursor.text, cursor.at)
        if found and found[0]:
            self.text.add(found[0])
            cursor.at = found.end()
        return cursor.at < cursor.end


class Atom(_Token):
    """A number, a literal, or a key without quotes; it ends before any other character."""

    def read(self, cursor: Cursor) -> Progress:
        """Read on."""
        return "done" if self._take(cursor, spelling.ATOM) else "more"


class Comment(_Token):
    """A comment behind `mark`, which is `//`, `/*` or `#`."""

    def __init__(self, mark: str) -> None:
        super().__init__()
        self._run = _BLOCK if mark == "/*" else _LINE
        self._width = 2 if mark == "/*" else 0  # of what ends it and belongs to it

    def read(self, cursor: Cursor) -> Progress:
        """Read on. A comment may say that data is missing; then there is no answer here."""
        if not self._take(cursor, self._run) or cursor.end - cursor.at < self._width:
            return "more"
        cursor.at += self._width
        return "done" if elided_at(str(self.text)) is None else "broken"


class Quoted(_Token):
    """A string behind its opening quote. `fenced`: a line of backticks may end it, or may not."""

    def __init__(self, opener: str, *, fenced: bool) -> None:
        super().__init__()
        self.opener = opener
        self.closer = spelling.CLOSERS[opener]
        self.escaped = self.broken = False  # it holds a backslash, a line end
        self._run = spelling.RUNS[self.closer]
        self._fenced = fenced

    def read(self, cursor: Cursor) -> Progress:
        """Read on."""
        while self._take(cursor, self._run):
            char = cursor.text[cursor.at]
            if char == self.closer:
                cursor.at += 1
                return "done"
            stop = self._special(cursor, char)
            if stop:
                return stop
        return "more"

    def _special(self, cursor: Cursor, char: str) -> Progress | None:
        """What is no plain text: an escape, a line end; another quote, or half of a character."""
        if char == "\\":
            return self._escape(cursor)
        return self._line_end(cursor) if char == "\n" else "broken"

    def _escape(self, cursor: Cursor) -> Progress | None:
        try:
            found = spelling.escape(cursor.text, cursor.at)
        except NoReadingError:
            return "broken"
        if found is None:
            return "more"
        piece, cursor.at = found
        self.text.add(piece)
        self.escaped = True
        return None

    def _line_end(self, cursor: Cursor) -> Progress | None:
        behind = cursor.text[cursor.at : cursor.at + _FENCE_WINDOW]
        if self._fenced and _FENCE_LINE.match(behind):
            return "broken"
        if self._fenced and len(behind) < _FENCE_WINDOW and _fence_may_come(behind):
            return "more"
        self.text.add("\n")
        self.broken = True
        cursor.at += 1
        return None


def _fence_may_come(line: str) -> bool:
    """Whether a line end and the beginning of a line do not tell yet that no fence follows."""
    return line[1:].lstrip(" \t") in {"", "`", "``", "~", "~~"}
