"""What the lints of all kinds of files share: their options, and how their findings are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pdl.cli.exits import BAD
from pdl.cli.output import FAILURES, out_option
from pdl.cli.reports.findings import REPORTS, summary
from pdl.cli.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdl.cli.output import Output
    from pdl.cli.reports.findings import Finding


def findings_options(fields: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--format`, `--out` and `--strict`, taken as `form`, `output` and `strict`.

    `fields` are more ones of JSON.
    """

    def options(function: Callable[..., Any]) -> Callable[..., Any]:
        return _format(fields)(_STRICT(out_option(function)))

    return options


def _format(fields: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--format",
        "form",
        type=click.Choice(list(REPORTS)),
        default="text",
        show_default=True,
        help="text: to read. json: a list of objects with path, line, column, end_column, code,"
        f" message, hint, severity{fields}. {FAILURES} github: annotations of a pull request.",
    )


_STRICT = click.option("--strict", is_flag=True, help="Exit with 1 for warnings as well.")


def report_findings(
    findings: Sequence[Finding], files: int, output: Output, form: str, *, strict: bool
) -> None:
    """Write the findings, and a line that counts them. Raises Exit if there are bad ones."""
    text = REPORTS[form](findings, output.screen)
    if text or output.file is not None:
        output.write_report(text)
    Screen.stderr().write(summary(findings, files))
    bad = {"error", "warning"} if strict else {"error"}
    if any(finding.severity in bad for finding in findings):
        raise click.exceptions.Exit(BAD)
