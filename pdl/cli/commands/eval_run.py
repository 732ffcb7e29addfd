"""`pdl eval run`: asks models all cases of prompts, and measures their answers."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.commands.run import warnings_on
from pdl.cli.evaluation_options import Asked, Pace, asked_options, pace_options
from pdl.cli.evaluation_reports import FIELDS, below, check_bounds, report_options, write_results
from pdl.cli.evaluations import ProgressLine, run_engine, summary
from pdl.cli.help import Command
from pdl.cli.options import COERCION_TERMS
from pdl.cli.output import Output
from pdl.cli.terminal import INTERRUPTED, INVALID, UNREACHABLE, Terminal
from pdl.errors import FileError, count, error_from
from pdl.evaluation import EvaluationOptions, read_run, results_of
from pdl.evaluation.costs import forecasts
from pdl.evaluation.engine import Engine
from pdl.evaluation.journal import Journal, read_records
from pdl.evaluation.matrix import make_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json
    from pdl.cli.evaluation_reports import Least
    from pdl.evaluation.costs import Forecast
    from pdl.evaluation.engine import Progress
    from pdl.evaluation.matrix import Plan


@click.command(
    "run",
    cls=Command,
    terms=COERCION_TERMS,
    fields=FIELDS,
    exit_codes={
        0: "All trials ended, whatever they brought.",
        1: "Trials or rulings are missing, cases are invalid, or a metric is worse than"
        " --fail-under allows.",
        2: "There are no cases, or a prompt, an option, or the run is invalid.",
        3: "No model could be asked.",
    },
    examples=(
        ("two models, each case three times",
         "pdl eval run mail.pdl --model A --model B --repeat 3 --out run/"),
        ("two prompts on the same cases",
         "pdl eval run a.pdl b.pdl --cases mail.tests.pdl --out run/"),
        ("what it would ask, and cost", "pdl eval run mail.pdl --dry-run --repeat 5"),
        ("go on where it was stopped or killed", "pdl eval run --resume run/"),
        ("a page with all results", "pdl eval run mail.pdl --out run/ --report report.html"),
    ),
    short_help="Ask models all cases of prompts, and measure them.",
)  # fmt: skip
@asked_options
@pace_options
@click.option(
    "--out",
    "-o",
    type=click.Path(),
    metavar="DIR",
    help="Directory of the run; required, except with --resume or --dry-run. It has a line for"
    " each call. If it is one already, the run goes on: no"
    " call on record is made again, and more models, cases, or repeats can be added.",
)
@click.option(
    "--resume",
    type=click.Path(),
    metavar="DIR",
    help="Go on with the run in DIR, with the prompts and models that it has.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Say what would be asked, and about what it would cost; ask nothing.",
)
@report_options
def command(  # noqa: PLR0913  (each is an option)
    *,
    asked: Asked,
    pace: Pace,
    out: str | None,
    resume: str | None,
    dry_run: bool,
    form: str,
    reports: Sequence[str],
    bounds: Sequence[Least],
) -> None:
    """Ask models all cases of prompts, and measure their answers.

    A column of the results is a prompt with a model; a trial is one case, asked once. Ctrl-C stops
    after the calls in flight; the same command goes on from there, also after a crash. Results go
    to standard output. On a terminal, standard error shows the progress.
    """
    if resume is not None:
        if asked.prompts or out is not None:
            raise click.UsageError("--resume takes no prompts, and no --out: it has those of DIR")
        asked, out = Asked.of_run(resume), resume
    if not asked.prompts:
        raise click.UsageError("name a prompt that has cases, or a directory of prompts")
    if out is None and not dry_run:
        raise click.UsageError("name a directory that the run is kept in: --out DIR")
    options = _options(asked, pace if out is None else pace.going_on(out))
    plan = _plan(asked, options)
    check_bounds(bounds, plan.manifest.cases)
    terminal = Terminal.stderr()
    if plan.problems:
        terminal.write_error(error_from(plan.problems))
    if plan.unasked:
        told = count(plan.unasked, "case")
        terminal.write(f"left out {told} on record of what the checker refuses")
    if dry_run:
        _show_forecast(plan, options, out)
        return
    assert out is not None
    with warnings_on(terminal):
        progress, is_interrupted = _run(plan, options, out, terminal)
    results = results_of(read_run(out))
    worse = [*below(results, bounds)]
    write_results(results, form, reports, Output())
    for line in worse:
        terminal.write(terminal.safe(line))
    code = INTERRUPTED if is_interrupted else _exit_code(progress, bool(worse or plan.problems))
    if code:
        raise click.exceptions.Exit(code)


def _options(asked: Asked, pace: Pace) -> EvaluationOptions:
    return EvaluationOptions(
        repeats=asked.repeats,
        retries=asked.retries,
        timeout=pace.timeout,
        seed=asked.seed,
        config=asked.config,
        constrain=asked.constrain,
        coercions=asked.coercions,
        judge=None if asked.judge is None else asked.connected(asked.judge),
        budget=pace.budget(),
        cache=pace.cache,
        concurrency=pace.concurrency,
        rate=pace.rate,
        retry_faults=pace.retry_faults,
    )


def _plan(asked: Asked, options: EvaluationOptions) -> Plan:
    # Keep httpx from importing its own command line, which takes nearly half of its import.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # None: not importable
    models = [asked.connected(name) for name in asked.models]
    arguments: dict[str, Json] = asdict(asked)
    listed = {name: list(one) for name, one in arguments.items() if isinstance(one, tuple)}
    return make_plan(
        asked.files(), models, asked.cases, options, root=Path(), arguments={**arguments, **listed}
    )


def _show_forecast(plan: Plan, options: EvaluationOptions, out: str | None) -> None:
    """Write what would be asked of each column."""
    prices: Any = {} if options.budget is None else options.budget.prices
    records = read_records(Path(out)) if out is not None else None
    terminal = Terminal.stdout()
    costs: list[Forecast] = []
    for one in forecasts(plan, options, prices, records):
        written = "unknown" if one.output_tokens is None else f"{one.output_tokens:,}"
        parts = [
            count(one.trials, "ruling" if one.column is None else "trial"),
            f"{one.least:,} to {one.most:,} calls",
            f"tokens read: {one.input_tokens:,}, written: {written}, without retries",
        ]
        if prices:
            parts.append(_cost_words(one))
        costs.append(one)
        terminal.write(
            terminal.safe(f"{one.column or f'judges · {one.model}'}: {'; '.join(parts)}")
        )
    if prices and len(costs) > 1:
        known = sum(one.cost for one in costs if one.cost is not None)
        least = "at least " if any(one.cost is None or one.is_least for one in costs) else ""
        terminal.write(f"total cost: {least}{known:.6f}")


def _cost_words(one: Forecast) -> str:
    if one.cost is None:
        return "cost unknown"
    most = "" if one.most_cost is None else f", at most {one.most_cost:.6f} by --max-tokens"
    return f"cost {'at least ' if one.is_least else ''}{one.cost:.6f}{most}"


def _run(
    plan: Plan, options: EvaluationOptions, out: str, terminal: Terminal
) -> tuple[Progress, bool]:
    """Ask, and say what came of it: the progress at the end, and whether Ctrl-C was pressed."""
    has_prices = options.budget is not None
    line = ProgressLine(terminal, has_prices=has_prices)
    began = time.monotonic()
    with Journal(Path(out), plan.manifest) as journal:
        engine = Engine(plan, journal, options, line.show)
        try:
            is_interrupted = run_engine(engine, terminal)
        except FileError:
            kept = count(engine.progress.ended, "trial")
            terminal.write(f"stopped: {kept} kept; `pdl eval --resume {out}` goes on")
            raise
        finally:
            line.end()
    progress = engine.progress
    for model, reason in {**progress.lost, **progress.unreached}.items():
        terminal.write(terminal.safe(f"gave up asking {model}: {' '.join(reason.split())}"))
    terminal.write(summary(progress, time.monotonic() - began, has_prices=has_prices))
    if progress.is_spent:
        terminal.write(
            "the cost that --max-cost allows is spent; with a higher one the run goes on"
        )
    if is_interrupted:
        terminal.write(f"interrupted; `pdl eval --resume {out}` goes on")
    return progress, is_interrupted


def _exit_code(progress: Progress, is_bad: bool) -> int:  # noqa: FBT001  (what else was found)
    if progress.ended == progress.faults and progress.planned:
        return INVALID if progress.is_spent else UNREACHABLE
    is_short = progress.ended < progress.planned or progress.unjudged
    return INVALID if is_bad or is_short else 0
