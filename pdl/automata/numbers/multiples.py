"""Digits that make a multiple of something."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.numbers.exact import BASE, scale_of

if TYPE_CHECKING:
    from collections.abc import Iterable

State: TypeAlias = tuple[int, int]
"""The remainder; and before the point the zeros since it became 0, behind it the digits."""


def common(divisors: Iterable[Fraction]) -> Fraction | None:
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


class Multiples:
    """Says digit by digit whether a number without its sign is a multiple; see `decimals.Part`."""

    start: State

    def __init__(self, divisor: Divisor) -> None:
        self._number = divisor.number
        self._scale = max(0, divisor.scale)
        self._zeros = max(0, -divisor.scale)
        self.start = (0, self._zeros)

    def whole(self, state: State, digit: int) -> State:
        """One more digit before the point."""
        remainder, zeros = state
        if not remainder and not digit:
            return 0, min(zeros + 1, self._zeros)
        return (remainder * BASE + digit) % self._number, 0

    def point(self, state: State) -> State | None:
        """What is known where the digits before the point end."""
        remainder, zeros = state
        if zeros < self._zeros and not remainder:
            return None
        return (remainder, 0) if self._may_end(remainder, 0) else None

    def fraction(self, state: State, digit: int) -> State | None:
        """One more digit behind the point: zeros, behind as many digits as the divisor has."""
        remainder, at = state
        if at == self._scale:
            return None if digit else state
        remainder = (remainder * BASE + digit) % self._number
        return (remainder, at + 1) if self._may_end(remainder, at + 1) else None

    def accepts(self, state: State) -> bool:
        """Whether the number may end here, behind the point."""
        remainder, at = state
        missing: int = BASE ** (self._scale - at)
        return remainder * missing % self._number == 0

    def _may_end(self, remainder: int, at: int) -> bool:
        """Whether any digits that may still come make a multiple of it."""
        missing: int = BASE ** (self._scale - at)
        return -remainder * missing % self._number < missing
