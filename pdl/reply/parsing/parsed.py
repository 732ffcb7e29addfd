"""From a text to its value in the C parser's words: JSON as it should be, or why it is not.

Nothing is filled in, closed, dropped or rounded.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pdl.reply.phrases import Phrase, say
from pdl.reply.validation.json_types import equal, written
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.parsing.events import Made
    from pdl.reply.result import Reason, Repair

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_EXACT = 2**53  # from here on not every integer is a float
_LONGEST = 1200  # characters of a number; more than any that a float needs
NO_FLOAT = {
    "large": "number-too-large",
    "small": "number-too-small",
    "precise": "number-too-precise",
}
"""Why no float holds a number, and the key of what we say."""

_NOT_BRACKET = bytes(set(range(256)) - set(b'[]{}"'))
_WEIGHT = tuple(1 if code in b"[{" else -1 if code in b"]}" else 0 for code in range(256))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, and the repairs that reading it took.

    `made` is what the tolerant reader made of it, which knows where its parts stand.
    """

    value: Json
    repairs: tuple[Repair, ...] = ()
    made: Made | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a text has no value: what follows "it …"; the offset and what stands there."""

    reason: Reason
    message: str
    at: int = 0
    found: str = ""


class _RefusedError(ValueError):
    def __init__(self, broken: Broken) -> None:
        super().__init__(broken.message)
        self.broken = broken


def parse(text: str, limits: Limits, start: int = 0) -> Parsed | Broken:
    """The value of a text that holds one JSON value and blanks, nested no deeper than the limits.

    Keys may be doubled if their values are equal, which is a repair; `start` is where the text
    begins in the reply. NaN, Infinity and numbers too large are refused.
    """
    hooks = _Hooks(limits.integer_digits)
    try:
        value = hooks.decoder().decode(text.lstrip(_BOM))
    except _RefusedError as refused:
        return refused.broken
    except json.JSONDecodeError as error:
        return broken_at(text, error.pos, "expected-value")
    except RecursionError:
        return Broken("limit", say("nested-too-deep"))
    if not hooks.doubled:
        return Parsed(value)
    from pdl.reply.parsing.events import doubled_keys  # noqa: PLC0415 - few replies need it

    return Parsed(value, doubled_keys(text, start))


def is_deep(text: str, depth: int) -> bool:
    """Whether brackets outside strings are nested deeper than `depth`, in C's speed.

    Exact for JSON; of other text it may say yes too often.
    """
    if text.count("{") + text.count("[") <= depth:
        return False
    raw = text.encode("utf-8", "surrogatepass").replace(rb"\\", b"").replace(rb"\"", b"")
    marks = raw.translate(None, _NOT_BRACKET).replace(b'""', b"")
    marks = re.sub(rb'"[^"]*+"', b"", marks)
    return max(accumulate(map(_WEIGHT.__getitem__, marks)), default=0) > depth


class _Hooks:
    """What the C parser asks while it reads one text. `doubled`: a key stood twice."""

    def __init__(self, digits: int) -> None:
        self._digits = digits
        self.doubled = False

    def decoder(self) -> json.JSONDecoder:
        """A parser that asks."""
        return json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=_float,
            parse_int=self._integer,
            parse_constant=refuse_constant,
        )

    def _integer(self, text: str) -> int:
        value = whole(text, self._digits)
        if value is None:
            raise _RefusedError(Broken("limit", say("too-many-digits", number=self._digits)))
        return value

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            self.doubled = True
            for name, part in pairs:
                if not equal(part, value[name]):
                    message = say("doubled-key", name=shorten(name))
                    raise _RefusedError(Broken("unparsable", message))
        return value


def _float(text: str) -> float:
    value = exact(text)
    if isinstance(value, str):
        message = say(NO_FLOAT[value], found=shorten(text))
        raise _RefusedError(Broken("unparsable", message))
    return value


def refuse_constant(text: str) -> float:
    """What the C parser asks about NaN and Infinity. Raises an error that `parse` handles."""
    raise _RefusedError(Broken("unparsable", say("no-number", found=text)))


def whole(text: str, digits: int) -> int | None:
    """The integer that is written in digits; None for more of them than `digits`.

    Nor for more than Python reads, whose own limit may be lowered at any time.
    """
    if len(text.lstrip("-")) > digits:
        return None
    try:
        return int(text)
    except ValueError:
        return None


def exact(text: str) -> float | int | str:
    """The value of a number written with a point or an exponent; a word if there is none.

    A float holds about 16 digits (IEEE 754). Ordinary fractions are rounded to it as everywhere,
    but one integer never becomes another, nor a fraction an integer, nor any number 0: what a float
    cannot hold is an integer then, or `large`, `small`, or `precise`.
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
    except ValueError:  # Python was told to read fewer digits than that
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
"""The keys of what is said where a bound of `Limits` is reached."""


def told(text: str, at: int, why: str, expected: str) -> Broken:
    """What a reader says that came no further than `at`: why, or at least what was expected."""
    if not why:
        return broken_at(text, at, expected)
    is_limit = isinstance(why, Phrase) and why.key in LIMITS
    return Broken("limit" if is_limit else "unparsable", why, at)


def furthest(one: Broken | None, other: Broken) -> Broken:
    """Of what the C parser and the tolerant one say the one that tells more.

    The first, if it says why; but not if both say the same, of which the other knows the place.
    """
    return other if one is None or _key(one) in {"breaks", "breaks-at-end", _key(other)} else one


def _key(broken: Broken) -> str:
    """The key of the phrase that is said, or what is said itself."""
    return broken.message.key if isinstance(broken.message, Phrase) else str(broken.message)


def broken_at(text: str, at: int, key: str) -> Broken:
    """A text that breaks off making sense at an offset; `key` is that of the phrase why."""
    found = shorten(text[at : at + 80], 24)
    why = say(key)
    message = say("breaks", found=found, why=why) if found else say("breaks-at-end", why=why)
    return Broken("unparsable", message, at, found)
