"""Where schemas are inside schemas (JSON Schema Core 2020-12, section 10, and older drafts).

Pointers (RFC 6901) name them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath, JsonSchema


ONE_SCHEMA = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose value is a schema."""

SCHEMA_ARRAYS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is an array of schemas; `items` was one too, up to 2019-09."""

SCHEMA_MAPS = frozenset(
    {
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    }
)
"""Keywords whose value is an object of schemas; in `dependencies` some may be arrays of names."""

ANNOTATIONS = frozenset(
    {
        "$comment",
        "default",
        "deprecated",
        "description",
        "example",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Keywords that no instance can violate."""

ASSERTIONS = frozenset(
    {
        *("$ref", "const", "dependentRequired", "enum", "format", "pattern", "required", "type"),
        *("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"),
        *("maxContains", "maxItems", "maxLength", "maxProperties", "uniqueItems"),
        *("minContains", "minItems", "minLength", "minProperties"),
        *(ONE_SCHEMA - {"additionalItems", "contentSchema"}),
        *SCHEMA_ARRAYS,
        *("dependentSchemas", "patternProperties", "properties"),
    }
)
"""Keywords of 2020-12 that an instance can violate."""

JSON_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
"""The values of `type`."""

DRAFT_4_INTEGER = "x-draft-4-integer"
"""Says of a schema of draft 4 that its integers are written in digits alone, so that 1.0 is none.

An integer is "a JSON number without a fraction or exponent part" there (Core, draft 4, section
3.5), and any number with a zero fraction from draft 6 on, which has no keyword for the difference.
"""

IN_PLACE_APPLICATORS = frozenset(
    {"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
)
"""Keywords whose schemas look at the same value as the schema that holds them."""


def subschemas(node: JsonSchema) -> Iterator[tuple[JsonPath, Json]]:
    """The schemas right inside a schema, each with the steps that lead to it."""
    for key, value in node.items():
        if isinstance(value, list) and (key in SCHEMA_ARRAYS or key == "items"):
            for index, inner in enumerate(value):
                yield (key, index), inner
        elif isinstance(value, dict) and key in SCHEMA_MAPS:
            for name, inner in value.items():
                if not (key == "dependencies" and isinstance(inner, list)):
                    yield (key, name), inner
        elif key in ONE_SCHEMA:
            yield (key,), value


def pointer(path: JsonPath) -> str:
    """A path as the fragment of a reference: `#/$defs/a~1b` (RFC 6901, section 6).

    Only `%` is encoded besides `~` and `/`: the other characters stay readable.
    """
    return "".join(["#", *map(_step, path)])


@lru_cache(maxsize=1024)
def _step(step: str | int) -> str:
    return "/" + str(step).replace("~", "~0").replace("/", "~1").replace("%", "%25")


def steps(reference: str) -> JsonPath:
    """The keys that a reference within a document leads through (RFC 6901, section 6).

    Indices of arrays are strings too: only the document tells them from keys.
    """
    tokens = unquote(reference.removeprefix("#")).split("/")[1:]
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def lookup(document: JsonSchema, reference: str) -> Json:
    """The schema that a reference of a `Schema.document` names; KeyError if there is none."""
    node: Json = document
    for step in steps(reference):
        try:
            node = node[int(step)] if isinstance(node, list) else node[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise KeyError(reference) from None
    return node


def schemas(document: Json) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """All schemas of a document that are objects, in its order.

    Behind them come those that only a reference tells from other values, as
    `#/components/schemas/a` does.
    """
    pending: list[tuple[JsonPath, Json]] = [((), document)]
    named: dict[str, None] = {}
    seen: set[int] = set()
    while pending or named:
        if not pending:
            path = steps(next(iter(named)))
            del named[next(iter(named))]
            pending = [_found(document, path)]
        path, schema = pending.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield path, schema
        if isinstance(schema.get("$ref"), str):
            named[schema["$ref"]] = None
        inside = [((*path, *inner_path), inner) for inner_path, inner in subschemas(schema)]
        pending += reversed(inside)


def _found(document: Json, path: JsonPath) -> tuple[JsonPath, Json]:
    """What stands at a path, which names indices by their digits, and its path with indices."""
    found: list[str | int] = []
    for step in path:
        found.append(int(step) if isinstance(document, list) else step)
        document = document[found[-1]]
    return tuple(found), document
