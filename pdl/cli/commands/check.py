"""`pdl check`: a reply to the value that it holds, or to why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import pdl
from pdl.cli.exits import BAD
from pdl.cli.options import FILE, schema_options
from pdl.cli.reports.verdict import value_text, verdict_json, verdict_text
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.cli.texts import read_text

if TYPE_CHECKING:
    from pdl.cli.origin import SchemaOrigin

_EXAMPLES = (
    ("against a prompt's schema", "pdl check person.pdl --set text=… --reply reply.txt"),
    (
        "against a schema, from a pipe",
        "curl … | pdl check --dsl '{ name: str, age: int }' --reply -",
    ),
    ("one field of the value", "pdl check --dsl '{ name: str }' --reply reply.txt | jq -r .name"),
    ("what to tell the model", "pdl check person.pdl --reply reply.txt --json | jq -r .feedback"),
    ("in a condition", "if pdl check --dsl int --reply reply.txt >/dev/null 2>&1; then …"),
)


@click.command(
    "check",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Find and check the answer in a reply.",
)
@click.option(
    "--reply",
    required=True,
    type=FILE,
    metavar="FILE",
    help="What the model said: a file, or - for the standard input.",
)
@schema_options
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object, whether the reply is good or bad: ok, value, span, reason,"
    " summary, errors, feedback, repairs, rejected.",
)
def command(
    *,
    origin: SchemaOrigin,
    reply: str,
    as_json: bool,
) -> None:
    """Find the answer in a reply and check it against the schema of FILE.

    Prints the value: JSON on one line; yes or no for the form yesno; plain text for the forms
    str, code and tasklist. FILE is a prompt file; its values are needed only if its schema
    depends on them.

    The exit code is 0 for a good reply. It is 1 for a bad one, whose errors and feedback for the
    model go to the standard error. It is 2 if the prompt, the schema or an option is wrong.
    """
    schema = origin.read(reply)
    said = read_text(reply)
    check = pdl.check(schema, said.text)
    if as_json:
        Screen.stdout().write(verdict_json(check))
    elif check.ok:
        screen = Screen.stdout()
        screen.write(screen.safe(value_text(schema, check)))
    else:
        screen = Screen.stderr()
        screen.write(verdict_text(check, said, screen))
    if not check.ok:
        raise click.exceptions.Exit(BAD)
