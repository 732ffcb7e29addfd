"""`pdl lint`: mistakes in prompt files, found without data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdl.cli.findings import files_below, findings_options, report_findings
from pdl.cli.options import ROOT
from pdl.cli.origin import check_root
from pdl.cli.teaching import TaughtCommand
from pdl.prompt.lint import included_files, lint_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.output import Output
    from pdl.prompt.lint import Finding

_EXAMPLES = (
    ("all prompts below a folder", "pdl lint prompts/"),
    ("but for some", "pdl lint prompts/ --exclude drafts --exclude '*-old.pdl'"),
    ("with parts that all of them include", "pdl lint prompts/ --root prompts"),
    ("annotations in GitHub Actions", "pdl lint prompts/ --format github"),
    ("only the codes", "pdl lint prompts/ --format json | jq -r '.[].code' | sort | uniq -c"),
)


@click.command(
    "lint", cls=TaughtCommand, examples=_EXAMPLES, short_help="Look for mistakes in prompt files."
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILES|FOLDERS...")
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Leave out files and folders whose path ends like this, such as drafts or 'old/*.pdl'; may"
    " be repeated.",
)
@ROOT
@findings_options()
def command(  # noqa: PLR0913  (each is an option)
    *,
    paths: tuple[str, ...],
    exclude: tuple[str, ...],
    root: str | None,
    output: Output,
    form: str,
    strict: bool,
) -> None:
    """Look for mistakes in prompt files, without data and without a model.

    Of folders, all *.pdl files are read, at any depth but for hidden folders. A file whose name
    begins with `_`, or that another one of them includes, imports or extends, is a part of a prompt
    and needs no turn of its own. Findings go to the standard output, a line that counts them to the
    standard error. The exit code is 1 if there are errors, else 0; 2 if a path does not exist.
    """
    check_root(root)
    files = files_below(paths, ".pdl", exclude)
    findings = _findings(files, root)
    report_findings(findings, len(files), output, form, strict=strict)


def _findings(files: Sequence[str], root: str | None) -> list[Finding]:
    """Those of all files, each once: what is wrong in a part is so in all that include it."""
    parts = {part for file in files for part in included_files(file, media_root=root)}
    found: dict[tuple[str, str, str], Finding] = {}
    for file in files:
        is_part = Path(file).name.startswith("_") or Path(file).resolve() in parts
        for finding in lint_file(file, media_root=root, partial=is_part):
            problem = finding.problem
            place = str(problem.location or file)
            found.setdefault((place, problem.code, problem.message), finding)
    return list(found.values())
