"""The options that several commands have, made into the values that the commands take."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.completing import complete_inputs
from pdl.cli.context import Assignment, Data, parse_assignment
from pdl.cli.origin import PromptOrigin, SchemaOrigin

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[..., None]

FILE = click.Path(allow_dash=True)
"""A file's name or `-`. That it can be read is found out where it is read, with one wording."""


def data_options(function: Function) -> Function:
    """`--context` and `--set`, which a function takes as one `data`."""

    @functools.wraps(function)
    def bundled(context: str | None, assignments: tuple[Assignment, ...], **others: Any) -> None:
        function(data=Data(context, assignments), **others)

    return _CONTEXT(_SET(bundled))


def prompt_options(function: Function) -> Function:
    """`FILE`, the data, `--root` and `--type`, which a function takes as one `origin`."""

    @data_options
    @functools.wraps(function)
    def bundled(
        *, file: str, data: Data, root: str | None, type_name: str | None, **others: Any
    ) -> None:
        function(origin=PromptOrigin(file, data, root, type_name), **others)

    return _PROMPT_FILE(ROOT(_TYPE(bundled)))


def schema_options(function: Function) -> Function:
    """What a schema is taken from, which a function takes as one `origin`.

    `FILE` with the data and `--root`, `--dsl`, `--json-schema` with `--registry`, or `--type`.
    """

    @data_options
    @functools.wraps(function)
    def bundled(  # noqa: PLR0913  (each is an option)
        *,
        file: str | None,
        dsl: str | None,
        json_schema: str | None,
        type_name: str | None,
        registry: tuple[str, ...],
        data: Data,
        root: str | None,
        **others: Any,
    ) -> None:
        origin = SchemaOrigin(
            file, dsl, json_schema, type_name, data=data, root=root, registry=registry
        )
        function(origin=origin, **others)

    return _SCHEMA_FILE(_DSL(_JSON_SCHEMA(_REGISTRY(_TYPE(ROOT(bundled))))))


def _assignments(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    values: tuple[str, ...],
) -> tuple[Assignment, ...]:
    return tuple(map(parse_assignment, values))


_CONTEXT = click.option(
    "--context",
    type=FILE,
    metavar="FILE",
    help="The values for the template: an object in a JSON file, in a .yaml file, or in JSON on the"
    " standard input (-).",
)
_SET = click.option(
    "--set",
    "assignments",
    multiple=True,
    callback=_assignments,
    shell_complete=complete_inputs,
    metavar="NAME=VALUE",
    help="Set one value, over those of --context; may be repeated. VALUE is what the <|input|> turn"
    " declares: n=5 is the text 5 for a str, the number for an int. If nothing is declared it is"
    " JSON if it parses as JSON, else text: 'n=\"5\"' is a text. user.name=Ann sets a key inside of"
    " user.",
)
_PROMPT_FILE = click.argument("file", type=FILE)
_SCHEMA_FILE = click.argument(
    "file",
    type=FILE,
    required=False,
    metavar="FILE|--dsl TEXT|--json-schema FILE|--type MODULE:NAME",
)
_DSL = click.option(
    "--dsl", metavar="TEXT", help="Take this schema, such as '{ name: str, age: int }'."
)
_JSON_SCHEMA = click.option(
    "--json-schema", type=FILE, metavar="FILE", help="Take the schema of a JSON Schema file."
)
_REGISTRY = click.option(
    "--registry",
    type=FILE,
    multiple=True,
    metavar="FILE|FOLDER",
    help="Schemas that --json-schema refers to: a file, or the .json files of a folder, each known"
    " by its $id and by its path in the folder. May be repeated; nothing is ever fetched.",
)
_TYPE = click.option(
    "--type",
    "type_name",
    metavar="MODULE:NAME",
    help="Take the schema of a Python type, instead of that of a prompt: a pydantic model, a"
    " dataclass, a TypedDict or any other type. MODULE is imported, so that its code runs; it is"
    " looked for in the current folder first. Only for code that you trust.",
)
ROOT = click.option(
    "--root",
    type=click.Path(),
    metavar="FOLDER",
    help="Take what a prompt includes or embeds, and its schema's file, from FOLDER, instead of"
    " from the prompt's own folder.",
)
