"""Parts as JSON, Python and JSON5 write them, each of which one match of a pattern takes.

Only parts that the steps of `Parser` would read in one way, as what follows each of them shows:
both make the same events, and where a part is not plain the steps go on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from pdl import _re as re
from pdl.reply.parsing.reader import partial
from pdl.reply.parsing.scalars import Scalars
from pdl.reply.parsing.tokens import CONSTANTS

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.parsing.reader import Frame

_LONGEST = 256  # characters of a part and of what is looked at after it
_DIGITS = 15  # up to here a float holds a number as it is written
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
"""What may come next in an object, or in an array, in each phase."""


class Plain(Scalars):
    """A reader that takes plain parts without a look at each of their characters."""

    def _take_plain(self) -> Literal["taken", "waits", "odd"]:
        """Take the parts that are plain. Says whether there were some, or one may become plain."""
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
        """Whether what is there may become a match."""
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
            self._frame, self._phase = frame._replace(key=name), "value"
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
        """A key or a string without its quotes, which may be others than those of JSON."""
        if said[0] == '"':
            return json.loads(said) if "\\" in said else said[1:-1]
        name = said[1:-1] if said[0] == "'" else said
        kind = "bare-key" if name is said else "quotes"
        self._repair(kind, start, end, json.dumps(name, ensure_ascii=False))
        return name

    def _plain_value(self, said: str, start: int, end: int) -> Json | Plain:
        """The value of a scalar; itself if a float may hold no more than a part of a number."""
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
