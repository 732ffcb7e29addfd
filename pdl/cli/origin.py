"""Where a prompt and a schema come from: files, the standard input, the command line.

`--registry` gives the schemas of other documents, which those of `--json-schema` refer to;
`--type MODULE:NAME` is a Python type as the command line names it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import sys
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pdl
from pdl.cli.texts import STDIN, parse_json, read_text, refuse_two_stdins, shown_name
from pdl.errors import FileError, Problem, PromptError, SchemaError, did_you_mean
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.parts import located
from pdl.schema.text import check_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import ModuleType

    from pdl._types import Json
    from pdl.cli.context import Data
    from pdl.prompt import Prompt, Rendered
    from pdl.schema import Schema
    from pdl.source import Source


@dataclass(frozen=True)
class Registry:
    """Schemas by the URIs that references name, and the files that they were read from."""

    schemas: dict[str, Json] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)

    @classmethod
    def read(cls, names: tuple[str, ...]) -> Registry:
        """The schemas of files and folders, each by its `$id` and by its path in the folder.

        A folder has those of its `.json` files, at any depth. Raises FileError for what cannot be
        read and where two different schemas have one URI, LimitError for what is too long.
        """
        found = cls()
        for name in names:
            for file, path in _files(Path(name)):
                found._add(file, path)
        return found

    def _add(self, file: Path, path: str) -> None:
        source = read_text(str(file))
        check_size(source, DEFAULT_LIMITS)
        schema = parse_json(source)
        own = schema.get("$id", schema.get("id")) if isinstance(schema, dict) else None
        for uri in (path, own.removesuffix("#") if isinstance(own, str) else path):
            if self.schemas.setdefault(uri, schema) != schema:
                message = f"{file}: another schema of --registry is `{uri}` as well: "
                raise FileError(Problem("file/registry", message + self.sources[uri].name))
            self.sources.setdefault(uri, source)

    def located(self, problem: Problem) -> Problem:
        """A problem in one of the schemas, with its place."""
        uri, mark, place = problem.pointer.partition("#")
        if problem.span is not None or uri not in self.sources:
            return problem
        here = Problem(problem.code, problem.message, None, problem.hint, mark + place)
        return located([here], self.sources[uri])[0]


def _files(name: Path) -> Iterator[tuple[Path, str]]:
    """A file, or those of a folder, each with its path in the folder."""
    if name.is_dir():
        for file in sorted(name.rglob("*.json")):
            yield file, file.relative_to(name).as_posix()
    else:
        yield name, name.name


@dataclass(frozen=True)
class TypeOrigin:
    """A type by the name of its module and its name in it: `app.models:Person`."""

    name: str

    def read(self) -> Schema:
        """The schema of the type. The module is imported, and so its code runs.

        Raises FileError for what cannot be imported or is not there, SchemaError for a type without
        a schema, UsageError for another name.
        """
        module, colon, path = self.name.partition(":")
        if not colon or not path or not all(part.isidentifier() for part in module.split(".")):
            raise click.UsageError(
                f"--type: expected MODULE:NAME, such as app.models:Person, found `{self.name}`"
            )
        if not all(part.isidentifier() for part in path.split(".")):
            hint = f"give it a name in the module, `Answer = {path}`, and take `{module}:Answer`"
            raise _failure("type", f"--type: `{path}` is no name in `{module}`", hint)
        found: Any = _imported(module)
        for step in path.split("."):
            if not hasattr(found, step):
                hint = did_you_mean(step, [one for one in dir(found) if not one.startswith("_")])
                raise _failure("type", f"--type: there is no `{step}` in `{module}`", hint)
            found = getattr(found, step)
        return pdl.Schema.from_type(found)


def _imported(name: str) -> ModuleType:
    """A module, of the current folder before those that are installed, as `python -m` has it.

    What it prints goes to the standard error: the standard output is for the result.
    """
    sys.path.insert(0, str(Path.cwd()))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        if missing and (name == missing or name.startswith(f"{missing}.")):
            hint = "it is looked for in the current folder and among what is installed"
            raise _failure("no-module", f"--type: there is no module `{missing}`", hint) from error
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        message = f"--type: the module `{name}` cannot be imported: {said}"
        raise _failure("import", message) from error
    finally:
        sys.path.pop(0)


def _failure(code: str, message: str, hint: str = "") -> FileError:
    return FileError(Problem(f"file/{code}", message, None, hint))


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
            is_constant, schema = _constant_schema(prompt)
            if is_constant:
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
        if not prompt.variables or _constant_schema(prompt)[0]:
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
    return dataclasses.replace(schema, source_map=schema.source_map._replace(source=source))


def named(problems: Iterable[Problem], name: str) -> list[Problem]:
    """Problems that say the name of a file where they have no place in it."""
    return [
        one if one.span is not None else dataclasses.replace(one, message=f"{name}: {one.message}")
        for one in problems
    ]


def _constant_schema(prompt: Prompt) -> tuple[bool, Schema | None]:
    """Whether the schema is the same for all data, and if so, that schema."""
    return (False, None) if prompt.template is None else prompt.template.constant_schema
