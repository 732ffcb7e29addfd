"""`pdl eval compare`: what differs between two evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.evaluation_reports import FIELDS, below, check_bounds, report_options, write_results
from pdl.cli.help import Command
from pdl.cli.options import out_option
from pdl.cli.terminal import INVALID, Terminal
from pdl.evaluation import compare_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.evaluation_reports import Least
    from pdl.cli.output import Output


@click.command(
    "compare",
    cls=Command,
    fields=FIELDS,
    exit_codes={
        0: "The comparison is printed.",
        1: "A metric is worse than --fail-under allows.",
        2: "A run can't be read, or an option is invalid.",
    },
    examples=(
        ("before and after a change", "pdl eval compare before/ after/"),
        ("as a page", "pdl eval compare before/ after/ --report comparison.html"),
    ),
    short_help="Compare two evaluations case by case.",
)
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@report_options
@out_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    first: str,
    second: str,
    form: str,
    reports: Sequence[str],
    bounds: Sequence[Least],
    output: Output,
) -> None:
    """Compare two directories that `pdl eval --out` wrote, over the cases that both have.

    Each column is compared with the one of the same prompt and model. If no column is in both,
    every one is compared with all of the other run.
    """
    runs = read_run(first), read_run(second)
    check_bounds(bounds, [case for run in runs for case in run.cases])
    results = compare_runs(*runs)
    worse = [*below(results, bounds)]
    write_results(results, form, reports, output)
    terminal = Terminal.stderr()
    for line in worse:
        terminal.write(terminal.safe(line))
    if worse:
        raise click.exceptions.Exit(INVALID)
