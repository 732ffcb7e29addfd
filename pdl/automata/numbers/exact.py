"""Decimals without rounding: what a schema's bound is, and its digits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pdl.automata.dfa import Budget

Number: TypeAlias = int | float | Decimal | Fraction
"""A bound. A float is the shortest decimal that is read as it, which is how JSON writes it."""

BASE = 10
_DIGITS_OF_BIT = math.log10(2)


@dataclass(frozen=True)
class Written:
    """A decimal that is not negative: its digits before the point, and those behind it.

    No needless zeros: `whole` is (0,) for a value below 1, `fraction` does not end with 0.
    """

    whole: tuple[int, ...]
    fraction: tuple[int, ...]


def exact(number: Number, budget: Budget) -> Fraction:
    """The value of a bound. Raises ValueError if it is not finite, LimitError if it is long."""
    if isinstance(number, float):
        number = Decimal(repr(number))
    if isinstance(number, Decimal):
        if not number.is_finite():
            raise ValueError(f"a bound must be finite, not {number}")
        budget.check(abs(number.adjusted()) + len(number.as_tuple().digits))
    value = Fraction(number)
    longest = max(value.numerator.bit_length(), value.denominator.bit_length())
    budget.check(int(longest * _DIGITS_OF_BIT))
    return value


def scale_of(value: Fraction) -> int:
    """How many digits stand behind the point. Raises ValueError if there is no end of them."""
    rest = value.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest > 1:
        raise ValueError(f"{value} is no decimal")
    return max(twos, fives)


def written(value: Fraction) -> Written:
    """The digits of a decimal that is not negative."""
    scale = scale_of(value)
    scaled = Decimal(int(value * BASE**scale))  # its digits have no bound, as those of str have
    digits = (0,) * (scale + 1) + scaled.as_tuple().digits
    at = len(digits) - scale
    lead = next((place for place in range(at) if digits[place]), at - 1)
    return Written(digits[lead:at], digits[at:])
