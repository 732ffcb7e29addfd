"""The trials of a run by column and case: what all metrics are from."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.evaluation.fields import leaves

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pdl.evaluation.fields import Leaves
    from pdl.evaluation.records import CaseRecord, Column, Run, Trial

Trials: TypeAlias = "list[Trial]"


class Table:
    """The trials of a run that count, by column, for each case in the order of the run.

    Those that were stopped since a budget was spent say nothing of prompt or model: they are left
    out, and counted in `stopped`. `expected` has the fields of the value that each case expects;
    None for one that expects no exact value. `values` keeps those of measures once they are found.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.expected = [None if one.exact is None else leaves(one.exact[0]) for one in run.cases]
        self._places = {case.name: index for index, case in enumerate(run.cases)}
        self._columns: dict[Column, list[Trials]] = {
            column: [[] for _ in run.cases] for column in run.columns
        }
        self.values: dict[tuple[Hashable, Column], list[list[float]]] = {}
        self.stopped = 0
        for trial in run.trials:
            if trial.status == "stopped":
                self.stopped += 1
            else:
                self._columns[trial.cell.column][self._places[trial.cell.case]].append(trial)

    def of(self, column: Column) -> list[Trials]:
        """Return the trials of a column, for each case."""
        return self._columns[column]

    def known(self, column: Column) -> Iterator[tuple[CaseRecord, Leaves, Trial]]:
        """Yield each trial of a case whose value is known, with the case and what it expects."""
        rows = zip(self.run.cases, self.expected, self._columns[column], strict=True)
        for case, expected, trials in rows:
            if expected is not None:
                for trial in trials:
                    yield case, expected, trial
