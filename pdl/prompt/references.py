"""A schema turn, and the files that it may refer to: `@file.json`, `@package:path`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import schema as schemas
from pdl.errors import Problem, SchemaError
from pdl.prompt.folder import Folder, JailError, package_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.limits import Limits
    from pdl.schema import Schema
    from pdl.source import Source


def parse_schema(source: Source, folder: Folder | None, limits: Limits) -> Schema:
    """The schema of a turn. Raises SchemaError or LimitError."""
    _refuse_reference_in_value(source)
    try:
        return schemas.Schema.parse(source, limits=limits, resolve=_reader(folder, limits))
    except (JailError, OSError, UnicodeDecodeError) as error:
        text = source.text.strip()
        start = source.text.find(text)
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        message = f"the schema's file cannot be read: {reason}"
        span = source.span(start, start + len(text))
        named = text.startswith("@") and ":" in text
        hint = "write `@PACKAGE:PATH` with the name of an installed package" if named else ""
        raise SchemaError(Problem("schema/bad-file", message, span, hint)) from error


def _refuse_reference_in_value(source: Source) -> None:
    """Only the prompt's own text names files: a value that begins with `@` would read any."""
    text = source.text.strip()
    start = source.text.find(text)
    written = any(one.start <= start < one.start + one.length for one in source.anchors)
    if text.startswith("@") and not written:
        message = "this `@` comes from a value, and only the prompt's own text names a file"
        hint = "write `@` and the file into the `schema` turn itself"
        raise SchemaError(Problem("schema/bad-file", message, source.span(start), hint))


def _reader(folder: Folder | None, limits: Limits) -> Callable[[str], tuple[str, str]]:
    """A function from what stands behind the `@` to the text and the name of the file."""

    def read(reference: str) -> tuple[str, str]:
        package, colon, path = reference.partition(":")
        where, path = (package_folder(package), path) if colon else (folder, reference)
        if where is None:
            raise JailError("this prompt was loaded from text; give `pdl.loads` a `base`")
        return where.read(path, limits.source_chars).decode("utf-8-sig"), reference

    return read
