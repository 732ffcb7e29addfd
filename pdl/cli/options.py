"""The options that several commands have, made into the values that the commands take.

`--coerce` says which changes of data a checker may make so that an answer fits.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.completing import complete_inputs
from pdl.cli.context import Assignment, Data, parse_assignment
from pdl.cli.origin import PromptOrigin, SchemaOrigin
from pdl.errors import did_you_mean
from pdl.reply.coercions import Coercions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Function = Callable[..., None]


_ALL = "all"
_MEANINGS = {
    "numbers_in_strings": '"5" for 5',
    "thousands": '"1,000" for 1000, with numbers-in-strings',
    "words_in_strings": '"true" for true, "null" for null',
    "enum_case": '"Bug" for "bug", one of an enum\'s values',
    "key_case": '"userName" for "user_name", one of an object\'s keys',
    "single_to_list": "5 for [5]",
    "json_in_strings": '"[1, 2]" for [1, 2]',
    "null_to_absent": "null for a key that may be absent",
    "unwrap": '{"answer": 5} or [5] for 5',
}


def coercion_name(field: str) -> str:
    """A field of Coercions as it is written on a command line."""
    return field.replace("_", "-")


FIELDS = {coercion_name(field.name): field.name for field in dataclasses.fields(Coercions)}
"""The fields of Coercions by their names on a command line."""

MEANINGS = (
    *((name, _MEANINGS.get(field, "")) for name, field in FIELDS.items()),
    (_ALL, "each of them"),
)
"""The names and what they allow, for a help page."""


def is_coercion(name: str) -> bool:
    """Whether a kind of repair is a change of data that somebody allowed, by its name here."""
    return name in FIELDS


def _parse(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    names: Sequence[str],
) -> Coercions:
    """The coercions of those names. Raises BadParameter, with advice, for a name that is none."""
    written = [coercion_name(name.strip().lower()) for name in names]
    for name in written:
        if name != _ALL and name not in FIELDS:
            known = [*FIELDS, _ALL]
            advice = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise click.BadParameter(f"there is no coercion `{name}`; {advice}")
    chosen = FIELDS if _ALL in written else written
    if "thousands" in chosen and "numbers-in-strings" not in chosen:
        raise click.BadParameter("thousands does nothing without numbers-in-strings")
    return Coercions(**{FIELDS[name]: True for name in chosen})


def _complete(
    ctx: click.Context,  # noqa: ARG001  (click's signature)
    param: click.Parameter,  # noqa: ARG001  (likewise)
    incomplete: str,
) -> list[str]:
    return [name for name in (*FIELDS, _ALL) if name.startswith(incomplete)]


coerce_option = click.option(
    "--coerce",
    "coercions",
    multiple=True,
    callback=_parse,
    shell_complete=_complete,
    metavar="NAME",
    help="Allow a change of data that makes the answer fit, of those below; may be repeated. None"
    " is made unasked, and each that was made is one of the repairs.",
)


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
