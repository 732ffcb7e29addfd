"""From runs to results: estimates, paired differences, notes, and two runs beside each other."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, median
from time import process_time
from typing import TYPE_CHECKING

import pytest
from made_runs import SKILLS, Skill, made_run

from pdl.evaluation import Run, compare_runs, results_of
from pdl.evaluation.records import Column
from pdl.evaluation.statistics import holm, mcnemar, wilson

if TYPE_CHECKING:
    from pdl.evaluation.results import Difference, Estimate, Results

SMALL, LARGE, SHORT = SKILLS
TWINS = {Column("a.pdl", "m"): Skill(), Column("b.pdl", "m"): Skill()}


def estimate(results: Results, name: str, column: Column = SMALL) -> Estimate:
    (found,) = [
        one for one in results.estimates if one.metric.name == name and one.column == column
    ]
    return found


def differences(results: Results, name: str) -> list[Difference]:
    return [one for one in results.differences if one.metric.name == name]


def test_shares_of_single_trials_have_wilsons_interval() -> None:
    run = made_run(cases=40)
    found = estimate(results_of(run), "valid")
    trials = [one for one in run.trials if one.cell.column == SMALL]
    share = fmean(one.status == "valid" for one in trials)
    assert found.value == pytest.approx(share)
    assert found.interval == pytest.approx(wilson(share, 40))
    assert (found.cases, found.trials) == (40, 40)


def test_repeats_are_averaged_by_case_first() -> None:
    run = made_run(cases=20, repeats=4)
    dropped = [
        one
        for one in run.trials
        if one.cell.column != SMALL or one.cell.repeat == 1 or one.cell.case == "review 1"
    ]
    found = estimate(results_of(replace(run, trials=tuple(dropped))), "calls")
    single = [one for one in dropped if one.cell.column == SMALL]
    first = fmean(len(one.attempts) for one in single if one.cell.case == "review 1")
    rest = [len(one.attempts) for one in single if one.cell.case != "review 1"]
    assert found.value == pytest.approx((first + sum(rest)) / 20)
    assert (found.cases, found.trials) == (20, 23)


def test_more_cases_and_repeats_narrow_an_interval() -> None:
    widths = []
    for cases, repeats in ((20, 1), (20, 5), (80, 5)):
        interval = estimate(results_of(made_run(cases=cases, repeats=repeats)), "first").interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths == sorted(widths, reverse=True)


def test_times_have_a_mean_a_median_and_a_percentile() -> None:
    run = made_run(cases=80)
    results = results_of(run)
    seconds = [
        one.seconds for one in run.trials if one.cell.column == LARGE and one.status != "fault"
    ]
    assert estimate(results, "seconds", LARGE).value == pytest.approx(fmean(seconds))
    middle, late = (estimate(results, f"seconds_{name}", LARGE) for name in ("median", "p95"))
    assert middle.value == pytest.approx(median(seconds))
    assert middle.interval is not None
    assert late.interval is not None
    assert middle.interval.high < late.interval.low < (late.value or 0) <= late.interval.high
    few = estimate(results_of(made_run(cases=20)), "seconds_p95")
    assert few.value is not None
    assert few.interval is None, "20 trials say nothing of the slowest twentieth"


def test_a_share_that_is_the_same_in_all_cases_is_not_certain() -> None:
    sure = {Column("a.pdl", "m"): Skill(1.5, 1.5, 0, 0, 0)}
    results = results_of(made_run(cases=30, repeats=3, skills=sure))
    for name in ("valid", "exact", "fields", "stable", "agreement"):
        found = estimate(results, name, Column("a.pdl", "m"))
        assert found.value == 1
        assert found.interval is not None
        assert found.interval.low < 0.95


def test_differences_are_paired_and_corrected() -> None:
    run = made_run(cases=150)
    found = differences(results_of(run), "first")
    assert [(one.first, one.second) for one in found] == [
        (SMALL, LARGE),
        (SMALL, SHORT),
        (LARGE, SHORT),
    ]
    by_cell = {
        (one.cell.column, one.cell.case): one.status == "valid" and not one.attempts[0].reason
        for one in run.trials
    }
    pairs = [(by_cell[SMALL, case.name], by_cell[LARGE, case.name]) for case in run.cases]
    better, worse = pairs.count((False, True)), pairs.count((True, False))
    assert found[0].difference == pytest.approx((better - worse) / 150)
    assert found[0].p == pytest.approx(mcnemar(better, worse))
    assert [one.adjusted for one in found] == pytest.approx(holm([one.p for one in found]))
    assert [one.verdict for one in found] == ["better", "not distinguishable", "worse"]
    assert all(one.interval.low <= one.difference <= one.interval.high for one in found)


def test_repeats_make_smaller_differences_detectable() -> None:
    least = []
    for repeats in (1, 2, 8):
        results = results_of(made_run(cases=40, repeats=repeats, skills=TWINS))
        (found,) = differences(results, "exact")
        assert found.detectable is not None
        least.append(found.detectable)
    assert least == sorted(least, reverse=True)


def test_less_is_better_of_what_a_trial_takes() -> None:
    found = differences(results_of(made_run(cases=60)), "cost")
    assert [one.verdict for one in found[:2]] == ["worse", "not distinguishable"]
    assert found[0].difference > 0


def test_columns_that_do_not_differ_are_rarely_told_apart() -> None:
    found = [
        one
        for seed in range(6)
        for one in results_of(made_run(seed=seed, cases=30, skills=TWINS)).differences
    ]
    assert sum(one.is_distinguishable for one in found) <= len(found) * 0.1


def test_only_cases_of_both_columns_are_compared() -> None:
    run = made_run(cases=12)
    dropped = tuple(
        one for one in run.trials if one.cell.column != SMALL or int(one.cell.case.split()[-1]) <= 7
    )
    results = results_of(replace(run, trials=dropped))
    assert [one.cases for one in differences(results, "valid")] == [7, 7, 12]
    assert results.notes[0] == "the run is unfinished: it has 31 of 36 trials"


@pytest.mark.parametrize("cases", [0, 1, 2])
def test_few_cases_are_no_problem(cases: int) -> None:
    results = results_of(made_run(cases=cases, expecting=1.0))
    assert bool(results.differences) == (cases > 1)
    assert not any(one.is_distinguishable for one in results.differences)
    for one in results.estimates:
        assert one.cases == cases or one.metric.name not in {"valid", "ok"}
        if one.interval is not None and one.value is not None:
            assert one.interval.low <= one.value <= one.interval.high


def test_a_run_without_columns_or_trials_has_no_results() -> None:
    assert results_of(Run("r", (), (), ())).estimates == ()
    run = replace(made_run(cases=5), trials=())
    results = results_of(run)
    found = (results.estimates, results.differences, results.fields, results.confusions)
    assert not any(found)
    assert results.notes == ("the run is unfinished: it has 0 of 15 trials",)


def test_what_is_left_out_is_said() -> None:
    run = made_run(cases=10, skills={SMALL: Skill(failing=0.0, refusing=0.0)})
    assert results_of(run).notes == ()
    first, second, third, *rest = run.trials
    cached = replace(third, attempts=(replace(third.attempts[0], is_cached=True),))
    changed = (replace(first, status="stopped"), replace(second, status="fault"), cached)
    results = results_of(replace(run, trials=(*changed, *rest)))
    assert results.notes == (
        "1 trial left out: the budget was spent",
        "1 trial ended with a fault: not valid",
        "1 trial with a reply from the cache: not in first attempts, calls, tokens, cost, times",
    )
    assert estimate(results, "valid").cases == 9
    assert estimate(results, "answered").cases == 8
    assert estimate(results, "seconds").cases == 7
    assert results.counts[SMALL]["statuses"]["stopped"] == 1


def test_counts_are_of_what_occurred() -> None:
    run = made_run(cases=50)
    counts = results_of(run).counts[SMALL]
    attempts = [
        attempt for one in run.trials if one.cell.column == SMALL for attempt in one.attempts
    ]
    assert sum(counts["statuses"].values()) == 50
    assert counts["reasons"] == {"wrong-schema": sum(bool(one.reason) for one in attempts)}
    assert counts["repairs"] == {"bare-key": sum(len(one.repairs) for one in attempts)}
    assert sum(counts["faults"].values()) == sum(
        one.fault not in {"", "refusal"} for one in attempts
    )


def test_results_are_the_same_each_time_and_depend_on_seed_and_level() -> None:
    run = made_run(cases=20)
    first = results_of(run)
    assert first == results_of(run)
    assert first != results_of(run, seed=1)
    wide, narrow = (
        estimate(results_of(run, level=level), "calls").interval for level in (0.99, 0.8)
    )
    assert wide is not None
    assert narrow is not None
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("level", [0, 1, 95, -1, float("nan")])
def test_a_level_is_between_0_and_1(level: float) -> None:
    with pytest.raises(ValueError, match="a level must be between 0 and 1"):
        results_of(made_run(cases=1), level=level)


# Two runs


def test_a_run_does_not_differ_from_itself() -> None:
    run = made_run(cases=20)
    results = compare_runs(run, run)
    assert results.changed == ()
    assert [str(one.second) for one in differences(results, "valid")] == [
        f"run (2): {column}" for column in SKILLS
    ]
    assert all(one.difference == 0 and one.p == 1 for one in results.differences)


def test_columns_are_matched_by_prompt_and_model() -> None:
    old = made_run(cases=20, name="old", skills={SMALL: Skill(), LARGE: Skill()})
    new = made_run(cases=20, name="new", skills={LARGE: Skill(), SHORT: Skill()})
    (found,) = differences(compare_runs(old, new), "valid")
    assert (str(found.first), str(found.second)) == (f"old: {LARGE}", f"new: {LARGE}")
    other = made_run(cases=20, name="new", skills={SHORT: Skill()})
    crossed = differences(compare_runs(old, other), "valid")
    assert [str(one.first) for one in crossed] == [f"old: {SMALL}", f"old: {LARGE}"]


def test_changed_cases_are_left_out_and_named() -> None:
    old, new = made_run(cases=6, name="old"), made_run(cases=7, name="new")
    cases = list(old.cases)
    cases[1] = replace(cases[1], data={"review": "another"})
    cases[2] = replace(cases[2], place="moved.tests.pdl:9:1")
    results = compare_runs(old, replace(old, name="new", cases=(*cases, new.cases[-1])))
    assert results.changed == ("review 2", "review 7")
    assert results.notes[0] == (
        "2 cases left out: changed between the runs, or only in one of them"
    )
    assert [one.name for one in results.run.cases] == [f"review {one}" for one in (1, 3, 4, 5, 6)]
    assert all(one.cases == 5 for one in differences(results, "valid"))
    assert results.run.planned == len(results.run.trials) == 30


def test_an_unfinished_run_is_compared_as_far_as_it_is() -> None:
    old, new = made_run(cases=10, name="old"), made_run(cases=10, name="new")
    results = compare_runs(old, replace(new, trials=new.trials[:5]))
    assert [one.cases for one in differences(results, "valid")] == [5]
    assert results.notes[0] == "the run is unfinished: it has 35 of 60 trials"


def test_many_cases_take_a_moment() -> None:
    """1,000 cases of three columns: 1 to 2 s with all that is drawn; here a fifth of them."""
    run = made_run(cases=200)
    started = process_time()
    results_of(run)
    assert process_time() - started < 3


def test_what_was_not_asked_or_judged_or_has_no_cost_is_said() -> None:
    run = made_run(cases=10, skills={SMALL: Skill(failing=0.0, refusing=0.0)})
    first, *rest = run.trials
    first = replace(first, cost=None, unjudged=("kind (m): late",))
    changed = replace(run, trials=(first, *rest), invalid=tuple("abcdefg"), timeouts=(60.0, 600.0))
    assert results_of(changed).notes == (
        "7 cases are invalid and were not asked: a, b, c, d, e, and 2 more",
        "a judge gave no answer on 1 trial: kind (m): late",
        "the cost is of 9 trials only: that of others is unknown",
        "the timeout of a trial was 60 s, then 600 s",
    )


def test_runs_that_ask_otherwise_are_told_apart() -> None:
    run = made_run(cases=10, repeats=2)
    other = replace(made_run(cases=10), options={"retries": 0, "seed": 1})
    found = compare_runs(replace(run, options={"retries": 3, "seed": 1}), other)
    assert found.notes[0] == "the runs differ in: retries 3 / 0, repeats 2 / 1"
    assert found.run.repeats == 0
