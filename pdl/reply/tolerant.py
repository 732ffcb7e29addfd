"""JSON in other spellings: Python's and JavaScript's literals, comments, a comma too many.

One pass without recursion over what the C parser refuses. Every departure from RFC 8259 is a repair
that changes how a value is written, never which value it is; where that is not certain nothing is
read. It fills in nothing, closes nothing and drops nothing but commas, comments and blanks.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pdl.reply.equality import equal
from pdl.reply.kinds import exact
from pdl.reply.outcome import Repair

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath
    from pdl.limits import Limits

_BLANKS = re.compile(r"[ \t\r\n]*+")
_ODD_BLANKS = re.compile(r"[\s\ufeff\u200b]+")
_COMMENT = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|#[^\n]*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.%$€£])")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ZEROS = re.compile(r"[+-]?0\d")
_WORD = re.compile(r"[^\W\d][\w-]*")
_CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None}
_PYTHON: dict[str, Json] = {"True": True, "False": False, "None": None}
_CLOSERS = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "”", "‘": "’", "’": "’", "＂": "＂"}
_SMART = "“”„‘’"
_PUNCTUATION = {"，": ",", "：": ":"}
_RAW = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_KEPT = 40  # characters of a repair's before and after


class UnreadableError(Exception):
    """The text has no certain reading; `at` is the offset where that shows."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def read(text: str, limits: Limits) -> tuple[Json, tuple[Repair, ...]]:
    """The value of a text and the repairs that reading it took, offsets in the text.

    Raises UnreadableError where the text is not closed, not certain or nested too deeply.
    """
    reader = _Reader(text, limits)
    return reader.read(), tuple(reader.repairs)


