"""Intervals and tests of one metric, held to scipy, statsmodels, and published figures."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from pdl.evaluation.statistics import (
    detectable_mean,
    detectable_share,
    effective_size,
    holm,
    mcnemar,
    paired_difference,
    quantile,
    quantile_interval,
    quantile_of_student,
    wilson,
)

COUNTS = st.tuples(st.integers(0, 60), st.integers(1, 60)).map(lambda pair: (min(pair), pair[1]))
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
SHARES = st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])
PS = st.lists(st.floats(0, 1), max_size=8)
THIRDS = st.integers(-3, 3).map(lambda one: one / 3)


@given(COUNTS, LEVELS)
def test_wilson_is_that_of_statsmodels(counts: tuple[int, int], level: float) -> None:
    right, size = counts
    low, high, method = wilson(right / size, size, level)
    wanted = proportion_confint(right, size, 1 - level, "wilson")
    assert (low, high) == pytest.approx(wanted, abs=1e-9)
    assert method == "wilson"


@given(COUNTS, LEVELS)
def test_wilson_is_symmetric_and_shrinks(counts: tuple[int, int], level: float) -> None:
    right, size = counts
    low, high, _ = wilson(right / size, size, level)
    assert 0 <= low <= right / size <= high <= 1
    mirrored = wilson(1 - right / size, size, level)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, high))
    more = wilson(right / size, 4 * size, level)
    assert low <= more.low + 1e-12
    assert more.high <= high + 1e-12


def test_wilson_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="share of nothing"):
        wilson(0.5, 0)


@given(st.lists(SHARES, min_size=1, max_size=40), st.integers(1, 8))
def test_the_effective_size_is_between_cases_and_trials(means: list[float], repeats: int) -> None:
    size = effective_size(means, repeats * len(means))
    assert len(means) <= size <= repeats * len(means)


def test_repeats_that_never_differ_count_once() -> None:
    means = [1.0] * 60 + [0.0] * 40
    assert effective_size(means, 500) == pytest.approx(100, abs=1)


def test_repeats_that_are_independent_count_nearly_all() -> None:
    random = Random(5)  # noqa: S311 - no secret
    means = [sum(random.random() < 0.5 for _ in range(5)) / 5 for _ in range(400)]
    assert 400 < effective_size(means, 2000) <= 2000
    assert effective_size(means, 2000) > 1700


def test_a_few_cases_that_agree_are_not_taken_for_certainty() -> None:
    assert wilson(1.0, effective_size([1.0] * 10, 100)).low < 0.75


def test_the_paired_difference_is_the_published_one() -> None:
    """Of the example 12, 26, 4, 6 for `ci.prop.ps` of the R package statpsych."""
    low, high, _ = paired_difference([1.0] * 26 + [-1.0] * 4 + [0.0] * 18)
    assert (low, high) == pytest.approx((0.2548067, 0.6251933), abs=1e-7)


@given(st.lists(THIRDS, min_size=1, max_size=30), LEVELS)
def test_the_paired_difference_is_around_the_mean(values: list[float], level: float) -> None:
    low, high, _ = paired_difference(values, level)
    mean = sum(values) / len(values)
    assert -1 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    assert low < high
    mirrored = paired_difference([-one for one in values], level)
    assert (-mirrored.high, -mirrored.low) == pytest.approx((low, high))
    more = paired_difference(values * 4, level)
    assert more.high - more.low <= high - low + 1e-12


def test_the_paired_difference_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no difference"):
        paired_difference([])


@pytest.mark.parametrize(
    ("size", "shares"), [(20, (0.2, 0.1)), (50, (0.05, 0.05)), (50, (0.3, 0.1))]
)
def test_the_paired_difference_covers_the_true_one(size: int, shares: tuple[float, float]) -> None:
    random, (more, less) = Random(1), shares  # noqa: S311 - no secret
    weights = (more, less, 1 - more - less)
    hits = 0
    for _ in range(600):
        low, high, _ = paired_difference(random.choices((1.0, -1.0, 0.0), weights, k=size))
        hits += low <= more - less <= high
    assert 0.93 < hits / 600 <= 1


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_that_of_statsmodels(better: int, worse: int) -> None:
    found = mcnemar(better, worse)
    assert found == mcnemar(worse, better)
    wanted = their_mcnemar([[3, better], [worse, 5]], exact=True).pvalue if better + worse else 1.0
    assert found == pytest.approx(wanted, rel=1e-9)


def test_mcnemar_of_many_cases() -> None:
    assert mcnemar(4_900, 5_100) == pytest.approx(stats.binomtest(4_900, 10_000).pvalue, rel=1e-9)
    assert mcnemar(0, 3_000) == 0.0


@given(st.integers(1, 60), st.integers(0, 30))
def test_mcnemar_falls_with_the_imbalance(better: int, worse: int) -> None:
    assume(better > worse)
    assert mcnemar(better + 1, worse) <= mcnemar(better, worse) <= 1


@given(PS)
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    found = holm(values)
    wanted = multipletests(values, method="holm")[1].tolist() if values else []
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-12)


@given(PS)
def test_holm_keeps_the_order_and_lowers_nothing(values: list[float]) -> None:
    found = holm(values)
    assert all(p <= adjusted <= 1 for p, adjusted in zip(values, found, strict=True))
    ordered = [adjusted for _, adjusted in sorted(zip(values, found, strict=True))]
    assert ordered == sorted(ordered)


@pytest.mark.parametrize("share", [0.5, 0.95])
@pytest.mark.parametrize("size", [5, 6, 20, 71, 72, 100, 1000])
def test_the_interval_of_a_quantile_is_that_of_scipy(size: int, share: float) -> None:
    random = Random(size)  # noqa: S311 - no secret
    values = sorted(random.random() for _ in range(size))
    wanted = stats.quantile_test(values, p=share).confidence_interval(0.95)
    found = quantile_interval(values, share)
    if math.isnan(wanted.low) or math.isnan(wanted.high):
        assert found is None
    else:
        assert found is not None
        assert (found.low, found.high) == (wanted.low, wanted.high)


def test_a_quantile_from_fewer_independent_values_is_less_certain() -> None:
    values = [float(one) for one in range(400)]
    whole, fewer = quantile_interval(values, 0.5), quantile_interval(values, 0.5, 100.5)
    assert whole is not None
    assert fewer is not None
    assert fewer.low < whole.low < quantile(values, 0.5) < whole.high < fewer.high
    assert quantile_interval(values, 0.95, 71.9) is None


def test_quantiles_are_interpolated() -> None:
    assert quantile([1.0], 0.95) == 1.0
    assert quantile([1.0, 2.0, 4.0], 0.75) == 3.0
    assert quantile([1.0, 2.0], 1.0) == 2.0


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 39, 40, 41, 200, 9_999])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_students_quantile_is_that_of_scipy(freedom: int, level: float) -> None:
    wanted = stats.t.ppf((1 + level) / 2, freedom)
    assert quantile_of_student(level, freedom) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("size", "differing"), [(60, 0.3), (150, 0.2), (400, 0.1)])
def test_the_detectable_share_is_mostly_found(size: int, differing: float) -> None:
    """Such a difference gives a p below 5 % in about 80 % of all samples (McNemar's is exact)."""
    ups = round(size * differing / 2)
    sample = [1.0, -1.0] * ups + [0.0] * (size - 2 * ups)
    delta = detectable_share(sample)
    assert delta is not None
    share = max(delta, (2 * ups + 2) / (size + 2))
    weights = ((share + delta) / 2, (share - delta) / 2, 1 - share)
    random, found = Random(2), 0  # noqa: S311 - no secret
    for _ in range(500):
        drawn = random.choices((1, -1, 0), weights, k=size)
        found += mcnemar(drawn.count(1), drawn.count(-1)) < 0.05
    assert 0.7 < found / 500 < 0.9


def test_the_detectable_mean_is_mostly_found() -> None:
    random = Random(3)  # noqa: S311 - no secret
    delta = detectable_mean([random.gauss(0, 2) for _ in range(100)])
    assert delta is not None
    found = 0
    for _ in range(300):
        drawn = [random.gauss(delta, 2) for _ in range(100)]
        found += stats.ttest_1samp(drawn, 0).pvalue < 0.05
    assert 0.7 < found / 300 < 0.9


@pytest.mark.parametrize("detectable", [detectable_share, detectable_mean])
def test_too_few_cases_can_show_nothing(detectable: object) -> None:
    assert callable(detectable)
    for size in range(6):
        assert detectable([1.0, -0.5, 0.0, 1.0, 0.5, 1.0][:size]) is None
    assert detectable([1.0, -0.5, 0.0, 1.0, 0.5, 1.0]) is not None


def test_equal_differences_tell_nothing_of_their_spread() -> None:
    assert detectable_mean([0.5] * 10) is None
    assert detectable_share([0.0] * 10) is not None
