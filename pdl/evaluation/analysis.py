"""From a run to its results: estimates, differences, and what a reader must know of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from pdl.evaluation.confusion import confusions
from pdl.evaluation.differences import compared_of, differences_of
from pdl.evaluation.estimates import estimates_of, measured_of
from pdl.evaluation.fields import field_scores
from pdl.evaluation.metrics import measures_of
from pdl.evaluation.resampling import SEED, bootstrap
from pdl.evaluation.results import Results
from pdl.evaluation.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.evaluation.differences import Pair
    from pdl.evaluation.records import Column, Run


def results_of(run: Run, *, level: float = 0.95, seed: int = SEED) -> Results:
    """Return the metrics of all columns of a run, and the differences between any two of them.

    `level` is that of intervals and tests; `seed` is for what is drawn at random. An unfinished run
    has results, too: of the trials that it has. Raises ValueError for a level that is not between 0
    and 1.
    """
    return results_between(run, tuple(combinations(run.columns, 2)), level=level, seed=seed)


def results_between(
    run: Run, pairs: Sequence[Pair], *, level: float = 0.95, seed: int = SEED
) -> Results:
    """Return the results of a run, with the differences between some pairs of its columns.

    Raises ValueError as `results_of` does.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level must be between 0 and 1, not {level}")
    table = Table(run)
    measures = tuple(measures_of(run))
    measured, compared = measured_of(table, measures), compared_of(table, measures, pairs)
    series = [one.series for one in measured if one.is_drawn]
    series += [one.series for one in compared if one.is_drawn]
    drawn = iter(bootstrap(series, level=level, seed=seed))  # once for all, since it takes long
    return Results(
        run,
        estimates=estimates_of(table, measured, drawn, level=level),
        differences=differences_of(compared, drawn, level=level, seed=seed),
        fields=field_scores(table),
        confusions=confusions(table),
        counts={column: _counts(run, column) for column in run.columns},
        level=level,
        notes=tuple(_notes(table)),
    )


def _counts(run: Run, column: Column) -> dict[str, dict[str, int]]:
    """How often each kind of repair, refused reply, fault, and end occurred; most often first."""
    kinds: dict[str, Counter[str]] = {
        name: Counter() for name in ("statuses", "reasons", "repairs", "faults")
    }
    for trial in run.trials:
        if trial.cell.column == column:
            kinds["statuses"][trial.status] += 1
            for one in trial.attempts:
                kinds["reasons"].update([one.reason] if one.reason else ())
                kinds["faults"].update([one.fault] if one.fault else ())
                kinds["repairs"].update(repair.kind for repair in one.repairs)
    return {name: dict(counter.most_common()) for name, counter in kinds.items()}


def _notes(table: Table) -> Iterator[str]:
    """What changes how the numbers are to be read."""
    run, trials = table.run, table.run.trials
    if len(trials) < run.planned:
        yield f"the run is unfinished: it has {len(trials)} of {_trials(run.planned)}"
    if table.stopped:
        yield f"{_trials(table.stopped)} left out: the budget was spent"
    faults = sum(one.status == "fault" for one in trials)
    if faults:
        yield f"{_trials(faults)} ended with a fault: not valid"
    cached = sum(any(attempt.is_cached for attempt in one.attempts) for one in trials)
    if cached:
        yield f"{_trials(cached)} left out of the times: a reply is from the cache"


def _trials(number: int) -> str:
    return f"{number:,} trial{'' if number == 1 else 's'}"
