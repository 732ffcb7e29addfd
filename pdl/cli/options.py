"""Options that several commands share, and how their values become a command's parameters."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import re
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.inputs import PromptInput, SchemaInput
from pdl.cli.output import Output
from pdl.cli.values import Assignment, TemplateValues, parse_assignment
from pdl.errors import did_you_mean
from pdl.reply.coercions import Coercions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Function = Callable[..., None]
    Decorator = Callable[[Function], Function]


def combine(*options: Decorator) -> Decorator:
    """Return a decorator that adds options in this order."""

    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def bundle(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Return a decorator that adds options, and passes what `make` builds of them as one parameter.

    The parameters of `make` have the names of the options. An option can be a bundle itself.
    """
    names = tuple(inspect.signature(make).parameters)

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def bundled(**given: Any) -> None:
            made = make(**{one: given.pop(one) for one in names})
            function(**{name: made}, **given)

        return combine(*options)(bundled)

    return decorate


class _FilePath(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises BadParameter for an empty one, which would be the directory."""
        if not value:
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


FILE = _FilePath(allow_dash=True)
"""A file name or `-`. Whether it can be read is found out where it is read, with one wording."""


def _assignments(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[Assignment, ...]:
    return tuple(map(parse_assignment, values))


def _complete_inputs(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    complete = importlib.import_module("pdl.cli.commands.completion").complete_inputs
    found: list[str] = complete(ctx, incomplete)
    return found


def complete_models(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return how the name of a model can go on."""
    schemes = importlib.import_module("pdl.models.connecting").SCHEMES
    return [f"{one}:" for one in sorted(schemes) if one.startswith(incomplete)]


_PROMPT_FILE = click.argument("file", type=FILE)
_SCHEMA_FILE = click.argument(
    "file",
    type=FILE,
    required=False,
    metavar="FILE|--dsl TEXT|--json-schema FILE|--type MODULE:NAME",
)
values_options = bundle(
    "values",
    TemplateValues,
    click.option(
        "--context",
        type=FILE,
        metavar="FILE",
        help="Template values: an object in a JSON file, in a .yaml file, or as JSON on standard"
        " input (-).",
    ),
    click.option(
        "--set",
        "assignments",
        multiple=True,
        callback=_assignments,
        shell_complete=_complete_inputs,
        metavar="NAME=VALUE",
        help="Set one template value, overriding --context. VALUE has the type that the <|input|>"
        " turn declares: n=5 sets the string 5 for a str, the number for an int. An undeclared"
        " VALUE is parsed as JSON, or taken as a string if that fails: n=5 sets a number,"
        " 'n=\"5\"' a string. Use dots for nested keys: user.name=Ann. Repeatable.",
    ),
)
ROOT = click.option(
    "--root",
    type=click.Path(),
    metavar="DIR",
    help="Directory of the files that a prompt includes, embeds, or takes its schema from."
    " Default: the directory of the prompt.",
)
_DSL = click.option("--dsl", metavar="TEXT", help="Use this schema: '{ name: str, age: int }'.")
_JSON_SCHEMA = click.option(
    "--json-schema", type=FILE, metavar="FILE", help="Use the schema of a JSON Schema file."
)
_REGISTRY = click.option(
    "--registry",
    type=FILE,
    multiple=True,
    metavar="FILE|DIR",
    help="Schemas that --json-schema refers to: a file, or the .json files of a directory, each"
    " under its $id and its relative path. Nothing is ever fetched. Repeatable.",
)
_TYPE = click.option(
    "--type",
    "type_name",
    metavar="MODULE:NAME",
    help="Use the schema of a Python type instead of the prompt's own: a pydantic model, a"
    " dataclass, a TypedDict, or any other type. Imports MODULE, first from the current directory,"
    " which runs its code: use it only for code that you trust.",
)


TYPES = click.option(
    "--types",
    is_flag=True,
    help="Allow the prompt to name Python types: @type:MODULE:NAME in its <|schema|> turn. Imports"
    " MODULE, which runs its code: use it only for code that you trust.",
)


EXCLUDE = click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Skip files and directories whose path ends like this, such as drafts or 'old/*.pdl'."
    " Repeatable.",
)
"""`--exclude`, passed as `exclude`."""

LOCKED = click.option(
    "--locked",
    is_flag=True,
    help="Refuse a prompt that is not the version in the nearest pdl.lock, in its directory or"
    " above: see `pdl pin`.",
)


prompt_options = bundle(
    "prompt", PromptInput, _PROMPT_FILE, values_options, ROOT, _TYPE, TYPES, LOCKED
)
"""`FILE`, the template values, and options of how to load it, passed as one `prompt`."""

schema_options = bundle(
    "schema",
    SchemaInput,
    _SCHEMA_FILE,
    _DSL,
    _JSON_SCHEMA,
    _REGISTRY,
    _TYPE,
    values_options,
    ROOT,
    TYPES,
    LOCKED,
)
"""What a schema is taken from, passed as one `schema`."""


