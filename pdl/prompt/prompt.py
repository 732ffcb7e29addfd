"""Prompt files: load them once, render them with data."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from pdl import prompt as prompts
from pdl.errors import InputError, LimitError, Problem, PromptError, error_from
from pdl.limits import DEFAULT_LIMITS, Limits, check_limits
from pdl.prompt.assemble import Assembly, schema_place
from pdl.prompt.markers import SCHEMA_PLACEHOLDER, Markers, Stretch
from pdl.prompt.printing import captured
from pdl.prompt.rendered import Origin
from pdl.prompt.template import Template, compile_template, source_of
from pdl.prompt.turns import split_turns
from pdl.schema import Schema
from pdl.schema.model import is_type, schema_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from typing import Self

    from pdl._types import T, Values
    from pdl.prompt.files import Folder
    from pdl.prompt.inputs import Inputs
    from pdl.prompt.pins import GivenPin
    from pdl.prompt.references import GivenTypes, Types
    from pdl.prompt.rendered import Rendered
    from pdl.source import Source

_SCHEMA_TURN = re.compile(r"^[^\S\n]*<\|[^\S\n]*schema[^\S\n]*\|>", re.MULTILINE | re.IGNORECASE)
INPUT_TURN = re.compile(r"<\|[^\S\n]*input[^\S\n]*\|>", re.IGNORECASE)
"""What a text contains that may have an `input` turn."""


@dataclass(frozen=True)
class Prompt:
    """A parsed prompt file, loaded with `pdl.load` or `pdl.loads`.

    `template` is None only for a template that does not parse and was loaded with `strict=False`;
    `problems` then says why. `pin` is the fingerprint that it was loaded with, or empty. A prompt
    pickles as its source, which is compiled again on unpickling; its pin is then verified again.
    """

    source: Source
    template: Template | None = field(repr=False, compare=False)
    inputs: Inputs | None = None
    folder: Folder | None = field(default=None, repr=False)
    strict: bool = True
    limits: Limits = field(default=DEFAULT_LIMITS, repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    types: Types = field(default=False, repr=False)
    pin: str = field(default="", repr=False)

    def __repr__(self) -> str:
        return f"Prompt({self.source.name!r}{'' if self.strict else ', strict=False'})"

    def __reduce__(self) -> tuple[Any, ...]:
        options = (self.source, self.folder, self.strict, self.limits, self.types, self.pin)
        return _compiled, options

    def __copy__(self) -> Self:
        return self  # nothing in it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that the template and its includes read, in alphabetical order."""
        found = self.template.variables if self.template is not None else ()
        described = _SCHEMA_TURN.search(self.source.text) is not None
        return tuple(name for name in found if not (name == "schema" and described))

    @property
    def fingerprint(self) -> str:
        """`h1:` and 64 hex digits: the same for what renders the same, different for all else.

        Comments, spacing in tags, and the order of settings don't count; values don't either. Files
        that the template names as text count by their content: media and JSON Schemas by what they
        contain now, templates by what they contained when they were read first, as for rendering.
        """
        from pdl.prompt.fingerprint import content_of  # noqa: PLC0415 - few programs need it

        return content_of(self).fingerprint(self.folder, self.limits)

    @overload
    def render(
        self,
        data: Values | None = None,
        /,
        *,
        schema: Schema[T] | type[T],
        strict: bool | None = None,
        prefill: bool = False,
        **variables: Any,
    ) -> Rendered[T]: ...

    @overload
    def render(
        self,
        data: Values | None = None,
        /,
        *,
        strict: bool | None = None,
        prefill: bool = False,
        **variables: Any,
    ) -> Rendered[Any]: ...

    def render(
        self,
        data: Values | None = None,
        /,
        *,
        strict: bool | None = None,
        prefill: bool = False,
        **variables: Any,
    ) -> Rendered[Any]:
        """Render the template with a mapping and/or keywords.

        An instance of a dataclass or of a pydantic model is the mapping of its fields that aren't
        `Absent`. With `strict=False` it continues where it can and lists what it ignored in
        `Rendered.warnings`. `prefill=True` allows a last `assistant` turn that is not empty, for
        the model to continue. Pass values named like an argument (`strict`) in the mapping.

        `schema=` with a pdl.Schema or a Python type sets the schema of the answer: `{{ schema }}`
        describes it, `Rendered.check` checks against it (and returns instances of the type), and it
        replaces that of a `<|schema|>` turn, which must still be valid. If the template reads
        `schema`, any other value of that name is a value for the template, as is that of an input
        named `schema`; if not, it is a TypeError.

        Raises InputError for values that do not match `<|input|>`, TemplateError, TurnError,
        MediaError, ConfigError, SchemaError, LimitError; or PromptError if problems are of several
        kinds.
        """
        if not isinstance(data, Mapping):
            data = {} if data is None else self._fields(data)
        if "schema" in variables:
            self._check_schema(variables["schema"])
        values: dict[Any, Any] = {**data, **variables}
        for name in values:
            if not isinstance(name, str):
                raise TypeError(f"the names of values must be str, not {type(name).__name__}")
        schema = self._given_schema(values)
        strict = self.strict if strict is None else strict
        problems = list(self.problems)
        if strict and problems:
            raise error_from(problems)
        markers = self.template.markers if self.template is not None else Markers()
        text = self._text(values, markers, problems, schema, strict=strict)
        assembly = Assembly(
            *(self.source, markers, self.folder, self.limits, strict, prefill),
            types=_named(self.types, schema),
            problems=problems,
            origin=Origin(self.source.name, self),
            declared=self.inputs.source if self.inputs is not None else None,
        )
        rendered = assembly.assemble(split_turns(text, markers))
        return rendered if schema is None else dataclasses.replace(rendered, schema=schema)

    def _fields(self, given: object) -> dict[str, Any]:
        from pdl.prompt.inputs import fields_of  # noqa: PLC0415 - most values are mappings

        found = fields_of(given)
        if found is None:
            raise self._no_data(given)
        return found

    def _no_data(self, given: object) -> TypeError:
        names = self.inputs.names if self.inputs is not None else self.variables
        from pdl.prompt.template_errors import render_call  # noqa: PLC0415 - only for errors

        call = render_call(names[0] if names else "name")
        kind = type(given).__name__
        return TypeError(f"the values must be a mapping or keywords, not {kind}: write {call}")

    def _check_schema(self, given: object) -> None:
        """Refuse an argument `schema` that is no schema, if the template has no use for it."""
        declared = self.inputs is not None and "schema" in self.inputs.names
        read = self.template is None or "schema" in self.template.variables
        if isinstance(given, Schema) or is_type(given) or declared or read:
            return
        advice = "; pdl.Schema.parse reads one" if isinstance(given, str) else ""
        kind = type(given).__name__
        raise TypeError(f"schema must be a pdl.Schema or a Python type, not {kind}{advice}")

    def _given_schema(self, values: dict[str, Any]) -> Schema | None:
        """Remove and return the schema among the values, unless an input has its name."""
        if "schema" not in values or (self.inputs is not None and "schema" in self.inputs.names):
            return None
        given = values["schema"]
        if not (given is None or isinstance(given, Schema) or is_type(given)):
            return None
        del values["schema"]
        return schema_of(given)

    def _text(
        self,
        values: dict[str, Any],
        markers: Markers,
        problems: list[Problem],
        schema: Schema | None,
        *,
        strict: bool,
    ) -> str:
        """The rendered text; if that fails and strict is false, the template's own text."""
        try:
            if self.inputs is not None:
                values = self._filled(values, problems, strict=strict)
            described: dict[str, Any] = {}
            if schema is not None:
                described = {"schema": schema.describe()}
            if self.template is not None:
                if "schema" in self.template.variables and "schema" not in values:
                    described = described or _described(self.template)
                misplaced = self.template.misplaced_schema if described else ()
                problems += [schema_place(turn, markers) for turn in misplaced]
                return self.template.render(values | described)
        except PromptError as error:
            if strict:
                raise
            problems += error.problems
        return "".join(markers.mark_source([Stretch(self.source.text, 0)], self.source))

    def _filled(
        self, values: dict[str, Any], problems: list[Problem], *, strict: bool
    ) -> dict[str, Any]:
        """The values with defaults; invalid ones unchanged if strict is false."""
        assert self.inputs is not None
        try:
            return self.inputs.filled(values)
        except InputError as error:
            if strict:
                raise
            problems += error.problems
            return {**self.inputs.defaults, **values}


