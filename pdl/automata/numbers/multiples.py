"""Constraints on digits: multiples of a number, by remainders, and how many digits there may be.

In a narrow range, multiples are listed rather than tracked by their remainders.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.build import concat, literal, repeat, union, words
from pdl.automata.numbers.decimals import BASE, decimal_digits, scale_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Budget, Dfa
    from pdl.automata.numbers.decimals import Interval


_NO_END = -1

DigitCount: TypeAlias = int
"""Digits before the point so far; after it, the digits that may still follow."""


@dataclass(frozen=True)
class Digits:
    """Upper bounds on the digits that are written; None for no bound.

    `whole`: those before the point. `total`: those of a number with a point or an exponent, except
    for the 0 before its point; only those after it in a multiple of an integer. `exponent`: the
    largest exponent, and the smallest with a minus. Where a range or a divisor leaves no number
    with so few digits, the bounds are relaxed.
    """

    whole: int | None = None
    total: int | None = None
    exponent: int | None = None


class CountConstraint:
    """Bounds on the number of digits, digit by digit.

    With `only_zeros` after the point, there may be `total` of them after any digits.
    """

    start: DigitCount = 0

    def __init__(self, digits: Digits, *, only_zeros: bool = False) -> None:
        self._whole = digits.whole
        self._total = digits.total
        self._only_zeros = only_zeros
        counted = (digits.whole, None if only_zeros else digits.total)
        self._most = max((cap + 1 for cap in counted if cap is not None), default=0)

    def whole(self, state: DigitCount, digit: int) -> DigitCount | None:
        """One more digit before the point."""
        if self._whole is not None and state >= self._whole:
            return None
        return min(state + (digit > 0 or state > 0), self._most)

    def point(self, state: DigitCount) -> DigitCount:
        """The digits that may follow the point."""
        if self._total is None or self._only_zeros:
            return _NO_END if self._total is None else self._total
        return max(0, self._total - state)

    def fraction(self, state: DigitCount, digit: int) -> DigitCount | None:  # noqa: ARG002 - of any value
        """One more digit after the point."""
        return None if not state else max(state - 1, _NO_END)

    def accepts(self, state: DigitCount) -> bool:  # noqa: ARG002 - any smaller number of digits will do
        """Whether the number may end."""
        return True


Remainder: TypeAlias = tuple[int, int]
"""The remainder; and before the point the zeros since it became 0, after it the digits."""


def common_multiple(divisors: Iterable[Fraction]) -> Fraction | None:
    """The least number of which just the multiples of all of these are multiples, if any.

    Where only multiples of it are decimals, of 3 for 3/7, that is it. Raises ValueError for a
    divisor that is not above 0.
    """
    found: Fraction | None = None
    for divisor in divisors:
        if divisor <= 0:
            raise ValueError(f"a divisor must be above 0, not {divisor}")
        found = divisor if found is None else _least_common(found, divisor)
    return None if found is None else found * _undecimal(found.denominator)


def _least_common(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(lcm(one.numerator, other.numerator), gcd(one.denominator, other.denominator))


def _undecimal(number: int) -> int:
    """A number without its factors 2 and 5."""
    for factor in (2, 5):
        while number % factor == 0:
            number //= factor
    return number


class Divisor:
    """A decimal as `number` times ten to the power of `-scale`; the number does not end with 0."""

    def __init__(self, value: Fraction) -> None:
        scale = scale_of(value)
        number = int(value * BASE**scale)
        while number % BASE == 0:
            number //= BASE
            scale -= 1
        self.number, self.scale = number, scale

    def zeros(self, remainder: int) -> int:
        """How many zeros must follow digits of this remainder to make a multiple; -1 for never."""
        seen: set[int] = set()
        while remainder:
            if remainder in seen:
                return -1
            seen.add(remainder)
            remainder = remainder * BASE % self.number
        return len(seen)


class MultipleConstraint:
    """Whether a number without its sign is a multiple, digit by digit."""

    start: Remainder

    def __init__(self, divisor: Divisor) -> None:
        self._number = divisor.number
        self._scale = max(0, divisor.scale)
        self._zeros = max(0, -divisor.scale)
        self.start = (0, self._zeros)

    def whole(self, state: Remainder, digit: int) -> Remainder:
        """One more digit before the point."""
        remainder, zeros = state
        if not remainder and not digit:
            return 0, min(zeros + 1, self._zeros)
        return (remainder * BASE + digit) % self._number, 0

    def point(self, state: Remainder) -> Remainder | None:
        """The state at the end of the digits before the point."""
        remainder, zeros = state
        if zeros < self._zeros and not remainder:
            return None
        return (remainder, 0) if self._may_end(remainder, 0) else None

    def fraction(self, state: Remainder, digit: int) -> Remainder | None:
        """One more digit after the point: only zeros after as many digits as the divisor has."""
        remainder, at = state
        if at == self._scale:
            return None if digit else state
        remainder = (remainder * BASE + digit) % self._number
        return (remainder, at + 1) if self._may_end(remainder, at + 1) else None

    def accepts(self, state: Remainder) -> bool:
        """Whether the number may end here, after the point."""
        remainder, at = state
        missing: int = BASE ** (self._scale - at)
        return remainder * missing % self._number == 0

    def _may_end(self, remainder: int, at: int) -> bool:
        """Whether some digits that may still follow make it a multiple."""
        missing: int = BASE ** (self._scale - at)
        return -remainder * missing % self._number < missing


_MANY = 2_000


def listed_multiples(interval: Interval, divisor: Fraction) -> list[Fraction] | None:
    """Return the multiples in a range; None if there are many."""
    if interval.low is None or interval.high is None:
        return None
    low, high = ceil(interval.low / divisor), floor(interval.high / divisor)
    if high - low > _MANY:
        return None
    return [value for at in range(low, high + 1) if (value := at * divisor) in interval]


@dataclass(frozen=True)
class ListedMultiples:
    """Some values, and how they may be written.

    `fractions`: they may have a point, with trailing zeros after it, at most `zeros` (None for any
    number). `others`: further spellings of 0, `-0` and `-0.0`.
    """

    values: list[Fraction]
    fractions: bool
    zeros: int | None
    others: tuple[str, ...] = ()

    def texts(self, budget: Budget) -> Dfa:
        """Return all their spellings without an exponent."""
        known = [_text(value) for value in self.values]
        known.extend(self.others if 0 in self.values else ())
        whole = words((text for text in known if "." not in text), budget=budget)
        if not self.fractions:
            return whole
        dotted = words((text if "." in text else f"{text}.0" for text in known), budget=budget)
        zeros = repeat(literal("0"), 0, self.zeros, budget=budget)
        return union(whole, concat(dotted, zeros, budget=budget), budget=budget)


def _text(value: Fraction) -> str:
    digits = decimal_digits(abs(value))
    text = "-" * (value < 0) + "".join(map(str, digits.whole))
    return f"{text}.{''.join(map(str, digits.fraction))}" if digits.fraction else text
