"""A schema's text: the notation, a JSON Schema in a fence, or a file that holds one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.errors import Problem, error_from
from pdl.schema.notation.read import read

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.schema.embedded import Resolve
    from pdl.schema.parts import Parts
    from pdl.source import Source

# Most schemas are in the notation, and do not pay for what reads JSON Schema.
# ruff: noqa: PLC0415

_BLANKS = "\ufeff \t\r\n"
_LIKE_JSON = re.compile(r"\{\s*\"")


def parse(source: Source, limits: Limits, resolve: Resolve | None) -> Parts:
    """The schema that the text holds. Raises SchemaError or LimitError, each with a place."""
    start = len(source.text) - len(source.text.lstrip(_BLANKS))
    if source.text.startswith("@", start):
        from pdl.schema.embedded import from_file

        return from_file(source, start, limits, resolve)
    if source.text.startswith(("```", "~~~"), start):
        from pdl.schema.embedded import from_fence

        return from_fence(source, start, limits)
    if _LIKE_JSON.match(source.text, start):
        _check_bare(source, start, limits)
    return read(source, limits)


def _check_bare(source: Source, start: int, limits: Limits) -> None:
    from pdl.schema.json_schema.load import looks_like_schema

    if looks_like_schema(source.text, limits):
        message = "this is a JSON Schema, which the notation would read as an object of constants"
        hint = "put it into a ```json fence, or call Schema.from_json_schema"
        raise error_from([Problem("schema/bare-json-schema", message, source.span(start), hint)])
