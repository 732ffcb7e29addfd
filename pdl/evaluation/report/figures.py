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


def figure(value: float | None, unit: Unit) -> str:
    """Return a value with its unit: `87.3%`, `1.24 s`, `1,234`; a dash without one."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if unit == "share":
        return f"{value * 100:.1f}%"
    if unit == "seconds":
        return _seconds(value)
    return significant(value)


def _seconds(value: float) -> str:
    """Seconds with two decimals, from ten on with one; what is below 0.1 in milliseconds."""
    if 0 < abs(value) < _SHORT:
        return f"{significant(value * 1000)} ms"
    return f"{value:.2f} s" if abs(value) < _LONG else f"{value:,.1f} s"


def significant(value: float) -> str:
    """Return a number with three significant digits, but all of its integer ones."""
    if value == int(value):
        return f"{value:,.0f}"
    decimals = max(_DIGITS - 1 - math.floor(math.log10(abs(value))), 0)
    return f"{value:,.{min(decimals, _MOST_DECIMALS)}f}"


def interval(found: Interval | None, unit: Unit) -> str:
    """Return an interval: `80.1–92.3%`, `0.8–1.2 s`; empty without one."""
    if found is None or not (is_known(found.low) and is_known(found.high)):
        return ""
    low, high = figure(found.low, unit), figure(found.high, unit)
    number, _, name = high.partition(" ")
    if unit == "share":
        low = low.removesuffix("%")
    elif name and low.endswith(f" {name}"):
        low, high = low.removesuffix(f" {name}"), f"{number} {name}"
    joint = " to " if found.low < 0 else "–"
    return f"{low}{joint}{high}".replace("-", "−")


def estimate(found: Estimate) -> str:
    """Return an estimate with its interval: `87.3% (80.1–92.3%)`."""
    shown = figure(found.value, found.metric.unit)
    around = interval(found.interval, found.metric.unit)
    return f"{shown} ({around})" if around else shown


def signed(value: float | None, unit: Unit) -> str:
    """Return a difference with its sign; of shares, in percentage points: `+4.2 points`."""
    if value is None or not math.isfinite(value):
        return NOTHING
    amount = f"{abs(value) * 100:.1f} points" if unit == "share" else figure(abs(value), unit)
    sign = "+" if value > 0 else "−" if value < 0 else "±"
    return f"{sign}{amount}"


def signed_interval(found: Interval, unit: Unit) -> str:
    """Return the interval of a difference: `−2.0 to +10.4 points`."""
    low, high = signed(found.low, unit), signed(found.high, unit)
    return f"{low.removesuffix(' points')} to {high}"


def probability(p: float) -> str:
    """Return a p-value with two digits; a tiny one as `< 0.001`."""
    if not math.isfinite(p):
        return NOTHING
    if p < _TINY:
        return f"< {_TINY}"
    return f"{p:.2g}" if p < _SMALL else f"{p:.2f}"


def verdict(found: Difference, first: str, second: str) -> str:
    """Return what a difference says: which column is better, or that they are not distinguishable.

    `first` and `second` are what the columns are called.
    """
    if not found.is_distinguishable:
        return NOT_DISTINGUISHABLE
    is_second = (found.difference > 0) == (found.metric.better == "more")
    amount = signed(abs(found.difference), found.metric.unit).removeprefix("+")
    return f"{second if is_second else first} is better by {amount}"


def detectable(found: Difference) -> str:
    """Return the least difference that so many cases can show, or a dash if it is unknown."""
    return signed(found.detectable, found.metric.unit).lstrip("+±")
