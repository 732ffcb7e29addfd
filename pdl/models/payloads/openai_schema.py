"""OpenAI's strict schemas: the JSON Schema that they enforce (guide "Structured model outputs")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.response_decoder import ResponseDecoder
from pdl.models.payloads.schema_dialect import SchemaDialect, UnsupportedSchemaError
from pdl.models.payloads.schema_projection import ProviderSchema, free_key, project, wrapped
from pdl.schema.formats import standard
from pdl.schema.keywords import schemas, subschemas

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.schema import Schema

STRICT = SchemaDialect(
    provider="OpenAI",
    keywords=frozenset(
        {
            *("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"),
            *("maxItems", "minItems", "pattern"),
        }
    ),
    formats=frozenset(
        {
            *("date", "date-time", "time", "duration"),
            *("email", "hostname", "ipv4", "ipv6", "uuid"),
        }
    ),
    all_required=True,
    object_root=True,
)

_DEEPEST = 10
_MOST_KEYS = 5_000
_MOST_VALUES = 1_000
_MOST_CHARS = 120_000
_MANY_STRINGS = 250
_MOST_STRINGS = 15_000
"""The characters that an enum of more than `_MANY_STRINGS` strings may have."""


def strict_schema(schema: Schema) -> tuple[ProviderSchema, bool]:
    """Project a schema to OpenAI's dialect, and return whether it is enforced (`strict`).

    A schema that has no strict form is sent as it is, and only advises the model.
    """
    try:
        projected = project(schema.document, STRICT)
        refuse_large(projected.schema)
    except UnsupportedSchemaError as error:
        held = error.dropped(
            "; so nothing of the schema is enforced, it is only shown to the model"
        )
        return advice(schema, dropped=(held,)), False
    return projected, True


def advice(schema: Schema, **more: Any) -> ProviderSchema:
    """Return the whole schema, wrapped in an object unless it is one."""
    document = standard(schema.to_json_schema())
    if document.get("type") == "object":
        return ProviderSchema(document, **more)
    key = free_key(document)
    _move(document, f"/properties/{key}")
    return ProviderSchema(wrapped(document, key), decoder=ResponseDecoder((), key), **more)


def _move(document: dict[str, Json], prefix: str) -> None:
    """Adjust references to the position of the document in another."""
    for _, node in list(schemas(document)):  # all of them first: references find some
        if "$ref" in node:
            node["$ref"] = f"#{prefix}{node['$ref'].removeprefix('#')}"


def refuse_large(schema: dict[str, Any]) -> None:
    """Raise UnsupportedSchemaError beyond the bounds on keys, depth, enums and characters."""
    keys = values = chars = deepest = strings = 0
    pending: list[tuple[Any, int]] = [(schema, 0)]
    while pending:
        node, depth = pending.pop()
        names = node.get("properties", ())
        choices = node.get("enum", ())
        depth += "properties" in node
        keys, values, deepest = keys + len(names), values + len(choices), max(deepest, depth)
        chars += sum(map(len, (*names, *node.get("$defs", ()), *map(str, choices))))
        strings = max(strings, _chars_of_many(choices))
        pending += [(inner, depth) for _, inner in subschemas(node) if isinstance(inner, dict)]
    for count, most, what in (
        (keys, _MOST_KEYS, "keys"),
        (values, _MOST_VALUES, "values in enums"),
        (chars, _MOST_CHARS, "characters in names and values"),
        (deepest, _DEEPEST, "levels of objects"),
        (strings, _MOST_STRINGS, "characters in one long enum"),
    ):
        if count > most:
            raise UnsupportedSchemaError(
                (), "", f"it has {count:,} {what}, and OpenAI allows {most:,}"
            )


def _chars_of_many(choices: Any) -> int:
    """The characters of the strings of a large enum."""
    strings = [one for one in choices if isinstance(one, str)]
    return sum(map(len, strings)) if len(strings) > _MANY_STRINGS else 0
