"""What a schema turn names after its `@`: a file of JSON Schema, or a Python type.

`@file.json` and `@package:path` are read without running code. `@type:module:Name` imports the
module, which runs it, so the program that loads the prompt has to allow that.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.errors import Problem, SchemaError, did_you_mean, error_from
from pdl.prompt.files import JailError, package_folder
from pdl.schema import Schema
from pdl.schema.annotations import name_of
from pdl.schema.model import is_type, schema_of_type

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.prompt.files import Folder
    from pdl.source import Source, Span

Types: TypeAlias = bool | tuple[tuple[str, Any], ...]
"""Whether prompts can name all types, or those that they can name, by what follows `@type:`."""

GivenTypes: TypeAlias = bool | Mapping[str, Any] | Iterable[Any]
"""The argument `types` of `pdl.load`."""

_TYPE = "type:"


def allowed_types(given: object) -> tuple[tuple[str, Any], ...]:
    """Return the types that prompts can name. Raises TypeError for what is not a type."""
    if isinstance(given, Mapping):
        named = tuple(given.items())
    elif isinstance(given, Iterable) and not isinstance(given, str):
        classes = tuple(given)
        named = tuple((_full_name(one), one) for one in classes)
    else:
        wanted = "a bool, a mapping of names to types, or a list of classes"
        raise TypeError(f"types must be {wanted}, not {_kind(given)}")
    for name, form in named:
        if not isinstance(name, str):
            raise TypeError(f"the names in types must be str, not {type(name).__name__}")
        if not is_type(form):
            raise TypeError(f"types[{name!r}] must be a Python type, not {_kind(form)}")
    return named


def _full_name(form: Any) -> str:
    if not isinstance(form, type):
        advice = "give it a name: `types={'Name': …}`"
        raise TypeError(f"a list of types must contain classes, not {_kind(form)}: {advice}")
    return f"{form.__module__}:{form.__qualname__}"


def _kind(given: Any) -> str:
    return f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__


def read_reference(source: Source, folder: Folder | None, limits: Limits, types: Types) -> Schema:
    """Return the schema that a text which begins with `@` names.

    Raises SchemaError with a position, and LimitError.
    """
    text = source.text.strip("\ufeff \t\r\n")
    start = source.text.find(text)
    span = source.span(start, start + len(text))
    if not _is_written(span, only_start=True):
        message = "this `@` comes from a value, but only the prompt's own text can name a file"
        hint = "write `@` and the file into the `schema` turn itself"
        raise SchemaError(Problem("schema/bad-file", message, source.span(start), hint))
    if text.startswith(f"@{_TYPE}") and "\n" not in text:
        return _type_schema(text.removeprefix(f"@{_TYPE}").strip(), span, types)

    def read(reference: str) -> tuple[str, str]:
        return _read_file(reference, span, folder, limits)

    return Schema.parse(source, limits=limits, resolve=read)


def _is_written(span: Span, *, only_start: bool = False) -> bool:
    """Whether the template's own text has a span: a value could name any file, or any module."""
    at = span.start
    for one in span.source.anchors:
        if one.start <= at < one.start + one.length:
            at = one.start + one.length
            if only_start or at >= span.end:
                return True
    return False


def _read_file(
    reference: str, span: Span, folder: Folder | None, limits: Limits
) -> tuple[str, str]:
    """The text and the name of a file."""
    try:
        return read_text(reference, folder, limits), reference
    except (JailError, OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        message = f"the schema file cannot be read: {reason}"
        is_packaged = ":" in reference
        hint = "write `@PACKAGE:PATH` with the name of an installed package" if is_packaged else ""
        raise SchemaError(Problem("schema/bad-file", message, span, hint)) from error


def read_text(reference: str, folder: Folder | None, limits: Limits) -> str:
    """Return the text of a file that follows an `@`: a path, or `PACKAGE:PATH`.

    Raises JailError, OSError, and UnicodeDecodeError.
    """
    package, colon, path = reference.partition(":")
    where = package_folder(package) if colon else _required(folder)
    if colon and folder is not None:
        where = folder.other(where.root)
    return where.read(path if colon else reference, limits.source_chars).decode("utf-8-sig")


def _required(folder: Folder | None) -> Folder:
    if folder is None:
        raise JailError("this prompt was loaded from text; pass `base` to `pdl.loads`")
    return folder


def _type_schema(name: str, span: Span, types: Types) -> Schema:
    """The schema of `@type:name`, whose values are instances of the type."""
    if not _is_written(span):
        message = "a value is part of this name, but only the prompt's own text can name a type"
        hint = "write the whole name into the `schema` turn"
        raise SchemaError(Problem("schema/type-not-allowed", message, span, hint))
    try:
        form = find_type(name, types)
    except TypeNameError as error:
        raise SchemaError(replace(error.problem, span=span)) from error
    try:
        return schema_of_type(form)
    except SchemaError as error:
        raise error_from([replace(one, span=span) for one in error.problems]) from error


def find_type(name: str, types: Types) -> Any:
    """Return the type that follows `@type:`. Raises TypeNameError if there is no such type."""
    if types is True:
        return named_type(name)
    known = dict(types) if isinstance(types, tuple) else {}
    if name in known:
        return known[name]
    message = f"this program does not allow the type `{name}`"
    if known:
        hint = did_you_mean(name, known) or f"it allows {', '.join(f'`{one}`' for one in known)}"
    else:
        hint = "if you trust its module, pass `types=True`, on the command line `--types`"
    raise TypeNameError("schema/type-not-allowed", message, hint)


class TypeNameError(Exception):
    """A name of a type leads to nothing; `problem` has no position yet."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(code, message, None, hint)


def named_type(name: str) -> Any:
    """Return the type `package.module:Name`. Imports the module, so its code runs.

    Raises TypeNameError for an invalid name, a module that is missing or fails, and a name that the
    module does not have.
    """
    module, colon, path = name.partition(":")
    if not (colon and _is_dotted(module) and path):
        message = f"expected MODULE:NAME, such as app.models:Person, found `{name}`"
        raise TypeNameError("schema/bad-type-name", message)
    if not _is_dotted(path):
        hint = f"name it in the module, `Answer = {path}`, and use `{module}:Answer`"
        message = f"`{path}` is not a name in `{module}`"
        raise TypeNameError("schema/no-type", message, hint)
    found: Any = _imported(module)
    for step in path.split("."):
        if not hasattr(found, step):
            hint = did_you_mean(step, [one for one in dir(found) if not one.startswith("_")])
            owner = module if found is not None and hasattr(found, "__spec__") else name_of(found)
            raise TypeNameError("schema/no-type", f"`{owner}` has no `{step}`", hint)
        found = getattr(found, step)
    return found


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        if missing and (name == missing or name.startswith(f"{missing}.")):
            hint = "modules are looked up in the current directory and among installed packages"
            message = f"there is no module `{missing}`"
            raise TypeNameError("schema/no-module", message, hint) from error
        reason = f"{type(error).__name__}: {error}".removesuffix(": ")
        message = f"the module `{name}` cannot be imported: {reason}"
        raise TypeNameError("schema/import", message) from error
