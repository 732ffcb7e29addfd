"""`pdl lint`: mistakes in prompt files, found without data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.findings import findings_options, report_findings
from pdl.cli.folders import files_below
from pdl.cli.teaching import TaughtCommand
from pdl.prompt.lint import lint_file

if TYPE_CHECKING:
    from pdl.cli.output import Output

_EXAMPLES = (
    ("all prompts below a folder", "pdl lint prompts/"),
    ("annotations in GitHub Actions", "pdl lint prompts/ --format github"),
    ("only the codes", "pdl lint prompts/ --format json | jq -r '.[].code' | sort | uniq -c"),
)


@click.command(
    "lint", cls=TaughtCommand, examples=_EXAMPLES, short_help="Look for mistakes in prompt files."
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILES|FOLDERS...")
@findings_options()
def command(paths: tuple[str, ...], output: Output, form: str, *, strict: bool) -> None:
    """Look for mistakes in prompt files, without data and without a model.

    Of folders, all *.pdl files are read, at any depth but for hidden folders. Findings go to the
    standard output, a line that counts them to the standard error. The exit code is 1 if there are
    errors, else 0; 2 if a path does not exist.
    """
    files = files_below(paths, ".pdl")
    findings = [finding for file in files for finding in lint_file(file)]
    report_findings(findings, len(files), output, form, strict=strict)
