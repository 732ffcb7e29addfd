"""Estimates: the value of each metric for each column, with its interval."""

from __future__ import annotations

from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from pdl.evaluation.metrics import QUANTILES, SECONDS
from pdl.evaluation.results import Estimate
from pdl.evaluation.statistics import effective_size, quantile, quantile_interval, wilson

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.evaluation.metrics import Measure
    from pdl.evaluation.records import Column
    from pdl.evaluation.results import Interval
    from pdl.evaluation.table import Table


class Measured(NamedTuple):
    """A metric of a column: its values, for each case."""

    measure: Measure
    column: Column
    values: list[list[float]]

    @property
    def means(self) -> list[float]:
        """The means of the cases that have a value."""
        return [fmean(one) for one in self.values if one]

    @property
    def trials(self) -> int:
        """How many values there are."""
        return sum(map(len, self.values))

    @property
    def is_drawn(self) -> bool:
        """Whether its interval is from drawing cases: not for shares of yes and no.

        Nor for other shares that are the same in all cases, where every draw would be, too.
        """
        is_share = self.measure.metric.unit == "share"
        return not self.measure.is_binary and not (is_share and len(set(self.means)) <= 1)

    @property
    def series(self) -> list[float | None]:
        """The mean of each case; None without a value."""
        return [fmean(one) if one else None for one in self.values]

    def interval(self, level: float) -> Interval | None:
        """The interval of a share; None without values."""
        means = self.means
        if not means:
            return None
        binary = self.measure.is_binary
        size = effective_size(means, self.trials) if binary else len(means)
        return wilson(fmean(means), size, level)

    def estimate(self, interval: Interval | None) -> Estimate:
        """Its estimate with an interval."""
        means = self.means
        value = fmean(means) if means else None
        return Estimate(self.measure.metric, self.column, value, interval, len(means), self.trials)


def measured_of(table: Table, measures: Sequence[Measure]) -> list[Measured]:
    """Return the values of all measures for all columns, measure by measure.

    Measures that have no value in any column are left out.
    """
    return [one for measure in measures for one in _measured(table, measure)]


def estimates_of(
    table: Table, found: Sequence[Measured], drawn: Iterator[Interval | None], *, level: float
) -> tuple[Estimate, ...]:
    """Return the estimates of what was measured; `drawn` has the intervals of what `is_drawn`.

    A value is the mean over cases of the mean over the trials of a case.
    """
    means = (row.estimate(next(drawn) if row.is_drawn else row.interval(level)) for row in found)
    return (*means, *_quantiles(table, level))


def _measured(table: Table, measure: Measure) -> list[Measured]:
    """The values of a measure for all columns; none if no column has any."""
    rows = [Measured(measure, one, measure.of_cases(table, one)) for one in table.run.columns]
    return rows if any(row.trials for row in rows) else []


def _quantiles(table: Table, level: float) -> Iterator[Estimate]:
    """The quantiles of the times of all trials."""
    rows = _measured(table, SECONDS)
    for metric, share in QUANTILES:
        for row in rows:
            ordered = sorted(chain.from_iterable(row.values))
            if not ordered:
                yield Estimate(metric, row.column, None)
                continue
            value = quantile(ordered, share)
            below = [fmean(one <= value for one in values) for values in row.values if values]
            size = effective_size(below, len(ordered))
            interval = quantile_interval(ordered, share, size, level)
            yield Estimate(metric, row.column, value, interval, len(below), len(ordered))
