"""The metrics of a run: what each is, of which trials, and in which unit.

`docs/evaluating.md` has the same definitions in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from pdl.evaluation.fields import overlap
from pdl.evaluation.results import Metric
from pdl.reply.validation.json_types import key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl.evaluation.fields import Leaves
    from pdl.evaluation.records import CaseRecord, Column, Run, Trial
    from pdl.evaluation.table import Table, Trials

Value: TypeAlias = "Callable[[Trial, CaseRecord, Leaves | None], float | None]"
"""The value of a metric for a trial of a case with known fields; None if it has none."""


@dataclass(frozen=True)
class Measure:
    """A metric, and how its values are found.

    `values` returns those of a case: one for each trial that has one, or one for all its trials.
    `is_binary` is whether each of them is 0 or 1.
    """

    metric: Metric
    values: Callable[[Trials, CaseRecord, Leaves | None], list[float]]
    is_binary: bool = False

    def of_cases(self, table: Table, column: Column) -> list[list[float]]:
        """Return the values of a column, for each case."""
        found = table.values.get((self, column))
        if found is None:
            rows = zip(table.of(column), table.run.cases, table.expected, strict=True)
            found = [self.values(trials, case, expected) for trials, case, expected in rows]
            table.values[self, column] = found
        return found


def _by_trial(value: Value) -> Callable[[Trials, CaseRecord, Leaves | None], list[float]]:
    """The values of all trials of a case that have one."""

    def values(trials: Trials, case: CaseRecord, expected: Leaves | None) -> list[float]:
        found = (value(trial, case, expected) for trial in trials)
        return [one for one in found if one is not None]

    return values


def _share(name: str, words: str, value: Value) -> Measure:
    return Measure(Metric(name, words, "share", "more"), _by_trial(value), is_binary=True)


# Whether it is right


def _first(trial: Trial, *_: object) -> bool | None:
    if trial.is_cached:
        return None  # only good replies are in the cache, whichever attempt they were
    replied = (one for one in trial.attempts if one.text is not None and not one.fault)
    first = next(replied, None)
    return trial.status == "valid" and first is not None and not first.reason


def _unless_fault(trial: Trial, *_: object) -> bool | None:
    return None if trial.status == "fault" else trial.status == "valid"


def _exact(trial: Trial, case: CaseRecord, _: object) -> bool | None:
    return None if case.exact is None else trial.exact is True


def _expected(trial: Trial, case: CaseRecord, _: object) -> bool | None:
    return trial.expected is True if case.expect or case.exact is not None else None


def _fields(trial: Trial, _: object, expected: Leaves | None) -> float | None:
    return None if expected is None else overlap(trial, expected).f1


def _accepts(judge: str) -> Value:
    """Whether a judge accepts, and all of them of that name if a case has several."""

    def accepted(trial: Trial, case: CaseRecord, _: object) -> bool | None:
        said = [
            index < len(trial.accepted) and trial.accepted[index]
            for index, one in enumerate(case.judges)
            if one == judge
        ]
        if not said or (None in said and False not in said):
            return None
        return False not in said

    return accepted


# Whether it is the same each time


def _agreement(trials: Trials, *_: object) -> list[float]:
    """How many of the pairs of repeats have the same answer; one without an answer is like none."""
    answers = [(key(one.value),) if one.status == "valid" else object() for one in trials]
    same = [one == other for one, other in combinations(answers, 2)]
    return [fmean(same)] if same else []


def _stable(trials: Trials, *_: object) -> list[float]:
    return [float(one == 1) for one in _agreement(trials)]


# What it takes


def _calls(trial: Trial, *_: object) -> float | None:
    return None if trial.is_cached else len(trial.attempts)


def _tokens(name: str) -> Value:
    """The tokens of all replies of a trial; None if one was not counted, or was in the cache."""

    def tokens(trial: Trial, *_: object) -> float | None:
        counts = [getattr(one, name) for one in trial.attempts if one.text is not None]
        is_known = counts and None not in counts and not trial.is_cached
        return sum(counts) if is_known else None

    return tokens


def _cost(trial: Trial, *_: object) -> float | None:
    return None if trial.is_cached else trial.cost


def _seconds(trial: Trial, *_: object) -> float | None:
    """The time of a trial; None if a fault ended it, or if a reply was in the cache."""
    return None if trial.status == "fault" or trial.is_cached else trial.seconds


QUALITY = (
    _share("ok", "all as the case says", lambda trial, *_: trial.ok),
    _share("first", "valid at the first attempt", _first),
    _share("valid", "valid after retries", lambda trial, *_: trial.status == "valid"),
    _share("answered", "valid after retries, faults left out", _unless_fault),
    _share("exact", "exactly the expected value", _exact),
    _share("expected", "matches the expected schema", _expected),
    Measure(Metric("fields", "fields right (F1)", "share", "more"), _by_trial(_fields)),
)
STABILITY = (
    Measure(Metric("stable", "the same in all repeats", "share", "more"), _stable, is_binary=True),
    Measure(Metric("agreement", "pairs of repeats that agree", "share", "more"), _agreement),
)
SECONDS = Measure(Metric("seconds", "time, mean", "seconds", "less"), _by_trial(_seconds))
EFFORT = (
    Measure(Metric("calls", "calls for a trial", "number", "less"), _by_trial(_calls)),
    Measure(
        Metric("input_tokens", "input tokens", "tokens", "less"), _by_trial(_tokens("input_tokens"))
    ),
    Measure(
        Metric("output_tokens", "output tokens", "tokens", "less"),
        _by_trial(_tokens("output_tokens")),
    ),
    Measure(Metric("cost", "cost of a trial", "cost", "less"), _by_trial(_cost)),
    SECONDS,
)
QUANTILES = (
    (Metric("seconds_median", "time, median", "seconds", "less"), 0.5),
    (Metric("seconds_p95", "time, 95th percentile", "seconds", "less"), 0.95),
)
"""Metrics that are quantiles of the values of `SECONDS`."""


def metric_names(cases: Iterable[CaseRecord]) -> list[str]:
    """Return the names of all metrics that a run of these cases can have."""
    every = (*QUALITY, *STABILITY, SECONDS, *EFFORT)
    known = [*(one.metric.name for one in every), *(metric.name for metric, _ in QUANTILES)]
    judges = (f"judge:{judge}" for case in cases for judge in case.judges)
    return [*dict.fromkeys((*known, *judges))]


def is_share(name: str) -> bool:
    """Return whether the metric of a name is a share, from 0 to 1."""
    shares = {one.metric.name for one in (*QUALITY, *STABILITY)}
    return name in shares or name.startswith("judge:")


def measures_of(run: Run) -> Iterator[Measure]:
    """Yield the measures that may have values in a run, in the order of a report."""
    yield from QUALITY
    for judge in dict.fromkeys(judge for case in run.cases for judge in case.judges):
        yield _share(f"judge:{judge}", f"accepted by {judge}", _accepts(judge))
    is_repeated = run.repeats > 1 or any(one.cell.repeat > 1 for one in run.trials)
    yield from STABILITY if is_repeated else ()
    yield from EFFORT
