"""Inclusion of schemas: whether every answer that fits one is valid under another.

Every value of OLD is one of NEW if no value satisfies `{"allOf": [OLD, {"not": NEW}]}`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pdl.compare.verdicts import Inclusion, No, Unknown, Yes
from pdl.errors import LimitError, SchemaError
from pdl.gbnf import Options
from pdl.gbnf import compile as compile_schema
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply import check
from pdl.schema import Schema
from pdl.schema.keywords import subschemas
from pdl.schema.model import schema_of, schema_type_error

if TYPE_CHECKING:
    from pdl._types import Json

_SPELLING = Options(whitespace="compact", escapes="canonical", numbers="any")


def includes(
    old: Schema | type[Any], new: Schema | type[Any], *, limits: Limits = DEFAULT_LIMITS
) -> Inclusion:
    """Return whether every answer that fits the old schema is valid under the new one.

    Python types are allowed too. `Yes` is proven; `No` has an answer that fits `old` and not `new`,
    as the checker finds; `Unknown` says why neither is known, such as that more than
    `limits.grammar_seconds` are needed. Raises TypeError for anything but schemas and types,
    SchemaError for a type that has no schema.
    """
    one, other = schema_of(old), schema_of(new)
    if one is None or other is None:
        raise schema_type_error(old if one is None else new)
    if one == other:
        return Yes()
    both = {
        "allOf": [{"$ref": "#/$defs/old"}, {"not": {"$ref": "#/$defs/new"}}],
        "$defs": {"old": _moved(one.document, "old"), "new": _moved(other.document, "new")},
    }
    try:
        text = compile_schema(Schema(both), _SPELLING, limits=limits).grammar.shortest()
    except SchemaError:
        return Yes()
    except LimitError as error:
        return Unknown(error.problems[0].message)
    if check(one, text) and not check(other, text):
        return No(text, json.loads(text))
    return Unknown("the schemas have keywords that a grammar does not enforce")


def _moved(schema: Json, name: str) -> Json:
    """A document as a definition of another one: its references begin with the name."""
    if not isinstance(schema, dict):
        return schema
    moved: dict[str, Any] = dict(schema)
    if "$ref" in moved:
        moved["$ref"] = f"#/$defs/{name}" + moved["$ref"].removeprefix("#")
    for path, inner in subschemas(schema):
        keyword, *rest = path
        value = _moved(inner, name)
        if not rest:
            moved[str(keyword)] = value
            continue
        moved[str(keyword)] = container = moved[str(keyword)].copy()
        container[rest[0]] = value
    return moved
