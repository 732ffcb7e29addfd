"""Times as people read them."""

from __future__ import annotations

_MINUTE = 60.0
_HOUR = 3600.0
_LONG = 2.0  # from so many on, the larger unit is easier to read


def in_words(seconds: float) -> str:
    """Seconds in three significant digits at most: `0.3 s`, `2.5 minutes`, `48 hours`."""
    if seconds < _LONG * _MINUTE:
        return f"{_digits(seconds)} s"
    if seconds < _LONG * _HOUR:
        return f"{_digits(seconds / _MINUTE)} minutes"
    return f"{_digits(seconds / _HOUR)} hours"


def tenths(seconds: float) -> str:
    """A time that was measured, of which hundredths of a second say nothing."""
    return f"{seconds:.1f} s" if seconds < _LONG * _MINUTE else in_words(seconds)


def _digits(number: float) -> str:
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:.5f}".rstrip("0").rstrip(".")  # noqa: PLR2004 - three digits
