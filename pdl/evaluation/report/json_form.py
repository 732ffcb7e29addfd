"""Results as JSON, for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.evaluation.report.views import outcome

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.evaluation.records import Column, Run, Trial
    from pdl.evaluation.results import (
        Confusion,
        Difference,
        Estimate,
        FieldScore,
        Interval,
        Results,
    )


def results_json(results: Results) -> Json:
    """Return results as a JSON object; its keys are stable, and new ones can be added.

    `notes`: sentences that a reader must know, such as how many trials are missing.

    `run`: `name`, `started`, `planned`, `ended` (trials), `repeats`, `cases` (their number),
    `columns` (`prompt`, `model`, `fingerprint`). A column is named by its index in this list.

    `level`: of intervals and tests. `metrics`: `name`, `words`, `unit`, `better`.

    `estimates`: `metric` (its name), `column`, `value`, `interval` (`low`, `high`, `method`, or
    null), `cases`, `trials`. `differences`: `metric`, `first`, `second`, `difference` (second minus
    first), `interval`, `p`, `adjusted`, `cases`, `detectable`, `verdict` (on the second: `better`,
    `worse`, or `not distinguishable`).

    `fields`: `column`, `path`, `precision`, `recall`, `cases`. `confusions`: `column`, `path`,
    `labels`, `counts` (a row for each expected label; the last column: no valid answer).
    `counts`: by column the numbers of `repairs`, `reasons`, `faults`, and `statuses` by kind.
    `changed`: the names of the cases that were left out.

    `trials`: `column`, `case`, `repeat`, `status`, `ok`, `outcome` (in words), `exact`, `expected`,
    `accepted`, `attempts` (their number), `seconds`, `cost`, `failures` (`kind`, `place`,
    `message`). Replies are in the file of the run.

    A number that is unknown or not finite is null. Shares are from 0 to 1, times in seconds.
    """
    run = results.run
    at = {column: index for index, column in enumerate(run.columns)}
    metrics = dict.fromkeys(
        [one.metric for one in results.estimates] + [one.metric for one in results.differences]
    )
    return {
        "notes": list(results.notes),
        "run": _run(run),
        "level": results.level,
        "metrics": [metric._asdict() for metric in metrics],
        "estimates": [_estimate(one, at) for one in results.estimates],
        "differences": [_difference(one, at) for one in results.differences],
        "fields": [_field(one, at) for one in results.fields],
        "confusions": [_confusion(one, at) for one in results.confusions],
        "counts": [results.counts.get(column, {}) for column in run.columns],
        "changed": list(results.changed),
        "trials": [_trial(trial, at) for trial in run.trials],
    }


def _run(run: Run) -> Json:
    columns = [
        {**column._asdict(), "fingerprint": run.fingerprints.get(column.prompt)}
        for column in run.columns
    ]
    return {
        "name": run.name,
        "started": run.started,
        "planned": run.planned,
        "ended": len(run.trials),
        "repeats": run.repeats,
        "cases": len(run.cases),
        "columns": columns,
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _interval(found: Interval | None) -> Json:
    if found is None:
        return None
    return {"low": _number(found.low), "high": _number(found.high), "method": found.method}


def _estimate(found: Estimate, at: dict[Column, int]) -> Json:
    return {
        "metric": found.metric.name,
        "column": at[found.column],
        "value": _number(found.value),
        "interval": _interval(found.interval),
        "cases": found.cases,
        "trials": found.trials,
    }


def _difference(found: Difference, at: dict[Column, int]) -> Json:
    return {
        "metric": found.metric.name,
        "first": at[found.first],
        "second": at[found.second],
        "difference": _number(found.difference),
        "interval": _interval(found.interval),
        "p": _number(found.p),
        "adjusted": _number(found.adjusted),
        "cases": found.cases,
        "verdict": found.verdict,
        "detectable": _number(found.detectable),
    }


def _field(found: FieldScore, at: dict[Column, int]) -> Json:
    return {
        "column": at[found.column],
        "path": found.path,
        "precision": _number(found.precision),
        "recall": _number(found.recall),
        "cases": found.cases,
    }


def _confusion(found: Confusion, at: dict[Column, int]) -> Json:
    return {
        "column": at[found.column],
        "path": format_path(found.path),
        "labels": list(found.labels),
        "counts": [list(row) for row in found.counts],
    }


def _trial(trial: Trial, at: dict[Column, int]) -> Json:
    return {
        "column": at[trial.cell.column],
        "case": trial.cell.case,
        "repeat": trial.cell.repeat,
        "status": trial.status,
        "ok": trial.ok,
        "outcome": outcome(trial),
        "exact": trial.exact,
        "expected": trial.expected,
        "accepted": list(trial.accepted),
        "attempts": len(trial.attempts),
        "seconds": _number(trial.seconds),
        "cost": _number(trial.cost),
        "failures": [failure._asdict() for failure in trial.failures],
    }