def model_option(*names: str, words: str, repeatable: bool = False) -> Decorator:
    """Return an option that takes the name of a model, with these words of help."""
    return click.option(
        *names, multiple=repeatable, shell_complete=complete_models, metavar="NAME", help=words
    )


def retries_option(words: str) -> Decorator:
    """Return `--retries`, passed as `retries`, with these words of help."""
    return click.option(
        "--retries",
        type=click.IntRange(0),
        default=3,
        show_default=True,
        metavar="N",
        help=words,
    )


def _check_timeout(_ctx: click.Context, _param: click.Parameter, seconds: float) -> float:
    check_seconds = importlib.import_module("pdl.models.options").check_seconds
    try:
        check_seconds("it", seconds)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    return seconds


def timeout_option(words: str) -> Decorator:
    """Return `--timeout`, passed as `timeout` in seconds, with these words of help."""
    return click.option(
        "--timeout",
        type=float,
        callback=_check_timeout,
        default=600.0,
        show_default=True,
        metavar="SECONDS",
        help=words,
    )


def tokens_option(words: str) -> Decorator:
    """Return `--max-tokens`, passed as `config`: the settings that it makes."""
    return click.option(
        "--max-tokens",
        "config",
        type=click.IntRange(1),
        callback=lambda _ctx, _param, n: {} if n is None else {"max_tokens": n},
        metavar="N",
        help=words,
    )


def free_option(words: str) -> Decorator:
    """Return `--no-grammar`, passed as `constrain`."""
    return click.option(
        "--no-grammar",
        "constrain",
        is_flag=True,
        callback=lambda _ctx, _param, flag: not flag,
        help=words,
    )


_TOKEN_ID = re.compile(r"[0-9]{1,18}")


def _tokens(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[str | int, ...]:
    return tuple(int(one) if _TOKEN_ID.fullmatch(one) else one for one in values)


def eos_option(words: str) -> Decorator:
    """Return `--eos`, passed as `eos`: the texts and IDs of tokens, with these words of help."""
    return click.option("--eos", multiple=True, callback=_tokens, metavar="TOKEN", help=words)


def server_option(words: str = "Address of another server with the same API.") -> Decorator:
    """Return `--base-url`, passed as `base_url`."""
    return click.option("--base-url", metavar="URL", help=words)


def _output(out: str | None) -> Output:
    return Output(out)


out_option = bundle(
    "output",
    _output,
    click.option(
        "--out",
        "-o",
        type=FILE,
        metavar="FILE",
        help="Write to FILE instead of standard output. Overwrites FILE.",
    ),
)
"""`--out`, passed as `output`."""


def formats_option(formats: Iterable[str], words: str) -> Decorator:
    """Return `--format`, passed as `form`, with the formats after the words `Output format: `."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(list(formats)),
        default="text",
        show_default=True,
        help=f"Output format: {words}",
    )


format_option = formats_option(["text", "json"], "text to read, or JSON with the fields below.")
"""`--format` of text or JSON, passed as `form`."""


_ALL = "all"
_MEANINGS = {
    "numbers_in_strings": '"5" for 5',
    "thousands": '"1,000" for 1000, with numbers-in-strings',
    "words_in_strings": '"true" for true, "null" for null',
    "enum_case": '"Bug" for "bug", one of an enum\'s values',
    "key_case": '"userName" for "user_name", one of an object\'s keys',
    "single_to_list": "5 for [5]",
    "json_in_strings": '"[1, 2]" for [1, 2]',
    "null_to_absent": "null for an optional key",
    "unwrap": '{"answer": 5} or [5] for 5',
}


def coercion_name(field: str) -> str:
    """Return the name of a field of Coercions on the command line."""
    return field.replace("_", "-")


COERCIONS = {coercion_name(field.name): field.name for field in dataclasses.fields(Coercions)}
"""The fields of Coercions by their names on the command line."""

COERCION_TERMS = (
    "Coercions",
    {
        **{name: _MEANINGS.get(field, "") for name, field in COERCIONS.items()},
        _ALL: "every coercion above",
    },
)
"""The section of help that says what each of them allows."""


def _parse_coercions(
    _ctx: click.Context, _param: click.Parameter, names: Sequence[str]
) -> Coercions:
    """Parse names. Raises BadParameter, with a suggestion, for an unknown one."""
    given = [coercion_name(name.strip().lower()) for name in names]
    known = [*COERCIONS, _ALL]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
            raise click.BadParameter(f"unknown coercion `{name}`; {hint}")
    chosen = COERCIONS if _ALL in given else given
    if "thousands" in chosen and "numbers-in-strings" not in chosen:
        raise click.BadParameter("thousands has no effect without numbers-in-strings")
    return Coercions(**{COERCIONS[name]: True for name in chosen})


def _complete_coercions(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in (*COERCIONS, _ALL) if name.startswith(incomplete)]


coerce_option = click.option(
    "--coerce",
    "coercions",
    multiple=True,
    callback=_parse_coercions,
    shell_complete=_complete_coercions,
    metavar="NAME",
    help="Allow a coercion listed below: a change of data that makes the answer match the schema."
    " Each one that is made is reported as a repair. Default: none. Repeatable.",
)
