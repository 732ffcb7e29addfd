"""Answers in brackets: which bracket is shown while the reply comes in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.phrases import say
from pdl.reply.prose.marks_old import announced, exemplified
from pdl.reply.prose.sentences import PLAIN_FENCES, language
from pdl.reply.result import Violation
from pdl.reply.streaming import spelling
from pdl.reply.streaming.candidate import Candidate, Place
from pdl.reply.streaming.judge import Judge
from pdl.reply.streaming.loose import Loose
from pdl.reply.streaming.partial import NOTHING, Partial

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.streaming.cursor import Cursor
    from pdl.reply.streaming.holding import Rules
    from pdl.reply.streaming.scanner import Fence
    from pdl.reply.streaming.tags import Tag, Tags
    from pdl.reply.streaming.wish import Wish

_DECORATION = ' \t\r\n\ufeff*_`"“>#-'
_LEADS = re.compile(r"(?:[:：=→]|\b(?:is|are))$", re.IGNORECASE)
_INDEXED = re.compile(r"[A-Za-z0-9_)]")
_LIST_ITEM = re.compile(r"[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]++")
_LEAD = 200  # characters in front of a bracket that are looked at
_FENCE_LEAD = 1000  # as many between a fence and a bracket in it


class BracketReader:
    """Shows the bracket of a wanted kind that began last, unless an earlier one ranks higher.

    That is provisional: which one is the answer only the end tells. `lasting`: so is all of it.
    """

    def __init__(
        self, rules: Rules | None, wish: Wish, limits: Limits, tags: Tags, *, lasting: bool
    ) -> None:
        self.waits = False
        self._rules = rules
        self._wish = wish
        self._lasting = lasting
        self._limits = limits
        self._tags = tags
        stops = re.escape("".join(tags.first))
        self._stops = re.compile(rf"[{{}}\[\]`~{stops}]")
        self._stops_in_data = re.compile(rf'["{{}}\[\]`~{stops}]')
        self.restart()

    # What the scanner says

    def restart(self) -> None:
        """All that was there was reasoning."""
        self._loose = Loose()
        self._reading: Candidate | None = None
        self._shown: Candidate | None = None
        self._fallback: Candidate | None = None
        self._last: Candidate | None = None  # the last one, if nothing but blanks is behind it
        self._ended = 0  # where the last candidate ended
        self._count = 0  # candidates that are data
        self._blank = True  # nothing has been said since the text began
        self._tagged = False

    def leave(self) -> None:
        """No bracket goes on behind this."""
        if self._reading:
            self._finish(self._reading)
        self._loose = Loose()
        self._blank = True

    def opened(self, _fence: Fence, _line: str) -> None:
        """A fence was opened."""

    def closed(self, _line: str) -> None:
        """The fence was closed."""
        self._blank = False
        if self._last and self._last.place.fenced:
            self._last.settle(alone=True)
        self._last = None

    def token(self, _tag: Tag) -> bool:
        """A token of a turn."""
        return self._reading is None and not self._loose

    def answer(self, *, opens: bool) -> bool:
        """A tag around the answer."""
        if self._reading or self._loose:
            return False
        self._tagged = opens
        self._blank = self._blank or opens
        return True

    def partial(self) -> Partial:
        """What is known now."""
        shown = self._shown
        if self._reading and self._reading.is_shown(shown):
            shown = self._reading
        return shown.partial() if shown else NOTHING

    # Reading

    def take(self, cursor: Cursor, fence: Fence | None) -> None:
        """Read up to a mark, or to where more characters are needed."""
        self.waits = False
        while cursor.at < cursor.end:
            if self._reading:
                if not self._read(self._reading, cursor):
                    return
            elif not self._loose.skip_string(cursor):
                self.waits = True
                return
            elif not self._pass_over(cursor, fence):
                return

    def plain(self, cursor: Cursor, end: int, fence: Fence | None) -> None:
        """No mark: a bracket, or characters of no account."""
        if self._reading:
            self._reading.machine.plain(cursor)
            if self._reading.machine.status == "stuck":
                self._finish(self._reading)
                self._see(cursor, end)
        elif cursor.text[cursor.at] == "[" and end == cursor.at + 1:
            self._bracket(cursor, fence)
        else:
            self._see(cursor, end)

    def _read(self, candidate: Candidate, cursor: Cursor) -> bool:
        machine = candidate.machine
        machine.read(cursor)
        if machine.status == "reading":
            self.waits = cursor.at < cursor.end and not machine.marked
            return False
        self._ended = cursor.offset
        self._finish(candidate)
        if machine.status == "closed":
            candidate.settle(alone=False)
            self._last = candidate
        return True

    def _pass_over(self, cursor: Cursor, fence: Fence | None) -> bool:
        """Go to the next bracket; false at what may be a mark."""
        stops = self._stops_in_data if self._loose.in_data else self._stops
        found = stops.search(cursor.text, cursor.at)
        self._see(cursor, found.start() if found else cursor.end)
        if found is None:
            return True
        char = found[0]
        if char == "{":
            self._bracket(cursor, fence)
        elif char in "}]":
            self._loose.close(char)
            self._withdraw()
            cursor.at += 1
        elif char == '"':
            self._loose.quote(cursor)
        else:
            return False
        return True

    def _see(self, cursor: Cursor, end: int) -> None:
        if (self._blank or self._last) and (said := cursor.text[cursor.at : end].strip()):
            self._blank = self._blank and not said.strip(_DECORATION)
            self._last = None
        cursor.at = end

    def _bracket(self, cursor: Cursor, fence: Fence | None) -> None:
        """An opening bracket: in data, or behind a name, it is one among others."""
        char = cursor.text[cursor.at]
        if self._loose.in_data or self._is_prose(cursor, char) or self._is_too_many():
            self._loose.open(char)
            self._see(cursor, cursor.at + 1)
            return
        self._last = None
        place = self._place(cursor, fence)
        judge = Judge(self._rules)
        self._reading = Candidate(self._wish, place, judge, self._limits, self._tags)

    def _is_prose(self, cursor: Cursor, char: str) -> bool:
        """Whether the characters beside a bracket tell that it is none of data."""
        if char == "{":
            behind = cursor.text[cursor.at + 1 : cursor.at + 2]
            return bool(behind) and not spelling.OBJECT_START.match(behind)
        return _INDEXED.match(cursor.text[max(0, cursor.at - 1) : cursor.at]) is not None

    def _is_too_many(self) -> bool:
        return self._count > self._limits.reply_candidates

    def _finish(self, candidate: Candidate) -> None:
        """The reading of a bracket ends: it is closed, or left, or there is no certain one."""
        machine = candidate.machine
        self._reading = None
        self._blank = False
        stuck = machine.status == "stuck"
        self._count += candidate.is_data
        if candidate.is_shown(self._shown) and not (stuck and not candidate.is_data):
            self._fallback = self._shown if candidate.place.depth else None
            self._shown = candidate
        if stuck and candidate.is_data:
            self._loose.enter(machine.brackets(), in_string=machine.in_string)
        elif stuck:
            for bracket in machine.brackets():
                self._loose.open(bracket)
        if machine.limit and candidate.is_certain:
            self._reach(machine.limit, candidate)
        if self._is_too_many() and self._shown:
            message = say("many-candidates", number=self._limits.reply_candidates)
            self._reach(message, self._shown)

    def _reach(self, limit: str, candidate: Candidate) -> None:
        span = (self._ended, self._ended + 1)
        candidate.judge.reach(Violation((), "limit", "", "", limit, span))

    def _withdraw(self) -> None:
        """A bracket of prose closes around what was shown: it was a part of that prose."""
        if self._shown and self._shown.place.depth > len(self._loose):
            self._shown, self._fallback = self._fallback, None

    # Where a bracket stands

    def _place(self, cursor: Cursor, fence: Fence | None) -> Place:
        rank = 2 if self._tagged else self._rank(cursor, fence)
        clear = self._is_clear(cursor, fence)
        return Place(
            rank,
            clear,
            len(self._loose),
            fenced=fence is not None,
            start=cursor.offset,
            lasting=self._lasting or (fence is not None and fence.quoted),
        )

    def _rank(self, cursor: Cursor, fence: Fence | None) -> int:
        """As in `pdl.reply.choosing.candidates`, by the words in front."""
        start = max(0, self._ended - cursor.base)
        at = cursor.at
        if fence and fence.start >= max(self._ended, cursor.offset - _FENCE_LEAD):
            at = fence.start - cursor.base
        if announced(cursor.text, start, at):
            return 2
        is_json = fence is not None and language(fence.info).startswith("json")
        return 1 if is_json and not exemplified(cursor.text, start, at) else 0

    def _is_clear(self, cursor: Cursor, fence: Fence | None) -> bool:
        before = cursor.text[max(0, cursor.at - _LEAD) : cursor.at]
        if fence:
            named = language(fence.info)
            is_data = named in PLAIN_FENCES or named.startswith("json")
            return is_data and not before.rpartition("\n")[2].strip()
        if cursor.text[cursor.at] == "[" and _LIST_ITEM.fullmatch(before.rpartition("\n")[2]):
            return False  # it may be the box of a task
        return self._blank or _LEADS.search(before.rstrip(_DECORATION)) is not None
