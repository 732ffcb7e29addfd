"""The results of a run: estimates with intervals, differences, and counts, ready to be reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pdl._types import JsonPath
    from pdl.evaluation.records import Column, Run

Unit: TypeAlias = Literal["share", "seconds", "tokens", "cost", "number"]
Better: TypeAlias = Literal["more", "less"]


Method: TypeAlias = Literal["wilson", "bootstrap", "bonett-price", "order-statistics"]
"""How an interval was found; `pdl.evaluation.statistics` has the definitions and their sources."""


class Interval(NamedTuple):
    """A confidence interval, and the method that it is from."""

    low: float
    high: float
    method: Method


class Metric(NamedTuple):
    """A metric: its name in files, its words for people, its unit, and which way is better."""

    name: str
    words: str
    unit: Unit
    better: Better


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric of a column: its value (None if nothing was to be measured) and its interval.

    `cases` is how many cases it is from, `trials` how many trials of these.
    """

    metric: Metric
    column: Column
    value: float | None
    interval: Interval | None = None
    cases: int = 0
    trials: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """The paired difference of a metric, second minus first, over the cases that both columns have.

    `p` is that of the test, `adjusted` after Holm's
    correction over all pairs of columns. `is_distinguishable` is whether `adjusted` is below the
    error that the level allows (1 - `Results.level`). `detectable` is the least difference that so
    many cases would show with a probability of 80 %; None if they show none.
    """

    metric: Metric
    first: Column
    second: Column
    difference: float
    interval: Interval
    p: float
    adjusted: float
    cases: int
    is_distinguishable: bool
    detectable: float | None = None

    @property
    def verdict(self) -> Literal["better", "worse", "not distinguishable"]:
        """What the second column is, next to the first."""
        if not self.is_distinguishable:
            return "not distinguishable"
        return "better" if (self.difference > 0) == (self.metric.better == "more") else "worse"


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each word of an enum was answered where another was expected, at one path.

    `counts[row][column]`: rows are the expected labels, columns the answered ones; the last column
    is for trials without a valid answer.
    """

    column: Column
    path: JsonPath
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Precision and recall of one field, by its path with `*` for the items of lists.

    Precision is None if no answer has the field, recall if none is expected to have it.
    """

    column: Column
    path: str
    precision: float | None
    recall: float | None
    cases: int

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None if neither is known."""
        if self.precision is None and self.recall is None:
            return None
        if not self.precision or not self.recall:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


@dataclass(frozen=True)
class Results:
    """All that a report shows of a run.

    `counts` has, by column and kind (`repairs`, `reasons`, `faults`, `declined`, `statuses`), how
    often each occurred; the reasons are those for which replies were refused. `level` is that of
    intervals and tests, such as 0.95. `changed` has the names of the cases that only one of two
    runs has, or that differ in their data or expectation: they are left out. `notes` are sentences
    that a reader must know, such as how many trials are missing.
    """

    run: Run = field(repr=False)
    estimates: tuple[Estimate, ...]
    differences: tuple[Difference, ...]
    fields: tuple[FieldScore, ...] = ()
    confusions: tuple[Confusion, ...] = ()
    counts: dict[Column, dict[str, dict[str, int]]] = field(default_factory=dict)
    level: float = 0.95
    changed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def _repr_markdown_(self) -> str:
        from pdl.evaluation.report.markdown_form import markdown  # noqa: PLC0415 - for notebooks

        return markdown(self)
