"""A reader of JSON in other spellings that keeps all readings of what is not certain.

No recursion: brackets are linked frames, and a state of the reader is a handful of references, so
that keeping one to come back to costs nothing. Where a quote may end a string or stand in it, both
are read on; what comes of it is a list of whole readings.
"""

from __future__ import annotations

import json
import re

from pdl.reply.parsing import numbers, tokens
from pdl.reply.parsing.closers import Closers
from pdl.reply.parsing.errors import UnreadableError
from pdl.reply.parsing.events import make
from pdl.reply.parsing.state import Frame, Whole
from pdl.reply.phrases import say

_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
"""What may be the last digits of a number that has a blank between its thousands."""

_CLOSER = {"{": "}", "[": "]", "(": ")"}


class Machine(Closers):
    """Reads one text, a bracket and all that is in it."""

    def readings(self) -> list[Whole]:
        """All readings. Raises UnreadableError, that of the one that came furthest, if none."""
        found: list[Whole] = []
        last: UnreadableError | None = None
        while True:
            try:
                found.append(self._read())
            except UnreadableError as failure:
                last = failure if last is None or failure.at > last.at else last
            if not self._others:
                break
            self._resume(self._others.pop())
        error = self._doubt or (None if found else last)
        if error:
            raise error
        return found

    def _read(self) -> Whole:
        steps = {
            "value": self._value,
            "first": self._first,
            "key": self._key,
            "after": self._after,
        }
        while self._phase != "done":
            steps[self._phase]()
        self._skip()
        if self._text[self._at :].strip(" \t\r\n"):
            raise UnreadableError(self._at, expected="more-behind")
        return Whole(make(self._text, self._trail), self._passed, self._mended != "missing")

    def _value(self) -> None:
        self._skip()
        text, at = self._text, self._at
        mark = text[at : at + 1]
        if mark in _CLOSER and mark:
            self._open(mark)
        elif self._string or self._ending or mark in tokens.QUOTES:
            self._string_value()
        elif (date := tokens.DATE.match(text, at)) is not None and self._wants_text():
            self._bare(at, date[0], date.end())
        elif (number := numbers.match(text, at)) is not None:
            self._number(number)
        elif (word := tokens.WORD.match(text, at)) is not None:
            self._word(word.group(), word.end())
        else:
            raise UnreadableError(at)

    def _open(self, mark: str) -> None:
        depth = self._frame.depth + 1 if self._frame else 1
        if depth > self._limits.reply_depth:
            raise UnreadableError(self._at, say("too-deep", number=self._limits.reply_depth))
        doubled = mark == "{" and self._text.startswith("{{", self._at)
        start = self._at
        self._at += 2 if doubled else 1
        if doubled or mark == "(":
            self._repair("brackets", start, self._at, "{" if doubled else "[")
        self._event("object" if mark == "{" else "array", None, start)
        closer = "}}" if doubled else _CLOSER[mark]
        key = None if mark == "{" else 0
        self._frame = Frame(self._frame, mark == "{", key, 0, closer, depth)
        self._phase = "first"

    def _first(self) -> None:
        """Behind an opening bracket: its closer, or what it holds."""
        assert self._frame
        self._skip()
        if self._text.startswith(self._frame.closer, self._at):
            self._close(len(self._frame.closer))
        else:
            self._phase = "key" if self._frame.is_object else "value"

    def _key(self) -> None:
        text, start = self._text, self._at
        plain = None if self._string or self._ending else tokens.MEMBER.match(text, start)
        if plain:
            self._at = plain.end()
            self._named(plain[1], start)
            return
        self._skip()
        start = self._at
        if self._string or self._ending or text[start : start + 1] in tokens.QUOTES:
            name = self._quoted("key")
        elif (half := tokens.HALF_QUOTED_KEY.match(text, start)) is not None:
            name, self._at = half[1], half.end()
            self._repair("missing-quote", start, self._at, json.dumps(name, ensure_ascii=False))
        elif (bare := self._bare_key(start)) is not None:
            name, self._at = bare[1], bare.end()
            self._repair("bare-key", start, self._at, json.dumps(name, ensure_ascii=False))
        else:
            raise UnreadableError(start, expected="expected-key")
        self._colon()
        self._named(name, start)

    def _named(self, name: str, start: int) -> None:
        """A key is complete."""
        frame = self._frame
        assert frame
        self._event("key", name, start)
        self._frame = Frame(frame.parent, True, name, frame.size, frame.closer, frame.depth)  # noqa: FBT003
        self._phase = "value"

    def _bare_key(self, start: int) -> re.Match[str] | None:
        """A key without quotes; one of several words only if the schema has it."""
        assert self._frame
        spaced = tokens.SPACED_KEY.match(self._text, start)
        if spaced and self._nodes.declares(self._path(self._frame.parent), spaced[1]):
            return spaced
        return tokens.BARE_KEY.match(self._text, start)

    def _colon(self) -> None:
        self._skip()
        text, at = self._text, self._at
        if self._punctuation(":"):
            if text.startswith(":", self._at):
                self._repair("colon", self._at, self._at + 1, "")
                self._at += 1
            return
        for mark in ("=>", "="):
            if text.startswith(mark, at) and not text.startswith("==", at):
                self._at = at + len(mark)
                self._repair("colon", at, self._at, ":")
                return
        raise UnreadableError(at, expected="expected-colon")

    def _after(self) -> None:
        """Behind a value: a comma and what it leads to, a closer, or one of them is missing."""
        frame = self._frame
        assert frame
        plain = None if self._early else tokens.NEXT.match(self._text, self._at)
        if plain:
            self._at = plain.end()
            self._go_on(frame)
            return
        self._skip()
        text, at = self._text, self._at
        if text.startswith(frame.closer, at):
            self._close(len(frame.closer))
        elif self._punctuation(",") or self._semicolon():
            self._behind_comma(at)
        elif text[at : at + 1] in {"}", "]"}:
            self._mismatch(text[at])
        elif at == len(text):
            self._end()
        else:
            self._missing_comma()

    def _behind_comma(self, comma: int) -> None:
        frame = self._frame
        assert frame
        self._skip()
        text = self._text
        while frame.is_object and text.startswith((",", "，"), self._at):
            self._repair("extra-comma", self._at, self._at + 1, "")
            self._at += 1
            self._skip()
        if text.startswith(frame.closer, self._at):
            self._repair("trailing-comma", comma, comma + 1, "")
            self._close(len(frame.closer))
        elif frame.is_object and tokens.ITEM_AHEAD.match(text, self._at):
            self._leave_for(is_object=False)
            self._phase = "value"
        else:
            self._go_on(frame)

    def _go_on(self, frame: Frame) -> None:
        """Go on with the next part; a key in an array belongs to the object around it."""
        if not frame.is_object and tokens.QUOTED_KEY_AHEAD.match(self._text, self._at):
            self._leave_for(is_object=True)
            self._phase = "key"
        else:
            self._close_early()
            self._phase = "key" if frame.is_object else "value"

    def _missing_comma(self) -> None:
        """Two values without a comma between: certain if they cannot be one."""
        frame, text, at = self._frame, self._text, self._at
        assert frame
        last = self._last_end()
        gap = text[last:at]
        if tokens.TRAILS_OFF.search(text, max(0, last - tokens.KEPT), last):
            raise UnreadableError(at, expected="expected-comma")
        if text[at + 1 : at + 2] in {",", ":"}:
            raise UnreadableError(at, expected="expected-comma")
        if frame.is_object:
            certain = tokens.KEY_AHEAD.match(text, at) and (gap or text[at] in tokens.QUOTES)
        else:
            apart = text[at] in "{[\"'“" or (
                "\n" in gap and text[at] != "." and not self._has_point()
            )
            certain = bool(gap) and (apart or self._two_numbers(at))
        if not certain:
            raise UnreadableError(at, expected="expected-comma")
        self._repair("missing-comma", at, at, ",")
        self._phase = "key" if frame.is_object else "value"

    def _has_point(self) -> bool:
        """Whether the last number ends in its point, so that digits may follow."""
        return self._text[self._last_end() - 1] == "."

    def _two_numbers(self, at: int) -> bool:
        """Whether a number begins that cannot be the last digits of the one before it."""
        following = numbers.match(self._text, at)
        digits = following[0] if following else ""
        last = self._last_end()
        if self._has_point() or digits.startswith("."):
            return False
        if tokens.GLUED.search(self._text, max(0, last - tokens.KEPT), last):
            return False
        if following and tokens.GLUED_BEHIND.match(self._text, following.end()):
            return False
        if following and digits.isdigit() and self._is_second_of_two(following.end()):
            return False
        return bool(digits) and not _GROUP.match(digits)

    def _is_second_of_two(self, end: int) -> bool:
        """Whether an array has no more than a number that a blank may have cut in two."""
        closes = self._text[end:].lstrip(" \t").startswith("]") if self._frame else False
        return closes and self._frame is not None and self._frame.size == 1
