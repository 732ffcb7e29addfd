"""`pdl render --batch` and `pdl run --batch`: a prompt with the values of many rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from pdl.batch import Asker, Renderer
from pdl.batch.asked_units import ask_unit, spent_before
from pdl.batch.results import PLACE
from pdl.batch.rows import Reading, digest
from pdl.batch.units import task_of
from pdl.cli.batch.directory import ShippedJob, report_audit, result_format, run_into_directory
from pdl.cli.batch.reports import Nouns
from pdl.cli.batch.run import run_into_file
from pdl.cli.batch.work import Task
from pdl.models.budget import Budget
from pdl.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.batch.templates import Templates
    from pdl.cli.batch import BatchInput
    from pdl.cli.inputs import PromptInput
    from pdl.prompt import Prompt

_RENDERED = Nouns("row", "rows", "rendered", "values")
_ASKED = Nouns("row", "rows", "asked", "values")
_LEAST = 1 << 20  # bytes of a unit: at its end, fewer rows are asked at the same time


def _sources(prompt: Prompt) -> list[Json]:
    """What decides how rows are rendered."""
    environment = None if prompt.template is None else prompt.template.environment
    return [] if environment is None else sorted(one.text for one in environment.sources.values())


def _reading(templates: Templates) -> Reading:
    return Reading(None, names=templates.variables)


def render_batch(source: BatchInput, origin: PromptInput, out: str | None, **options: Any) -> int:
    """Render a prompt with the values of each row. Returns the exit code."""
    directory = source.directory(out)
    if source.audit:
        return report_audit(str(directory))
    prompt = origin.load()
    values = origin.values.read(prompt.inputs)
    renderer = Renderer(prompt, data="context", values=values, keep=PLACE, **options)
    has_types = prompt.types is True
    asks = task_of("render", values=values, sources=_sources(prompt), **options)
    if directory is None:
        name = digest(compact_json(asks).encode())
        task = Task(name, _reading(renderer.templates), renderer, has_types=has_types)
        return run_into_file(source, task, out, _RENDERED, None)
    form = result_format(source)
    job = ShippedJob(
        "render",
        source.file,
        directory,
        form,
        renderer,
        _reading(renderer.templates),
        asks,
        has_types=has_types,
    )
    return run_into_directory(job, source.jobs, _RENDERED)


def ask_batch(
    source: BatchInput,
    origin: PromptInput,
    model: str | None,
    out: str | None,
    pace: Mapping[str, Any],
    **options: Any,
) -> int:
    """Ask a model with the values of each row. Returns the exit code.

    `pace` has the concurrency, the rate, and the most that all results may cost.
    """
    directory = source.directory(out)
    if directory is None:
        raise click.UsageError("pdl run --batch requires --out DIR: a new directory ends in /")
    if source.audit:
        return report_audit(directory)
    prompt = origin.load()
    values = origin.values.read(prompt.inputs)
    options["budget"] = _budget(options["budget"], pace["max_cost"], directory)
    asker = Asker(
        prompt,
        model,
        data="context",
        values=values,
        keep=PLACE,
        concurrency=pace["concurrency"] or 8,
        rate=pace["rate"],
        **options,
    )
    asks = _asked(prompt, values, model, options)
    job = ShippedJob(
        "run",
        source.file,
        directory,
        "jsonl",
        asker,
        _reading(asker.templates),
        asks,
        ask_unit,
        _LEAST,
    )
    return run_into_directory(job, 1, _ASKED)


def _asked(
    prompt: Prompt, values: dict[str, Any], model: str | None, options: dict[str, Any]
) -> dict[str, Json]:
    """Everything that decides what a model answers."""
    return task_of(
        "run",
        values=values,
        sources=_sources(prompt),
        model=model,
        config=dict(options["config"]),
        coercions=dataclasses.asdict(options["coercions"]),
        **{name: options[name] for name in ("base_url", "constrain", "retries", "seed")},
    )


def _budget(prices: Budget | None, most: float | None, directory: str) -> Budget | None:
    """The budget, of which is spent what results in the directory cost."""
    if most is None:
        return prices
    if prices is None:
        raise click.UsageError("--max-cost requires the prices of the models: --prices FILE")
    budget = Budget(cost=most, prices=prices.prices)
    budget.resume(*spent_before(directory))
    return budget