def _described(template: Template) -> dict[str, Any]:
    """The value of `schema`: the description, or a placeholder if it depends on data."""
    try:
        is_constant, schema = template.constant_schema
    except PromptError:
        return {"schema": captured(SCHEMA_PLACEHOLDER)}  # its problems are reported with all others
    if is_constant:
        return {} if schema is None else {"schema": schema.describe()}
    return {"schema": captured(SCHEMA_PLACEHOLDER)}


def load(  # noqa: PLR0913 - each is an option
    path: str | os.PathLike[str] | Traversable,
    *,
    strict: bool = True,
    media_root: str | os.PathLike[str] | Traversable | None = None,
    limits: Limits = DEFAULT_LIMITS,
    types: GivenTypes = False,
    pin: GivenPin = None,
) -> Prompt:
    """Read and parse a prompt file: a path, or a Traversable of `importlib.resources`.

    Files that the prompt includes or embeds are read below its directory, or below `media_root`.
    `types` are those that a schema turn can name with `@type:MODULE:NAME`: classes, or a mapping
    from what follows `@type:` to any types. `types=True` allows all: rendering then imports the
    module, which runs its code.

    `pin` refuses any other version of the prompt, of its includes, and of the files that it embeds:
    a fingerprint, the path of a lock that `pdl pin` wrote, or True for the nearest `pdl.lock` in
    the prompt's directory or above. The prompt then keeps the content of these files, so that each
    rendering is of this version.

    Raises FileError, TemplateError, InputError, SchemaError, LimitError, PinError, and CasesError
    for a file of cases.
    """
    from pdl.prompt.files import read_prompt, refuse_cases  # noqa: PLC0415 - text needs no files

    check_limits(limits)
    file = as_path(path, "path")
    name = str(file)
    refuse_cases(name)
    text = read_prompt(file, name, limits)
    base = media_root if media_root is not None else getattr(file, "parent", None)
    wanted = _pin(pin, file, name)
    options: dict[str, Any] = {"strict": strict, "limits": limits, "types": types}
    return loads(text, name=name, base=base, pin=wanted, **options)


