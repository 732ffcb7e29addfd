"""`pdl check`: a reply to the value that it holds, or to why there is none; or many replies."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

import pdl
from pdl.cli.batch.options import BatchOptions, batch_options
from pdl.cli.exits import BAD
from pdl.cli.options import FILE, MEANINGS, coerce_option, schema_options
from pdl.cli.output import format_option
from pdl.cli.reports.verdict import value_text, verdict_json, verdict_text
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.cli.texts import read_text

if TYPE_CHECKING:
    from types import ModuleType

    from pdl.cli.origin import SchemaOrigin
    from pdl.cli.output import Output
    from pdl.reply import Coercions

_EXAMPLES = (
    ("against a prompt's schema", "pdl check person.pdl --reply reply.txt"),
    (
        "against a schema, from a pipe",
        "curl … | pdl check --dsl '{ name: str, age: int }' --reply -",
    ),
    ("one field of the value", "pdl check --dsl '{ name: str }' --reply reply.txt | jq -r .name"),
    (
        "what to tell the model",
        "pdl check a.pdl --reply b.txt --format json | jq -r .feedback",
    ),
    ("in a condition", "if pdl check --dsl int --reply reply.txt >/dev/null 2>&1; then …"),
    ("why this is the answer, or why there is none", "pdl check --dsl int --reply r.txt --explain"),
    ('take "5" for 5', "pdl check --dsl int --reply r.txt --coerce numbers-in-strings"),
    ("many replies; again to go on", "pdl check a.pdl --batch replies.jsonl --out results.jsonl"),
    ("only the bad ones", "pdl check a.pdl --batch replies.jsonl | jq -c 'select(.ok | not)'"),
)


@click.command(
    "check",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    terms=("Coercions", MEANINGS),
    short_help="Find and check the answer in a reply, or in many.",
)
@click.option(
    "--reply",
    type=FILE,
    metavar="FILE",
    help="What the model said: a file, or - for the standard input.",
)
@batch_options
@schema_options
@coerce_option
@click.option(
    "--explain",
    is_flag=True,
    help="Print what happened, whether the reply is good or bad: its parts, what might have been"
    " the answer, repairs, errors.",
)
@format_option(
    "one object, whether the reply is good or bad: ok, value, span, reason, summary, errors,"
    " feedback, repairs, rejected; with --explain also segments.",
    has_alias=True,
)
def command(  # noqa: PLR0913  (each is an option)
    *,
    origin: SchemaOrigin,
    reply: str | None,
    batch: BatchOptions | None,
    output: Output,
    coercions: Coercions,
    explain: bool,
    form: str,
) -> None:
    """Find the answer in a reply and check it against the schema of FILE.

    Prints the value: JSON on one line; yes or no for the form yesno; plain text for the forms
    str, code and tasklist. FILE is a prompt file; its values are needed only if its schema
    depends on them.

    The exit code is 0 for a good reply. It is 1 for a bad one, whose errors and feedback for the
    model go to the standard error. It is 2 if the prompt, the schema or an option is wrong.

    With --batch it prints a JSON object on a line for each reply, in their order: line, id, ok,
    value, reason, summary, errors, feedback, repairs, reply_digest, schema_digest. Where the schema
    depends on data, a line may bring its own: an object `context` goes over --context and --set.
    A summary goes to the standard error. Blank lines are skipped. Lines without a reply are
    reported and have no result. A reply at which the checker itself fails has the reason unchecked.
    The exit code is then 0 if all replies are good, 1 if any is bad, 2 if any line has no reply or
    is unchecked, and 130 after Ctrl-C.
    """
    if (reply is None) == (batch is None):
        found = "neither" if reply is None else "both"
        raise click.UsageError(f"expected --reply FILE or --batch FILE; found {found}")
    if reply is not None:
        code = _check_one(origin, reply, coercions, output, form, explain=explain)
    else:
        assert batch is not None
        if explain:
            raise click.UsageError("--explain is for one --reply; results of --batch are JSON")
        code = _check_many(origin, batch, coercions)
    if code:
        raise click.exceptions.Exit(code)


def _check_one(  # noqa: PLR0913  (the options)
    origin: SchemaOrigin,
    reply: str,
    coercions: Coercions,
    output: Output,
    form: str,
    *,
    explain: bool,
) -> int:
    schema = origin.read(reply)
    said = read_text(reply)
    check = pdl.check(schema, said.text, coercions=coercions)
    if form == "json":
        output.write_report(verdict_json(check, segments=explain))
    elif explain:
        screen = output.screen
        output.write_report(_late("reports.verdict").explanation(schema, check, said, screen))
    elif check.ok:
        output.write(value_text(schema, check))
    else:
        screen = Screen.stderr()
        screen.write(verdict_text(check, said, screen))
    return 0 if check.ok else BAD


def _check_many(origin: SchemaOrigin, batch: BatchOptions, coercions: Coercions) -> int:
    schemas = origin.of_rows(batch.file)
    code: int = _late("batch.run").run(batch, schemas, coercions)
    return code


def _late(name: str) -> ModuleType:
    """A module that most calls of the command do without, and whose import would cost them time."""
    return importlib.import_module(f"pdl.cli.{name}")
