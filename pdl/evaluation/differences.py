"""Paired differences of columns: over the cases that both have, with a test, corrected for all."""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.evaluation.resampling import sign_flips
from pdl.evaluation.results import Difference
from pdl.evaluation.statistics import detectable_mean, detectable_share, holm, paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.evaluation.metrics import Measure
    from pdl.evaluation.records import Column
    from pdl.evaluation.results import Interval
    from pdl.evaluation.table import Table

Pair: TypeAlias = "tuple[Column, Column]"


class Compared(NamedTuple):
    """A metric of two columns, and second minus first in each case; None where one has no value."""

    measure: Measure
    pair: Pair
    series: list[float | None]

    @property
    def is_drawn(self) -> bool:
        """Whether its interval is from drawing cases."""
        return not self.measure.is_binary

    @property
    def known(self) -> list[float]:
        """The differences of the cases that have one."""
        return [one for one in self.series if one is not None]


def compared_of(table: Table, measures: Iterable[Measure], pairs: Sequence[Pair]) -> list[Compared]:
    """Return the differences by case of all measures between the columns of all pairs.

    Trials of a case are averaged first. Pairs that share fewer than two cases with values are left
    out.
    """
    every = (one for measure in measures for one in _compared(table, measure, pairs))
    return [one for one in every if len(one.known) > 1]


def differences_of(
    found: Sequence[Compared], drawn: Iterator[Interval | None], *, level: float, seed: int
) -> tuple[Difference, ...]:
    """Return the differences of what was compared; `drawn` has the intervals of what `is_drawn`.

    Holm's correction is over the pairs of one metric.
    """
    values = sign_flips([one.series for one in found], seed=seed)
    groups = Counter(one.measure.metric for one in found)
    adjusted: list[float] = []
    for size in groups.values():  # those of a metric are beside each other
        adjusted += holm(values[len(adjusted) : len(adjusted) + size])
    intervals = _intervals(found, drawn, level)
    return tuple(
        _difference(one, interval, p, corrected, (1 - level) / groups[one.measure.metric], level)
        for one, interval, p, corrected in zip(found, intervals, values, adjusted, strict=True)
    )


def _compared(table: Table, measure: Measure, pairs: Sequence[Pair]) -> Iterable[Compared]:
    columns = dict.fromkeys(column for pair in pairs for column in pair)
    means = {
        column: [fmean(values) if values else None for values in measure.of_cases(table, column)]
        for column in columns
    }
    for pair in pairs:
        both = zip(means[pair[0]], means[pair[1]], strict=True)
        series = [None if a is None or b is None else b - a for a, b in both]
        yield Compared(measure, pair, series)


def _intervals(
    found: Sequence[Compared], drawn: Iterator[Interval | None], level: float
) -> Iterator[Interval]:
    for one in found:
        interval = next(drawn) if one.is_drawn else paired_difference(one.known, level)
        assert interval is not None, "there are two values"
        yield interval


def _difference(  # noqa: PLR0913, PLR0917 - what is known of one
    compared: Compared,
    interval: Interval,
    p: float,
    adjusted: float,
    alpha: float,
    level: float,
) -> Difference:
    """One difference; `alpha` is what p must be below if it is the only one of its metric."""
    known = compared.known
    is_plain = compared.measure.is_binary and set(known) <= {-1.0, 0.0, 1.0}  # no means of repeats
    detectable = detectable_share if is_plain else detectable_mean
    return Difference(
        compared.measure.metric,
        *compared.pair,
        difference=fmean(known),
        interval=interval,
        p=p,
        adjusted=adjusted,
        cases=len(known),
        is_distinguishable=adjusted < 1 - level,
        detectable=detectable(known, alpha=alpha),
    )
