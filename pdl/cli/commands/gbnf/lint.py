"""`pdl gbnf lint`: mistakes in grammars, and what makes them slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.findings import files_below, findings_options, report_findings
from pdl.cli.grammars import ROOT, TARGET, or_stdin
from pdl.cli.teaching import TaughtCommand
from pdl.cli.texts import STDIN, read_text
from pdl.errors import FileError, LimitError
from pdl.gbnf import Finding, lint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.output import Output

_EXAMPLES = (
    ("all grammars below a folder", "pdl gbnf lint grammars/"),
    ("one whose texts a program will read as JSON", "pdl gbnf lint reply.gbnf --must-be-json"),
    ("for an older llama.cpp", "pdl gbnf lint reply.gbnf --target 2025-11"),
    ("annotations in GitHub Actions", "pdl gbnf lint grammars/ --format github --strict"),
    (
        "only the codes",
        "pdl gbnf lint a.gbnf --format json | jq -r '.[].code' | sort | uniq -c",
    ),
)


@click.command(
    "lint",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Look for mistakes, and for what is slow.",
)
@click.argument("paths", nargs=-1, type=click.Path(allow_dash=True), metavar="[FILES|FOLDERS]...")
@ROOT
@TARGET
@click.option(
    "--must-be-json",
    is_flag=True,
    help="Look also for texts of the grammar that no JSON parser takes.",
)
@findings_options(", why")
def command(  # noqa: PLR0913  (each is an option)
    paths: tuple[str, ...],
    root: str,
    target: str,
    output: Output,
    form: str,
    *,
    must_be_json: bool,
    strict: bool,
) -> None:
    """Look for mistakes in grammars, and for what makes them slow.

    Of folders, all *.gbnf files are read, at any depth but for hidden folders; without any path or
    for `-`, the standard input. An error is what llama.cpp refuses, hangs or crashes on, or what
    lets no text match; a warning is slow, or other than it looks; a note is worth a look.

    Findings go to the standard output, a line that counts them to the standard error. The exit code
    is 1 if there are errors, else 0; 2 if a path does not exist.
    """
    files = grammar_files(paths)
    findings = [
        finding
        for file in files
        for finding in lint_file(file, root=root, target=target, json=must_be_json)
    ]
    report_findings(findings, len(files), output, form, strict=strict)


def grammar_files(paths: Sequence[str]) -> list[str]:
    """The files that the paths mean, each once. Raises FileError for a path that leads to none."""
    named = [path for path in paths if path != STDIN]
    if len(named) < len(paths) or not paths:
        return [or_stdin(STDIN if paths else None), *files_below(named, ".gbnf")]
    return files_below(named, ".gbnf")


def lint_file(file: str, *, root: str, target: str, json: bool) -> tuple[Finding, ...]:
    """All findings of a file, also that it cannot be read."""
    try:
        source = read_text(file, keep_mark=True)
    except (FileError, LimitError) as error:
        return tuple(map(Finding, error.problems))
    return lint(source, root=root, target=target, json=json)
