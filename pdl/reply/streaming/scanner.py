"""One pass over a reply as it comes: reasoning, fences, tokens and tags are told from the rest.

The rules are those of `pdl.reply.segments.segmenter`, as far as they can be followed without
looking ahead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import regex

from pdl.reply.segments.segmenter import FENCE_PREFIX, PREFIX  # the rules of whole replies
from pdl.reply.streaming.cursor import Cursor
from pdl.reply.streaming.tags import LONGEST, Tag, Tags, seek

if TYPE_CHECKING:
    from pdl.reply.streaming.partial import Partial

_RUN = re.compile(r"`++|~++")
_SHORTEST_FENCE = 3  # GFM 4.5
_DEEPER = 3  # how much deeper than its opener a closer may be indented


@dataclass
class Fence:
    """A fence that is open: its offset, its run, how far it is indented, what it says it holds."""

    start: int
    run: str
    indent: int
    info: str
    quoted: bool
    reasoning: int = 0  # reasoning tags that were opened in it


class Reader(Protocol):
    """What makes an answer of the text that the scanner lets through.

    `waits`: it stopped since it needs more characters.
    """

    waits: bool

    def take(self, cursor: Cursor, fence: Fence | None) -> None:
        """Read up to where a mark may begin, or up to where more characters are needed."""

    def plain(self, cursor: Cursor, end: int, fence: Fence | None) -> None:
        """What stands before `end` in the cursor's text might have been a mark, and is none."""

    def token(self, tag: Tag) -> bool:
        """A token of a turn, outside of fences; false if it is text where the reader is."""

    def answer(self, *, opens: bool) -> bool:
        """A tag around the answer, outside of fences; false likewise."""

    def leave(self) -> None:
        """Reasoning begins, or a fence does: no bracket goes on behind it."""

    def opened(self, fence: Fence, line: str) -> None:
        """A fence was opened by that line."""

    def closed(self, line: str) -> None:
        """The fence was closed by that line."""

    def restart(self) -> None:
        """All that was there was reasoning."""

    def partial(self) -> Partial:
        """What is known now."""


class Scanner:
    """Feeds a reader with what is neither reasoning nor a mark."""

    def __init__(self, reader: Reader, tags: Tags) -> None:
        self._reader = reader
        self._cursor = Cursor()
        self._patterns = tags.patterns
        self._tags = tags
        self._end_of_line = regex.compile(self._patterns.end_of_line.pattern)
        self._fence: Fence | None = None
        self._closer: re.Pattern[str] | None = None  # what ends the reasoning that is open
        self._keeps_closer = False  # what ends it begins something else as well

    def feed(self, piece: str) -> None:
        """Read on as far as what is there decides."""
        cursor = self._cursor
        cursor.add(piece)
        while cursor.at < cursor.end:
            if self._closer is not None:
                goes_on = self._reason(self._closer)
            else:
                self._reader.take(cursor, self._fence)
                goes_on = cursor.at < cursor.end and not self._reader.waits and self._mark()
            if not goes_on:
                return

    def _reason(self, closer: re.Pattern[str]) -> bool:
        found = seek(closer, self._cursor)
        if found is None:
            return False
        if not self._keeps_closer:
            self._cursor.at = found.end()
        self._closer = None
        return True

    def _mark(self) -> bool:
        """Handle what stands at the cursor; false if it cannot be told yet what it is."""
        cursor = self._cursor
        char = cursor.text[cursor.at]
        if char in "`~":
            return self._run()
        tag = self._tags.at(cursor) if char in self._tags.first else None
        if tag == "wait":
            return False
        if tag is None:
            return self._pass(cursor.at + 1)
        return self._handle(tag)

    def _pass(self, end: int) -> bool:
        self._reader.plain(self._cursor, end, self._fence)
        return True

    # Tags

    def _handle(self, tag: Tag) -> bool:
        kind, found = tag
        if kind == "closer":
            return self._close_reasoning(found.end())
        if self._fence:
            self._fence.reasoning += kind == "opener"
            return self._pass(found.end())
        if kind == "opener":
            return self._open_reasoning(found.end(), self._patterns.closer_of(found), keeps=False)
        if kind == "channel" and found["name"].lower() != "final":
            return self._open_reasoning(found.end(), self._patterns.channel_end, keeps=True)
        answers = kind in {"answer", "answer-end"}
        taken = self._reader.answer(opens=kind == "answer") if answers else self._reader.token(tag)
        if not taken:
            return self._pass(found.end())
        self._cursor.at = found.end()
        return True

    def _open_reasoning(self, end: int, closer: re.Pattern[str], *, keeps: bool) -> bool:
        """Only its own closer ends it here. That another one may, close knows."""
        self._reader.leave()
        self._closer, self._keeps_closer = closer, keeps
        self._cursor.at = end
        return True

    def _close_reasoning(self, end: int) -> bool:
        """A closer without an opener: all before it was reasoning."""
        fence = self._fence
        if fence and (fence.reasoning or self._prefix(self._cursor.at).strip()):
            fence.reasoning = max(0, fence.reasoning - 1)
            return self._pass(end)
        self._fence = None
        self._reader.restart()
        self._cursor.at = end
        return True

    # Fences: GFM 4.5, but at any indentation

    def _prefix(self, at: int) -> str:
        """What stands on the line in front of a place."""
        return self._cursor.text[max(0, at - PREFIX) : at].rpartition("\n")[2]

    def _run(self) -> bool:
        cursor = self._cursor
        run = _RUN.match(cursor.text, cursor.at, cursor.at + LONGEST)
        assert run
        if run.end() == cursor.end and len(run[0]) < LONGEST:
            return False
        prefix = self._prefix(cursor.at)
        if not _SHORTEST_FENCE <= len(run[0]) < LONGEST or len(prefix) >= PREFIX:
            return self._pass(run.end())
        if self._fence:
            return self._close_fence(self._fence, run, prefix)
        return self._open_fence(run, prefix)

    def _open_fence(self, run: re.Match[str], prefix: str) -> bool:
        cursor = self._cursor
        if not FENCE_PREFIX.fullmatch(prefix):
            return self._pass(run.end())
        line = cursor.text[run.end() : run.end() + LONGEST]
        info, newline, _ = line.partition("\n")
        if (run[0][0] == "`" and "`" in info) or self._patterns.last_closer.search(info):
            return self._pass(run.end())
        if not newline and len(line) < LONGEST:
            return False
        if not newline:
            return self._pass(run.end())
        end = run.end() + len(info) + 1
        self._reader.leave()
        self._fence = Fence(cursor.offset, run[0], len(prefix), info.strip(), ">" in prefix)
        self._reader.opened(self._fence, cursor.text[run.start() : end])
        cursor.at = end
        return True

    def _close_fence(self, fence: Fence, run: re.Match[str], prefix: str) -> bool:
        cursor = self._cursor
        if (
            not run[0].startswith(fence.run)
            or prefix.strip(" \t>" if fence.quoted else None)
            or len(prefix) > fence.indent + _DEEPER
        ):
            return self._pass(run.end())
        line, newline, _ = cursor.text[run.end() : run.end() + LONGEST].partition("\n")
        if not newline and len(line) < LONGEST:
            if self._end_of_line.fullmatch(line, partial=True):
                return False
            return self._pass(run.end())
        if not newline or not self._end_of_line.fullmatch(line):
            return self._pass(run.end())
        self._fence = None
        self._reader.leave()
        self._reader.closed(run[0])
        cursor.at = run.end()
        return True
