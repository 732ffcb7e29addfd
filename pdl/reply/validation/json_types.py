"""The types of JSON values, their equality, and arithmetic on numbers as they are written."""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from pdl._types import Json, JsonPath


_ABSENT = object()  # represents a part that one of two values lacks; equal to nothing else


def is_integer(value: Json) -> bool:
    """25 and 25.0 are integers, true is not (2020-12 validation, 6.1.1)."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Json) -> bool:
    """A finite number; true is not a number."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


KINDS: Mapping[str, Callable[[Json], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": is_integer,
    "number": is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, dict),
}
"""Type name -> question."""


def kind_of(value: Json) -> str:
    """The type's name, `integer` where it fits; the Python type's name if JSON has none."""
    return next((name for name, fits in KINDS.items() if fits(value)), type(value).__name__)


# Equality


def key(value: Json) -> Hashable:
    """A hashable that is the same for equal values and for no others (2020-12 core, 4.2.2).

    1 is 1.0, but true is not 1. One frame for each level of the value, whose depth is limited.
    """
    if isinstance(value, dict):
        return frozenset([(name, key(part)) for name, part in value.items()])
    if isinstance(value, list | tuple):
        return tuple([key(part) for part in value])
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float):
        return _digits(value)
    scalar: Hashable = value
    return scalar


def _digits(number: float) -> bytes:
    """A number as bytes, the same for 1 and 1.0.

    Python's hashes of numbers are predictable (all multiples of 2**61 - 1 are alike, and -1 is like
    -2), so a set of them can take quadratic time; hashes of bytes are randomized.
    """
    if isinstance(number, int):
        return b"%x" % number
    return b"%x" % int(number) if number.is_integer() else number.hex().encode()


def equal(one: Json, other: Json) -> bool:
    """Whether two JSON values are equal; the order of keys does not count."""
    return first_difference(one, other) is None


def first_difference(one: Json, other: Json) -> JsonPath | None:
    """The path of the first part in which two values differ, in the order of the first value."""
    pending: list[tuple[JsonPath, Json, Json]] = [((), one, other)]
    while pending:
        path, a, b = pending.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            names = [*a, *(name for name in b if name not in a)]
            parts = [((*path, name), a.get(name, _ABSENT), b.get(name, _ABSENT)) for name in names]
            pending += reversed(parts)
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            pairs = enumerate(zip_longest(a, b, fillvalue=_ABSENT))
            pending += reversed([((*path, index), x, y) for index, (x, y) in pairs])
        elif (a is not b) if isinstance(a, bool) or isinstance(b, bool) else a != b:
            return path
    return None


# Numbers as they are written


def is_multiple(value: float, divisor: float) -> bool:
    """Whether `value` is a multiple of `divisor`, both as the decimals that they are written as.

    0.3 is a multiple of 0.1, which it is not in binary.
    """
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    (mantissa, exponent), (other, scale) = _decimal(value), _decimal(divisor)
    low = min(exponent, scale)
    left: int = mantissa * 10 ** (exponent - low)
    right: int = other * 10 ** (scale - low)
    return left % right == 0


def _decimal(value: float) -> tuple[int, int]:
    """A number as mantissa and power of ten, from its shortest decimal form."""
    return (value, 0) if isinstance(value, int) else written(repr(value))


def written(text: str) -> tuple[int, int]:
    """A number as mantissa and power of ten, both as they are written."""
    digits, _, exponent = text.lower().partition("e")
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


def as_integer(value: float) -> int:
    """The integer that a float is written as: 10**23 of 1e23, whose nearest float is less."""
    mantissa, exponent = written(repr(value))
    scale: int = 10 ** abs(exponent)
    return mantissa * scale if exponent >= 0 else mantissa // scale


_HALVES = ("\ud800", "\udfff")


def lone_surrogate(value: Json) -> str:
    """The first lone surrogate in a value's strings and keys, as an escape; empty for none.

    No text that contains one can be encoded (RFC 8259, section 8.2).
    """
    for part in containers([value]):
        for item in part if isinstance(part, list) else [*part, *part.values()]:
            if isinstance(item, str) and not item.isascii():
                first, last = _HALVES
                found = next((char for char in item if first <= char <= last), "")
                if found:
                    return f"\\u{ord(found):04x}"
    return ""


def containers(value: Json) -> Iterator[Json]:
    """The objects and arrays of a value, each before those in it."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict | list):
            yield part
            pending += reversed(part.values() if isinstance(part, dict) else part)
