"""Numbers with an exponent, `1.5e-07`, one digit before the point, and zeros with any exponent.

The texts with an exponent whose values are in a range are not a regular language: a finite
automaton can't weigh any count of digits against the exponent. With one digit before the point, as
all programs write it, it doesn't have to. The exponents in a range are an automaton too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.automata.numbers.decimals import (
    DIGITS,
    EQUAL,
    EXPONENT,
    LESS,
    MINUS,
    MORE,
    PLUS,
    POINT,
    ZERO,
    Interval,
    RangeConstraint,
    decimal_digits,
    sign_of,
)

if TYPE_CHECKING:
    from pdl.automata.numbers.decimals import RangeState
    from pdl.automata.numbers.multiples import CountConstraint, Divisor


class Read(IntEnum):
    """What has been read of the exponent last."""

    MARK = 0
    SIGN = 1
    ZEROS = 2
    DIGITS = 3


State: TypeAlias = tuple[Read, int, "RangeState"]
"""What has been read, the sign (1 for a minus), and how the digits compare."""

_UNREAD: RangeState = (0, 0, 0)


class Exponent:
    """`[+-]?[0-9]+` after the E, with a value from `low` to `high`; None for an unbounded end."""

    start: State = (Read.MARK, 0, _UNREAD)

    def __init__(self, low: int | None, high: int | None) -> None:
        low_end = None if low is None else Fraction(low)
        self._interval = Interval(low_end, None if high is None else Fraction(high))

    @cached_property
    def _sides(self) -> tuple[RangeConstraint | None, RangeConstraint | None]:
        halves = (self._interval.magnitudes, self._interval.negated.magnitudes)
        plus, minus = (RangeConstraint(half) if half else None for half in halves)
        return plus, minus

    def row(self, state: State) -> dict[int, State]:
        """See `Acceptor`."""
        read, sign, compared = state
        if read is Read.MARK:
            return {
                PLUS: (Read.SIGN, 0, _UNREAD),
                MINUS: (Read.SIGN, 1, _UNREAD),
                **self._digits(Read.ZEROS, 0, _UNREAD),
            }
        return self._digits(Read.ZEROS if read is Read.SIGN else read, sign, compared)

    def accepts(self, state: State) -> bool:
        """See `Acceptor`."""
        read, sign, compared = state
        if read is Read.ZEROS:
            return 0 in self._interval
        side = self._sides[sign]
        if read is not Read.DIGITS or side is None:
            return False
        ended = side.point(compared)
        return ended is not None and side.accepts(ended)

    def _digits(self, read: Read, sign: int, compared: RangeState) -> dict[int, State]:
        side = self._sides[sign]
        if side is None:
            return {}
        row: dict[int, State] = {}
        for digit in DIGITS:
            if read is Read.ZEROS and not digit:
                row[ZERO] = (Read.ZEROS, sign, _UNREAD)
                continue
            target = side.whole(side.start if read is Read.ZEROS else compared, digit)
            if target is not None:
                row[ZERO + digit] = (Read.DIGITS, sign, target)
        return row


_LONGEST = 16
"""Digits after the point, where they must be weighed against the exponent: for multiples."""

Window: TypeAlias = tuple[int | None, int | None]
"""The least exponent and the greatest; None for an unbounded end."""


class Phase(IntEnum):
    """What has been read last; the digits of zeros are NIL ones."""

    START = 0
    SIGN = 1
    LEAD = 2
    POINT = 3
    FRACTION = 4
    NIL = 5
    NIL_POINT = 6
    NIL_FRACTION = 7
    POWER = 8


class Mantissa(NamedTuple):
    """The state of the digits before the E.

    Their count after the point, how they compare with those of the ends, their remainder, and how
    many may still follow.
    """

    digits: int
    low: int
    high: int
    remainder: int
    left: int


_State: TypeAlias = tuple[Phase, int, Any]


class End:
    """An end of a range as `d.ddd` times ten to the power of `exponent`."""

    def __init__(self, value: Fraction, *, is_open: bool) -> None:
        digits = decimal_digits(value)
        every = digits.whole + digits.fraction
        lead = next(at for at, digit in enumerate(every) if digit)
        last = max(at for at, digit in enumerate(every) if digit)
        self.digits = every[lead : last + 1]
        self.exponent = len(digits.whole) - 1 - lead
        self.is_open = is_open

    def compared(self, relation: int, count: int, sides: tuple[int, int, int]) -> int:
        """The exponent of the end, shifted by `sides` if the digits are less, equal or more."""
        if relation == EQUAL and count + 1 < len(self.digits):
            relation = LESS
        return self.exponent + sides[relation + 1]


@dataclass(frozen=True)
class Side:
    """The numbers of one sign: the ends of their range without the sign, and whether 0 is in it."""

    low: End | None
    high: End | None
    zero: bool
    more: bool
    """Whether other numbers than 0 are in it."""

    @classmethod
    def of(cls, interval: Interval) -> Side:
        """The side for a range of numbers that are not negative."""
        low, high = interval.low, interval.high
        return cls(
            End(low, is_open=interval.low_open) if low else None,
            End(high, is_open=interval.high_open) if high else None,
            0 in interval,
            high != 0,
        )


@dataclass(frozen=True)
class Scientific:
    r"""`-?[1-9](\.[0-9]+)?[eE][+-]?[0-9]+` and zeros, in a range and multiples of a divisor."""

    sides: tuple[Side | None, Side | None]
    divisor: Divisor | None
    counted: CountConstraint
    most: int | None
    """The largest exponent, and the smallest with a minus."""

    @property
    def start(self) -> _State:
        """See `Acceptor`."""
        return Phase.START, 0, None

    def row(self, state: _State) -> dict[int, _State]:
        """See `Acceptor`."""
        phase, sign, inner = state
        if phase is Phase.POWER:
            window, power = inner
            steps = self._exponents(window).row(power)
            return {label: (phase, sign, (window, target)) for label, target in steps.items()}
        if phase in (Phase.START, Phase.SIGN):
            row = self._lead(sign)
            if phase is Phase.START and self.sides[1] is not None:
                row[MINUS] = (Phase.SIGN, 1, None)
            return row
        if phase in (Phase.NIL, Phase.NIL_POINT, Phase.NIL_FRACTION):
            return self._nil(phase, sign, inner)
        return self._mantissa(phase, sign, inner)

    def accepts(self, state: _State) -> bool:
        """See `Acceptor`."""
        phase, _, inner = state
        return phase is Phase.POWER and self._exponents(inner[0]).accepts(inner[1])

    @cached_property
    def _known(self) -> dict[Window, Exponent]:
        return {}

    def _exponents(self, window: Window) -> Exponent:
        if window not in self._known:
            self._known[window] = Exponent(*window)
        return self._known[window]

    def _lead(self, sign: int) -> dict[int, _State]:
        side = self.sides[sign]
        row: dict[int, _State] = {}
        if side is None:
            return row
        if side.zero:
            row[ZERO] = (Phase.NIL, sign, self.counted.point(self.counted.start))
        for digit in DIGITS[1:] if side.more else ():
            low = sign_of(digit, side.low.digits, 0) if side.low else MORE
            high = sign_of(digit, side.high.digits, 0) if side.high else MORE
            remainder = digit % self.divisor.number if self.divisor else 0
            left = self.counted.point(1)
            row[ZERO + digit] = (Phase.LEAD, sign, Mantissa(0, low, high, remainder, left))
        return row

    def _nil(self, phase: Phase, sign: int, left: int) -> dict[int, _State]:
        row: dict[int, _State] = {}
        if phase is Phase.NIL:
            row[POINT] = (Phase.NIL_POINT, sign, left)
        elif (fewer := self.counted.fraction(left, 0)) is not None:
            row[ZERO] = (Phase.NIL_FRACTION, sign, fewer)
        if phase is not Phase.NIL_POINT:
            row[EXPONENT] = self._power(sign, (None, None))
        return row

    def _mantissa(self, phase: Phase, sign: int, read: Mantissa) -> dict[int, _State]:
        row: dict[int, _State] = {}
        if phase is Phase.LEAD:
            row[POINT] = (Phase.POINT, sign, read)
        else:
            for digit in DIGITS:
                target = self._digit(sign, read, digit)
                if target is not None:
                    row[ZERO + digit] = (Phase.FRACTION, sign, target)
        window = self._window(sign, read) if phase is not Phase.POINT else None
        if window is not None:
            row[EXPONENT] = self._power(sign, window)
        return row

    def _digit(self, sign: int, read: Mantissa, digit: int) -> Mantissa | None:
        left = self.counted.fraction(read.left, digit)
        if left is None:
            return None
        side = self.sides[sign]
        assert side is not None
        count, low, high, remainder, _ = read
        count += 1
        if low == EQUAL and side.low:
            low = sign_of(digit, side.low.digits, count)
        if high == EQUAL and side.high:
            high = sign_of(digit, side.high.digits, count)
        if self.divisor:
            remainder = (remainder * 10 + digit) % self.divisor.number
            return Mantissa(count, low, high, remainder, left) if count <= _LONGEST else None
        ends = [len(end.digits) for end in (side.low, side.high) if end]
        return Mantissa(min(count, max(ends, default=0)), low, high, 0, left)

    def _window(self, sign: int, read: Mantissa) -> Window | None:
        """The exponents with which the digits make a number of the side; None if there are none."""
        side = self.sides[sign]
        assert side is not None
        least: list[int] = []
        most: list[int] = []
        if side.low:
            sides = (1, int(side.low.is_open), 0)
            least.append(side.low.compared(read.low, read.digits, sides))
        if side.high:
            sides = (0, -int(side.high.is_open), -1)
            most.append(side.high.compared(read.high, read.digits, sides))
        if self.divisor:
            zeros = self.divisor.zeros(read.remainder)
            if zeros < 0:
                return None
            least.append(read.digits - self.divisor.scale + zeros)
        return max(least, default=None), min(most, default=None)

    def _power(self, sign: int, window: Window) -> _State:
        low, high = window
        if self.most is not None:
            low = -self.most if low is None else max(low, -self.most)
            high = self.most if high is None else min(high, self.most)
        return Phase.POWER, sign, ((low, high), Exponent.start)
