"""The digits of an exponent that is in a range."""

from __future__ import annotations

from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.numbers.interval import Between, Interval
from pdl.automata.numbers.walk import DIGITS, MINUS, PLUS, ZERO

if TYPE_CHECKING:
    from pdl.automata.numbers.interval import Place


class Read(IntEnum):
    """What has been read of the exponent last."""

    MARK = 0
    SIGN = 1
    ZEROS = 2
    DIGITS = 3


State: TypeAlias = tuple[Read, int, "Place"]
"""What has been read, the sign (1 for a minus), and how the digits compare."""

_UNREAD: Place = (0, 0, 0)


class Powers:
    """`[+-]?[0-9]+` behind the E, with a value from `low` to `high`; None for no end."""

    start: State = (Read.MARK, 0, _UNREAD)

    def __init__(self, low: int | None, high: int | None) -> None:
        low_end = None if low is None else Fraction(low)
        self._interval = Interval(low_end, None if high is None else Fraction(high))

    @cached_property
    def _sides(self) -> tuple[Between | None, Between | None]:
        halves = (self._interval.magnitudes, self._interval.negated.magnitudes)
        plus, minus = (Between(half) if half else None for half in halves)
        return plus, minus

    def row(self, state: State) -> dict[int, State]:
        """See `walk.Machine`."""
        read, sign, place = state
        if read is Read.MARK:
            return {
                PLUS: (Read.SIGN, 0, _UNREAD),
                MINUS: (Read.SIGN, 1, _UNREAD),
                **self._digits(Read.ZEROS, 0, _UNREAD),
            }
        return self._digits(Read.ZEROS if read is Read.SIGN else read, sign, place)

    def accepts(self, state: State) -> bool:
        """See `walk.Machine`."""
        read, sign, place = state
        if read is Read.ZEROS:
            return 0 in self._interval
        side = self._sides[sign]
        if read is not Read.DIGITS or side is None:
            return False
        behind = side.point(place)
        return behind is not None and side.accepts(behind)

    def _digits(self, read: Read, sign: int, place: Place) -> dict[int, State]:
        side = self._sides[sign]
        if side is None:
            return {}
        row: dict[int, State] = {}
        for digit in DIGITS:
            if read is Read.ZEROS and not digit:
                row[ZERO] = (Read.ZEROS, sign, _UNREAD)
                continue
            target = side.whole(side.start if read is Read.ZEROS else place, digit)
            if target is not None:
                row[ZERO + digit] = (Read.DIGITS, sign, target)
        return row
