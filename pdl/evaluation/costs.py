"""What an evaluation would ask, and about what that costs."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.evaluation.journal import Records, cells
from pdl.models.exchange import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.evaluation.matrix import Plan, Planned
    from pdl.evaluation.options import EvaluationOptions
    from pdl.evaluation.records import Cell, Column
    from pdl.models.budget import Price

_CHARS_PER_TOKEN = 4  # as a budget counts where a provider does not


@dataclass(frozen=True)
class Forecast:
    """What is left to ask of a column: trials, and calls at least and at most.

    `input_tokens` and `output_tokens` are those of the least calls, by the length of texts;
    `output_tokens` and `cost` are None if there is nothing to go by: neither replies on record nor
    a price. Judges are not counted.
    """

    column: Column
    trials: int
    least: int
    most: int
    input_tokens: int
    output_tokens: int | None
    cost: float | None


def forecasts(
    plan: Plan,
    options: EvaluationOptions,
    prices: Mapping[str, Price],
    records: Records | None = None,
) -> list[Forecast]:
    """Return the forecast of each column, without what is on record already."""
    records = Records() if records is None else records
    left: dict[Column, list[Cell]] = defaultdict(list)
    for cell in cells(plan.manifest):
        trial = records.trials.get(cell)
        if trial is None or trial.status == "stopped":
            left[cell.column].append(cell)
    return [
        _forecast(plan, column, left[column], options.retries, prices)
        for column in plan.manifest.columns
    ]


def _forecast(
    plan: Plan, column: Column, left: list[Cell], retries: int, prices: Mapping[str, Price]
) -> Forecast:
    asked = [plan.cases[cell.prompt, cell.case] for cell in left]
    read = sum(math.ceil(one.chars / _CHARS_PER_TOKEN) for one in asked)
    lengths = [length for one in plan.cases.values() for length in _recorded(one)]
    mean = sum(lengths) / len(lengths) if lengths else None
    written = None if mean is None else math.ceil(mean / _CHARS_PER_TOKEN * len(left))
    price = prices.get(column.model)
    cost = None if price is None or written is None else price.of(Usage(read, written))
    most = len(left) * (retries + 1)
    return Forecast(column, len(left), len(left), most, read, written, cost)


def _recorded(planned: Planned) -> list[int]:
    """How long the replies are that a case has on record."""
    replies = (one.reply for one in planned.parts.recordings)
    return [len(one.text) + len(one.reasoning) for one in replies if one is not None]
