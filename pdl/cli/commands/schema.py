"""`pdl schema`: a schema in another notation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.help import Command
from pdl.cli.options import format_option, out_option, schema_options
from pdl.cli.output import json_document

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.cli.inputs import SchemaInput
    from pdl.cli.output import Output
    from pdl.schema import Schema


@click.command(
    "schema",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "to": "The notation.",
        "schema": "A JSON Schema, or a string.",
    },
    exit_codes={
        0: "Done.",
        2: "The schema or an option is invalid, or the DSL cannot express a JSON Schema.",
    },
    examples=(
        ("the JSON Schema of a prompt's answer", "pdl schema person.pdl"),
        ("of a pydantic model, a dataclass …", "pdl schema --type app.models:Person --to dsl"),
        ("try out the DSL", "pdl schema --dsl '{ tags: [str]<1,5>, nick?: str }'"),
        ("a JSON Schema in the DSL", "pdl schema --json-schema openapi-part.json --to dsl"),
        (
            "what {{ schema }} prints into a prompt",
            "pdl schema --dsl '{ ok: bool }' --to text",
        ),
    ),
    short_help="Convert a schema to JSON Schema, DSL, or text.",
)
@schema_options
@click.option(
    "--to",
    "notation",
    type=click.Choice(["json-schema", "dsl", "text"]),
    default="json-schema",
    show_default=True,
    help="json-schema: draft 2020-12. dsl: the schema DSL of prompt files. text: a description for"
    " a model.",
)
@out_option
@format_option
def command(schema: SchemaInput, notation: str, output: Output, form: str) -> None:
    """Convert a schema to JSON Schema, to the schema DSL, or to a description for a model.

    FILE is a prompt file; its values are needed only if its schema depends on them.
    """
    written = _written(schema.required(), notation)
    text = written if isinstance(written, str) else json_document(written)
    output.write_result(text, form, {"to": notation, "schema": written})


def _written(schema: Schema, notation: str) -> Json:
    if notation == "dsl":
        return schema.to_dsl()
    return schema.describe() if notation == "text" else schema.to_json_schema()
