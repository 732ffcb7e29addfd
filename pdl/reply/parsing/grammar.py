"""The steps of the parser: what may come in each phase, and which spelling of it is a repair."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.parsing import numbers, tokens
from pdl.reply.parsing.plain import Plain
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import say

if TYPE_CHECKING:
    from pdl.reply.parsing.reader import Frame

_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
"""What may be the last digits of a number that has a blank between its thousands."""
_CLOSES = re.compile(r"[ \t]*+\]")
_CLOSER = {"{": "}", "[": "]", "(": ")"}
_STEPS = {
    "value": "_value",
    "first": "_first",
    "key": "_key",
    "after": "_after",
    "comma": "_behind_comma",
}
"""Phase -> what goes on; names, for a parser that refers to itself would keep its text for long."""


class Grammar(Plain):
    """A reader that knows what may come next."""

    def _step(self) -> None:
        """Read the next part, in the present phase."""
        getattr(self, _STEPS[self._phase])()

    def _ends(self) -> None:
        """After the last bracket: nothing but blanks and comments."""
        self._skip()
        if self._peek():
            raise UnreadableError(self._at, expected="more-behind")

    def _value(self) -> None:
        self._skip()
        at, mark = self._at, self._peek()
        if mark in _CLOSER and mark:
            self._open(mark)
        elif self._string or self._ending or mark in tokens.QUOTES:
            self._string_value()
        elif (date := self._match(tokens.DATE, at)) is not None and self._wants_text():
            self._bare(at, date[0], date.end())
        elif not self._number(at):
            word = self._match(tokens.WORD, at)
            if word is None:
                raise UnreadableError(at)
            self._word(word)

    def _open(self, mark: str) -> None:
        frame, start = self._frame, self._at
        depth = frame.depth + 1 if frame else 1
        if depth > self._limits.reply_depth:
            raise UnreadableError(start, say("too-deep", number=self._limits.reply_depth))
        is_object = mark == "{"
        doubled = is_object and self._peek(2) == "{{"
        self._at += 2 if doubled else 1
        if doubled or mark == "(":
            self._repair("brackets", start, self._at, "{" if doubled else "[")
        self._enter(is_object, "}}" if doubled else _CLOSER[mark], start, self._at)

    def _first(self) -> None:
        """After an opening bracket: its closer, or what is in it."""
        frame = self._frame
        assert frame
        self._skip()
        if self._peek(len(frame.closer)) == frame.closer:
            self._close(len(frame.closer))
        else:
            self._phase = "key" if frame.is_object else "value"

    def _key(self) -> None:
        quoted = self._string or self._ending
        self._skip()
        start = self._at
        if quoted or (self._peek() in tokens.QUOTES and self._peek()):
            start = quoted[0] if quoted else start
            name = self._quoted("key")
        elif (half := self._match(tokens.HALF_QUOTED_KEY, start)) is not None:
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
        assert self._frame
        self._event("key", name, start)
        self._frame = self._frame._replace(key=name)
        self._phase = "value"

    def _bare_key(self, start: int) -> re.Match[str] | None:
        """A key without quotes; one of several words only if the schema has it."""
        assert self._frame
        spaced = self._match(tokens.SPACED_KEY, start)
        if spaced and self._frame.node.declares(spaced[1]):
            return spaced
        return self._match(tokens.BARE_KEY, start)

    def _colon(self) -> None:
        self._skip(secure=False)
        at = self._at
        if self._punctuation(":"):
            if self._peek() == ":":
                self._repair("colon", self._at, self._at + 1, "")
                self._at += 1
            return
        two = self._peek(2)
        if two[:1] != "=" or two == "==":
            raise UnreadableError(at, expected="expected-colon")
        self._at += 2 if two == "=>" else 1
        self._repair("colon", at, self._at, ":")

    def _after(self) -> None:
        """After a value: a comma, a closer, or one of them is missing."""
        frame = self._frame
        assert frame
        self._skip()
        self._comma = self._at
        mark = self._peek()
        if self._peek(len(frame.closer)) == frame.closer:
            self._close(len(frame.closer))
        elif self._punctuation(","):
            self._phase = "comma"
        elif mark in tokens.CLOSERS and mark:
            self._mismatch(frame, mark)
        elif not mark:
            raise UnreadableError(self._at, "lacks a closing bracket")
        else:
            self._missing_comma(frame)

    def _behind_comma(self) -> None:
        frame, comma = self._frame, self._comma
        assert frame
        self._skip()
        while frame.is_object and self._peek() in tokens.COMMAS and self._peek():
            self._repair("extra-comma", self._at, self._at + 1, "")
            self._at += 1
            self._skip()
        if self._peek(len(frame.closer)) == frame.closer:
            self._repair("trailing-comma", comma, comma + 1, "")
            self._close(len(frame.closer))
        else:
            self._phase = "key" if frame.is_object else "value"

    def _close(self, width: int) -> None:
        """Leave a bracket; `width` is that of its closer, 0 if it is missing."""
        frame = self._frame
        assert frame
        self._at += width
        self._leave(frame, self._at - width, self._at)

    def _mismatch(self, frame: Frame, mark: str) -> None:
        """The closer of the bracket around, where that of the one in it is missing.

        It can be missing only here, for nothing before is a part of the bracket around; unless the
        inner one has a bracket of its kind in it, which may be the one that lacks its closer.
        """
        around, at = frame.parent, self._at
        if not around or around.closer != mark or frame.nests or not self._ended:
            raise UnreadableError(at, say("wrong-closer", found=mark))
        if tokens.ENDS_IN_CLOSER.search(self._text, max(0, at - tokens.NEAR), at):
            raise UnreadableError(at, "ends with a closing bracket in a string")
        self._repair("missing-closer", at, at, frame.closer)
        self._close(0)

    def _missing_comma(self, frame: Frame) -> None:
        """Two values without a comma between: certain if they cannot be one."""
        text, at = self._text, self._at
        event = self._last()
        last = event.end if event else 0
        gap = text[last:at]
        two = self._peek(2)
        if two[1:] in tokens.JOINS or tokens.TRAILS_OFF.search(
            text, max(0, last - tokens.NEAR), last
        ):
            raise UnreadableError(at, expected="expected-comma")
        if frame.is_object:
            certain = self._sees(tokens.KEY_AHEAD, at) and (gap or two[0] in tokens.QUOTES)
        else:
            pointed = text[last - 1] == "."  # digits may follow
            apart = two[0] in tokens.APART or ("\n" in gap and two[0] != "." and not pointed)
            certain = gap and (apart or (not pointed and self._two_numbers(frame, at, last)))
        if not certain:
            raise UnreadableError(at, expected="expected-comma")
        self._repair("missing-comma", at, at, ",")
        self._phase = "key" if frame.is_object else "value"

    def _two_numbers(self, frame: Frame, at: int, last: int) -> bool:
        """Whether a number begins that cannot be the last digits of the one before it."""
        found = self._match(numbers.RADIX, at) or self._match(numbers.DECIMAL, at)
        if found is None or found[0].startswith(".") or _GROUP.match(found[0]):
            return False
        if tokens.GLUED.search(self._text, max(0, last - tokens.NEAR), last):
            return False
        if self._sees(tokens.GLUED_BEHIND, found.end()):
            return False
        # An array may have no more than a number that a blank has cut in two.
        alone = frame.size == 1 and self._sees(_CLOSES, found.end())
        return not (found[0].isdigit() and alone)
