"""Where a string ends if quotes in it may lack their backslash, and what it then holds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.reply.tolerant import tokens
from pdl.reply.tolerant.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_BETWEEN_ITEMS = re.compile(r"""\n|["']\s*+,\s*+["']""")
_BEHIND_COMMA = re.compile(r",\s*+\Z")
_GAP = 20  # blanks between a comma and a key that are looked at
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
    """Where the string at `start` ends, with its quote at `at`, and where to go on behind it.

    `inner` are the places of the quotes in the body that have no backslash and should come in
    pairs. `sure` is false if the string may as well go on behind this quote.
    """

    start: int
    at: int
    next: int
    inner: tuple[int, ...]
    sure: bool


def find_end(
    text: str, start: int, at: int, inner: tuple[int, ...], role: Role
) -> tuple[End | None, tuple[int, ...]]:
    """The first quote from `at` on that may end the string at `start`; `inner` quotes were passed.

    Beside it the offsets at which the string ended if its closing quote is missing, which a key
    in it suggests.
    """
    stops = _STOPS[tokens.QUOTES[text[start]]]
    passed = list(inner)
    unquoted: list[int] = []
    line = text.find("\n", start)  # a string without its closing quote ends on its first line
    while found := stops.search(text, at):
        place = found.start()
        if found[0] == "\\":
            at = place + 2
            continue
        at = place + 1
        if tokens.CERTAIN_END[role].match(text, at):
            end = End(start, place, at, tuple(passed), sure=True)
            paired = any(len(places) % 2 == 0 for places in _countings(text, end.inner))
            return replace(end, sure=paired and natural(text, end, role)), tuple(unquoted)
        if tokens.POSSIBLE_END[role].match(text, at):
            return End(start, place, at, tuple(passed), sure=False), tuple(unquoted)
        if role == "member" and not passed and _ADJACENT.match(text, at):
            # Two strings side by side; on two lines they are one, else they may be anything.
            lines = tokens.NEXT_LINE.match(text, at)
            return (End(start, place, at, (), sure=True) if lines else None), ()
        if text[place] not in _APOSTROPHES or not text[place - 1].isalnum():
            passed.append(place)
        if role == "member" and tokens.QUOTED_KEY_AHEAD.match(text, place):
            ends = _end_before(text, place)
            unquoted += [end for end in ends if line < 0 or end <= line]
    return None, tuple(unquoted)


def _countings(text: str, inner: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The quotes that should come in pairs: all of them, or all but those that may be inches."""
    yield inner
    if any(text[place - 1].isdigit() for place in inner):
        yield tuple(place for place in inner if not text[place - 1].isdigit())


def natural(text: str, end: End, role: Role) -> bool:
    """Whether the quotes in a string stand as quotes in a text do, not as those of JSON.

    In pairs, each around something, with no letters at their outer sides. A lone one is taken only
    where no string could begin or end. Two that are next to each other may be all that is left of
    a comma or of a doubled quote.
    """
    inner = end.inner
    if role == "key":
        return all(_amid_a_word(text, place) for place in inner)
    if any(not text[a + 1 : b].strip() for a, b in pairwise(inner)):
        return False
    if role == "item" and inner and _BETWEEN_ITEMS.search(text, end.start + 1, end.at):
        return False
    if _has_member(text, end):
        return False
    return any(_paired(text, places, role) for places in _countings(text, inner))


def _has_member(text: str, end: End) -> bool:
    """Whether a quote begins what looks like the next member, in a text that opens no bracket."""
    brace = text.find("{", end.start, end.at)
    inner = [place for place in end.inner if brace < 0 or place < brace]
    keys = (place for place in inner if tokens.QUOTED_KEY_AHEAD.match(text, place))
    return any(_BEHIND_COMMA.search(text, max(0, place - _GAP), place) for place in keys)


def _paired(text: str, places: tuple[int, ...], role: Role) -> bool:
    if len(places) % 2:
        return len(places) == 1 and _lone(text, places[0], role)
    return all(_opens(text, place) for place in places[::2]) and all(
        _closes(text, place) for place in places[1::2]
    )


def _amid_a_word(text: str, place: int) -> bool:
    return text[place - 1].isalnum() and text[place + 1 : place + 2].isalnum()


def _lone(text: str, place: int, role: Role) -> bool:
    if role == "item":
        return _amid_a_word(text, place)
    before = text[place - 1]
    return not before.isspace() and before not in {*",{[:}"}


def _is_letter(char: str) -> bool:
    """A letter of a script that parts its words by blanks."""
    return char.isalnum() and char < "\u0e00"


def _opens(text: str, place: int) -> bool:
    return not _is_letter(text[place - 1]) and not text[place + 1 : place + 2].isspace()


def _closes(text: str, place: int) -> bool:
    return not text[place - 1].isspace() and not _is_letter(text[place + 1 : place + 2])


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
