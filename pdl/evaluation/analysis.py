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

_SHOWN = 5  # names in a note


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
        name: Counter() for name in ("statuses", "reasons", "repairs", "faults", "declined")
    }
    for trial in run.trials:
        if trial.cell.column == column:
            kinds["statuses"][trial.status] += 1
            for one in trial.attempts:
                kinds["reasons"].update([one.reason] if one.reason else ())
                # A refusal has a kind of fault, too, but nothing failed on its way.
                kind = "declined" if one.fault == "refusal" else "faults"
                kinds[kind].update([one.fault] if one.fault else ())
                kinds["repairs"].update(repair.kind for repair in one.repairs)
    return {name: dict(counter.most_common()) for name, counter in kinds.items()}


def _notes(table: Table) -> Iterator[str]:
    """What changes how the numbers are to be read."""
    run, trials = table.run, table.run.trials
    if len(trials) < run.planned:
        yield f"the run is unfinished: it has {len(trials)} of {_trials(run.planned)}"
    if table.stopped:
        yield f"{_trials(table.stopped)} left out: the budget was spent"
    if run.invalid:
        are = "case is invalid and was" if len(run.invalid) == 1 else "cases are invalid and were"
        yield f"{len(run.invalid):,} {are} not asked: {_listed(run.invalid)}"
    faults = sum(one.status == "fault" for one in trials)
    if faults:
        yield f"{_trials(faults)} ended with a fault: not valid"
    unjudged = [one.unjudged[0] for one in trials if one.unjudged]
    if unjudged:
        why = Counter(unjudged).most_common(1)[0][0]
        yield f"a judge gave no answer on {_trials(len(unjudged))}: {why}"
    cached = sum(one.is_cached for one in trials)
    if cached:
        what = "first attempts, calls, tokens, cost, times"
        yield f"{_trials(cached)} with a reply from the cache: not in {what}"
    counted = [one for one in trials if one.status != "stopped" and not one.is_cached]
    unknown = sum(one.cost is None for one in counted)
    if 0 < unknown < len(counted):
        yield f"the cost is of {_trials(len(counted) - unknown)} only: that of others is unknown"
    if len(run.timeouts) > 1:
        yield f"the timeout of a trial was {', then '.join(f'{one:g} s' for one in run.timeouts)}"


def _listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def _trials(number: int) -> str:
    return f"{number:,} trial{'' if number == 1 else 's'}"
