"""Numbers without an exponent: an automaton whose states are made as they are found.

`explore` makes the minimal automaton over the characters of numbers for any `Acceptor`: it starts
at the first state and asks for the transitions of each state that it reaches. The states of
`Decimals` are a product: what was read last, and the state of each `DigitConstraint`.

Bounds are exact decimals, without rounding; digits are compared with those of a range's ends as
they come.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from pdl.automata.minimize import minimal_dfa

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pdl.automata.dfa import Budget, Dfa


PLUS, MINUS, POINT, ZERO = range(4)
DIGITS = range(10)
EXPONENT = ZERO + len(DIGITS)
_CLASSES = (*(((ord(char), ord(char)),) for char in "+-.0123456789"), ((0x45, 0x45), (0x65, 0x65)))

StateT = TypeVar("StateT", bound="Hashable")


class Acceptor(Protocol[StateT]):
    """States, and the transitions between them."""

    @property
    def start(self) -> StateT:
        """The state before the first character."""

    def row(self, state: StateT) -> dict[int, StateT]:
        """Return the next state for each of the labels above that may follow."""

    def accepts(self, state: StateT) -> bool:
        """Whether the number may end."""
        ...


def explore(machine: Acceptor[StateT], budget: Budget) -> Dfa:
    """Return the minimal automaton. Raises LimitError as soon as there are too many states."""
    order = [machine.start]
    number = {machine.start: 0}
    rows: list[dict[int, int]] = []
    for state in order:
        row: dict[int, int] = {}
        for label, target in machine.row(state).items():
            if target not in number:
                number[target] = len(order)
                order.append(target)
            row[label] = number[target]
        rows.append(row)
        budget.check(len(order))
    return minimal_dfa(_CLASSES, rows, {number[state] for state in order if machine.accepts(state)})


class DigitConstraint(Protocol):
    """A constraint on the digits of a number; a state of None refuses them."""

    @property
    def start(self) -> Any:
        """The state before the first digit."""

    def whole(self, state: Any, digit: int, /) -> Any:
        """Return the state after one more digit before the point."""

    def point(self, state: Any, /) -> Any:
        """Return the state after the digits before the point, whether or not one follows."""

    def fraction(self, state: Any, digit: int, /) -> Any:
        """Return the state after one more digit after the point."""

    def accepts(self, state: Any, /) -> bool:
        """Whether the number may end, in a state of `point` or `fraction`."""
        ...


class Phase(IntEnum):
    """What has been read last."""

    START = 0
    SIGN = 1
    ZERO = 2
    WHOLE = 3
    POINT = 4
    FRACTION = 5


States: TypeAlias = tuple[Any, ...]
_State: TypeAlias = tuple[Phase, int, States]
"""The phase, the sign (1 for a minus), and the states of the parts."""


@dataclass(frozen=True)
class Decimals:
    r"""`-?(0|[1-9][0-9]*)(\.[0-9]+)?` that meets all constraints.

    `parts` are the constraints of numbers without and with a minus, None where there are no such
    numbers; the same object says that the sign makes no difference. With `fractions` they may
    contain a point, and with `minus_zero` they may be `-0`.
    """

    parts: tuple[tuple[DigitConstraint, ...] | None, tuple[DigitConstraint, ...] | None]
    fractions: bool
    minus_zero: bool

    @property
    def start(self) -> _State:
        """See `Acceptor`."""
        return Phase.START, 0, ()

    def row(self, state: _State) -> dict[int, _State]:
        """See `Acceptor`."""
        phase, sign, inner = state
        if phase is Phase.START:
            row = self._first(0)
            if self.parts[1] is not None:
                row[MINUS] = (Phase.SIGN, 1, ())
            return row
        if phase is Phase.SIGN:
            return self._first(1)
        if phase in (Phase.POINT, Phase.FRACTION):
            return self._digits(Phase.FRACTION, sign, inner)
        row = self._digits(Phase.WHOLE, sign, inner) if phase is Phase.WHOLE else {}
        after = self._point(sign, inner) if self.fractions else None
        if after is not None:
            row[POINT] = (Phase.POINT, self._kept(sign), after)
        return row

    def accepts(self, state: _State) -> bool:
        """See `Acceptor`."""
        phase, sign, inner = state
        if phase in (Phase.START, Phase.SIGN, Phase.POINT):
            return False
        if phase is Phase.ZERO and sign and not self.minus_zero:
            return False
        after = inner if phase is Phase.FRACTION else self._point(sign, inner)
        return after is not None and all(
            part.accepts(own) for part, own in zip(self._parts(sign), after, strict=True)
        )

    def _parts(self, sign: int) -> tuple[DigitConstraint, ...]:
        return self.parts[sign] or ()

    def _kept(self, sign: int) -> int:
        """The sign, if it makes a difference."""
        return 0 if self.parts[0] is self.parts[1] else sign

    def _first(self, sign: int) -> dict[int, _State]:
        if self.parts[sign] is None:
            return {}
        row = self._digits(Phase.WHOLE, sign, tuple(part.start for part in self._parts(sign)))
        if ZERO in row:
            row[ZERO] = (Phase.ZERO, sign, row[ZERO][2])
        return row

    def _digits(self, phase: Phase, sign: int, inner: States) -> dict[int, _State]:
        steps: list[Callable[[Any, int], Any]] = [
            part.whole if phase is Phase.WHOLE else part.fraction for part in self._parts(sign)
        ]
        row: dict[int, _State] = {}
        sign = self._kept(sign)
        for digit in DIGITS:
            states = tuple(step(own, digit) for step, own in zip(steps, inner, strict=True))
            if None not in states:
                row[ZERO + digit] = (phase, sign, states)
        return row

    def _point(self, sign: int, inner: States) -> States | None:
        states = tuple(part.point(own) for part, own in zip(self._parts(sign), inner, strict=True))
        return None if None in states else states


Number: TypeAlias = int | float | Decimal | Fraction
"""A bound. A float is the shortest decimal that is read as it, which is how JSON writes it."""

BASE = 10
_DIGITS_OF_BIT = math.log10(2)


@dataclass(frozen=True)
class DecimalDigits:
    """A decimal that is not negative: its digits before the point, and those after it.

    No needless zeros: `whole` is (0,) for a value below 1, `fraction` does not end with 0.
    """

    whole: tuple[int, ...]
    fraction: tuple[int, ...]


def exact(number: Number, budget: Budget) -> Fraction:
    """Return the value of a bound. Raises ValueError if infinite, LimitError if too long."""
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
    """Return how many digits are after the point. Raises ValueError if they never end."""
    rest = value.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest > 1:
        raise ValueError(f"{value} is not a decimal")
    return max(twos, fives)


def decimal_digits(value: Fraction) -> DecimalDigits:
    """Return the digits of a decimal that is not negative."""
    scale = scale_of(value)
    scaled = Decimal(int(value * BASE**scale))  # whose digits are unbounded, unlike those of str
    digits = (0,) * (scale + 1) + scaled.as_tuple().digits
    at = len(digits) - scale
    lead = next((lead for lead in range(at) if digits[lead]), at - 1)
    return DecimalDigits(digits[lead:at], digits[at:])


LESS, EQUAL, MORE = -1, 0, 1
SURE = 2
"""Whatever follows, the number is on the right side of that end."""

RangeState: TypeAlias = tuple[int, int, int]
"""Digits read in this part of the number, and how they compare with the low and the high end."""


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`; None for an unbounded end. An open end is exclusive."""

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
        """Whether it has a bound."""
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


