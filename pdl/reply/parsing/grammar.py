"""The steps of the parser: which tokens each phase allows, and which spellings are repairs.

Parts as JSON, Python, and JSON5 write them are taken by one pattern match each.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from pdl import _re as re
from pdl.reply.parsing import tokens
from pdl.reply.parsing.reader import partial
from pdl.reply.parsing.scalar_reader import DECIMAL, RADIX, Scalars
from pdl.reply.parsing.tokens import CONSTANTS, UnreadableError
from pdl.reply.phrases import say

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.parsing.reader import Frame


_LONGEST = 256  # characters of a part and of the text after it that are looked at
_DIGITS = 15  # up to here a float represents a number exactly as it is written
_B = r"[ \t\r\n]*+"
_NUMBER = r"(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?)"
_LITERAL = r"(?:true|false|null|True|False|None)"
_ESCAPE = r"""\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})"""
_PLAIN = r"""[^"\\\x00-\x1f\ud800-\udfff]*+"""
_QUOTED = rf"""(?:"(?>{_PLAIN}(?:{_ESCAPE}{_PLAIN})*)"|'[^'\"\\\x00-\x1f\ud800-\udfff]*+')"""
_NAME = rf"(?:{_QUOTED}|[A-Za-z_][A-Za-z0-9_]{{0,40}}+)"
_WORD, _TEXT = rf"(?P<word>{_LITERAL})", rf"(?P<text>{_QUOTED})"
_OPEN, _CLOSE = r"(?P<open>\[|\{(?=[^{]))", r"(?P<close>[}\]])"
_KEY = rf"(?P<key>{_NAME}){_B}:(?=[^:])"
_END = rf"[}}\]]{_B}[,}}\]]"
_NEXT = rf"(?:{_QUOTED}{_B}[,\]]|-?[0-9]|\[|\{{|{_LITERAL}{_B}[,\]])"
_MEMBER = (
    rf"(?:{_NUMBER}(?={_B}(?:\}}|,[^0-9]))|{_WORD}(?={_B}[,}}])"
    rf"|{_TEXT}(?={_B}(?:,{_B}{_NAME}{_B}:|{_END}))|{_OPEN})"
)
_ITEM = (
    rf"(?:{_NUMBER}(?={_B}[,\]])|{_WORD}(?={_B}[,\]])"
    rf"|{_TEXT}(?={_B}(?:,{_B}{_NEXT}|{_END}))|{_OPEN})"
)
_PATTERNS = {
    (is_object, phase): re.compile(_B + pattern)
    for is_object, phase, pattern in (
        (True, "first", rf"(?:{_KEY}|{_CLOSE})"),
        (True, "key", _KEY),
        (True, "value", _MEMBER),
        (True, "after", rf"(?:,{_B}{_KEY}|{_CLOSE})"),
        (False, "first", rf"(?:{_ITEM}|{_CLOSE})"),
        (False, "value", _ITEM),
        (False, "after", rf"(?:,{_B}{_ITEM}|{_CLOSE})"),
    )
}
"""The patterns of the next part of an object, or of an array, in each phase."""


class Plain(Scalars):
    """A reader that takes plain parts without a look at each of their characters."""

    def _take_plain(self) -> Literal["taken", "waits", "odd"]:
        """Take the parts that are plain; return whether there were some, or might be."""
        begin = self._at
        while frame := self._frame:
            pattern = _PATTERNS.get((frame.is_object, self._phase))
            if not pattern:
                break
            found = pattern.match(self._text, self._at, self._at + _LONGEST)
            if not found and self._may_come(pattern):
                return "waits"
            if not found or not self._took(frame, found):
                break
        return "taken" if self._at > begin else "odd"

    def _may_come(self, pattern: re.Pattern[str]) -> bool:
        """Whether the text there might become a match."""
        if self._ended or len(self._text) >= self._at + _LONGEST:
            return False
        return partial(pattern).match(self._text, self._at, partial=True) is not None

    def _took(self, frame: Frame, found: re.Match[str]) -> bool:
        """Take a part, unless it is a bracket or a number that needs a closer look."""
        kind = found.lastgroup or ""
        said, start, end = found[kind], found.start(kind), found.end(kind)
        if kind == "key":
            name = self._unquoted(said, start, end)
            self._event("key", name, start, end)
            self._frame, self._phase = frame.named(name), "value"
        elif kind == "open":
            if frame.depth == self._limits.reply_depth:
                return False
            self._enter(said == "{", "}" if said == "{" else "]", start, end)
        elif kind == "close":
            if said != frame.closer or not frame.parent:
                return False
            self._leave(frame, start, end)
        else:
            value = self._plain_value(said, start, end)
            if value is self:
                return False
            self._event("value", value, start, end)
            self._stored()
        self._at = found.end()
        return True

    def _unquoted(self, said: str, start: int, end: int) -> str:
        """A key or a string without its quotes, which can differ from JSON's."""
        if said[0] == '"':
            return json.loads(said) if "\\" in said else said[1:-1]
        name = said[1:-1] if said[0] == "'" else said
        kind = "bare-key" if name is said else "quotes"
        self._repair(kind, start, end, json.dumps(name, ensure_ascii=False))
        return name

    def _plain_value(self, said: str, start: int, end: int) -> Json | Plain:
        """The value of a scalar; itself if a float might represent only part of a number."""
        if said[0] in "\"'":
            return self._unquoted(said, start, end)
        if said in CONSTANTS:
            value = CONSTANTS[said]
            if said[0] in "TFN":
                self._repair("python-literal", start, end, json.dumps(value))
            return value
        if "." not in said:
            return int(said) if len(said) <= self._limits.integer_digits else self
        number = float(said)
        return self if len(said) > _DIGITS and number.is_integer() else number


_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
"""Digits that might be the last group of a number with spaces between its thousands."""
_CLOSES = re.compile(r"[ \t]*+\]")
_CLOSER = {"{": "}", "[": "]", "(": ")"}
_STEPS = {
    "value": "_value",
    "first": "_first",
    "key": "_key",
    "after": "_after",
    "comma": "_after_comma",
}
"""Phase -> method name; a parser with a reference to itself would keep its text for long."""


class Grammar(Plain):
    """A reader that knows which tokens each phase allows."""

    def _step(self) -> None:
        """Read the next part, in the present phase."""
        getattr(self, _STEPS[self._phase])()

    def _ends(self) -> None:
        """After the last bracket: only spaces and comments."""
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
        """After an opening bracket: its closing bracket, or its content."""
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
        self._frame = self._frame.named(name)
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
        """After a value: a comma, a closing bracket, or one of them is missing."""
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
            raise UnreadableError(self._at, "is missing a closing bracket")
        else:
            self._missing_comma(frame)

    def _after_comma(self) -> None:
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
        """Leave a bracket; `width` is that of its closing bracket, 0 if it is missing."""
        frame = self._frame
        assert frame
        self._at += width
        self._leave(frame, self._at - width, self._at)

    def _mismatch(self, frame: Frame, mark: str) -> None:
        """The closing bracket of the outer bracket, where that of the inner one is missing.

        It can be missing only here, since nothing before is part of the outer bracket; unless the
        inner one contains a bracket of its kind, which might be the unclosed one.
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
            pointed = text[last - 1] == "."  # digits can follow
            apart = two[0] in tokens.APART or ("\n" in gap and two[0] != "." and not pointed)
            certain = gap and (apart or (not pointed and self._two_numbers(frame, at, last)))
        if not certain:
            raise UnreadableError(at, expected="expected-comma")
        self._repair("missing-comma", at, at, ",")
        self._phase = "key" if frame.is_object else "value"

    def _two_numbers(self, frame: Frame, at: int, last: int) -> bool:
        """Whether a number begins that cannot be the last digits of the one before it."""
        found = self._match(RADIX, at) or self._match(DECIMAL, at)
        if found is None or found[0].startswith(".") or _GROUP.match(found[0]):
            return False
        if tokens.GLUED.search(self._text, max(0, last - tokens.NEAR), last):
            return False
        if self._sees(tokens.GLUED_BEHIND, found.end()):
            return False
        # The whole array might be one number that a space has cut in two.
        alone = frame.size == 1 and self._sees(_CLOSES, found.end())
        return not (found[0].isdigit() and alone)
