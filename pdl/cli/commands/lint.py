"""`pdl lint`: mistakes in prompt files, found without data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdl.cli.exits import BAD
from pdl.cli.reports.findings import REPORTS, summary
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.errors import FileError, Problem
from pdl.prompt.lint import lint_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EXAMPLES = (
    ("all prompts below a folder", "pdl lint prompts/"),
    ("annotations in GitHub Actions", "pdl lint prompts/ --format github"),
    ("only the codes", "pdl lint prompts/ --format json | jq -r '.[].code' | sort | uniq -c"),
)


@click.command(
    "lint", cls=TaughtCommand, examples=_EXAMPLES, short_help="Look for mistakes in prompt files."
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILES|FOLDERS...")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(REPORTS)),
    default="text",
    show_default=True,
    help="text: to read. json: a list of objects with path, line, column, end_column, code,"
    " message, hint, severity. github: annotations of a pull request.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings as well.")
def command(paths: tuple[str, ...], form: str, *, strict: bool) -> None:
    """Look for mistakes in prompt files, without data and without a model.

    Of folders, all *.pdl files are read, at any depth but for hidden folders. Findings go to the
    standard output, a line that counts them to the standard error. The exit code is 1 if there are
    errors, else 0; 2 if a path does not exist.
    """
    files = prompt_files(paths)
    findings = [finding for file in files for finding in lint_file(file)]
    screen = Screen.stdout()
    text = REPORTS[form](findings, screen)
    if text:
        screen.write(text)
    Screen.stderr().write(summary(findings, len(files)))
    bad = {"error", "warning"} if strict else {"error"}
    if any(finding.severity in bad for finding in findings):
        raise click.exceptions.Exit(BAD)


def prompt_files(paths: Sequence[str]) -> list[str]:
    """The files that the paths mean, each once. Raises FileError for a path that leads to none."""
    problems = [problem for path in paths if (problem := _missing(path)) is not None]
    if problems:
        raise FileError(*problems)
    return list(dict.fromkeys(file for path in paths for file in _files(path)))


def _missing(path: str) -> Problem | None:
    if not Path(path).exists():
        return Problem("file/unreadable", f"{path}: there is no such file or folder")
    if next(_files(path), None) is None:
        return Problem("file/none", f"{path}: there is no .pdl file in this folder")
    return None


def _files(path: str) -> Iterator[str]:
    if not Path(path).is_dir():
        yield str(Path(path))
        return
    for folder, inner, names in os.walk(path, onerror=_raise_unreadable):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        files = (Path(folder, name) for name in sorted(names) if name.endswith(".pdl"))
        yield from (str(file) for file in files if not file.is_fifo())  # it might never end


def _raise_unreadable(error: OSError) -> None:
    # Skipped in silence, a folder's prompts would pass.
    reason = (error.strerror or str(error)).lower()
    raise FileError(Problem("file/unreadable", f"{error.filename}: cannot be read: {reason}"))