def sign_of(digit: int, digits: tuple[int, ...], at: int) -> int:
    """Compare a digit with the one at a position, which is 0 after the last."""
    other = digits[at] if at < len(digits) else 0
    return (digit > other) - (digit < other)


class RangeConstraint:
    """Whether a number without its sign is in a range, digit by digit."""

    start: RangeState

    def __init__(self, interval: Interval) -> None:
        nothing = DecimalDigits((), ())
        self._low = decimal_digits(interval.low) if interval.low is not None else nothing
        self._high = decimal_digits(interval.high) if interval.high is not None else nothing
        self._open = (interval.low_open, interval.high_open)
        low = SURE if interval.low is None else EQUAL
        self.start = (0, low, SURE if interval.high is None else EQUAL)
        self._most = max(len(self._low.fraction), len(self._high.fraction))

    def whole(self, state: RangeState, digit: int) -> RangeState | None:
        """One more digit before the point: the longer number is the greater one."""
        at, low, high = state
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

    def point(self, state: RangeState) -> RangeState | None:
        """The state at the end of the digits before the point."""
        at, low, high = state
        if low != SURE and (low == LESS or at < len(self._low.whole)):
            return None
        if high != SURE and (high == LESS or at < len(self._high.whole)):
            high = SURE
        return 0, low, high

    def fraction(self, state: RangeState, digit: int) -> RangeState | None:
        """One more digit after the point."""
        at, low, high = state
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

    def accepts(self, state: RangeState) -> bool:
        """Whether the number may end here, after the point."""
        at, low, high = state
        low_open, high_open = self._open
        if low == EQUAL and (low_open or at < len(self._low.fraction)):
            return False
        return high != EQUAL or not high_open or at < len(self._high.fraction)
