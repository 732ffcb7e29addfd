"""What an evaluation would ask, and about what that costs."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.evaluation.journal import Records, cells
from pdl.models.exchange import TOKEN_LIMITS, Usage
from pdl.schema.json_values import json_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sized
    from pathlib import Path

    from pdl.evaluation.matrix import Plan, Planned
    from pdl.evaluation.options import EvaluationOptions
    from pdl.evaluation.records import Cell, Column
    from pdl.models.budget import Price

_CHARS_PER_TOKEN = 4  # as a budget counts where a provider does not


@dataclass(frozen=True)
class Forecast:
    """What is left to ask of a model: trials, and calls at least and at most.

    `column` is None for what is left to ask of the judges' model: then `trials` are rulings, one of
    each judge on each answer, should all trials have one. `input_tokens` and `output_tokens` are
    those of the least calls, by the length of texts. `output_tokens` is None without replies on
    record; `cost` is then that of the input, and `is_least`; it is None without a price.
    `most_cost` is that of the least calls if each writes as much as `max_tokens` allows.
    """

    column: Column | None
    model: str
    trials: int
    least: int
    most: int
    input_tokens: int
    output_tokens: int | None
    cost: float | None
    is_least: bool = False
    most_cost: float | None = None


def forecasts(
    plan: Plan,
    options: EvaluationOptions,
    prices: Mapping[str, Price],
    records: Records | None = None,
) -> list[Forecast]:
    """Return the forecast of each column, and of judges, without what is on record already."""
    records = Records() if records is None else records
    left: dict[Column, list[Cell]] = defaultdict(list)
    for cell in cells(plan.manifest):
        trial = records.trials.get(cell)
        if trial is None or trial.status == "stopped":
            left[cell.column].append(cell)
    found = [
        _of_column(plan, column, left[column], options, prices) for column in plan.manifest.columns
    ]
    asked = [plan.cases[cell.prompt, cell.case] for cells in left.values() for cell in cells]
    if plan.judge is not None and any(one.parts.judges for one in plan.cases.values()):
        price = prices.get(plan.judge.name)
        found.append(_of_judges(plan, asked, plan.judge.name, options.retries, price))
    return found


def _of_column(
    plan: Plan,
    column: Column,
    left: list[Cell],
    options: EvaluationOptions,
    prices: Mapping[str, Price],
) -> Forecast:
    asked = [plan.cases[cell.prompt, cell.case] for cell in left]
    read = sum(math.ceil(one.chars / _CHARS_PER_TOKEN) for one in asked)
    written = _written([length for one in plan.cases.values() for length in _recorded(one)], asked)
    price, count = prices.get(column.model), len(left)
    limit = next((options.config[one] for one in TOKEN_LIMITS if one in options.config), None)
    return Forecast(
        column, column.model, count, count, count * (options.retries + 1), read, written,
        _cost(price, read, written or 0), written is None,
        None if limit is None else _cost(price, read, limit * count),
    )  # fmt: skip


def _of_judges(
    plan: Plan, asked: list[Planned], model: str, retries: int, price: Price | None
) -> Forecast:
    """The forecast of the judges of trials: a judge reads its prompt, the data, and the answer."""
    answers = [length for one in plan.cases.values() for length in _recorded(one)]
    answer = sum(answers) / len(answers) if answers else 0.0
    prompts: dict[Path, int] = {}
    read = 0
    rulings = [(one, judge) for one in asked for judge in one.parts.judges]
    for planned, judge in rulings:
        if judge.prompt not in prompts:
            prompts[judge.prompt] = len(planned.case.file.load(judge.prompt).source.text)
        data = len(json_document(planned.parts.data or {}))
        read += math.ceil((prompts[judge.prompt] + data + answer) / _CHARS_PER_TOKEN)
    every = (judge.recording for one in plan.cases.values() for judge in one.parts.judges)
    written = _written([len(one.text) for one in every if one is not None], rulings)
    count, cost = len(rulings), _cost(price, read, written or 0)
    most = count * (retries + 1)
    return Forecast(None, model, count, count, most, read, written, cost, written is None)


def _written(lengths: list[int], asked: Sized) -> int | None:
    """The tokens of as many replies as are asked for, if they are as long as those on record."""
    mean = sum(lengths) / len(lengths) if lengths else None
    return None if mean is None else math.ceil(mean / _CHARS_PER_TOKEN * len(asked))


def _cost(price: Price | None, read: int, written: int) -> float | None:
    return None if price is None else price.of(Usage(read, written))


def _recorded(planned: Planned) -> list[int]:
    """How long the replies are that a case has on record."""
    replies = (one.reply for one in planned.parts.recordings)
    return [len(one.text) + len(one.reasoning) for one in replies if one is not None]
