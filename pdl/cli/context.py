"""The values for a template: `--context FILE` and `--set name=value`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from pdl.cli.texts import kind_of, parse_json, read_text, strict_json
from pdl.errors import FileError, Problem
from pdl.schema.keywords import lookup

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.prompt.inputs import Inputs
    from pdl.schema import Schema
    from pdl.source import Source

Assignment: TypeAlias = tuple[tuple[str, ...], str]
"""A name and the keys below it, and the text behind the `=`."""


@dataclass(frozen=True)
class Data:
    """The values of a context file, and those that were set, which go over them."""

    file: str | None
    assignments: tuple[Assignment, ...]

    @property
    def is_given(self) -> bool:
        """Whether the command line says anything about values."""
        return self.file is not None or bool(self.assignments)

    def read(self, inputs: Inputs | None = None) -> dict[str, Any]:
        """The values; those that were set are what `inputs` declares them to be.

        Raises FileError for a file that cannot be read or holds no object, UsageError for a name
        such as `user.name` if `user` is no object.
        """
        values = _read_object(self.file) if self.file is not None else {}
        for keys, text in self.assignments:
            value = _json_or_text(text) if inputs is None else _declared_value(inputs, keys, text)
            values = _with(values, keys, value, ".".join(keys))
        return values


def parse_assignment(text: str) -> Assignment:
    """`name=value` or `name.key=value`.

    Raises BadParameter, which click completes with the option's name.
    """
    left, equals, right = text.partition("=")
    keys = tuple(left.strip().split("."))
    if not equals:
        raise click.BadParameter(f"expected NAME=VALUE, found `{text}`, which has no `=`")
    if not all(keys):
        raise click.BadParameter(f"expected NAME=VALUE, found `{text}`, where a name is empty")
    return keys, right


def _json_or_text(text: str) -> Json:
    try:
        return strict_json(text)
    except (ValueError, RecursionError):
        return text


def _declared_value(inputs: Inputs, keys: tuple[str, ...], text: str) -> Json:
    """What a text says where its type is declared: JSON if that fits the type, else itself.

    If neither fits it is a text where only texts can be, so that the error is about the text.
    """
    value = _json_or_text(text)
    declared: list[Any] = [inputs.schema.document]
    for key in keys:
        declared = [inner for one in declared for inner in _below(one, key, inputs.schema)]
    if not declared or isinstance(value, str):
        return value
    from pdl.reply import violations  # noqa: PLC0415 - no grammar needs the checker

    definitions = inputs.schema.document.get("$defs", {})
    schema = replace(inputs.schema, document={"anyOf": declared, "$defs": definitions})
    if not violations(schema, value):
        return value
    is_text = all(isinstance(one, dict) and one.get("type") == "string" for one in declared)
    return text if is_text or not violations(schema, text) else value


def _below(declared: Any, key: str, schema: Schema) -> list[Any]:
    """What a schema says about the value of a key: the schemas of all alternatives that have it."""
    if not isinstance(declared, dict):
        return []
    if "$ref" in declared:
        return _below(lookup(schema.document, declared["$ref"]), key, schema)
    branches = [one for word in ("anyOf", "oneOf") for one in declared.get(word, ())]
    found = [inner for one in branches for inner in _below(one, key, schema)]
    fields = declared.get("properties", {})
    rest = declared.get("additionalProperties", False)
    own = fields.get(key, rest)
    return found if own is False else [*found, own]


def _with(values: Mapping[str, Any], keys: tuple[str, ...], value: Json, name: str) -> Any:
    """The object with one value put into it, at any depth."""
    first, *rest = keys
    if not rest:
        return {**values, first: value}
    inner = values.get(first, {})
    if not isinstance(inner, Mapping):
        taken = name.removesuffix("." + ".".join(rest))
        raise click.UsageError(f"--set {name}: `{taken}` is {kind_of(inner)}, which has no keys")
    return {**values, first: _with(inner, tuple(rest), value, name)}


def _read_object(file: str) -> dict[str, Any]:
    source = _read(file)
    is_yaml = PurePath(file).suffix.lower() in (".yaml", ".yml")
    value = _parse_yaml(source) if is_yaml else parse_json(source)
    if not isinstance(value, dict):
        raise _wrong(
            source, f"holds {kind_of(value)}; expected an object of the prompt's variables"
        )
    odd = next((key for key in value if not isinstance(key, str)), None)
    if odd is not None:
        raise _wrong(source, f"has the key {odd!r}, which is no text; put it in quotes")
    return value


def _read(file: str) -> Source:
    try:
        return read_text(file)
    except FileError as error:
        if not file.lstrip().startswith("{"):
            raise
        message = "--context takes the name of a file, and this is JSON"
        hint = "give values with --set NAME=VALUE, or this on the standard input: --context -"
        raise FileError(Problem("file/context", message, None, hint)) from error


def _parse_yaml(source: Source) -> Json:
    try:
        reader = importlib.import_module("pdl.cli.yaml_text")
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        hint = "pip install 'pdl-prompts[yaml]', or pass the values as JSON"
        message = f"{source.name}: PyYAML, which reads such files, is not installed"
        raise FileError(Problem("file/no-yaml", message, None, hint)) from error
    return reader.parse_yaml(source)


def _wrong(source: Source, message: str) -> FileError:
    return FileError(Problem("file/context", f"{source.name}: {message}"))
