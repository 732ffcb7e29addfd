"""`pdl test`: runs the cases beside prompts."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdl._types import CASES_SUFFIX
from pdl.cli.case_reports import FORMATS
from pdl.cli.case_runs import Selection
from pdl.cli.help import Command
from pdl.cli.options import (
    EXCLUDE,
    formats_option,
    model_option,
    out_option,
    retries_option,
    server_option,
)
from pdl.cli.terminal import Terminal, visible_line
from pdl.cli.watching import changes, dependencies
from pdl.testing.session import Session, run_options

if TYPE_CHECKING:
    from pdl.cli.case_reports import Report
    from pdl.cli.output import Output


@click.command(
    "test",
    cls=Command,
    fields={
        "ok": "Whether all cases passed.",
        "cases": "A list of objects with path, line, name, seconds, value (of the answer) and:",
        "cases[].status": "passed, failed, or skipped; why has the reason.",
        "cases[].notes": "What else was not examined.",
        "cases[].failures": "A list of objects with kind (case, render, reply, expect, assert,"
        " messages, judge), path, line, column, end_column, code, message, hint.",
        "written": "The files that --update and --record wrote.",
        "seconds": "The time of the run.",
    },
    exit_codes={
        0: "No case failed.",
        1: "Cases failed, or a file has errors; with --strict: a case or a judge was skipped.",
        2: "There are no cases, a file cannot be read or written, or an option is invalid.",
        3: "The model could not be asked.",
    },
    examples=(
        ("all cases below the current directory", "pdl test"),
        ("those of one prompt, by words in their names", "pdl test mail.pdl -k 'money back'"),
        ("whenever a file changes", "pdl test prompts/ --watch"),
        ("annotations in GitHub Actions", "pdl test prompts/ --format github"),
        ("a report for GitLab or Jenkins", "pdl test --format junit --out report.xml"),
        ("with a model, instead of recorded replies", "pdl test --model openai:MODEL"),
        (
            "with a server of your own",
            "pdl test --model llama-server:any --base-url http://localhost:8080/v1",
        ),
        ("record its replies", "pdl test mail.pdl --model openai:MODEL --record"),
    ),
    short_help="Run the test cases of prompts.",
)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[FILE|DIR]...")
@EXCLUDE
@click.option(
    "-k",
    "words",
    multiple=True,
    metavar="WORDS",
    help="Only cases whose names contain all of these words. Repeatable.",
)
@click.option("-x", "first_only", is_flag=True, help="Stop after the first case that fails.")
@model_option(
    "--model", words="Ask this model, named as for `pdl run`, instead of using recorded replies."
)
@model_option("--judge", words="Model that judges answers. Default: that of --model.")
@server_option("Address of another server with the same API, for --model and --judge.")
@retries_option("Maximum retries of --model for each case.")
@click.option(
    "--strict", is_flag=True, help="Exit with 1 also if a case or a judge is skipped, as for CI."
)
@click.option(
    "--update",
    is_flag=True,
    help="Write golden messages that differ, or are empty, as they are now.",
)
@click.option(
    "--record",
    is_flag=True,
    help="Write what --model says into the files of cases, as their recorded replies.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Run again whenever a file of the cases or of their prompts changes; Ctrl-C ends it.",
)
@formats_option(
    FORMATS,
    "text to read, JSON with the fields below, JUnit XML, or annotations of a GitHub pull request.",
)
@out_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    paths: tuple[str, ...],
    exclude: tuple[str, ...],
    words: tuple[str, ...],
    first_only: bool,
    model: str | None,
    judge: str | None,
    base_url: str | None,
    retries: int,
    strict: bool,
    update: bool,
    record: bool,
    watch: bool,
    form: str,
    output: Output,
) -> None:
    """Run the cases in `NAME.tests.pdl`, which are of the prompt `NAME.pdl` beside it.

    Recorded replies are checked, so nothing is asked without --model. Searches directories
    recursively, by default the current one, except for hidden ones, build, dist, node_modules, and
    virtual environments; of a prompt FILE runs the cases beside it. Failures go to standard output,
    and their counts to standard error.
    """
    if record and model is None:
        raise click.UsageError("--record requires --model")
    if base_url is not None and model is None and judge is None:
        raise click.UsageError("--base-url requires --model or --judge")
    if watch and (record or update):
        raise click.UsageError("--watch cannot be used with --record or --update")
    folded = tuple(word for one in words for word in one.casefold().split())
    selection = Selection(paths or (".",), exclude, folded, first_only)
    if model is not None:
        # Keep httpx from importing its own command line, which takes nearly half of its import.
        sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # None: not importable
    _look(selection, output)
    session = Session(run_options(model, judge, retries, base_url), update=update, record=record)
    if watch:
        selection.files()  # what is not there at first is an error
        for files in changes(selection.files):
            report = selection.run(files, session)
            _report(replace(report, is_strict=strict), output, form)
            if report.is_interrupted:
                raise click.exceptions.Exit(report.code)
    report = replace(selection.run(selection.files(), session), is_strict=strict)
    code = _report(report, output, form)
    if code:
        raise click.exceptions.Exit(code)


def _look(selection: Selection, output: Output) -> None:
    """Note files that aren't run for their names. Raises UsageError for an input as output."""
    for name in selection.misnamed():
        note = f"note: {name}: is not run: a file of cases is called NAME{CASES_SUFFIX}"
        Terminal.stderr().write(visible_line(note))
    if output.file is not None:
        found = selection.files()
        output.refuse_inputs(path for file in found for path in dependencies(Path(file)))


def _report(report: Report, output: Output, form: str) -> int:
    """Write what failed, and the counts to standard error. Returns the exit code."""
    text = FORMATS[form](report, output.terminal)
    if text or output.file is not None:
        output.write_report(text)
    terminal = Terminal.stderr()
    for error in (*report.unread, *report.written.errors):
        terminal.write_error(error)
    for path in report.written.paths:
        terminal.write(visible_line(f"wrote {path}"))
    for line in (*report.left_out, report.summary):
        terminal.write(terminal.safe(line))
    return report.code
