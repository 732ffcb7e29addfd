"""`pdl schema`: one schema in another notation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.options import schema_options
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.teaching import TaughtCommand

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.cli.origin import SchemaOrigin
    from pdl.cli.output import Output
    from pdl.schema import Schema

_EXAMPLES = (
    ("the JSON Schema of a prompt's answer", "pdl schema person.pdl"),
    ("of a pydantic model, a dataclass …", "pdl schema --type app.models:Person --to dsl"),
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
    "notation",
    type=click.Choice(["json-schema", "dsl", "text"]),
    default="json-schema",
    show_default=True,
    help="json-schema: of draft 2020-12. dsl: the notation of prompt files. text: words for a"
    " model.",
)
@out_option
@format_option("an object with ok, to, schema (a JSON Schema, or a text).")
def command(origin: SchemaOrigin, notation: str, output: Output, form: str) -> None:
    """Show the schema of FILE as JSON Schema, in the notation, or in words.

    FILE is a prompt file; its values are needed only if its schema depends on them. The exit code
    is 0, or 2 if something is wrong, also if the notation cannot write what a JSON Schema says.
    """
    written = _written(origin.required(), notation)
    if form == "json":
        written = {"ok": True, "to": notation, "schema": written}
    output.write(written if isinstance(written, str) else json_document(written))


def _written(schema: Schema, notation: str) -> Json:
    if notation == "dsl":
        return schema.to_dsl()
    return schema.describe() if notation == "text" else schema.to_json_schema()
