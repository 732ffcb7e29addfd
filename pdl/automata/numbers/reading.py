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

SAFE_DIGITS = 15
"""A decimal of so many digits is the shortest one of its float, and no other has that float."""


def apart(interval: Interval, grid: Fraction | None) -> Interval:
    """A range whose open ends are closed at the next float's shortest decimal.

    An end stays open where the next number of the `grid`, of which all are multiples, is no nearer
    than that; so does 0, from which no text that can be read is near.
    """
    low = _above(interval.low, grid) if interval.low_open else None
    high = _above(-interval.high, grid) if interval.high_open and interval.high else None
    if low is not None:
        interval = replace(interval, low=low, low_open=False)
    if high is not None:
        interval = replace(interval, high=-high, high_open=False)
    return interval


def _above(end: Fraction | None, grid: Fraction | None) -> Fraction | None:
    if not end or abs(end) >= _EXACT or not float(end):
        return None
    near = Fraction(Decimal(repr(math.nextafter(float(end), math.inf))))
    if grid is not None and (end // grid + 1) * grid >= near:
        return None
    return near


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
