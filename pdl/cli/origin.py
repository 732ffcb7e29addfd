"""Where a prompt and a schema come from: files, the standard input, the command line."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

import pdl
from pdl import prompt as prompts
from pdl.cli.registries import Registry
from pdl.cli.texts import STDIN, parse_json, read_text, refuse_two_stdins, shown_name
from pdl.errors import PromptError
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.json_schema.load import check_size
from pdl.schema.spans import located

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.cli.context import Data
    from pdl.errors import Problem
    from pdl.prompt import Prompt
    from pdl.schema import Schema


def load_prompt(file: str, *, strict: bool = True) -> Prompt:
    """The prompt of a file; that of the standard input embeds files of the current folder."""
    if file == STDIN:
        source = read_text(file)
        return pdl.loads(source.text, name=source.name, base=".", strict=strict)
    return pdl.load(file, strict=strict)


@dataclass(frozen=True)
class SchemaOrigin:
    """A schema as the command line names it: a prompt file and its data, or a schema by itself."""

    file: str | None
    dsl: str | None
    json_schema: str | None
    data: Data
    registry: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = [name for name in (self.file, self.dsl, self.json_schema) if name is not None]
        if len(given) != 1:
            found = "none of them" if not given else f"{len(given)} of them"
            raise click.UsageError(
                f"expected a prompt FILE, --dsl TEXT or --json-schema FILE; found {found}"
            )
        if self.file is None and self.data.is_given:
            raise click.UsageError("--context and --set fill a prompt FILE, and none is given")
        if self.json_schema is None and self.registry:
            raise click.UsageError("--registry is for --json-schema FILE, and none is given")

    @property
    def name(self) -> str:
        """What the file is called that the schema comes from; nothing for none."""
        file = self.file or self.json_schema
        return shown_name(file) if file else ""

    def read(self, *other_files: str) -> Schema | None:
        """The schema; None for a prompt that has none.

        `other_files` are those that the command reads as well. Raises PromptError, UsageError.
        """
        refuse_two_stdins(self.file, self.json_schema, self.data.file, *other_files)
        if self.dsl is not None:
            return pdl.Schema.parse(self.dsl, name="--dsl")
        if self.json_schema is not None:
            return _from_json_schema(self.json_schema, self.registry)
        assert self.file is not None
        values = self.data.read()
        prompt = load_prompt(self.file)
        if prompt.variables and not self.data.is_given:
            is_static, schema = prompts.static_schema(prompt)
            if is_static:
                return schema
        # A last turn that the model is to go on from does not matter for the schema.
        return prompt.render(values, prefill=True).schema


def _from_json_schema(file: str, others: tuple[str, ...]) -> Schema:
    source = read_text(file)
    check_size(source, DEFAULT_LIMITS)
    value = parse_json(source)
    registry = Registry.read(others)
    try:
        schema = pdl.Schema.from_json_schema(value, registry=registry.schemas)
    except PromptError as error:
        placed = map(registry.located, located(error.problems, source))
        raise type(error)(*named(placed, source.name)) from error
    return dataclasses.replace(schema, origins=schema.origins._replace(source=source))


def named(problems: Iterable[Problem], name: str) -> list[Problem]:
    """Problems that say the name of a file where they have no place in it."""
    return [
        one if one.span is not None else dataclasses.replace(one, message=f"{name}: {one.message}")
        for one in problems
    ]
