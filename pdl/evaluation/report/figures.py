"""Numbers and verdicts in words, as the page and the Markdown print them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.evaluation.results import Difference, Estimate, Interval, Unit

NOTHING = "–"
"""What stands for a value that nothing was measured for."""

NOT_DISTINGUISHABLE = "not distinguishable"

_SHORT = 0.1  # seconds
_LONG = 10.0
_DIGITS = 3
_MOST_DECIMALS = 9
_TINY = 0.001  # a p-value that is not told apart from smaller ones
_SMALL = 0.1


def is_known(value: float | None) -> bool:
    """Whether there is a value, and it is a finite number."""
    return value is not None and math.isfinite(value)


def figure(value: float | None, unit: Unit, size: float | None = None) -> str:
    """Return a value with its unit: `87.3%`, `1.24 s`, `1,234`; a dash without one.

    `size` is the number that decides how precisely it is written, by default the value itself.
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    size = abs(value if size is None else size)
    if unit == "share":
        return f"{value * 100:.1f}%"
    if unit != "seconds":
        return _significant(value, size)
    if 0 < size < _SHORT:
        return f"{_significant(value * 1000, size * 1000)} ms"
    return f"{value:.2f} s" if size < _LONG else f"{value:,.1f} s"


def _significant(value: float, size: float) -> str:
    """A number with the decimals of a size that has three digits; integers have none."""
    if value == int(value) and size == int(size):
        return f"{value:,.0f}"
    decimals = max(_DIGITS - 1 - math.floor(math.log10(size)), 0)
    return f"{value:,.{min(decimals, _MOST_DECIMALS)}f}"


def interval(found: Interval | None, unit: Unit) -> str:
    """Return an interval: `80.1–92.3%`, `0.80–1.20 s`; empty without one."""
    if found is None or not (is_known(found.low) and is_known(found.high)):
        return ""
    size = max(abs(found.low), abs(found.high))
    low, high = (figure(value, unit, size) for value in found[:2])
    joint = " to " if found.low < 0 else "–"
    return f"{low.rstrip('% ms')}{joint}{high}".replace("-", "−")


def estimate(found: Estimate) -> str:
    """Return an estimate with its interval: `87.3% (80.1–92.3%)`."""
    shown = figure(found.value, found.metric.unit)
    around = interval(found.interval, found.metric.unit)
    return f"{shown} ({around})" if around else shown


def signed(value: float | None, unit: Unit, size: float | None = None) -> str:
    """Return a difference with its sign; of shares, in percentage points: `+4.2 points`."""
    if value is None or not math.isfinite(value):
        return NOTHING
    amount = f"{abs(value) * 100:.1f} points" if unit == "share" else figure(abs(value), unit, size)
    if not amount.strip("0. pointsm"):
        return f"±{amount}"
    sign = "+" if value > 0 else "−"
    return f"{sign}{amount}"


def difference(found: Difference) -> str:
    """Return a difference, with the decimals of its interval."""
    ends = [abs(end) for end in found.interval[:2] if math.isfinite(end)]
    return signed(found.difference, found.metric.unit, max(ends, default=None))


def signed_interval(found: Interval, unit: Unit) -> str:
    """Return the interval of a difference: `−2.0 to +10.4 points`."""
    size = max(abs(found.low), abs(found.high))
    low, high = (signed(value, unit, size) for value in found[:2])
    return f"{low.partition(' ')[0]} to {high}"


def tick(value: float, unit: Unit) -> str:
    """Return a number of an axis, as briefly as it can be written: `25%`, `0.5 s`."""
    if unit == "share":
        return f"{value * 100:g}%"
    return f"{value:g} s" if unit == "seconds" else f"{value:,g}"


def probability(p: float) -> str:
    """Return a p-value with two or three decimals; a tiny one as `< 0.001`."""
    if not math.isfinite(p):
        return NOTHING
    if p < _TINY:
        return f"< {_TINY}"
    return f"{p:.3f}" if p < _SMALL else f"{p:.2f}"


def verdict(found: Difference, first: str, second: str) -> str:
    """Return what a difference says: which column is better, or that they are not distinguishable.

    `first` and `second` are what the columns are called.
    """
    if found.verdict == NOT_DISTINGUISHABLE:
        return NOT_DISTINGUISHABLE
    better = second if found.verdict == "better" else first
    return f"{better} is better by {difference(found).lstrip('+−±')}"


def detectable(found: Difference) -> str:
    """Return the least difference that so many cases can show; `none` if they show none."""
    if found.detectable is None:
        return "none"
    return signed(found.detectable, found.metric.unit).lstrip("+±")
