"""Template values: `--context FILE` and `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from pdl.cli.files import read_text
from pdl.decoding import kind_of, parse_json, parse_yaml
from pdl.errors import FileError, Problem
from pdl.prompt.input_texts import declared_value, json_or_string

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.prompt.inputs import Inputs
    from pdl.source import Source

Assignment: TypeAlias = tuple[tuple[str, ...], str]
"""A name with the keys below it, and the text after the `=`."""


@dataclass(frozen=True)
class TemplateValues:
    """The values of a context file, and assignments, which override them."""

    context: str | None
    assignments: tuple[Assignment, ...]

    @property
    def are_given(self) -> bool:
        """Whether the command line sets any values."""
        return self.context is not None or bool(self.assignments)

    def read(self, inputs: Inputs | None = None) -> dict[str, Any]:
        """Return the values; assignments have the types that `inputs` declares.

        Raises FileError for a file that cannot be read or is not an object, UsageError for a name
        such as `user.name` if `user` is not an object.
        """
        values = _read_object(self.context) if self.context is not None else {}
        for keys, text in self.assignments:
            value = json_or_string(text) if inputs is None else declared_value(inputs, keys, text)
            values = _with(values, keys, value, ".".join(keys))
        return values


def parse_assignment(text: str) -> Assignment:
    """Parse `name=value` or `name.key=value`. Raises BadParameter, which click completes."""
    left, equals, right = text.partition("=")
    keys = tuple(left.strip().split("."))
    if not equals:
        raise click.BadParameter(f"expected NAME=VALUE, found `{text}`, which has no `=`")
    if not all(keys):
        raise click.BadParameter(f"expected NAME=VALUE, found `{text}`, where a name is empty")
    return keys, right


def _with(values: Mapping[str, Any], keys: tuple[str, ...], value: Json, name: str) -> Any:
    """The object with one value set, at any depth."""
    first, *rest = keys
    if not rest:
        return {**values, first: value}
    inner = values.get(first, {})
    if not isinstance(inner, Mapping):
        parent = name.removesuffix("." + ".".join(rest))
        raise click.UsageError(f"--set {name}: `{parent}` is {kind_of(inner)}, which has no keys")
    return {**values, first: _with(inner, tuple(rest), value, name)}


def _read_object(file: str) -> dict[str, Any]:
    source = _read(file)
    is_yaml = PurePath(file).suffix.lower() in (".yaml", ".yml")
    value: Any = parse_yaml(source) if is_yaml else parse_json(source)
    message = ""
    if not isinstance(value, dict):
        message = f"expected an object with the prompt's variables, found {kind_of(value)}"
    elif odd := [key for key in value if not isinstance(key, str)]:
        message = f"the key {odd[0]!r} is not a string; put it in quotes"
    if message:
        raise FileError(Problem("file/context", f"{source.name}: {message}"))
    found: dict[str, Any] = value
    return found


def _read(file: str) -> Source:
    try:
        return read_text(file)
    except FileError as error:
        if not file.lstrip().startswith("{"):
            raise
        message = "--context expects the name of a file, found JSON"
        hint = "set values with --set NAME=VALUE, or pass JSON on standard input: --context -"
        raise FileError(Problem("file/context", message, None, hint)) from error
