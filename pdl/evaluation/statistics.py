"""Intervals and tests for one metric: closed formulas, without numpy.

Everywhere the cases are what was sampled: the trials of one case are alike, so that five repeats
of it are less than five cases. Values are first averaged within each case (`resampling` has what
needs random draws).
"""

from __future__ import annotations

import math
from itertools import accumulate
from statistics import NormalDist, fmean, variance
from typing import TYPE_CHECKING, Final

from pdl.evaluation.results import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NORMAL: Final = NormalDist()
_SERIES: Final = 40
"""Up to so many degrees of freedom, Student's distribution is summed exactly."""


# Shares


def wilson(share: float, size: float, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a share that was seen in so many independent trials.

    `size` may be an effective size, no integer. Raises ValueError if it is not positive.

    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.
    """
    if size <= 0:
        raise ValueError("a share of nothing has no interval")
    z = quantile_of_normal(level)
    middle = share + z * z / (2 * size)
    spread = z * math.sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2)
    scale = 1 + z * z / size
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Interval(max(0.0, min(low, share)), min(1.0, max(high, share)), "wilson")


def effective_size(means: Sequence[float], trials: int) -> float:
    """Return how many independent trials tell as much as the trials of these cases do.

    `means` has the share of each case. The size is between the number of cases and that of trials.
    When the spread of the cases is estimated, two more are added, one with all trials right and one
    with none, so that a few cases that all agree are not taken for certainty.

    Korn and Graubard (1998), Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data, Survey Methodology 24; with Wilson's interval, as in
    Franco et al. (2019), Journal of Survey Statistics and Methodology 7.
    """
    cases = len(means)
    if trials == cases:
        return cases
    widened = (*means, 0.0, 1.0)
    share = fmean(widened)
    size = share * (1 - share) * cases / variance(widened)
    return min(max(size, cases), trials)


def paired_difference(differences: Sequence[float], level: float = 0.95) -> Interval:
    """Return the interval of the mean difference of two shares, from the differences by case.

    It is the adjusted Wald interval: two more cases are added, one for either side, so that it is
    never a point. Between shares of several trials a case, it is rather too wide than too narrow.
    Raises ValueError without differences.

    Bonett and Price (2012), Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, Journal of Educational and Behavioral Statistics 37.
    """
    if not differences:
        raise ValueError("there is no difference")
    size = len(differences) + 2
    middle = math.fsum(differences) / size
    squares = (math.fsum(one * one for one in differences) + 2) / size
    spread = quantile_of_normal(level) * math.sqrt(max(0.0, squares - middle**2) / size)
    mean = fmean(differences)
    low, high = min(middle - spread, mean), max(middle + spread, mean)
    return Interval(max(-1.0, low), min(1.0, high), "bonett-price")


def mcnemar(better: int, worse: int) -> float:
    """Return the p of McNemar's exact test, two-sided, of two columns that differ in some cases.

    `better` is in how many of them the second column is right and the first is not, `worse` the
    reverse. It is the binomial test of one half (not mid-p: never below its level), summed in
    integers.

    McNemar (1947), Note on the sampling error of the difference between correlated proportions or
    percentages, Psychometrika 12.
    """
    total, fewer = better + worse, min(better, worse)
    if 2 * fewer == total:
        return 1.0
    ways = accumulate(range(1, fewer + 1), lambda ways, k: ways * (total - k + 1) // k, initial=1)
    below: int = sum(ways)
    return min(1.0, 2 * below / (1 << total))


# Quantiles


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile of sorted values, between two of them by linear interpolation."""
    place = share * (len(values) - 1)
    lower = math.floor(place)
    upper = min(lower + 1, len(values) - 1)
    return values[lower] + (place - lower) * (values[upper] - values[lower])


def quantile_interval(
    values: Sequence[float], share: float, size: float | None = None, level: float = 0.95
) -> Interval | None:
    """Return the interval of a quantile, whose ends are two of the sorted values.

    How many of the values are below the true quantile is binomial; with clusters, of an effective
    `size`. None if there are so few values that not even the least and the greatest one enclose it
    (at 95 %, below 6 for the median, and below 72 for the 95th percentile).

    Conover (1999), Practical nonparametric statistics, 3rd edition, section 3.2; for clusters,
    Woodruff (1952), Confidence intervals for medians and other position measures, JASA 47.
    """
    count = len(values)
    size = math.floor(count if size is None else size)
    tail = (1 - level) / 2
    below = _binomial_quantile(size, share, tail)
    above = _binomial_quantile(size, 1 - share, tail)
    if not below or not above:
        return None
    first = max(1, math.floor(below * count / size))
    last = min(count, count + 1 - math.floor(above * count / size))
    estimate = quantile(values, share)
    low, high = min(values[first - 1], estimate), max(values[last - 1], estimate)
    return Interval(low, high, "order-statistics")


def _binomial_quantile(size: int, share: float, tail: float) -> int:
    """The greatest rank whose value is above the quantile with a chance of at most `tail`."""
    total, rank = 0.0, 0
    whole = math.lgamma(size + 1)
    while rank < size:
        ways = whole - math.lgamma(rank + 1) - math.lgamma(size - rank + 1)
        odds = rank * math.log(share) + (size - rank) * math.log1p(-share)
        total += math.exp(ways + odds)
        if total > tail:
            break
        rank += 1
    return rank


# Many tests, and what they can find


def holm(values: Sequence[float]) -> list[float]:
    """Return the p values as they are after Holm's correction for testing all of them.

    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6.
    """
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = highest
    return adjusted


def detectable_share(
    differences: Sequence[float], *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the least difference of two shares that a test of so many cases mostly finds.

    `power` is how often. Each difference is -1, 0, or 1; in how many cases the columns differ is
    taken from them, with two cases added as in `paired_difference`. None if the cases are too few.

    Connor (1987), Sample size for testing differences in proportions for the paired-sample design,
    Biometrics 43, solved for the difference.
    """
    size = len(differences)
    if _is_too_few(size, alpha):
        return None
    differing = (math.fsum(one * one for one in differences) + 2) / (size + 2)
    found, missed = _NORMAL.inv_cdf(1 - alpha / 2), _NORMAL.inv_cdf(power)

    def reserve(delta: float) -> float:
        share = max(differing, delta)
        spread = found * math.sqrt(share) + missed * math.sqrt(max(0.0, share - delta * delta))
        return delta * math.sqrt(size) - spread

    return _root(reserve, 0.0, 1.0)


def detectable_mean(
    differences: Sequence[float], *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the least mean difference that a test of so many cases mostly finds.

    None if the cases are too few, or if all differences are the same.

    Normal approximation, such as Chow, Shao, and Wang (2008), Sample size calculations in clinical
    research, section 3.1.
    """
    size = len(differences)
    if _is_too_few(size, alpha) or not (spread := variance(differences)):
        return None
    return (_NORMAL.inv_cdf(1 - alpha / 2) + _NORMAL.inv_cdf(power)) * math.sqrt(spread / size)


def _is_too_few(size: int, alpha: float) -> bool:
    """Whether an exact test can't reach the level, even if all cases differ in the same way."""
    return size <= 1 or 2.0 ** (1 - size) > alpha


def _root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a function that begins below 0 comes to it; None if it doesn't."""
    if function(high) < 0:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return high


# Distributions


def quantile_of_normal(level: float) -> float:
    """Return how many standard deviations from the mean so much of a normal distribution is."""
    return _NORMAL.inv_cdf((1 + level) / 2)


def quantile_of_student(level: float, freedom: int) -> float:
    """Return how far from 0 so much of Student's t distribution is.

    Abramowitz and Stegun (1964), 26.7.3 and 26.7.4, and the expansion 26.7.5 for many degrees of
    freedom.
    """
    z = quantile_of_normal(level)
    if freedom > _SERIES:
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        corrected = z
        for power, term in enumerate(terms, 1):
            corrected += term / math.pow(freedom, power)
        return corrected
    angle = _root(lambda angle: _within(angle, freedom) - level, 0.0, math.pi / 2)
    assert angle is not None, "all of it is within the right angle"
    return math.sqrt(freedom) * math.tan(angle)


def _within(angle: float, freedom: int) -> float:
    """How much of Student's distribution is within the tangent of an angle, scaled."""
    cosine, odd = math.cos(angle), freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for step in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine**2 * (step - 1) / step
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total
