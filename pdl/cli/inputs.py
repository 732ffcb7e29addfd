"""The prompts, schemas, and types that a command line names."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import pickle
import sys
import sysconfig
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pdl
from pdl import batch
from pdl.cli.files import STDIN, display_name, read_text, refuse_two_stdins
from pdl.decoding import parse_json
from pdl.errors import FileError, Problem, PromptError, SchemaError
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.parts import located
from pdl.schema.text import check_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pdl._types import Json
    from pdl.batch import Checker
    from pdl.cli.values import TemplateValues
    from pdl.prompt import Prompt, Rendered
    from pdl.reply import Coercions
    from pdl.schema import Schema
    from pdl.source import Source


@dataclass(frozen=True)
class PromptInput:
    """A prompt file with its template values.

    Its includes are read below `root`, or below its own directory. The schema of a Python type
    replaces its own. `types` allows it to name types, whose modules are imported. `locked` refuses
    another version than that in the nearest `pdl.lock`.
    """

    file: str
    values: TemplateValues
    root: str | None = None
    type_name: str | None = None
    types: bool = False
    locked: bool = False

    def load(self, *, strict: bool = True) -> Prompt:
        """Return the prompt; one from standard input embeds files of the current directory."""
        refuse_two_stdins(self.file, self.values.context)
        check_root(self.root)
        options: dict[str, Any] = {"strict": strict, "types": self.types}
        if self.file == STDIN:
            if self.locked:
                raise click.UsageError("--locked requires a prompt FILE, not standard input")
            source = read_text(self.file)
            base = self.root or "."
            return pdl.loads(source.text, name=source.name, base=base, **options)
        return pdl.load(self.file, media_root=self.root, pin=self.locked, **options)

    def render(self, prompt: Prompt, *, prefill: bool = False) -> Rendered:
        """Render the loaded prompt with the values. Raises PromptError, UsageError."""
        values = self.values.read(prompt.inputs)
        if self.type_name is not None:
            values = {**values, "schema": read_type(self.type_name)}
        with importing(self.types):
            return prompt.render(values, prefill=prefill)

    def schema(self, prompt: Prompt) -> Schema | None:
        """Return the schema of the loaded prompt; values are needed only if it depends on them."""
        values = self.values.read(prompt.inputs)
        with importing(self.types):
            if prompt.variables and not self.values.are_given:
                is_constant, schema = constant_schema(prompt)
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

    `default` is the schema for the `values` of the command line, `error` why there isn't one;
    `varies` says that rows can bring other values.
    """

    default: Schema | None
    prompt: Prompt | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    error: PromptError | None = None
    varies: bool = False

    @property
    def has_types(self) -> bool:
        """Whether Python types are involved, whose modules this process found."""
        is_typed = self.default is not None and self.default.python_type is not None
        return is_typed or (self.prompt is not None and self.prompt.types is True)

    def checker(self, coercions: Coercions, keep: Sequence[str]) -> Checker:
        """Return what checks batches of replies, with the values in a column `context`."""
        if self.prompt is None:
            return batch.Checker(self.default, coercions=coercions, keep=keep)
        return batch.Checker.of(
            self.prompt, data="context", values=self.values, coercions=coercions, keep=keep
        )

    def sources(self) -> list[Json]:
        """Return what the schemas of rows depend on, for a digest."""
        if not self.varies or self.prompt is None or self.prompt.template is None:
            return []
        sources = self.prompt.template.environment.sources
        return [dict(self.values), *sorted(one.text for one in sources.values())]


def code_digest() -> str:
    """Return a digest of the modules that are loaded and are not installed.

    The rules of Python types are in these: a schema does not say when a rule changes.
    """
    installed = {*sysconfig.get_paths().values(), str(Path(pdl.__file__).parent)}
    found = hashlib.sha256()
    for name, module in sorted(sys.modules.items(), key=lambda item: item[0]):
        file = Path(getattr(module, "__file__", None) or "")
        if (
            name != "__main__"
            and file.suffix == ".py"
            and installed.isdisjoint(map(str, file.parents))
        ):
            with contextlib.suppress(OSError):
                found.update(f"{name}\n".encode() + file.read_bytes())
    return found.hexdigest()


