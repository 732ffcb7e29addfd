"""`pdl types`: the types of prompts as Python or TypeScript."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdl.cli.commands.lint import prompts_of
from pdl.cli.files import STDIN, files_below, read_text
from pdl.cli.help import Command
from pdl.cli.inputs import check_root, constant_schema, importing, read_json_schema
from pdl.cli.options import LOCKED, ROOT, TYPES, format_option, out_option
from pdl.cli.terminal import INVALID, Terminal
from pdl.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.cli.output import Output
    from pdl.schema.code import PromptTypes, Target

_SUFFIXES: dict[str, tuple[Target, ...]] = {
    ".py": ("dataclass", "pydantic", "typeddict"),
    ".pyi": ("dataclass", "pydantic", "typeddict"),
    ".ts": ("typescript",),
    ".mts": ("typescript",),
    ".cts": ("typescript",),
}
"""What a file can contain, by its suffix; the first is the default."""


@click.command(
    "types",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "to": "What the types are written as.",
        "text": "The module.",
        "notes": "What its types do not say, a string each.",
    },
    exit_codes={
        0: "Done, or with --check: the file is up to date.",
        1: "With --check: the file is not up to date.",
        2: "A path does not exist, or a prompt or an option is invalid.",
    },
    examples=(
        ("dataclasses of all prompts in a directory", "pdl types prompts/ -o answers.py"),
        ("pydantic models", "pdl types prompts/ --to pydantic -o answers.py"),
        ("TypeScript", "pdl types invoice.pdl ticket.pdl -o answers.ts"),
        ("in CI: fail if a prompt has changed", "pdl types prompts/ -o answers.py --check"),
        ("a JSON Schema", "pdl types person.json --to typeddict"),
    ),
    short_help="Write the types of prompts as Python or TypeScript.",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILE|DIR...")
@click.option(
    "--to",
    "target",
    type=click.Choice(["dataclass", "pydantic", "typeddict", "typescript"]),
    help="Default: by the suffix of --out, typescript for .ts and dataclass for .py.",
)
@click.option(
    "--check", is_flag=True, help="Write nothing: compare --out with what would be written."
)
@ROOT
@TYPES
@LOCKED
@out_option
@format_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    paths: tuple[str, ...],
    target: Target | None,
    check: bool,
    root: str | None,
    types: bool,
    locked: bool,
    output: Output,
    form: str,
) -> None:
    """Write the types of prompts as Python or TypeScript.

    A prompt `extract-invoice.pdl` gives `ExtractInvoiceInput`, the type of its `<|input|>` turn,
    and `ExtractInvoice`, the type of its answer. Searches directories recursively for *.pdl files,
    skipping hidden files and directories, and parts of prompts: files that another one includes, or
    whose name begins with `_`. A FILE that ends in .json is a JSON Schema. The same prompts always
    give the same text. What the types do not say goes to standard error: schemas that depend on
    values, and keywords of JSON Schema that no type has.
    """
    from pdl.schema.code import write_types  # noqa: PLC0415 - help needs no schemas

    check_root(root)
    if check and (output.file in (None, STDIN) or form == "json"):
        raise click.UsageError("--check requires --out FILE, and no --format json")
    chosen = _target(target, output.file)
    with importing(types):
        prompts = list(_prompts(paths, root, types=types, locked=locked))
    code = write_types(prompts, chosen)
    for note in code.notes if form == "text" else ():
        warning = Terminal.stderr().problem(Problem("schema/inexact-type", note), "warning")
        Terminal.stderr().write(warning)
    if check:
        _check(str(output.file), code.text)
    else:
        fields = {"to": chosen, "text": code.text, "notes": list(code.notes)}
        output.write_result(code.text.removesuffix("\n"), form, fields)


def _target(given: Target | None, file: str | None) -> Target:
    """What to write. Raises UsageError if the file is of another language."""
    fitting = _SUFFIXES.get(Path(file or "").suffix)
    if fitting is None:
        return given or "dataclass"
    if given is not None and given not in fitting:
        raise click.UsageError(f"--to {given} does not fit --out {file}")
    return given or fitting[0]


def _prompts(
    paths: Sequence[str], root: str | None, *, types: bool, locked: bool
) -> Iterator[PromptTypes]:
    """The schemas of prompts, without the parts of others, which only a path names as prompts."""
    import pdl  # noqa: PLC0415 - help needs no prompts
    from pdl.schema.code import PromptTypes  # noqa: PLC0415

    files = files_below(paths, ".pdl")
    prompts = prompts_of([file for file in files if not file.endswith(".json")], paths, root)
    for file in files:
        source = Path(file).name
        if file.endswith(".json"):
            yield PromptTypes(source, None, read_json_schema(file))
        elif file in prompts:
            prompt = pdl.load(file, media_root=root, types=types, pin=locked)
            is_known, answer = constant_schema(prompt)
            inputs = prompt.inputs.schema if prompt.inputs is not None else None
            unknown = "" if is_known else "its answer, since its schema depends on values"
            yield PromptTypes(source, inputs, answer, unknown)


def _check(file: str, text: str) -> None:
    """Report how a file differs from what would be written. Raises Exit if it does."""
    path = Path(file)
    found = read_text(file).text.replace("\r\n", "\n") if path.exists() else ""
    if found == text:
        return
    old, new = found.splitlines(keepends=True), text.splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, file, f"{file} (up to date)")
    Terminal.stderr().write(Terminal.stderr().safe("".join(lines)).removesuffix("\n"))
    message = f"{file}: is not up to date" if path.exists() else f"{file}: does not exist"
    problem = Problem("file/outdated", message, None, "run `pdl types` without --check")
    Terminal.stderr().write(Terminal.stderr().problem(problem, "error"))
    raise click.exceptions.Exit(INVALID)
