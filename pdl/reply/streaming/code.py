"""`code`: the body of the last fenced block so far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply import late
from pdl.reply.query import Asked
from pdl.reply.segments.segmenter import cut
from pdl.reply.streaming.growing import Growing
from pdl.reply.streaming.partial import NOTHING, Partial
from pdl.reply.streaming.text import Told

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.streaming.cursor import Cursor
    from pdl.reply.streaming.scanner import Fence
    from pdl.reply.streaming.tags import Tag, Tags

_LINES = re.compile(r"\r?\n|\r|[^\r\n]++")


class CodeReader:
    """The lines of a block, less the indentation of its fence (GFM 4.5).

    Its last line break is no part of it, nor are the blanks in front of the fence that closes it;
    so a line break and the blanks behind it wait for what follows.
    """

    waits = False

    def __init__(self, lang: str | None, limits: Limits, tags: Tags) -> None:
        self._lang = lang
        self._limits = limits
        self._stops = re.compile(f"[`~{re.escape(''.join(tags.first))}]")
        self._told = Told()
        self.restart()

    def restart(self) -> None:
        """All that was there was reasoning."""
        self._text: Growing | None = None
        self._is_open = False
        self._begin(0)

    def _begin(self, indent: int) -> None:
        self._indent = indent
        self._break = ""  # a line break that may be the last
        self._blanks: str | None = ""  # those at the start of a line; None amid a line

    def take(self, cursor: Cursor, fence: Fence | None) -> None:
        """Read up to a mark."""
        found = self._stops.search(cursor.text, cursor.at)
        self.plain(cursor, found.start() if found else cursor.end, fence)

    def plain(self, cursor: Cursor, end: int, _fence: Fence | None) -> None:
        """Code, if it is in the block."""
        if self._is_open:
            for part in _LINES.findall(cursor.text, cursor.at, end):
                self._add(part)
        cursor.at = end

    def _add(self, part: str) -> None:
        if part in {"\n", "\r", "\r\n"}:
            self._line_end(part)
        elif self._blanks is None:
            self._write(self._break + part)
        else:
            body = part.lstrip(" \t")
            self._blanks += part[: len(part) - len(body)]
            if body:
                self._write(self._break + self._blanks[self._indent :] + body)

    def _line_end(self, part: str) -> None:
        if self._break == "\r" and part == "\n":
            self._break = "\r\n"
            return
        self._write(self._break + (self._blanks or "")[self._indent :])
        self._break, self._blanks = part, ""

    def _write(self, piece: str) -> None:
        assert self._text is not None
        self._text.add(piece)
        self._break, self._blanks = "", None

    def token(self, _tag: Tag) -> bool:
        """A token outside of the block."""
        return True

    def answer(self, *, opens: bool) -> bool:  # noqa: ARG002 - of no account here
        """A tag outside of the block."""
        return True

    def leave(self) -> None:
        """Reasoning begins, or a fence begins or ends."""

    def opened(self, fence: Fence, _line: str) -> None:
        """A block begins; it is shown instead of the one before it if its language is wanted."""
        if self._is_wanted(fence.info):
            self._text = Growing()
            self._is_open = True
            self._begin(fence.indent)

    def closed(self, _line: str) -> None:
        """The block ends."""
        self._is_open = False

    def _is_wanted(self, info: str) -> bool:
        """What the reader of whole replies makes of a block with that info string."""
        sample = f"~~~ {info}\nx\n~~~\n"
        asked = Asked(sample, cut(sample, self._limits), {}, self._limits, lang=self._lang)
        return late.reader("code")(asked).reason is None

    def partial(self) -> Partial:
        """What is known now."""
        if self._text is None:
            return NOTHING
        return self._told.partial(self._text, is_open=self._is_open)
