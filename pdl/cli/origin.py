"""Where a prompt and a schema come from: files, the standard input, the command line."""

from __future__ import annotations

import dataclasses
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pdl
from pdl import prompt as prompts
from pdl.cli.registries import Registry
from pdl.cli.texts import STDIN, parse_json, read_text, refuse_two_stdins, shown_name
from pdl.cli.types_named import TypeOrigin
from pdl.errors import Problem, PromptError, SchemaError
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.json_schema.load import check_size
from pdl.schema.spans import located

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl._types import Json
    from pdl.cli.context import Data
    from pdl.prompt import Prompt, Rendered
    from pdl.schema import Schema


@dataclass(frozen=True)
class PromptOrigin:
    """A prompt file and its data as the command line names them.

    What it includes is read below `root`, or below its own folder. The schema of a Python type
    replaces its own.
    """

    file: str
    data: Data
    root: str | None = None
    type_name: str | None = None

    def load(self, *, strict: bool = True) -> Prompt:
        """The prompt; that of the standard input embeds files of the current folder."""
        refuse_two_stdins(self.file, self.data.file)
        check_root(self.root)
        if self.file == STDIN:
            source = read_text(self.file)
            base = self.root or "."
            return pdl.loads(source.text, name=source.name, base=base, strict=strict)
        return pdl.load(self.file, media_root=self.root, strict=strict)

    def fill(self, prompt: Prompt, *, prefill: bool = False) -> Rendered:
        """The prompt that `load` gave, filled with the data. Raises PromptError, UsageError."""
        values = self.data.read(prompt.inputs)
        if self.type_name is not None:
            values = {**values, "schema": TypeOrigin(self.type_name).read()}
        return prompt.render(values, prefill=prefill)

    def schema(self, prompt: Prompt) -> Schema | None:
        """The schema of what `load` gave; the data are needed only if it depends on them."""
        values = self.data.read(prompt.inputs)
        if prompt.variables and not self.data.is_given:
            is_static, schema = prompts.static_schema(prompt)
            if is_static:
                return schema
        # A last turn that the model is to go on from does not matter for the schema.
        return prompt.render(values, prefill=True).schema


@dataclass(frozen=True)
class Schemas:
    """The schemas of many replies: one for all, or what a prompt makes of the data of each.

    `alone` is that of the `values` from the command line, `error` why there is none.
    """

    alone: Schema | None
    prompt: Prompt | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    error: PromptError | None = None

    @property
    def depend_on_data(self) -> bool:
        """Whether data decide what the schema is."""
        return self.prompt is not None

    def of(self, context: Mapping[str, Any]) -> Schema | None:
        """The schema with further data. Raises PromptError."""
        assert self.prompt is not None
        return self.prompt.render({**self.values, **context}, prefill=True).schema

    def texts(self) -> list[Json]:
        """What the schemas are made of if that is not `alone`."""
        if self.prompt is None or self.prompt.template is None:
            return []
        sources = self.prompt.template.environment.sources
        return [dict(self.values), *sorted(one.text for one in sources.values())]


def check_root(root: str | None) -> None:
    """Raise UsageError for a folder of includes that is none."""
    if root is not None and not Path(root).is_dir():
        raise click.UsageError(f"--root: there is no folder `{root}`")


@dataclass(frozen=True)
class SchemaOrigin:
    """A schema as the command line names it: a prompt file and its data, or a schema by itself."""

    file: str | None
    dsl: str | None
    json_schema: str | None
    type_name: str | None = None
    _: KW_ONLY
    data: Data
    root: str | None = None
    registry: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named = (self.file, self.dsl, self.json_schema, self.type_name)
        given = [name for name in named if name is not None]
        if len(given) != 1:
            found = "none of them" if not given else f"{len(given)} of them"
            raise click.UsageError(
                "expected a prompt FILE, --dsl TEXT, --json-schema FILE or --type MODULE:NAME;"
                f" found {found}"
            )
        if self.file is None and self.data.is_given:
            raise click.UsageError("--context and --set fill a prompt FILE, and none is given")
        if self.file is None and self.root is not None:
            raise click.UsageError("--root is for a prompt FILE, and none is given")
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
        if self.type_name is not None:
            return TypeOrigin(self.type_name).read()
        assert self.file is not None
        origin = PromptOrigin(self.file, self.data, self.root)
        return origin.schema(origin.load())

    def of_rows(self, *other_files: str) -> Schemas:
        """The schemas of rows that may bring data of their own. Raises what `read` raises."""
        refuse_two_stdins(self.file, self.json_schema, self.data.file, *other_files)
        if self.file is None:
            return Schemas(self.read())
        origin = PromptOrigin(self.file, self.data, self.root)
        prompt = origin.load()
        if not prompt.variables or prompts.static_schema(prompt)[0]:
            return Schemas(origin.schema(prompt))
        values = self.data.read(prompt.inputs)
        try:
            return Schemas(origin.schema(prompt), prompt, values)
        except PromptError as error:
            return Schemas(None, prompt, values, error)

    def required(self) -> Schema:
        """The schema. Raises SchemaError for a prompt that has none, and what `read` raises."""
        schema = self.read()
        if schema is None:
            hint = "it begins with a line `<|schema|>`"
            message = f"{self.file}: this prompt has no `schema` turn"
            raise SchemaError(Problem("schema/none", message, None, hint))
        return schema


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
