"""The tokens of an answer that is read as it comes: JSON's, and other spellings of the same.

Only what the next character makes certain is here. Spellings that need a look further ahead, such
as a quote inside a string, are for the reader of whole texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.validation.json_types import exact

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits

BLANKS = re.compile(r"[\s\ufeff\u200b]*+")
ATOM = re.compile(r"[\w.+\-$%€£]*+")
"""All characters of a number, a literal or a key without quotes, and those that spoil them."""
WORD_START = re.compile(r"[^\W\d]")
ATOM_START = re.compile(r"[\w.+-]")
WORD = re.compile(r"[^\W\d][\w-]*+")
OBJECT_START = re.compile(r"""["'“„”‘’＂}/#\s\ufeff\u200b]|[^\W\d]""")
"""What may stand behind the bracket of an object."""
COMMA, COLON = frozenset(",，"), frozenset(":：")

_NUMBER = re.compile(r"[+-]?(?:\d++(?>(?:\.\d*+)?)|\.\d++)(?>(?:[eE][+-]?\d++)?)", re.ASCII)
_ZEROS = re.compile(r"[+-]?0\d")
_LITERALS: dict[str, Json] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
}  # fmt: skip

CLOSERS = {'"': '"', "'": "'", "“": "”", "„": "”", "”": "”", "‘": "’", "’": "’", "＂": "＂"}
"""What ends a string, by the quote that opens it."""
_STOPS = {'"': '"', "'": "'", "”": '“”„"', "’": "‘’‚'", "＂": "＂"}
RUNS = {closer: re.compile(rf"[^\\\n{stops}\ud800-\udfff]*+") for closer, stops in _STOPS.items()}
"""The plain text of a string, up to a quote, a backslash, a line end or half of a character."""
_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "'": "'", "’": "’", "‘": "‘", "“": "“", "”": "”",
}  # fmt: skip
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHORT, _LONG = 6, 12  # characters of an escape by number, and of a pair of them


class NoReadingError(Exception):
    """A token has no certain reading; `limit` says so if a bound of `Limits` is why."""

    def __init__(self, limit: str = "") -> None:
        super().__init__(limit)
        self.limit = limit


def atom(text: str, limits: Limits) -> Json:
    """The value of a number or a literal. Raises NoReadingError."""
    if text in _LITERALS:
        return _LITERALS[text]
    if not _NUMBER.fullmatch(text) or _ZEROS.match(text):
        raise NoReadingError
    plain = text.lstrip("+-").isdigit()
    if plain and len(text.lstrip("+-")) > limits.integer_digits:
        raise NoReadingError(f"holds an integer of more than {limits.integer_digits} digits")
    value = int(text) if plain else exact(text)
    if isinstance(value, str):  # no float holds it
        raise NoReadingError
    return value


def escape(text: str, at: int) -> tuple[str, int] | None:
    """What the backslash at `at` begins, and its end; None if more characters must tell.

    Raises NoReadingError for what is no escape, and for half of a character (RFC 8259, 8.2).
    """
    mark = text[at + 1 : at + 2]
    if mark != "u":
        if mark and mark not in _ESCAPES:
            raise NoReadingError
        return (_ESCAPES[mark], at + 2) if mark else None
    if len(text) < at + _SHORT:
        return None
    code = _code(text, at)
    if not _is_half(code):
        return chr(code), at + _SHORT
    behind = text[at + _SHORT : at + _LONG]
    if len(behind) < _LONG - _SHORT and "\\u".startswith(behind[:2]):
        return None
    return _pair(code, _code(text, at + _SHORT)), at + _LONG


def _code(text: str, at: int) -> int:
    digits = _UNICODE.match(text, at)
    if digits is None:
        raise NoReadingError
    return int(digits[1], 16)


def _is_half(code: int) -> bool:
    return 0xD800 <= code <= 0xDFFF  # noqa: PLR2004 - the surrogates of UTF-16


def _pair(high: int, low: int) -> str:
    """The character that two halves make (UTF-16)."""
    try:
        units = (chr(high) + chr(low)).encode("utf-16-le", "surrogatepass")
        return units.decode("utf-16-le")
    except UnicodeDecodeError:
        raise NoReadingError from None
