"""The cluster bootstrap and the sign-flip test: held to scipy, to laws, and to what they cover."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import product
from random import Random
from statistics import fmean
from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pdl.evaluation.resampling import bootstrap, counts, sign_flips
from pdl.evaluation.statistics import mcnemar

if TYPE_CHECKING:
    from pdl.evaluation.results import Interval

NUMBERS = st.floats(-1e6, 1e6).map(lambda one: round(one, 3))
SERIES = st.lists(NUMBERS | st.none(), max_size=12)


def drawn(size: int, *, seed: int = 1, mean: float = 0.0) -> list[float]:
    random = Random(seed)  # noqa: S311 - no secret
    return [random.gauss(mean, 1) for _ in range(size)]


def one(series: list[float] | list[float | None], draws: int = 400) -> Interval:
    (found,) = bootstrap([series], draws=draws)
    assert found is not None
    return found


def test_the_bootstrap_is_that_of_scipy_where_cases_are_many() -> None:
    values = drawn(300)
    their = stats.bootstrap(
        (values,), fmean, vectorized=False, method="percentile", n_resamples=2000, rng=1
    )
    low, high, method = one(values, 4000)
    wanted = their.confidence_interval
    assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=0.02)
    assert method == "bootstrap"


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("size", [10, 40])
def test_the_bootstrap_covers_the_mean(size: int, *, skewed: bool) -> None:
    """In 95 % of all samples, and not much less for a skewed distribution."""
    random = Random(4)  # noqa: S311 - no secret
    draw = partial(random.expovariate, 1.0) if skewed else partial(random.gauss, 1.0, 1.0)
    columns = [[draw() for _ in range(size)] for _ in range(400)]
    hits = 0
    for interval in bootstrap(columns, draws=300):
        assert interval is not None
        hits += interval.low <= 1 <= interval.high
    assert hits / 400 > (0.86 if skewed else 0.92)


@given(SERIES)
def test_the_bootstrap_is_around_the_mean_and_within_the_values(
    series: list[float | None],
) -> None:
    known = [value for value in series if value is not None]
    (found,) = bootstrap([series], draws=50)
    if len(known) < 2:
        assert found is None
        return
    assert found is not None
    mean, slack = fmean(known), 1e-6 * max(1.0, *map(abs, known))
    assert min(known) - slack <= found.low <= mean + slack
    assert mean - slack <= found.high <= max(known) + slack


@given(st.lists(NUMBERS, min_size=2, max_size=12), st.sampled_from([0.5, 3.0]), NUMBERS)
def test_the_bootstrap_is_equivariant(values: list[float], scale: float, shift: float) -> None:
    plain = one(values, 60)
    moved = one([scale * value + shift for value in values], 60)
    slack = 1e-6 * max(1.0, abs(shift), *map(abs, values))
    wanted = (scale * plain.low + shift, scale * plain.high + shift)
    assert (moved.low, moved.high) == pytest.approx(wanted, abs=slack)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_cases_are_drawn_with_replacement(size: int) -> None:
    """Each way to draw as often as the multinomial distribution says."""
    random = Random(2)  # noqa: S311 - no secret
    drawn = Counter(tuple(counts(random, size)) for _ in range(20_000))
    ways = [one for one in product(range(size + 1), repeat=size) if sum(one) == size]
    expected = stats.multinomial.pmf(ways, size, [1 / size] * size) * 20_000
    assert set(drawn) <= set(ways)
    assert stats.chisquare([drawn[one] for one in ways], expected).pvalue > 0.001


def test_the_bootstrap_is_the_same_for_the_same_seed_and_beside_others() -> None:
    first, second = drawn(30), [None, *drawn(29, seed=2)]
    alone = bootstrap([first], draws=200)
    assert bootstrap([first, second, first], draws=200)[::2] == alone * 2
    assert bootstrap([first], draws=200, seed=7) != alone


def test_the_bootstrap_of_nothing() -> None:
    assert bootstrap([]) == []
    assert bootstrap([[], []]) == [None, None]
    assert bootstrap([[None, 1.0], [None, None]], draws=5) == [None, None]
    assert one([2.0] * 5) == (2.0, 2.0, "bootstrap")
    with pytest.raises(ValueError, match=r"shorter|longer"):
        bootstrap([[1.0, 2.0], [1.0]])


def test_the_bootstrap_of_many_cases_is_fast() -> None:
    """10,000 cases, 2,000 draws: at most about 2 s; here a tenth of the draws."""
    values = drawn(10_000)
    started = process_time()
    bootstrap([values], draws=200)
    assert process_time() - started < 1


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=10))
def test_the_exact_sign_flip_test_is_that_of_scipy(values: list[int]) -> None:
    (found,) = sign_flips([[value / 4 for value in values]])
    their = stats.permutation_test(
        (values,), sum, permutation_type="samples", vectorized=False, n_resamples=2000
    )
    assert found == pytest.approx(min(1.0, their.pvalue), rel=1e-9)


@pytest.mark.parametrize("mean", [0.0, 0.2, 0.4])
def test_the_drawn_sign_flip_test_is_that_of_scipy(mean: float) -> None:
    values = drawn(60, mean=mean)
    their = stats.permutation_test(
        (values,), sum, permutation_type="samples", vectorized=False, n_resamples=4000, rng=1
    )
    assert sign_flips([values]) == pytest.approx([their.pvalue], abs=0.02)


@given(st.lists(st.sampled_from([-1, 0, 1, None]), max_size=60))
def test_the_sign_flip_test_of_yes_and_no_is_mcnemars(values: list[float | None]) -> None:
    assert sign_flips([values]) == [mcnemar(values.count(1), values.count(-1))]


@given(st.lists(NUMBERS, min_size=1, max_size=20))
@settings(max_examples=10)
def test_the_sign_flip_test_is_symmetric(values: list[float]) -> None:
    first, second = sign_flips([values, [-value for value in values]], flips=100)
    assert first == second
    assert 0 < first <= 1


def test_zeros_and_gaps_do_not_change_the_test() -> None:
    values = drawn(12, mean=0.5)
    assert sign_flips([[*values, 0.0, None]]) == sign_flips([values])


def test_p_is_never_zero_and_has_a_seed() -> None:
    shifted = drawn(40, mean=9.0)
    assert sign_flips([shifted], flips=499) == [1 / 500]
    values = drawn(40, mean=0.1)
    assert sign_flips([values], flips=499) == sign_flips([values], flips=499)
    assert sign_flips([values], flips=499, seed=5) != sign_flips([values], flips=499)


def test_the_drawn_test_is_right_as_often_as_it_says() -> None:
    """Of columns that do not differ, 5 % are taken for different."""
    series = [drawn(25, seed=seed) for seed in range(400)]
    found = sign_flips(series, flips=399)
    assert 0.02 < fmean(p < 0.05 for p in found) < 0.085


def test_the_sign_flip_test_of_nothing() -> None:
    assert sign_flips([]) == []
    assert sign_flips([[]]) == [1.0]
    assert sign_flips([[None, 0.0], [3.0, None]]) == [1.0, 1.0]


@pytest.mark.parametrize("unit", [1e-300, 1e-6, 1.0, 1e300])
def test_units_do_not_change_a_test(unit: float) -> None:
    few, many = [1.0, 2.0, -0.5], drawn(20, mean=0.5)
    scaled = [[unit * one for one in series] for series in (few, many)]
    assert [sign_flips([series]) for series in scaled] == [sign_flips([few]), sign_flips([many])]
    found = one(scaled[1])
    assert (found.low / unit, found.high / unit) == pytest.approx(one(many)[:2])
