"""Brackets in what is not read as an answer: in prose, and in data that has no certain reading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.reply.streaming.cursor import Cursor

_PARTNER = {"}": "{", "]": "["}
_TEXT = re.compile(r'[^"\\\n]*+')
_BEFORE_STRING = frozenset(",:([{（：，")
_NEAR = 64  # characters in front of a quote that are looked at


class Loose:
    """A stack of brackets. In data quotes count as well, where a token may begin."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._count = {"{": 0, "[": 0}
        self._data: int | None = None  # how many brackets are around the data
        self._in_string = False

    def __len__(self) -> int:
        return len(self._open)

    @property
    def in_data(self) -> bool:
        """Whether a bracket of data is open."""
        return self._data is not None

    def enter(self, brackets: Iterable[str], *, in_string: bool) -> None:
        """Go on in data that opened those brackets."""
        self._data = len(self._open)
        self._in_string = in_string
        for bracket in brackets:
            self.open(bracket)

    def open(self, bracket: str) -> None:
        """An opening bracket."""
        self._open.append(bracket)
        self._count[bracket] += 1

    def close(self, bracket: str) -> None:
        """A closing bracket: those of the other kind that are open inside are passed over."""
        partner = _PARTNER[bracket]
        while self._count[partner]:
            last = self._open.pop()
            self._count[last] -= 1
            if last == partner:
                break
        if self._data is not None and len(self._open) <= self._data:
            self._data = None

    def skip_string(self, cursor: Cursor) -> bool:
        """Pass over a string that is open; false if its end is still to come."""
        while self._in_string:
            found = _TEXT.match(cursor.text, cursor.at)
            assert found
            cursor.at = found.end()
            escapes = cursor.text.startswith("\\", cursor.at)
            if cursor.end - cursor.at < 1 + escapes:
                return False
            self._in_string = escapes
            cursor.at += 1 + escapes
        return True

    def quote(self, cursor: Cursor) -> None:
        """A quote, at the cursor: it begins a string behind what a token may follow."""
        before = cursor.text[max(0, cursor.at - _NEAR) : cursor.at].rstrip()
        self._in_string = before[-1:] in _BEFORE_STRING
        cursor.at += 1
