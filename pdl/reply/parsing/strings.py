"""The end of a string whose inner quotes might lack their backslash, and its value."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from pdl import _re as re
from pdl.reply.parsing import tokens
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import say

Role: TypeAlias = Literal["key", "member", "item"]
"""The role of a string: the key of an object, the value of a key, an item of an array."""

_APOSTROPHES = "'’‘"
_BETWEEN_ITEMS = re.compile(r"""\n|["']\s*+,\s*+["']""")
_WOULD_END = re.compile(r"\s*+(?:[:}\]]|,\s*+[\"'])")
_ITEM_END = re.compile(r"\s*+[,:\]]")
ELIDED = 4  # letters before an apostrophe that are looked at
_GAP = 20  # spaces between a comma and a key that are looked at
CONTROL = re.compile(r"[\x00-\x1f]")
"""A control character, which must be escaped (RFC 8259, section 7)."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_JSON_ESCAPES = frozenset('"\\/bfnrtu')
_AMBIGUOUS_ESCAPES = frozenset("\\/bfnrtu")
_ANY = re.compile(r"\\.|[\"'`]", re.DOTALL)
_PYTHON_ESCAPES = frozenset("avN")
"""Those of Python that look like others; not `\\x` and `\\U` without their digits."""
_NEXT_RECORD = re.compile(r"""[}\]]\s*+,\s*+[{\[]\s*+["'“\w]""")
_LINE_FOLLOWS = re.compile(r"\s*+,?[ \t]*+\r?\n")
_BESIDE_STRING = re.compile(r"""["'“”’]\s*+,?\s*+\Z""")
_LINE_ENDS = re.compile(r"[ \t]*+,[ \t]*+\r?\n")
_LAST_ITEM = re.compile(r"\s*+(?>(?:/\*[^*]*+\*/\s*+)?)\]")
_RAW_LINE_ITEM = re.compile(r"[,，;；、][ \t]*+\r?\n")
_ELISION = re.compile(r"[^\W\d_]{1,2}(?!\w)")
_ENDS_IN_ELISION = re.compile(r"(?<!\w)[^\W\d_]{1,2}\Z")
_CLOSING = frozenset(mark for pair in tokens.QUOTES.items() for mark in pair)
_BAD_ESCAPE = re.compile(r"(?<!\\)((?>(?:\\\\)*))\\(?:u(?![0-9a-fA-F]{4})|\Z)")
SURROGATES = re.compile("[\ud800-\udfff]")
_CODED = re.compile(r"(?<!\\)((?>(?:\\\\)*))\\(?:x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8}))")
_QUOTE = re.compile(r'(\\.)|"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class End:
    """The end of the string at `start`, with its quote at `at`, and where to continue after it.

    `inner` are the offsets of the quotes in the body that have no backslash and should come in
    pairs. `sure` is false if the string might also continue after this quote.
    """

    start: int
    at: int
    next: int
    inner: tuple[int, ...]
    sure: bool


def settled(text: str, end: End, role: Role) -> End:
    """The end with what the quotes in the string say about it: whether they come in pairs."""
    return replace(end, sure=len(end.inner) % 2 == 0 and is_natural(text, end, role))


def is_apostrophe(text: str, place: int, role: Role) -> bool:
    """Whether a quote belongs to a word; in a list it might also separate two items."""
    if text[place] not in _APOSTROPHES or not text[place - 1].isalnum():
        return False
    if role != "item":
        return True
    before = _ENDS_IN_ELISION.search(text, max(0, place - ELIDED), place)
    return before is not None or _ELISION.match(text, place + 1) is not None


def is_natural(text: str, end: End, role: Role) -> bool:
    """Whether the quotes in a string are placed like quotes in prose, not like those of JSON.

    In pairs, each around something, with no letters at their outer sides. A lone one counts only
    where no string could begin or end. Two adjacent ones might be the remains of a comma or of a
    doubled quote.
    """
    inner = end.inner
    if role == "key":
        return all(_amid_a_word(text, place) for place in inner)
    if _opens_anew(text, end) or (inner and _is_part_of_json(text, end)):
        return False
    if role == "member" and any(_LINE_ENDS.match(text, place + 1) for place in inner):
        return False
    if role == "item" and (_joins_lines(text, end) or (inner and _may_be_items(text, end))):
        return False
    if _paired(text, inner, role):
        return True
    return role == "item" and len(inner) == 1 and _is_only_text(text, end)


def _is_part_of_json(text: str, end: End) -> bool:
    """Whether quotes in a string look like those of other strings, or are doubled."""
    inner = end.inner
    side_by_side = any(not text[a + 1 : b].strip() for a, b in pairwise(inner))
    return (
        side_by_side
        or any(text[at - 1] == text[at] and at - 1 > end.start for at in inner)
        or _NEXT_RECORD.search(text, end.start, end.at) is not None
        or _doubled(text, end)
    )


def _joins_lines(text: str, end: End) -> bool:
    """Whether an item goes over lines at a comma, in a list that has an item on each line."""
    if not _RAW_LINE_ITEM.search(text, end.start, end.at):
        return False
    front = text[text.rfind("\n", 0, end.start) + 1 : end.start]
    return not front.strip(" \t") or _LINE_FOLLOWS.match(text, end.next) is not None


def _is_only_text(text: str, end: End) -> bool:
    """Whether an item is the last of its list, and no quoted string comes before it.

    Elsewhere a lone quote in an item might be the remains of two quotes and a comma.
    """
    place = end.inner[0]
    inside = _amid_a_word(text, place) or text[place] in _APOSTROPHES
    if not inside or not text[place - 1].isalnum():
        return False
    if _BESIDE_STRING.search(text, max(0, end.start - _GAP), end.start):
        return False
    return _LAST_ITEM.match(text, end.next) is not None


def _opens_anew(text: str, end: End) -> bool:
    """Whether an opening quote appears in a string for a second time."""
    opener = text[end.start]
    return tokens.QUOTES[opener] != opener and text.find(opener, end.start + 1, end.at) >= 0


def _may_be_items(text: str, end: End) -> bool:
    """Whether one string of a list might be several."""
    if _BETWEEN_ITEMS.search(text, end.start + 1, end.at):
        return True
    return any(_ITEM_END.match(text, place + 1) for place in end.inner)


def _doubled(text: str, end: End) -> bool:
    """Whether a quote is right inside one end of a string, and might be doubled."""
    first, last = text[end.start + 1], text[end.at - 1]
    opens, closes = end.start + 1 in end.inner, end.at - 1 in end.inner
    if end.inner == (end.at - 1,) == (end.start + 1,):
        return True
    if opens == closes or len(end.inner) % 2 == 0:
        return False
    if opens:
        return first == text[end.start]
    return last == text[end.at]


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
        return False
    before = text[place - 1]
    if before.isspace() or before in {*",{[:}"}:
        return False
    return not _WOULD_END.match(text, place + 1)


def _is_letter(char: str) -> bool:
    """Whether a letter is of a script that separates its words by spaces."""
    return char.isalnum() and char < "\u0e00"


def _opens(text: str, place: int) -> bool:
    return not _is_letter(text[place - 1]) and not text[place + 1 : place + 2].isspace()


def _closes(text: str, place: int) -> bool:
    return not text[place - 1].isspace() and not _is_letter(text[place + 1 : place + 2])


def end_before(text: str, key: int) -> int:
    """Where a value ended without a quote if a key begins at `key`: before a comma or a line.

    0 if there is neither.
    """
    blanks = key
    while blanks and text[blanks - 1] in " \t\r\n":
        blanks -= 1
    if text[blanks - 1] in ",，":
        return blanks - 1
    return blanks if "\n" in text[blanks:key] else 0


def ends_in_doubt(body: str) -> bool:
    """Whether a string without a closing quote ends with a mark that might not belong to it.

    Another quote might be that quote; other marks might be JSON's.
    """
    return body.rstrip()[-1:] in {*_CLOSING, *"{}[],:;"}


def has_quote(body: str, opener: str) -> bool:
    """Whether a string contains one of its own quotes without a backslash."""
    return opener in body and any(match[0] == opener for match in _ANY.finditer(body))


def unescaped(body: str, at: int, *, key: bool) -> tuple[str, bool]:
    r"""The value of a string's body, and whether it has escapes that are not JSON's.

    JSON's escapes keep their meaning; `\'` is an apostrophe. A backslash before another letter is
    literal, as in a regular expression or a path, but not next to an escape such as `\n` or `\\`,
    which might then be literal too. Before another mark or a newline it is unclear, except in a
    key, where it is dropped. Raises UnreadableError, with `at` as the body's offset.
    """
    if "\\" not in body:
        return body, False
    coded = body
    body = _CODED.sub(_decoded, body)
    odd = [mark for mark in _ESCAPE.findall(body) if mark not in _JSON_ESCAPES]
    strange = [mark for mark in odd if mark not in "'’‘“”„`"]
    if key:
        strange = [mark for mark in strange if mark.isalpha()]
    if strange:
        _check(body, at, strange)

    def spelled(match: re.Match[str]) -> str:
        mark = match[1]
        if mark in _JSON_ESCAPES:
            return match[0]
        return mark if mark in "'’‘“”„`" or mark not in strange else rf"\\{mark}"

    quoted = _ESCAPE.sub(spelled, body)
    plain = CONTROL.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)
    try:
        value: str = json.loads(f'"{_QUOTE.sub(_escaped, plain)}"')
    except ValueError:
        raise UnreadableError(at, say("broken-escape")) from None
    return value, bool(odd) or body != coded


def beginning(body: str) -> str:
    """The text of an open string, up to an escape that is incomplete or invalid."""
    bad = _BAD_ESCAPE.search(body)
    body = body[: bad.end(1)] if bad else body
    try:
        value, _ = unescaped(body, 0, key=False)
    except UnreadableError as failure:
        return beginning(body[: failure.at]) if failure.at else ""
    return SURROGATES.split(value, maxsplit=1)[0]


def _check(body: str, at: int, strange: list[str]) -> None:
    certain = any(mark.isalpha() and mark not in _PYTHON_ESCAPES for mark in strange)
    doubtful = any(mark in _AMBIGUOUS_ESCAPES for mark in _ESCAPE.findall(body))
    if certain and not doubtful:
        return
    place = body.index("\\" + strange[0])
    raise UnreadableError(at + place, say("lone-backslash", found=body[place : place + 2]))


def _decoded(match: re.Match[str]) -> str:
    r"""`\xe9` and `\U0001f600` of Python and ECMAScript as the character, escaped for JSON."""
    code = int(match[2] or match[3], 16)
    if code > 0x10FFFF:  # noqa: PLR2004 - the last code point
        return match[0]
    return match[1] + json.dumps(chr(code))[1:-1]


def _escaped(match: re.Match[str]) -> str:
    return match[1] or '\\"'
