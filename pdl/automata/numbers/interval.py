"""Ranges of numbers, and digits that are compared with a range's ends as they come.

Bounds are exact decimals: what the bound of a schema is, without rounding, and its digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
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


LESS, EQUAL, MORE = -1, 0, 1
SURE = 2
"""Whatever comes, the end of the range is kept."""

Place: TypeAlias = tuple[int, int, int]
"""Digits read in this part of the number, and how they compare with the low and the high end."""


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`; None for no end. An open end is not in it itself."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False

    def __contains__(self, value: Fraction | int) -> bool:
        above = self.low is None or (value > self.low if self.low_open else value >= self.low)
        below = self.high is None or (value < self.high if self.high_open else value <= self.high)
        return above and below

    @property
    def is_bounded(self) -> bool:
        """Whether it has an end."""
        return self.low is not None or self.high is not None

    @property
    def is_empty(self) -> bool:
        """Whether no number is in it."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    @property
    def negated(self) -> Interval:
        """The numbers whose negatives are in it."""
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Interval(low, high, self.high_open, self.low_open)

    @property
    def magnitudes(self) -> Interval | None:
        """Those of its numbers that are not negative, without a low end where that is 0."""
        if self.high is not None and (self.high < 0 or (self.high == 0 and self.high_open)):
            return None
        if self.low is None or self.low < 0 or (self.low == 0 and not self.low_open):
            return replace(self, low=None, low_open=False)
        return self


def sign_of(digit: int, digits: tuple[int, ...], place: int) -> int:
    """How a digit compares with the one in its place, which is 0 behind the last."""
    other = digits[place] if place < len(digits) else 0
    return (digit > other) - (digit < other)


class Between:
    """Says digit by digit whether a number without its sign is in a range; see `decimals.Part`."""

    start: Place

    def __init__(self, interval: Interval) -> None:
        nothing = Written((), ())
        self._low = written(interval.low) if interval.low is not None else nothing
        self._high = written(interval.high) if interval.high is not None else nothing
        self._open = (interval.low_open, interval.high_open)
        low = SURE if interval.low is None else EQUAL
        self.start = (0, low, SURE if interval.high is None else EQUAL)
        self._most = max(len(self._low.fraction), len(self._high.fraction))

    def whole(self, place: Place, digit: int) -> Place | None:
        """One more digit before the point: the longer number is the greater one."""
        at, low, high = place
        if low == EQUAL:
            low = sign_of(digit, self._low.whole, at)
        if high == EQUAL:
            high = sign_of(digit, self._high.whole, at)
        at += 1
        if low != SURE and at + (low == MORE) > len(self._low.whole):
            low = SURE
        if high != SURE and at + (high == MORE) > len(self._high.whole):
            return None
        return (0, SURE, SURE) if low == high == SURE else (at, low, high)

    def point(self, place: Place) -> Place | None:
        """What is known where the digits before the point end."""
        at, low, high = place
        if low != SURE and (low == LESS or at < len(self._low.whole)):
            return None
        if high != SURE and (high == LESS or at < len(self._high.whole)):
            high = SURE
        return 0, low, high

    def fraction(self, place: Place, digit: int) -> Place | None:
        """One more digit behind the point."""
        at, low, high = place
        if low == EQUAL:
            low = sign_of(digit, self._low.fraction, at)
        if high == EQUAL:
            high = sign_of(digit, self._high.fraction, at)
        if low == LESS or high == MORE:
            return None
        low, high = low and SURE, high and SURE
        if low == high == SURE:
            return 0, SURE, SURE
        return min(at + 1, self._most), low, high

    def accepts(self, place: Place) -> bool:
        """Whether the number may end here, behind the point."""
        at, low, high = place
        low_open, high_open = self._open
        if low == EQUAL and (low_open or at < len(self._low.fraction)):
            return False
        return high != EQUAL or not high_open or at < len(self._high.fraction)
