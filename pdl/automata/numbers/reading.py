"""What becomes of a number's digits when they are read as a float.

A reader keeps a number with a point or an exponent in double precision (IEEE 754). A text that is
above an open end may be read as that very end; and a text that is not, as one beyond it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.automata.numbers.interval import Interval

_EXACT = 2**53
"""Up to here each whole number is a float."""

_NORMAL = Fraction(2) ** -1022
"""The least number whose float has as many binary digits as others."""

_ZERO = Fraction(0)
_LEAST = Fraction(Decimal(repr(math.ulp(0.0))))

SAFE_DIGITS = 15
"""A decimal of so many digits is the shortest one of its float, and no other has that float."""


def apart(interval: Interval, grid: Fraction | None) -> Interval:
    """A range whose open ends are closed at the next float's shortest decimal.

    An end stays open where the next number of the `grid`, of which all are multiples, is no nearer
    than that; so does 0, from which no text that can be read is near, unless it is a tiny range.
    """
    tiny = is_tiny(interval)
    low = _above(interval.low, grid) if interval.low_open and (interval.low or tiny) else None
    end = None if interval.high is None else -interval.high
    high = _above(end, grid) if interval.high_open and (end or tiny) else None
    if low is not None:
        interval = replace(interval, low=low, low_open=False)
    if high is not None:
        interval = replace(interval, high=-high, high_open=False)
    return interval


def _above(end: Fraction | None, grid: Fraction | None) -> Fraction | None:
    if end is None or abs(end) >= _EXACT or (end and not float(end)):
        return None
    near = Fraction(Decimal(repr(math.nextafter(float(end), math.inf))))
    if grid is not None and (end // grid + 1) * grid >= near:
        return None
    return near


def is_tiny(interval: Interval) -> bool:
    """Whether all numbers of a range are so near to 0 that their floats have few digits."""
    ends = [end for end in (interval.low, interval.high) if end is not None]
    return len(ends) > 1 and max(map(abs, ends)) < _NORMAL


def read_apart_from_0(interval: Interval) -> tuple[Interval, ...]:
    """The parts of a range, if it is tiny: 0, and what is not read as 0."""
    if not is_tiny(interval) or 0 not in interval or interval.low == interval.high:
        return (interval,)
    zero = replace(interval, low=_ZERO, high=_ZERO, low_open=False, high_open=False)
    below = replace(interval, high=-_LEAST, high_open=False)
    return zero, below, replace(interval, low=_LEAST, low_open=False)


def is_plain(interval: Interval) -> bool:
    """Whether reading digits as a float cannot move them past an end of the range."""
    return not any(_is_between_floats(end) for end in (interval.low, interval.high))


def inward(interval: Interval) -> Interval:
    """A range whose ends are floats where they are large."""
    low, high = interval.low, interval.high
    if low is not None and _is_between_floats(low):
        interval = replace(interval, low=_float_from(low), low_open=False)
    if high is not None and _is_between_floats(high):
        interval = replace(interval, high=-_float_from(-high), high_open=False)
    return interval


def _is_between_floats(end: Fraction | None) -> bool:
    return end is not None and abs(end) > _EXACT and _nearest(end) != end


def _nearest(end: Fraction) -> Fraction:
    try:
        return Fraction(float(end))
    except OverflowError:
        return end


def _float_from(end: Fraction) -> Fraction:
    """The least float that is no less than a number; the number itself if it is beyond them."""
    near = float(end)
    least = near if near >= end else math.nextafter(near, math.inf)
    return end if math.isinf(least) else Fraction(least)