class Shipped:
    """A value that is unpickled, in a worker process, where modules are found as in this one.

    The other process gets the value itself.
    """

    def __init__(self, value: Any, *, has_types: bool) -> None:
        self._parts = value, has_types

    def __reduce__(self) -> tuple[Any, ...]:
        value, has_types = self._parts
        return _unpickled, (pickle.dumps(value), has_types)


def _unpickled(parts: bytes, typed: bool) -> Any:  # noqa: FBT001 - as pickle passes it
    with importing(typed):
        return pickle.loads(parts)  # noqa: S301 - what this command wrote


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
    types: bool = False
    locked: bool = False

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
        if self.file is None and self.types:
            raise click.UsageError("--types requires a prompt FILE")
        if self.file is None and self.locked:
            raise click.UsageError("--locked requires a prompt FILE")
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
            return read_json_schema(self.json_schema, self.registry)
        if self.type_name is not None:
            return read_type(self.type_name)
        prompt = self._prompt()
        return prompt.schema(prompt.load())

    def _prompt(self) -> PromptInput:
        assert self.file is not None
        types, locked = self.types, self.locked
        return PromptInput(self.file, self.values, self.root, types=types, locked=locked)

    def for_rows(self, *other_files: str) -> RowSchemas:
        """Return the schemas of rows that can bring values. Raises what `read` raises."""
        if self.file is None:
            return RowSchemas(self.read(*other_files))
        refuse_two_stdins(self.file, self.values.context, *other_files)
        origin = self._prompt()
        prompt = origin.load()
        with importing(self.types):
            is_constant = not prompt.variables or constant_schema(prompt)[0]
            _ = prompt.fingerprint  # which imports the modules of types, too
        if is_constant:
            return RowSchemas(origin.schema(prompt), prompt)
        values = self.values.read(prompt.inputs)
        try:
            return RowSchemas(origin.schema(prompt), prompt, values, varies=True)
        except PromptError as error:
            return RowSchemas(None, prompt, values, error, varies=True)

    def required(self) -> Schema:
        """Return the schema. Raises SchemaError without one, and what `read` raises."""
        return required_schema(str(self.file), self.read())


def required_schema(name: str, schema: Schema | None) -> Schema:
    """Return the schema of the prompt of that name. Raises SchemaError without one."""
    if schema is None:
        hint = "add one, after a line `<|schema|>`"
        message = f"{name}: this prompt has no `schema` turn"
        raise SchemaError(Problem("schema/none", message, None, hint))
    return schema


def read_json_schema(file: str, others: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a JSON Schema file; `others` are those that it can refer to."""
    return parse_json_schema(read_text(file), others)


def parse_json_schema(source: Source, others: tuple[str, ...] = ()) -> Schema:
    """Return the schema of the text of a JSON Schema file, as `read_json_schema` does."""
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


def constant_schema(prompt: Prompt) -> tuple[bool, Schema | None]:
    """Return whether the schema is the same for all values, and if so, that schema."""
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


_TYPE_CODES = {
    "schema/import": "file/import",
    "schema/no-module": "file/no-module",
    "schema/no-type": "file/type",
}


def read_type(name: str) -> Schema:
    """Return the schema of a type, `app.models:Person`. Imports the module, so its code runs.

    Raises FileError for a module or name that does not exist or cannot be imported, SchemaError for
    a type without a schema, UsageError for an invalid name.
    """
    from pdl.prompt.references import TypeNameError, named_type  # noqa: PLC0415 - only for types

    try:
        with importing():
            form = named_type(name)
    except TypeNameError as error:
        problem = error.problem
        if problem.code == "schema/bad-type-name":
            raise click.UsageError(f"--type: {problem.message}") from error
        message = f"--type: {problem.message}"
        code = _TYPE_CODES[problem.code]
        raise FileError(Problem(code, message, None, problem.hint)) from error
    return pdl.Schema.from_type(form)


@contextlib.contextmanager
def importing(needed: bool = True) -> Iterator[None]:  # noqa: FBT001, FBT002 - as contextlib's
    """Find modules first in the current directory, as `python -m` does, if they are needed.

    What they print goes to standard error: standard output is for the result.
    """
    if not needed:
        yield
        return
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path.remove(here)
