"""Results of made runs, with figures that nobody computed: what reports are tried on."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from pdl.evaluation.results import (
    Confusion,
    Difference,
    Estimate,
    FieldScore,
    Interval,
    Metric,
    Results,
)

if TYPE_CHECKING:
    from pdl.evaluation.records import Column, Run

METRICS = {
    Metric("valid_first", "valid at first try", "share", "more"): 0.8,
    Metric("exact", "exactly as expected", "share", "more"): 0.7,
    Metric("seconds", "time, mean", "seconds", "less"): 1.5,
    Metric("output_tokens", "output tokens", "tokens", "less"): 300.0,
    Metric("cost", "cost of a trial", "cost", "less"): 0.0012,
}
LABELS = ("bug", "invoice", "praise", "other")


def made_results(run: Run, *, seed: int = 0) -> Results:
    """The results of a run; the same for the same seed."""
    random = Random(seed)  # noqa: S311 - the same each time
    estimates, differences = [], []
    for metric, usual in METRICS.items():
        for column in run.columns:
            value = usual * random.uniform(0.7, 1.2)
            around = Interval(value * 0.9, value * 1.1, "bootstrap")
            estimates.append(Estimate(metric, column, value, around, len(run.cases), 90))
        for first, second in combinations(run.columns, 2):
            value = usual * random.uniform(-0.2, 0.2)
            around = Interval(value - usual * 0.1, value + usual * 0.1, "bootstrap")
            is_apart = abs(value) > usual * 0.1
            p = 0.01 if is_apart else 0.4
            found = Difference(metric, first, second, value, around, p, p, 30, is_apart, usual / 9)
            differences.append(found)
    fields = [
        FieldScore(column, path, random.random(), random.random(), 30)
        for column in run.columns
        for path in ("$.topic", "$.stars", "$.items[*].price")
    ]
    rows = tuple(tuple(random.randint(0, 9) for _ in range(5)) for _ in LABELS)
    return Results(
        run,
        tuple(estimates),
        tuple(differences),
        tuple(fields),
        tuple(Confusion(column, ("topic",), LABELS, rows) for column in run.columns),
        {column: _counts(run, column) for column in run.columns},
        notes=("One trial is missing.",),
    )


def _counts(run: Run, column: Column) -> dict[str, dict[str, int]]:
    attempts = [
        attempt for trial in run.trials if trial.cell.column == column for attempt in trial.attempts
    ]
    return {
        "repairs": Counter(repair.kind for one in attempts for repair in one.repairs),
        "reasons": Counter(one.reason for one in attempts if one.reason),
        "faults": Counter(one.fault for one in attempts if one.fault),
    }
