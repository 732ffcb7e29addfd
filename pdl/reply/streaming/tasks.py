"""`tasklist`: the lines of a task list that have ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.sentences import PLAIN_FENCES, language
from pdl.reply.streaming.growing import Growing
from pdl.reply.streaming.partial import NOTHING, Partial
from pdl.reply.streaming.text import Told

if TYPE_CHECKING:
    from pdl.reply.streaming.cursor import Cursor
    from pdl.reply.streaming.scanner import Fence
    from pdl.reply.streaming.tags import Tag, Tags

_ITEM = re.compile(r"[ \t]*+[-*+][ \t]++\[[^\[\]\n]\][ \t]++\S")
_INDENTED = re.compile(r"[ \t]++\S")


class TaskReader:
    """The first list of a reply: its items, and the lines that go on with them.

    It ends with a blank line, or with a line that has no clear place in it.
    """

    waits = False

    def __init__(self, tags: Tags) -> None:
        self._stops = re.compile(f"[\n`~{re.escape(''.join(tags.first))}]")
        self._told = Told()
        self.restart()

    def restart(self) -> None:
        """All that was there was reasoning."""
        self._text = Growing()
        self._break = ""  # what stands between the last line and the next
        self._line: list[str] = []
        self._ended = False

    def take(self, cursor: Cursor, fence: Fence | None) -> None:
        """Read up to a mark, line by line."""
        while found := self._stops.search(cursor.text, cursor.at):
            self.plain(cursor, found.start(), fence)
            if found[0] != "\n":
                return
            cursor.at += 1
            self._end_line()
        self.plain(cursor, cursor.end, fence)

    def plain(self, cursor: Cursor, end: int, fence: Fence | None) -> None:
        """A part of a line; what is in a block of code is no list."""
        if fence is None or language(fence.info) in PLAIN_FENCES:
            self._line.append(cursor.text[cursor.at : end])
        cursor.at = end

    def _end_line(self) -> None:
        line = "".join(self._line)
        self._line.clear()
        begun = len(self._text) > 0
        if self._ended or not (begun or _ITEM.match(line)):
            return
        if not _ITEM.match(line) and not _INDENTED.match(line):
            self._ended = True
            return
        body = line.rstrip()
        self._text.add(self._break + body)
        self._break = line[len(body) :] + "\n"

    def token(self, _tag: Tag) -> bool:
        """A token of a turn is no part of a line."""
        return True

    def answer(self, *, opens: bool) -> bool:  # noqa: ARG002 - of no account here
        """A tag around the answer is no part of a line."""
        return True

    def leave(self) -> None:
        """Reasoning begins, or a fence begins or ends."""

    def opened(self, _fence: Fence, _line: str) -> None:
        """The line of a fence ends a list."""
        self._end_line()

    def closed(self, _line: str) -> None:
        """The line of a fence ends a list."""
        self._end_line()

    def partial(self) -> Partial:
        """What is known now."""
        return self._told.partial(self._text) if len(self._text) else NOTHING
