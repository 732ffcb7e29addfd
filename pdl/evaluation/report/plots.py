"""Scales and marks of the plots, in percent of their width."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from pdl.evaluation.report import figures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.evaluation.results import Unit

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICKS = 4


class Tick(NamedTuple):
    """A line of the grid, in percent, and what is written below."""

    at: str
    words: str
    is_zero: bool


class Scale(NamedTuple):
    """A linear scale from a low to a high value."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def at(self, value: float | None) -> str | None:
        """The place of a value in percent, clipped to the scale; None without a value."""
        if value is None or math.isnan(value):
            return None
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{share * 100:.2f}%"


def scale(values: Iterable[float | None], unit: Unit, *, is_difference: bool = False) -> Scale:
    """Return the scale of values: from zero, or around it; of shares, from 0% to 100%."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if unit == "share" and not is_difference:
        low, high, step = 0.0, 1.0, 0.25
    else:
        most = max(map(abs, known), default=0.0) or 1.0
        low = min(0.0, min(known, default=0.0))
        step = _step(most / (_TICKS if low == 0 else _TICKS / 2))
        high = step * math.ceil(most / step - 1e-9)
        low = -high if low < 0 or is_difference else 0.0
    first, last = round(low / step), round(high / step)
    places = [at * step for at in range(first, last + 1)]
    span = high - low
    ticks = (
        Tick(f"{(at - low) / span * 100:.2f}%", figures.tick(at, unit), at == 0) for at in places
    )
    return Scale(low, high, tuple(ticks))


def _step(least: float) -> float:
    """The smallest of 1, 2, 2.5, and 5 times a power of ten that is at least a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))
