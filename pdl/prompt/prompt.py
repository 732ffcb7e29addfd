"""Prompt files: load them once, render them with data."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl import prompt as prompts
from pdl.errors import FileError, InputError, LimitError, Problem, PromptError, error_from
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.prompt.assemble import Assembly
from pdl.prompt.folder import Folder
from pdl.prompt.marks import SCHEMA, Marks, Place
from pdl.prompt.template import Template, compile_template, normalize_newlines
from pdl.prompt.turns import split_turns
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from pdl.prompt.inputs import Inputs
    from pdl.prompt.rendered import Rendered
    from pdl.schema import Schema

_SCHEMA_TURN = re.compile(r"^[^\S\n]*<\|schema\|>", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Prompt:
    """A parsed prompt file. Load it with `pdl.load` or `pdl.loads`.

    `template` is None, and `problems` says why, only for a template that does not parse and was
    loaded with `strict=False`.
    """

    source: Source
    template: Template | None = field(repr=False)
    inputs: Inputs | None = None
    folder: Folder | None = field(default=None, repr=False)
    strict: bool = True
    limits: Limits = field(default=DEFAULT_LIMITS, repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that the template reads, in alphabetical order, those of includes as well."""
        found = self.template.variables if self.template is not None else ()
        described = _SCHEMA_TURN.search(self.source.text) is not None
        return tuple(name for name in found if not (name == "schema" and described))

    def render(
        self,
        data: Mapping[str, Any] | None = None,
        /,
        *,
        strict: bool | None = None,
        prefill: bool = False,
        **variables: Any,
    ) -> Rendered:
        """Fill the template with a mapping and/or keywords.

        With `strict=False` it goes on where it can and lists what it passed over in
        `Rendered.warnings`. `prefill=True` allows a last `assistant` turn that is not empty, for
        the model to continue. Values whose names are taken (`strict`) go into the mapping.

        Raises InputError for values that do not fit `<|input|>`, TemplateError, TurnError,
        MediaError, ConfigError, SchemaError, LimitError; or PromptError if problems are of several
        kinds.
        """
        values = {**(data or {}), **variables}
        strict = self.strict if strict is None else strict
        problems = list(self.problems)
        if strict and problems:
            raise error_from(problems)
        marks = self.template.marks if self.template is not None else Marks()
        text = self._text(values, marks, problems, strict=strict)
        assembly = Assembly(
            self.source, marks, self.folder, self.limits, strict, prefill, problems=problems
        )
        return assembly.assemble(split_turns(text, marks))

    def _text(
        self, values: dict[str, Any], marks: Marks, problems: list[Problem], *, strict: bool
    ) -> str:
        """The rendered text; if that fails and need not be strict, the template's own text."""
        try:
            if self.inputs is not None:
                values = self._filled(values, problems, strict=strict)
            if self.template is not None:
                if "schema" in self.template.variables and "schema" not in values:
                    values |= self._described(marks)
                return self.template.render(values)
        except PromptError as error:
            if strict:
                raise
            problems += error.problems
        return marks.mark_source(self.source.text, Place(self.source, 0), placed=False)

    def _filled(
        self, values: dict[str, Any], problems: list[Problem], *, strict: bool
    ) -> dict[str, Any]:
        """The values with defaults; wrong ones as they are if it need not be strict."""
        assert self.inputs is not None
        try:
            return self.inputs.filled(values)
        except InputError as error:
            if strict:
                raise
            problems += error.problems
            return {**self.inputs.defaults(values), **values}

    def _described(self, marks: Marks) -> dict[str, Any]:
        """What `schema` is in the template: the description, or its place if it depends on data."""
        try:
            is_static, schema = self._static_schema
        except PromptError:
            return {"schema": SchemaPlace(marks)}  # its problems are told with all others
        if is_static:
            return {} if schema is None else {"schema": schema.describe()}
        return {"schema": SchemaPlace(marks)}

    @cached_property
    def _static_schema(self) -> tuple[bool, Schema | None]:
        return prompts.static_schema(self)


class SchemaPlace:
    """What `{{ schema }}` prints: a mark, since the schema is known only when all is rendered."""

    def __init__(self, marks: Marks) -> None:
        self._text = marks.mark(SCHEMA)

    def __str__(self) -> str:
        return self._text


def load(
    path: str | os.PathLike[str] | Traversable,
    *,
    strict: bool = True,
    media_root: str | os.PathLike[str] | Traversable | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Prompt:
    """Read and parse a prompt file: a path, or a Traversable of `importlib.resources`.

    Files that the prompt includes or embeds are read below its own folder, or below `media_root`.

    Raises FileError, TemplateError, InputError, SchemaError, LimitError.
    """
    file = _path(path)
    name = str(file)
    text = _read(file, name, limits)
    base = media_root if media_root is not None else _parent(file)
    return loads(text, name=name, base=base, strict=strict, limits=limits)


def loads(
    text: str,
    *,
    name: str = "<string>",
    base: str | os.PathLike[str] | Traversable | None = None,
    strict: bool = True,
    limits: Limits = DEFAULT_LIMITS,
) -> Prompt:
    """Parse a prompt from text; `name` is what errors call it, `base` the folder of its files.

    Raises TemplateError, InputError, SchemaError, LimitError.
    """
    source = Source(normalize_newlines(text.removeprefix("\ufeff")), name)
    if len(source.text) > limits.source_chars:
        message = f"the prompt is longer than {limits.source_chars:,} characters"
        raise LimitError(Problem("limit/source", message, source.span(0)))
    folder = _folder(base) if base is not None else None
    template, inputs, problems = None, None, []
    try:
        template = compile_template(source, folder, limits)
        if "<|input|>" in source.text.lower():
            inputs = prompts.read_inputs(template.pieces(), source, limits)
    except PromptError as error:
        if strict:
            raise
        problems = list(error.problems)
    return Prompt(source, template, inputs, folder, strict, limits, tuple(problems))


def _folder(base: str | os.PathLike[str] | Traversable) -> Folder:
    return Folder(_path(base))


def _path(given: str | os.PathLike[str] | Traversable) -> Path | Traversable:
    return Path(given) if isinstance(given, (str, os.PathLike)) else given


def _parent(file: Path | Traversable) -> Path | Traversable | None:
    return getattr(file, "parent", None)


def _read(file: Path | Traversable, name: str, limits: Limits) -> str:
    try:
        with file.open("rb") as stream:
            data: bytes = stream.read(limits.source_chars * 4 + 1)
    except OSError as error:
        absent = isinstance(error, FileNotFoundError)  # in an archive it has no other words
        reason = (error.strerror or ("no such file" if absent else str(error))).lower()
        raise FileError(Problem("file/unreadable", f"{name}: cannot be read: {reason}")) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        source = Source(before + "\N{REPLACEMENT CHARACTER}", name)
        message = f"this byte ({data[error.start]:#04x}) is not UTF-8"
        hint = "save the file as UTF-8"
        raise FileError(
            Problem("file/encoding", message, source.span(len(before)), hint)
        ) from error
