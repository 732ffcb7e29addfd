"""The values for a template: `--context FILE` and `--set name=value`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from pdl.cli.texts import kind_of, parse_json, read_text, strict_json
from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.source import Source

Assignment: TypeAlias = tuple[tuple[str, ...], Any]
"""A name, the keys below it, and the value."""


@dataclass(frozen=True)
class Data:
    """The values of a context file, and those that were set, which go over them."""

    file: str | None
    assignments: tuple[Assignment, ...]

    @property
    def is_given(self) -> bool:
        """Whether the command line says anything about values."""
        return self.file is not None or bool(self.assignments)

    def read(self) -> dict[str, Any]:
        """The values.

        Raises FileError for a file that cannot be read or holds no object, UsageError for a name
        such as `user.name` if `user` is no object.
        """
        values = _read_object(self.file) if self.file is not None else {}
        for keys, value in self.assignments:
            values = _with(values, keys, value, ".".join(keys))
        return values


def parse_assignment(text: str) -> Assignment:
    """`name=value` or `name.key=value`; the value is JSON if it parses as JSON, else text.

    Raises BadParameter, which click completes with the option's name.
    """
    left, equals, right = text.partition("=")
    keys = tuple(left.strip().split("."))
    if not equals:
        raise click.BadParameter(f"expected NAME=VALUE, found `{text}`, which has no `=`")
    if not all(keys):
        raise click.BadParameter(f"expected NAME=VALUE, found `{text}`, where a name is empty")
    return keys, _json_or_text(right)


def _json_or_text(text: str) -> Json:
    try:
        return strict_json(text)
    except (ValueError, RecursionError):
        return text


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
    source = read_text(file)
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
