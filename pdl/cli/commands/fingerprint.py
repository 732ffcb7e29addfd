"""`pdl fingerprint`: what identifies the versions of prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.commands.lint import prompts_of
from pdl.cli.files import files_below
from pdl.cli.help import Command
from pdl.cli.inputs import check_root, importing
from pdl.cli.options import ROOT, TYPES, format_option, out_option
from pdl.cli.output import json_document, problem_fields
from pdl.cli.terminal import FAILED, Terminal, visible_line
from pdl.errors import PromptError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.cli.output import Output


@click.command(
    "fingerprint",
    cls=Command,
    fields={
        "ok": "Whether all prompts have a fingerprint.",
        "fingerprints": "Objects with path and fingerprint.",
        "problems": "The mistakes of the others, as in `pdl lint`.",
    },
    exit_codes={
        0: "Done.",
        2: "A path does not exist, or a prompt or an option is invalid.",
    },
    examples=(
        ("of one prompt", "pdl fingerprint mail.pdl"),
        ("of all prompts in a directory", "pdl fingerprint prompts/"),
        ("see what changed", "pdl fingerprint prompts/ | diff before.txt -"),
    ),
    short_help="Print what identifies the versions of prompts.",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILE|DIR...")
@ROOT
@TYPES
@out_option
@format_option
def command(
    *, paths: tuple[str, ...], root: str | None, types: bool, output: Output, form: str
) -> None:
    """Print the fingerprint of each prompt, and its path.

    Prompts that render differently have different fingerprints. Comments, spaces in tags, blank
    lines around turn markers, and the order of settings do not count. Other changes do, also the
    order of turns and macros that are not used. Files that a prompt names do:
    those that it includes, media, and JSON Schemas.

    Searches directories recursively for *.pdl files, skipping hidden files and directories, and
    parts of prompts: files that another one includes, or whose name begins with `_`.
    """
    check_root(root)
    errors: list[PromptError] = []
    with importing(types):
        found = dict(_fingerprints(paths, root, errors, types=types))
    if form == "json":
        rows = [{"path": file, "fingerprint": one} for file, one in found.items()]
        problems = [problem_fields(one) for error in errors for one in error.problems]
        fields = {"ok": not errors, "fingerprints": rows, "problems": problems}
        output.write_report(json_document(fields))
    else:
        lines = "\n".join(f"{one}  {visible_line(file)}" for file, one in found.items())
        if lines or output.file is not None:
            output.write(lines)
        for error in errors:
            Terminal.stderr().write_error(error)
    if errors:
        raise click.exceptions.Exit(FAILED)


def _fingerprints(
    paths: Sequence[str], root: str | None, errors: list[PromptError], *, types: bool
) -> Iterator[tuple[str, str]]:
    """The files with their fingerprints; the errors of the others are added to `errors`."""
    import pdl  # noqa: PLC0415 - help needs no prompts

    for file in prompts_of(files_below(paths, ".pdl"), paths, root):
        try:
            yield file, pdl.load(file, media_root=root, types=types).fingerprint
        except PromptError as error:
            errors.append(error)