def loads(  # noqa: PLR0913 - each is an option
    text: str,
    *,
    name: str = "<string>",
    base: str | os.PathLike[str] | Traversable | None = None,
    strict: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    types: GivenTypes = False,
    pin: str | None = None,
) -> Prompt:
    """Parse a prompt from text; errors show `name`, and `base` is the directory of its files.

    `types` are those that a schema turn can name, and the fingerprint `pin` refuses any other
    version, as for `load`.

    Raises TemplateError, InputError, SchemaError, LimitError, PinError.
    """
    if not isinstance(text, str):
        raise _no_text(text)
    wanted = _pin(pin, None, str(name)) or ""
    source = source_of(text, str(name))
    folder = prompts.Folder(as_path(base, "base")) if base is not None else None
    return _compiled(source, folder, strict, limits, allowed(types), wanted)


def in_folder(
    text: str, name: str, folder: Folder | None, limits: Limits = DEFAULT_LIMITS
) -> Prompt:
    """Parse a prompt as `loads` does, whose files a folder reads in a way of its own."""
    source = source_of(text, name)
    return _compiled(source, folder, strict=True, limits=limits)


def _pin(given: GivenPin, file: Path | Traversable | None, name: str) -> str | None:
    """The fingerprint that an argument names; None for None and False."""
    if given is None or given is False:
        return None
    from pdl.prompt.pins import pin_of  # noqa: PLC0415 - most prompts are not pinned

    return pin_of(given, file, name)


def allowed(given: GivenTypes) -> Types:
    """Return the types that an argument names."""
    if isinstance(given, bool):
        return given
    from pdl.prompt.references import allowed_types  # noqa: PLC0415 - few programs name types

    return allowed_types(given)


def _no_text(given: object) -> TypeError:
    advice = "decode them first" if isinstance(given, bytes) else "pdl.load reads a file"
    return TypeError(f"text must be a str, not {type(given).__name__}: {advice}")


def _named(types: Types, schema: Schema | None) -> Types:
    """The types that a schema turn can name, with that of the schema that replaces the turn's."""
    form = schema.python_type if schema is not None else None
    if types is True or not isinstance(form, type):
        return types
    from pdl.prompt.references import allowed_types  # noqa: PLC0415 - few programs name types

    return (*(types or ()), *allowed_types([form]))


def _compiled(  # noqa: PLR0913, PLR0917 - as pickle passes them
    source: Source,
    folder: Folder | None,
    strict: bool,  # noqa: FBT001
    limits: Limits,
    types: Types = False,  # noqa: FBT002
    pin: str = "",
) -> Prompt:
    """The prompt of a source; unpickling calls it too."""
    check_limits(limits)
    check_length(source, limits)
    if pin:
        from pdl.prompt.pins import KeptFolder, verify  # noqa: PLC0415 - most prompts are not pinned

        folder = KeptFolder.of(folder.root) if folder is not None else None
    template, inputs = None, None
    problems: list[Problem] = []
    try:
        template = compile_template(source, folder, limits, types)
        problems += template.problems
        if strict and problems:
            raise error_from(problems)
        if INPUT_TURN.search(source.text):
            inputs = prompts.read_inputs(template.pieces(), source, limits)
    except PromptError as error:
        if strict:
            raise
        problems += error.problems
    made = Prompt(source, template, inputs, folder, strict, limits, tuple(problems), types, pin)
    if pin:
        verify(made)
    return made


def check_length(source: Source, limits: Limits) -> None:
    """Raise LimitError for a prompt that is too long."""
    if len(source.text) > limits.source_chars:
        message = f"the prompt is longer than {limits.source_chars:,} characters"
        raise LimitError(Problem("limit/source", message, source.span(0)))


def as_path(given: object, name: str) -> Path | Traversable:
    """Return the path that an argument names. Raises TypeError."""
    if isinstance(given, (str, os.PathLike)):
        return Path(given)
    if hasattr(given, "open") and hasattr(given, "joinpath"):
        return cast("Traversable", given)
    advice = ": pdl.loads takes the text of a prompt" if hasattr(given, "read") else ""
    wanted = "a str, a path or a Traversable of importlib.resources"
    raise TypeError(f"{name} must be {wanted}, not {type(given).__name__}{advice}")
