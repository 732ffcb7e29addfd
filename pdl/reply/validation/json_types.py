"""The types of JSON values, and arithmetic on numbers as they are written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json


def is_integer(value: Json) -> bool:
    """25 and 25.0 are integers, true is not (2020-12 validation, 6.1.1)."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Json) -> bool:
    """A finite number; true is none."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


_EXACT = 2**53  # from here on not every whole number is a float
_LONGEST = 1200  # characters of a number; more than any that a float needs

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
    return (value, 0) if isinstance(value, int) else _written(repr(value))


def _written(text: str) -> tuple[int, int]:
    """A number as mantissa and power of ten, both as they are written."""
    digits, _, exponent = text.lower().partition("e")
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


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


def as_integer(value: float) -> int:
    """The whole number that a float is written as: 10**23 of 1e23, whose nearest float is less."""
    mantissa, exponent = _written(repr(value))
    scale: int = 10 ** abs(exponent)
    return mantissa * scale if exponent >= 0 else mantissa // scale


def exact(text: str) -> float | int | str:
    """The value of a number written with a point or an exponent; a word if there is none.

    A float holds about 16 digits (IEEE 754). Ordinary fractions are rounded to it as everywhere,
    but one whole number never becomes another, nor a fraction a whole number, nor any number 0:
    what a float cannot hold is an integer then, or `large`, `small`, or `precise`.
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
    mantissa, exponent = _written(text)
    if not value:
        return "small" if mantissa else value
    if (mantissa, exponent) == _written(repr(value)):
        return value
    whole, rest = divmod(mantissa, 10 ** max(0, -exponent))
    if rest:
        return "precise"
    whole *= 10 ** max(0, exponent)
    other, scale = _written(repr(value))
    return value if other * 10 ** max(0, scale) == whole * 10 ** max(0, -scale) else whole
