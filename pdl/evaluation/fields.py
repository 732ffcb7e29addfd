"""Precision and recall of fields: how much of an expected value an answer has, path by path."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl._types import format_path
from pdl.evaluation.results import FieldScore
from pdl.reply.validation.json_types import key

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from pdl._types import Json
    from pdl.evaluation.records import Column, Trial
    from pdl.evaluation.table import Table

Leaves: TypeAlias = "Counter[tuple[str, Hashable]]"
"""How often each value occurs at each path."""


class Overlap(NamedTuple):
    """How many values an answer shares with the expected one, and how many each of them has."""

    shared: int
    answered: int
    expected: int

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: 2 × shared / (answered + expected)."""
        return 2 * self.shared / (self.answered + self.expected)


def leaves(value: Json) -> Leaves:
    """Return the values that a JSON value is made of, by path.

    They are its scalars, and its lists and objects that are empty. Items of lists have the path of
    their list with `[*]`, so that their order does not count.
    """
    return Counter((path, key(leaf)) for path, leaf in _leaves(value, "$"))


def _leaves(value: Json, path: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from _leaves(part, f"{path}{_step(name)}")
    elif isinstance(value, list) and value:
        for part in value:
            yield from _leaves(part, f"{path}[*]")
    else:
        yield path, value


@lru_cache(maxsize=1_000)
def _step(name: str) -> str:
    """The step to a key in JSONPath."""
    return format_path((name,)).removeprefix("$")


def overlap(trial: Trial, expected: Leaves) -> Overlap:
    """Return how much of the expected values a trial has; one without an answer has none."""
    answered = answered_by(trial)
    return Overlap((answered & expected).total(), answered.total(), expected.total())


def answered_by(trial: Trial) -> Leaves:
    """Return the values of the answer of a trial; none without an answer."""
    return leaves(trial.value) if trial.status == "valid" else Counter()


def field_scores(table: Table) -> tuple[FieldScore, ...]:
    """Return the precision and recall of every field of every column.

    They are over all trials of the cases whose exact value is known; a trial without an answer
    lacks all fields. A path that only the answers have is there, too: its recall is None.
    """
    return tuple(score for column in table.run.columns for score in _of_column(table, column))


def _of_column(table: Table, column: Column) -> Iterator[FieldScore]:
    shared, answered, expected = Counter[str](), Counter[str](), Counter[str]()
    cases: dict[str, set[str]] = {}
    for case, wanted, trial in table.known(column):
        found = answered_by(trial)
        for total, values in (
            (shared, found & wanted),
            (answered, found),
            (expected, wanted),
        ):
            for (path, _), times in values.items():
                total[path] += times
                cases.setdefault(path, set()).add(case.name)
    for path in sorted(cases):
        precision = shared[path] / answered[path] if answered[path] else None
        recall = shared[path] / expected[path] if expected[path] else None
        yield FieldScore(column, path, precision, recall, len(cases[path]))
