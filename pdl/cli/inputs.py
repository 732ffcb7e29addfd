"""The prompts, schemas, and types that a command line names."""

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
from pdl.cli.files import STDIN, display_name, parse_json, read_text, refuse_two_stdins
from pdl.errors import FileError, Problem, PromptError, SchemaError, did_you_mean
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.parts import located
from pdl.schema.text import check_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import ModuleType

    from pdl._types import Json
    from pdl.cli.values import TemplateValues
    from pdl.prompt import Prompt, Rendered
    from pdl.schema import Schema
    from pdl.source import Source


@dataclass(frozen=True)
class PromptInput:
    """A prompt file with its template values.

    Its includes are read below `root`, or below its own directory. The schema of a Python type
    replaces its own.
    """

    file: str
    values: TemplateValues
    root: str | None = None
    type_name: str | None = None

    def load(self, *, strict: bool = True) -> Prompt:
        """Return the prompt; one from standard input embeds files of the current directory."""
        refuse_two_stdins(self.file, self.values.context)
        check_root(self.root)
        if self.file == STDIN:
            source = read_text(self.file)
            base = self.root or "."
            return pdl.loads(source.text, name=source.name, base=base, strict=strict)
        return pdl.load(self.file, media_root=self.root, strict=strict)

    def render(self, prompt: Prompt, *, prefill: bool = False) -> Rendered:
        """Render the loaded prompt with the values. Raises PromptError, UsageError."""
        values = self.values.read(prompt.inputs)
        if self.type_name is not None:
            values = {**values, "schema": read_type(self.type_name)}
        return prompt.render(values, prefill=prefill)

    def schema(self, prompt: Prompt) -> Schema | None:
        """Return the schema of the loaded prompt; values are needed only if it depends on them."""
        values = self.values.read(prompt.inputs)
        if prompt.variables and not self.values.are_given:
            is_constant, schema = _constant_schema(prompt)
            if is_constant:
                return schema
        # A last turn for the model to continue does not matter for the schema.
        return prompt.render(values, prefill=True).schema


def check_root(root: str | None) -> None:
    """Raise UsageError if the directory of includes is not one."""
    if root is not None and not Path(root).is_dir():
        raise click.UsageError(f"--root: `{root}` is not a directory")


@dataclass(frozen=True)
class RowSchemas:
    """The schemas of many replies: one for all, or one for the values of each.

    `default` is the schema for the `values` of the command line, `error` why there isn't one.
    """

    default: Schema | None
    prompt: Prompt | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    error: PromptError | None = None

    def render(self, context: Mapping[str, Any]) -> Schema | None:
        """Return the schema for further values. Raises PromptError."""
        assert self.prompt is not None
        return self.prompt.render({**self.values, **context}, prefill=True).schema

    def sources(self) -> list[Json]:
        """Return what the schemas of rows depend on, for a digest."""
        if self.prompt is None or self.prompt.template is None:
            return []
        sources = self.prompt.template.environment.sources
        return [dict(self.values), *sorted(one.text for one in sources.values())]


@dataclass(frozen=True)
class SchemaInput:
    """A schema: that of a prompt file with its values, or one that stands alone."""

    file: str | None
    dsl: str | None
    json_schema: str | None
    type_name: str | None = None
    _: KW_ONLY
    values: TemplateValues
    root: str | None = None
    registry: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named = (self.file, self.dsl, self.json_schema, self.type_name)
        given = [name for name in named if name is not None]
        if len(given) != 1:
            found = "none of them" if not given else f"{len(given)} of them"
            raise click.UsageError(
                "expected one of FILE (a prompt), --dsl TEXT, --json-schema FILE, and"
                f" --type MODULE:NAME; found {found}"
            )
        if self.file is None and self.values.are_given:
            raise click.UsageError("--context and --set require a prompt FILE")
        if self.file is None and self.root is not None:
            raise click.UsageError("--root requires a prompt FILE")
        if self.json_schema is None and self.registry:
            raise click.UsageError("--registry requires --json-schema FILE")

    @property
    def name(self) -> str:
        """The name of the file that the schema comes from; empty without one."""
        file = self.file or self.json_schema
        return display_name(file) if file else ""

    def read(self, *other_files: str) -> Schema | None:
        """Return the schema; None for a prompt without one.

        `other_files` are those that the command also reads. Raises PromptError, UsageError.
        """
        refuse_two_stdins(self.file, self.json_schema, self.values.context, *other_files)
        if self.dsl is not None:
            return pdl.Schema.parse(self.dsl, name="--dsl")
        if self.json_schema is not None:
            return _from_json_schema(self.json_schema, self.registry)
        if self.type_name is not None:
            return read_type(self.type_name)
        prompt = self._prompt()
        return prompt.schema(prompt.load())

    def _prompt(self) -> PromptInput:
        assert self.file is not None
        return PromptInput(self.file, self.values, self.root)

    def for_rows(self, *other_files: str) -> RowSchemas:
        """Return the schemas of rows that can bring values. Raises what `read` raises."""
        if self.file is None:
            return RowSchemas(self.read(*other_files))
        refuse_two_stdins(self.file, self.values.context, *other_files)
        origin = self._prompt()
        prompt = origin.load()
        if not prompt.variables or _constant_schema(prompt)[0]:
            return RowSchemas(origin.schema(prompt))
        values = self.values.read(prompt.inputs)
        try:
            return RowSchemas(origin.schema(prompt), prompt, values)
        except PromptError as error:
            return RowSchemas(None, prompt, values, error)

    def required(self) -> Schema:
        """Return the schema. Raises SchemaError without one, and what `read` raises."""
        schema = self.read()
        if schema is None:
            hint = "add one, after a line `<|schema|>`"
            message = f"{self.file}: this prompt has no `schema` turn"
            raise SchemaError(Problem("schema/none", message, None, hint))
        return schema


