"""Where a string ends if quotes in it may lack their backslash, and what it then holds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pdl.reply.tolerant import tokens
from pdl.reply.tolerant.errors import UnreadableError

Role: TypeAlias = Literal["key", "member", "item"]
"""What a string is: the key of an object, the value of a key, an item of an array."""

_STOPS = {
    closer: re.compile(rf"[\\{others}]")
    for closer, others in {
        '"': '"', "'": "'", "`": "`", "”": '”"', "’": "’'", "＂": "＂", "“": '“”"', "」": "」",
        "』": "』", "»": "»",
    }.items()
}  # fmt: skip
_APOSTROPHES = "'’‘"
_RAW = re.compile(r"[\x00-\x1f]")
_ADJACENT = re.compile(r"\s++[\"']")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_JSON_ESCAPES = frozenset('"\\/bfnrtu')
_AMBIGUOUS_ESCAPES = frozenset("bfnrtu")
_ANY = re.compile(r"\\.|[\"'`]", re.DOTALL)
_PYTHON_ESCAPES = frozenset("avxuUN")
_CODED = re.compile(r"(?<!\\)((?:\\\\)*+)\\(?:x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8}))")
_QUOTE = re.compile(r'(\\.)|"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class End:
    """Where the body of a string ends and where to go on behind its quote.

    `inner` counts the quotes in the body that have no backslash and should come in pairs. `sure`
    is false if the string may as well go on behind this quote.
    """

    at: int
    next: int
    inner: int
    sure: bool


def find_end(
    text: str, closer: str, at: int, inner: int, role: Role
) -> tuple[End | None, tuple[int, ...]]:
    """The first quote from `at` on that may end a string of which `inner` quotes were passed.

    Beside it the offsets at which the string ended if its closing quote is missing, which a key
    in it suggests.
    """
    stops = _STOPS[closer]
    unquoted: list[int] = []
    while found := stops.search(text, at):
        place = found.start()
        if found[0] == "\\":
            at = place + 2
            continue
        at = place + 1
        if tokens.CERTAIN_END[role].match(text, at):
            return End(place, at, inner, inner % 2 == 0), tuple(unquoted)
        if tokens.POSSIBLE_END[role].match(text, at):
            return End(place, at, inner, sure=False), tuple(unquoted)
        if role == "member" and not inner and _ADJACENT.match(text, at):
            return None, ()  # two strings, which no notation but Python's makes one
        inner += _counts(text, place)
        if role == "member" and tokens.QUOTED_KEY_AHEAD.match(text, place):
            unquoted += _end_before(text, place)
    return None, tuple(unquoted)


def _counts(text: str, place: int) -> bool:
    """Whether a quote pairs with another one: no apostrophe does, and no inch mark."""
    before = text[place - 1 : place]
    if text[place] in _APOSTROPHES:
        return not before.isalnum()
    return not before.isdigit()


def _end_before(text: str, key: int) -> list[int]:
    """Where a value ended without a quote if a key begins at `key`: before a comma or a line."""
    blanks = key
    while blanks and text[blanks - 1] in " \t\r\n":
        blanks -= 1
    if text[blanks - 1] in ",，":
        return [blanks - 1]
    return [blanks] if "\n" in text[blanks:key] else []


def has_quote(body: str, opener: str) -> bool:
    """Whether a string holds one of its own quotes without a backslash."""
    return opener in body and any(match[0] == opener for match in _ANY.finditer(body))


def raw_control(body: str) -> re.Match[str] | None:
    """The first control character that RFC 8259, section 7, wants escaped."""
    return _RAW.search(body)


def unescaped(body: str, at: int, *, key: bool) -> tuple[str, bool]:
    r"""What a string's body stands for, and whether it has escapes that JSON does not know.

    JSON's escapes mean what they mean; `\'` is an apostrophe. A backslash before another letter
    is itself, as in the regular expression or the path that was meant, but not beside an escape
    such as `\n`, which may then be none. Before another mark it says nothing certain; in a key
    it falls away. Raises UnreadableError, with `at` as the offset of the body.
    """
    if "\\" not in body:
        return body, False
    body = _CODED.sub(_decoded, body)
    odd = [mark for mark in _ESCAPE.findall(body) if mark not in _JSON_ESCAPES]
    strange = [mark for mark in odd if mark not in "'’‘“”„`\n"]
    if strange and not key:
        _check(body, at, strange)

    def spelled(match: re.Match[str]) -> str:
        mark = match[1]
        if mark in _JSON_ESCAPES:
            return match[0]
        if mark == "\n":  # a line that goes on, as in JSON5
            return ""
        return mark if mark in "'’‘“”„`" or key else rf"\\{mark}"

    quoted = _ESCAPE.sub(spelled, body)
    plain = _RAW.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)
    try:
        value: str = json.loads(f'"{_QUOTE.sub(_escaped, plain)}"')
    except ValueError:
        raise UnreadableError(at, "has a broken escape in a string") from None
    return value, bool(odd)


def _check(body: str, at: int, strange: list[str]) -> None:
    certain = any(mark.isalpha() and mark not in _PYTHON_ESCAPES for mark in strange)
    doubtful = any(mark in _AMBIGUOUS_ESCAPES for mark in _ESCAPE.findall(body))
    if certain and not doubtful:
        return
    place = body.index("\\" + strange[0])
    why = f"has a backslash in a string that may stand for itself: `{body[place : place + 2]}`"
    raise UnreadableError(at + place, why)


def _decoded(match: re.Match[str]) -> str:
    r"""`\xe9` and `\U0001f600` of Python and ECMAScript as the character, escaped for JSON."""
    code = int(match[2] or match[3], 16)
    if code > 0x10FFFF:  # noqa: PLR2004 - the last code point
        return match[0]
    return match[1] + json.dumps(chr(code))[1:-1]


def _escaped(match: re.Match[str]) -> str:
    return match[1] or '\\"'
