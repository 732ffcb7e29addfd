"""Strict JSON (RFC 8259), read at the C parser's speed, or why it is not valid.

Nothing is filled in, closed, dropped or rounded.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.reply.phrases import Phrase, say, shorten
from pdl.reply.result import Broken, Parsed
from pdl.reply.validation.json_types import equal, written

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.result import Span


_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_EXACT = 2**53  # from here on not every integer is a float
_LONGEST = 1200  # characters of a number; more than any that a float needs
NO_FLOAT = {
    "large": "number-too-large",
    "small": "number-too-small",
    "precise": "number-too-precise",
}
"""Why no float represents a number, and the key of the message."""

_NOT_BRACKET = bytes(set(range(256)) - set(b'[]{}"'))
_WEIGHT = tuple(1 if code in b"[{" else -1 if code in b"]}" else 0 for code in range(256))


class _RefusedError(ValueError):
    def __init__(self, broken: Broken) -> None:
        super().__init__(broken.message)
        self.broken = broken


def parse(text: str, limits: Limits, start: int = 0) -> Parsed | Broken:
    """The value of a text that consists of one JSON value and spaces, within the limits of depth.

    Duplicate keys are allowed if their values are equal, which is a repair; `start` is the offset
    of the text in the reply. NaN, Infinity, and numbers too large are refused.
    """
    doubled: list[str] = []
    try:
        value = _decoder(limits.integer_digits, doubled).decode(text.lstrip(_BOM))
    except _RefusedError as refused:
        return refused.broken
    except json.JSONDecodeError as error:
        return broken_at(text, error.pos, "expected-value")
    except RecursionError:
        return Broken("limit", say("nested-too-deep"))
    if not doubled:
        return Parsed(value)
    from pdl.reply.parsing.events import doubled_keys  # noqa: PLC0415 - few replies need it

    return Parsed(value, doubled_keys(text, start))


def _decoder(digits: int, doubled: list[str]) -> json.JSONDecoder:
    """A C parser that refuses NaN and the like, and notes the keys of objects with duplicates."""

    def integer(text: str) -> int:
        number = whole(text, digits)
        if number is None:
            raise _RefusedError(Broken("limit", say("too-many-digits", number=digits)))
        return number

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            for name, part in pairs:
                doubled.append(name)
                if not equal(part, found[name]):
                    message = say("doubled-key", name=shorten(name))
                    raise _RefusedError(Broken("unparsable", message))
        return found

    return json.JSONDecoder(
        object_pairs_hook=members,
        parse_float=_float,
        parse_int=integer,
        parse_constant=refuse_constant,
    )


def is_deep(text: str, depth: int) -> bool:
    """Whether brackets outside strings are nested deeper than `depth`, at C speed.

    Exact for JSON; for other text it can be true too often.
    """
    if text.count("{") + text.count("[") <= depth:
        return False
    raw = text.encode("utf-8", "surrogatepass").replace(rb"\\", b"").replace(rb"\"", b"")
    marks = raw.translate(None, _NOT_BRACKET).replace(b'""', b"")
    marks = re.sub(rb'"[^"]*+"', b"", marks)
    return max(accumulate(map(_WEIGHT.__getitem__, marks)), default=0) > depth


def _float(text: str) -> float:
    value = exact(text)
    if isinstance(value, str):
        message = say(NO_FLOAT[value], found=shorten(text))
        raise _RefusedError(Broken("unparsable", message))
    return value


def refuse_constant(text: str) -> float:
    """The hook for NaN and Infinity. Raises an error that `parse` handles."""
    raise _RefusedError(Broken("unparsable", say("no-number", found=text)))


def whole(text: str, digits: int) -> int | None:
    """The integer of a text; None for more than `digits` digits.

    Also None for more than Python reads, whose own limit can be lowered at any time.
    """
    if len(text.lstrip("-")) > digits:
        return None
    try:
        return int(text)
    except ValueError:
        return None


def exact(text: str) -> float | int | str:
    """The value of a number written with a point or an exponent; a word if there is none.

    A float has about 16 digits (IEEE 754). Ordinary fractions are rounded to it as everywhere, but
    an integer never becomes another one, nor a fraction an integer, nor any number 0: if no float
    will do, the result is an integer, or `large`, `small`, or `precise`.
    """
    value = float(text)
    if math.isinf(value):
        return "large"
    if not value.is_integer() or (abs(value) < _EXACT and text.rstrip("0").endswith(".")):
        return value
    if len(text) > _LONGEST:
        return "precise"
    try:
        return _whole(text, value)
    except ValueError:  # Python's own limit of digits is lower than that
        return "precise"


def _whole(text: str, value: float) -> float | int | str:
    mantissa, exponent = written(text)
    if not value:
        return "small" if mantissa else value
    if (mantissa, exponent) == written(repr(value)):
        return value
    whole, rest = divmod(mantissa, 10 ** max(0, -exponent))
    if rest:
        return "precise"
    whole *= 10 ** max(0, exponent)
    other, scale = written(repr(value))
    return value if other * 10 ** max(0, scale) == whole * 10 ** max(0, -scale) else whole


LIMITS = frozenset(["too-many-digits", "too-deep"])
"""The keys of the messages for a bound of `Limits` that is reached."""


def unreadable(text: str, at: int, why: str, expected: str) -> Broken:
    """The result of a reader that stopped at `at`: the reason, or at least what was expected."""
    if not why:
        return broken_at(text, at, expected)
    is_limit = isinstance(why, Phrase) and why.key in LIMITS
    return Broken("limit" if is_limit else "unparsable", why, at)


def furthest(one: Broken | None, other: Broken) -> Broken:
    """The more informative result of those of the C parser and of the tolerant one.

    The first, if it gives a reason; the other, which knows the position, if both say the same.
    """
    return other if one is None or _key(one) in {"breaks", "breaks-at-end", _key(other)} else one


def _key(broken: Broken) -> str:
    """The key of the message, or the message itself."""
    return broken.message.key if isinstance(broken.message, Phrase) else str(broken.message)


def broken_at(text: str, at: int, key: str) -> Broken:
    """A text that stops being valid at an offset; `key` is that of the reason."""
    found = shorten(text[at : at + 80], 24)
    why = say(key)
    message = say("breaks", found=found, why=why) if found else say("breaks-at-end", why=why)
    return Broken("unparsable", message, at, found)


_DECODER = json.JSONDecoder(parse_constant=refuse_constant)
_DIGITS = 16  # from here on a float might not represent a number as it is written
_KINDS = bytes(
    ord("0") if code in b"0123456789.\\" else ord("e") if code in b"eEu" else ord(" ")
    for code in range(256)
)
"""Digits and backslashes as 0, the start of an exponent or of a `\\u` after them as e."""
_EXPONENT = rb"\d[eE]"
_NOT_COLON = bytes(set(range(256)) - set(b':"'))
_STRING = rb'"[^"]*+"'
_HOLDERS = frozenset([dict, list])
_MORE = ("...", "…", "more", "other", "rest", "remaining", "omitted", "truncated")
"""Every last item of a list that refers to further items contains one of them."""
_PLACEHOLDER = r'"(?>(?:\s|\\[nrtf]|\\u(?!003[cC])[0-9a-fA-F]{4})*)(?:<|\\u003[cC])'


class Findings(NamedTuple):
    """The findings of a closer look at JSON in a text.

    `made` is what `parse` makes of it; `deep`: more brackets are open at the same time
    than the limit allows; `suspect`: it might represent omitted data, or contain a lone surrogate,
    which takes a still closer look.
    """

    made: Parsed | Broken
    deep: bool
    suspect: bool


@dataclass(eq=False)
class Exact:
    """JSON in a text and what the parser read; the rest is computed on demand."""

    value: Json
    text: str
    span: Span
    limits: Limits

    @cached_property
    def findings(self) -> Findings:
        """The findings of a closer look, which is taken once."""
        return _look(self.value, self.text, self.span, self.limits)


def read_exactly(text: str, start: int, limits: Limits) -> Exact | None:
    """The object or array that begins there and is JSON (RFC 8259); None if it is not."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return Exact(value, text, (start, end), limits)


def may_hold_whole_float(body: str) -> bool:
    """Whether JSON might contain an integer that is written with a point or an exponent."""
    if ".0" in body and re.search(r"\.0++(?![0-9])", body):
        return True
    return b"0e" in body.encode("utf-8", "surrogatepass").translate(_KINDS)


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
    """The number of keys in JSON, at least `least`."""
    colons = body.count(":")
    if colons == least:
        return colons
    raw = raw.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _NOT_COLON)
    # Of strings without colons nothing is left but their quotes, and those of neighbours meet.
    return re.sub(_STRING, b"", raw.replace(b'""', b"")).count(b":")


def _is_suspect(body: str, *, escapes: bool) -> bool:
    """Whether JSON might contain a lone surrogate, or a string that begins like a placeholder."""
    if escapes and ("\\ud" in body or "\\uD" in body):
        return True
    try:
        body.encode()
    except UnicodeEncodeError:
        return True
    angled = "<" in body or (escapes and "\\u003" in body)
    return angled and re.search(_PLACEHOLDER, body) is not None
