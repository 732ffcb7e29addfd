"""`pdl schema`: one schema in another notation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.options import schema_options
from pdl.cli.reports.json_text import json_document
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.errors import Problem, SchemaError

if TYPE_CHECKING:
    from pdl.cli.origin import SchemaOrigin
    from pdl.schema import Schema

_EXAMPLES = (
    ("the JSON Schema of a prompt's answer", "pdl schema person.pdl --set text=…"),
    ("try the notation out", "pdl schema --dsl '{ tags: [str]<1,5>, nick?: str }'"),
    ("a JSON Schema in the notation", "pdl schema --json-schema openapi-part.json --to dsl"),
    ("what {{ schema }} prints into a prompt", "pdl schema --dsl '{ ok: bool }' --to text"),
)


@click.command(
    "schema", cls=TaughtCommand, examples=_EXAMPLES, short_help="Show a schema in another notation."
)
@schema_options
@click.option(
    "--to",
    "form",
    type=click.Choice(["json-schema", "dsl", "text"]),
    default="json-schema",
    show_default=True,
    help="json-schema: of draft 2020-12. dsl: the notation of prompt files. text: words for a"
    " model.",
)
def command(
    origin: SchemaOrigin,
    form: str,
) -> None:
    """Show the schema of FILE as JSON Schema, in the notation, or in words.

    FILE is a prompt file; its values are needed if its template reads any. The exit code is 0, or
    2 if something is wrong, also if the notation has no way to write what a JSON Schema says.
    """
    schema = origin.read()
    if schema is None:
        hint = "it begins with a line `<|schema|>`"
        message = f"{origin.file}: this prompt has no `schema` turn"
        raise SchemaError(Problem("schema/none", message, None, hint))
    screen = Screen.stdout()
    screen.write(screen.safe(_written(schema, form)))


def _written(schema: Schema, form: str) -> str:
    if form == "dsl":
        return schema.to_dsl()
    return schema.describe() if form == "text" else json_document(schema.to_json_schema())