class _Open:
    """A bracket that is open: the value so far, and the key that waits for its value."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any) -> None:
        self.value: Any = value
        self.key: str | None = None


class _Reader:
    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.at = 0
        self.repairs: list[Repair] = []
        self.opened: list[_Open] = []

    def read(self) -> Json:
        """Value by value, with the brackets that are open on a stack."""
        done: Json = None
        finished = False
        while not finished:
            self._skip()
            value, is_new_bracket = self._value()
            if is_new_bracket and self._enters():
                continue
            done, finished = self._close(value)
        self._skip()
        if self.at < len(self.text):
            raise UnreadableError(self.at)
        return done

    def _value(self) -> tuple[Any, bool]:
        mark = self.text[self.at : self.at + 1]
        if mark in ("{", "["):
            if len(self.opened) >= self.limits.reply_depth:
                raise UnreadableError(self.at)
            self.at += 1
            value: Any = {} if mark == "{" else []
            self.opened.append(_Open(value))
            return value, True
        if mark in _CLOSERS:
            return self._string(), False
        return self._literal(), False

    def _enters(self) -> bool:
        """Go into the bracket that was just opened; false if it is empty and was left again."""
        top = self.opened[-1]
        self._skip()
        closer = "}" if isinstance(top.value, dict) else "]"
        if self.text[self.at : self.at + 1] == closer:
            self.at += 1
            self.opened.pop()
            return False
        if isinstance(top.value, dict):
            self._key(top)
        return True

    def _close(self, value: Any) -> tuple[Any, bool]:
        """Put a value into its bracket, and leave the brackets that close behind it."""
        while self.opened:
            top = self.opened[-1]
            self._put(top, value)
            if not self._ends(top):
                return None, False
            self.opened.pop()
            value = top.value
        return value, True

    def _put(self, top: _Open, value: Any) -> None:
        """Add a value to its bracket; a key may stand twice only with equal values."""
        if isinstance(top.value, list):
            top.value.append(value)
            return
        assert top.key is not None
        if top.key in top.value and not equal(top.value[top.key], value):
            raise UnreadableError(self.at)
        top.value[top.key] = value

    def _ends(self, top: _Open) -> bool:
        """Read what follows a value: the bracket's closer, or a comma and what it leads to."""
        self._skip()
        closer = "}" if isinstance(top.value, dict) else "]"
        comma = self.at
        is_comma = self._punctuation(",")
        self._skip()
        if self.text[self.at : self.at + 1] == closer:
            if is_comma:
                self._repair("trailing-comma", comma, comma + 1, "")
            self.at += 1
            return True
        if not is_comma:
            raise UnreadableError(self.at)
        if isinstance(top.value, dict):
            self._key(top)
        return False

    def _key(self, top: _Open) -> None:
        top.key = None
        start = self.at
        if self.text[start : start + 1] in _CLOSERS:
            top.key = self._string()
        else:
            word = _WORD.match(self.text, start)
            if word is None:
                raise UnreadableError(start)
            self.at = word.end()
            top.key = word.group()
            self._repair("bare-key", start, self.at, json.dumps(word.group(), ensure_ascii=False))
        self._skip()
        if not self._punctuation(":"):
            raise UnreadableError(self.at)

    def _punctuation(self, wanted: str) -> bool:
        mark = self.text[self.at : self.at + 1]
        if _PUNCTUATION.get(mark) == wanted:
            self._repair("full-width", self.at, self.at + 1, wanted)
        elif mark != wanted:
            return False
        self.at += 1
        return True

    def _string(self) -> str:
        """A string in any quotes; it ends at the first closing quote that no backslash precedes."""
        opener = self.text[self.at]
        closer = _CLOSERS[opener]
        start, at = self.at, self.at + 1
        ends = re.compile(rf"[\\{closer}]") if opener not in _SMART else _SMART_END[closer]
        while True:
            found = ends.search(self.text, at)
            if found is None:
                raise UnreadableError(start)
            if found.group() == "\\":
                at = found.end() + 1
                continue
            if found.group() != closer:
                raise UnreadableError(found.start())
            break
        self.at = found.end()
        value = self._unescaped(start + 1, found.start())
        if opener != '"':
            self._repair("quotes", start, self.at, json.dumps(value, ensure_ascii=False))
        return value

    def _unescaped(self, start: int, end: int) -> str:
        body = self.text[start:end]
        if raw := _RAW.search(body):
            place = start + raw.start()
            self._repair("raw-control", place, place + 1, json.dumps(raw.group())[1:-1])
        if "\\" not in body:
            return body
        quoted = _ESCAPE.sub(self._escape, body)
        plain = _RAW.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)
        try:
            value: str = json.loads(f'"{_QUOTE.sub(_escaped_quote, plain)}"')
        except ValueError:
            raise UnreadableError(start) from None
        return value

    def _escape(self, match: re.Match[str]) -> str:
        if match[1] in "'’‘“”":
            return match[1]
        return match[0]

    def _literal(self) -> Json:
        start = self.at
        if number := _NUMBER.match(self.text, start):
            return self._number(number)
        word = _WORD.match(self.text, start)
        if word is None:
            raise UnreadableError(start)
        self.at = word.end()
        name = word.group()
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in _PYTHON:
            self._repair("python-literal", start, self.at, json.dumps(_PYTHON[name]))
            return _PYTHON[name]
        raise UnreadableError(start)

    def _number(self, match: re.Match[str]) -> Json:
        written = match.group()
        too_long = len(written) > self.limits.integer_digits
        if too_long or _ZEROS.match(written):
            raise UnreadableError(match.start())
        self.at = match.end()
        spelled = written if _JSON_NUMBER.fullmatch(written) else _respelled(written)
        if spelled != written:
            self._repair("number", match.start(), self.at, spelled)
        value = int(spelled) if spelled.lstrip("-").isdigit() else exact(spelled)
        if isinstance(value, str):  # no float holds it
            raise UnreadableError(match.start())
        return value

    def _skip(self) -> None:
        """Pass over blanks and comments."""
        text = self.text
        while True:
            blank = _BLANKS.match(text, self.at)
            assert blank is not None
            self.at = blank.end()
            if odd := _ODD_BLANKS.match(text, self.at):
                self._repair("blank", odd.start(), odd.end(), " ")
                self.at = odd.end()
            elif comment := _COMMENT.match(text, self.at):
                self._repair("comment", comment.start(), comment.end(), "")
                self.at = comment.end()
            else:
                return

    def _repair(self, kind: str, start: int, end: int, after: str) -> None:
        before = self.text[start : min(end, start + _KEPT)]
        self.repairs.append(Repair(kind, (start, end), self._path(), before, after[:_KEPT]))

    def _path(self) -> JsonPath:
        steps: list[str | int] = []
        for opened in self.opened:
            if isinstance(opened.value, list):
                steps.append(len(opened.value))
            elif opened.key is not None:
                steps.append(opened.key)
        return tuple(steps)


_SMART_END = {"”": re.compile(r"[\\“”„]"), "’": re.compile(r"[\\‘’‚]")}
_QUOTE = re.compile(r'(\\.)|"', re.DOTALL)


def _escaped_quote(match: re.Match[str]) -> str:
    return match[1] or '\\"'


def _respelled(number: str) -> str:
    """`+5`, `.5` and `5.` as JSON writes them."""
    sign = "-" if number.startswith("-") else ""
    mantissa, exponent, power = re.fullmatch(r"([^eE]*)([eE]?)(.*)", number.lstrip("+-")).groups()  # type: ignore[union-attr]
    whole, point, fraction = mantissa.partition(".")
    return f"{sign}{whole or '0'}{point + (fraction or '0') if point else ''}{exponent}{power}"