def _from_json_schema(file: str, others: tuple[str, ...]) -> Schema:
    source = read_text(file)
    check_size(source, DEFAULT_LIMITS)
    value = parse_json(source)
    registry = _Registry()
    for name in others:
        registry.add(Path(name))
    try:
        schema = pdl.Schema.from_json_schema(value, registry=registry.schemas)
    except PromptError as error:
        placed = map(registry.located, located(error.problems, source))
        raise type(error)(*with_name(placed, source.name)) from error
    return dataclasses.replace(schema, source_map=schema.source_map._replace(source=source))


def with_name(problems: Iterable[Problem], name: str) -> Iterator[Problem]:
    """Yield problems that name the file if they have no position in it."""
    for one in problems:
        has_place = one.span is not None or not name
        yield one if has_place else dataclasses.replace(one, message=f"{name}: {one.message}")


def _constant_schema(prompt: Prompt) -> tuple[bool, Schema | None]:
    """Whether the schema is the same for all values, and if so, that schema."""
    return (False, None) if prompt.template is None else prompt.template.constant_schema


class _Registry:
    """The schemas of `--registry` by the URIs that references use, and their files."""

    def __init__(self) -> None:
        self.schemas: dict[str, Json] = {}
        self._sources: dict[str, Source] = {}

    def add(self, name: Path) -> None:
        """Add a file, or the `.json` files of a directory, each by its `$id` and relative path.

        Raises FileError for what cannot be read and where two different schemas have one URI,
        LimitError for what is too long.
        """
        if not name.is_dir():
            self._add(name, name.name)
            return
        for file in sorted(name.rglob("*.json")):
            self._add(file, file.relative_to(name).as_posix())

    def _add(self, file: Path, path: str) -> None:
        source = read_text(str(file))
        check_size(source, DEFAULT_LIMITS)
        schema = parse_json(source)
        own = schema.get("$id", schema.get("id")) if isinstance(schema, dict) else None
        for uri in (path, own.removesuffix("#") if isinstance(own, str) else path):
            if self.schemas.setdefault(uri, schema) != schema:
                message = f"{file}: another schema of --registry is also `{uri}`: "
                raise FileError(Problem("file/registry", message + self._sources[uri].name))
            self._sources.setdefault(uri, source)

    def located(self, problem: Problem) -> Problem:
        """A problem with its position, if it is in one of the schemas."""
        uri, mark, place = problem.pointer.partition("#")
        if problem.span is not None or uri not in self._sources:
            return problem
        here = Problem(problem.code, problem.message, None, problem.hint, mark + place)
        return located([here], self._sources[uri])[0]


def read_type(name: str) -> Schema:
    """Return the schema of a type, `app.models:Person`. Imports the module, so its code runs.

    Raises FileError for a module or name that does not exist or cannot be imported, SchemaError for
    a type without a schema, UsageError for an invalid name.
    """
    module, colon, path = name.partition(":")
    if not colon or not path or not all(part.isidentifier() for part in module.split(".")):
        raise click.UsageError(
            f"--type: expected MODULE:NAME, such as app.models:Person, found `{name}`"
        )
    if not all(part.isidentifier() for part in path.split(".")):
        hint = f"name it in the module, `Answer = {path}`, and pass `{module}:Answer`"
        raise _failure("type", f"--type: `{path}` is not a name in `{module}`", hint)
    found: Any = _imported(module)
    for step in path.split("."):
        if not hasattr(found, step):
            hint = did_you_mean(step, [one for one in dir(found) if not one.startswith("_")])
            raise _failure("type", f"--type: `{module}` has no `{step}`", hint)
        found = getattr(found, step)
    return pdl.Schema.from_type(found)


def _imported(name: str) -> ModuleType:
    """A module, first of the current directory, as `python -m` finds it.

    What it prints goes to standard error: standard output is for the result.
    """
    sys.path.insert(0, str(Path.cwd()))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        if missing and (name == missing or name.startswith(f"{missing}.")):
            hint = "modules are looked up in the current directory and among installed packages"
            raise _failure("no-module", f"--type: there is no module `{missing}`", hint) from error
        reason = f"{type(error).__name__}: {error}".removesuffix(": ")
        message = f"--type: the module `{name}` cannot be imported: {reason}"
        raise _failure("import", message) from error
    finally:
        sys.path.pop(0)


def _failure(code: str, message: str, hint: str = "") -> FileError:
    return FileError(Problem(f"file/{code}", message, None, hint))
