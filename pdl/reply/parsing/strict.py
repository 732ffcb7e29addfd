"""JSON as it should be, read in the C parser's speed where it stands in a text.

The parser's hooks cost more than the parsing itself. They are for numbers that a float cannot hold
and for keys that stand twice; here a few searches in the text and a count of what was read tell
whether there can be any.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.reply.parsing.parsed import Broken, Parsed, is_deep, parse, refuse_constant

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.result import Span

_DECODER = json.JSONDecoder(parse_constant=refuse_constant)
_DIGITS = 16  # from here on a float may not hold a number as it is written
_KINDS = bytes(
    ord("0") if code in b"0123456789.\\" else ord("e") if code in b"eEu" else ord(" ")
    for code in range(256)
)
"""Digits and backslashes as 0, what begins an exponent or a `\\u` behind them as e."""
_EXPONENT = rb"\d[eE]"
_NOT_COLON = bytes(set(range(256)) - set(b':"'))
_STRING = rb'"[^"]*+"'
_HOLDERS = frozenset([dict, list])
_MORE = ("...", "…", "more", "other", "rest", "remaining", "omitted", "truncated")
"""One of them stands in each last item of a list that speaks of further items."""
_PLACEHOLDER = r'"(?>(?:\s|\\[nrtf]|\\u(?!003[cC])[0-9a-fA-F]{4})*)(?:<|\\u003[cC])'


class Findings(NamedTuple):
    """What a closer look at JSON in a text found.

    `made` is what `parse` makes of it; `deep`: more brackets are open at once than the limit
    allows; `suspect`: it may say itself that it is not whole, or hold half of a character, for
    which `wholeness` has a still closer look.
    """

    made: Parsed | Broken
    deep: bool
    suspect: bool


class Exact:
    """JSON in a text and what the parser read; the rest is found out when it is asked for."""

    __slots__ = ("_findings", "_limits", "_text", "_value", "span")

    def __init__(self, value: Json, text: str, span: Span, limits: Limits) -> None:
        self._value = value
        self._text = text
        self._limits = limits
        self._findings: Findings | None = None
        self.span = span

    @property
    def findings(self) -> Findings:
        """What a closer look finds; it is taken once."""
        if self._findings is None:
            self._findings = _look(self._value, self._text, self.span, self._limits)
        return self._findings


def read_exactly(text: str, start: int, limits: Limits) -> Exact | None:
    """The object or array that begins there and is JSON (RFC 8259); None if it is not."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return Exact(value, text, (start, end), limits)


def may_hold_whole_float(body: str) -> bool:
    """Whether a whole number may stand in JSON with a point or an exponent."""
    return ".0" in body or b"0e" in body.encode("utf-8", "surrogatepass").translate(_KINDS)


def _look(value: Json, text: str, span: Span, limits: Limits) -> Findings:
    body = text[slice(*span)]
    raw = body.encode("utf-8", "surrogatepass")
    kinds = raw.translate(_KINDS)
    coded = b"0e" in kinds  # exponents, or escapes of characters
    keys, depth, speaks_of_more = _census(value)
    doubled = keys != _keys(body, raw, keys)  # then a part of the text is not in the value
    odd = b"0" * min(_DIGITS, limits.integer_digits) in kinds
    if doubled or odd or (coded and re.search(_EXPONENT, raw)):
        made = parse(body, limits, span[0])
    else:
        made = Parsed(value)
    most = limits.reply_depth
    deep = is_deep(body, most) if doubled else depth > most
    return Findings(made, deep, speaks_of_more or _is_suspect(body, escapes=coded))


def _census(value: Json) -> tuple[int, int, bool]:
    """How many keys a value has, how deep it is, whether a list's last item speaks of more.

    Counted level by level, so that most of the work is done in C.
    """
    keys = depth = 0
    last: set[str] = set()
    level: list[Any] = [value]
    while level:
        depth += 1
        dicts = [part for part in level if type(part) is dict]
        lists = [part for part in level if type(part) is list]
        keys += sum(map(len, dicts))
        last.update([part[-1] for part in lists if len(part) > 1 and type(part[-1]) is str])
        inner = chain.from_iterable([*map(dict.values, dicts), *lists])
        level = [part for part in inner if type(part) in _HOLDERS]
    said = "\n".join(last).lower()
    return keys, depth, any(map(said.__contains__, _MORE))


def _keys(body: str, raw: bytes, least: int) -> int:
    """How many keys stand in JSON; there are `least` at the least."""
    colons = body.count(":")
    if colons == least:
        return colons
    raw = raw.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NOT_COLON)
    # Of strings without colons nothing is left but their quotes, and those of neighbours meet.
    return re.sub(_STRING, b"", raw.replace(b'""', b"")).count(b":")


def _is_suspect(body: str, *, escapes: bool) -> bool:
    """Whether half of a character stands in JSON, or a string that begins as a placeholder does."""
    if escapes and ("\\ud" in body or "\\uD" in body):
        return True
    try:
        body.encode()
    except UnicodeEncodeError:
        return True
    angled = "<" in body or (escapes and "\\u003" in body)
    return angled and re.search(_PLACEHOLDER, body) is not None
