"""Which keywords contain schemas, and JSON Pointers (RFC 6901) to them.

JSON Schema Core 2020-12, section 10, and older drafts.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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

SIZES = MappingProxyType({"string": "Length", "array": "Items", "object": "Properties"})
"""The types that have a size, and how the keywords end that bound it, such as `minLength`."""

DRAFT_4_INTEGER = "x-draft-4-integer"
"""Marks a schema of draft 4, whose integers are written in digits alone, so 1.0 is not one.

An integer is "a JSON number without a fraction or exponent part" there (Core, draft 4, section
3.5), and any number with a zero fraction from draft 6 on, which has no keyword for the difference.
"""

IN_PLACE_APPLICATORS = frozenset(
    {"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
)
"""Keywords whose schemas apply to the same value as the schema that contains them."""


def types_of(schema: JsonSchema) -> list[str]:
    """Return the types that `type` names; an empty list if there is none."""
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


def subschemas(node: JsonSchema) -> Iterator[tuple[JsonPath, Json]]:
    """Yield the schemas directly inside a schema, each after the steps to it."""
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
    """Write a path as the fragment of a reference: `#/$defs/a~1b` (RFC 6901, section 6).

    Only `%` is encoded besides `~` and `/`: the other characters stay readable.
    """
    return "".join(["#", *map(_step, path)])


@lru_cache(maxsize=1024)
def _step(step: str | int) -> str:
    return "/" + str(step).replace("~", "~0").replace("/", "~1").replace("%", "%25")


def steps(reference: str) -> JsonPath:
    """Return the keys of a reference within a document (RFC 6901, section 6).

    Indices of arrays are strings too: only the document distinguishes them from keys.
    """
    return tuple(map(parse_step, unquote(reference.removeprefix("#")).split("/")[1:]))


def parse_step(token: str) -> str:
    """Return the key that a reference token of a JSON pointer represents."""
    return token.replace("~1", "/").replace("~0", "~")


DEFINITIONS = "#/$defs/"
"""How references to named definitions begin."""


def reachable(root: JsonSchema, definitions: Mapping[str, JsonSchema]) -> set[str]:
    """Return the names of definitions that the root uses, directly or through others."""
    found: set[str] = set()
    pending = [root]
    while pending:
        for node in nodes(pending.pop()):
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith(DEFINITIONS):
                name = reference.removeprefix(DEFINITIONS).split("/")[0]
                pending += [definitions[name]] if name in definitions and name not in found else []
                found.add(name)
    return found


def nodes(schema: Json) -> Iterator[dict[str, Any]]:
    """Yield a schema and all its subschemas that are objects, without following references."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending += [inner for _, inner in subschemas(node)]


def lookup(document: JsonSchema, reference: str) -> Json:
    """Return what a reference of a document names. Raises KeyError if that does not exist."""
    try:
        return _find(document, steps(reference))[1]
    except (KeyError, IndexError, ValueError, TypeError):
        raise KeyError(reference) from None


def schemas(document: Json) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """Yield all schemas of a document that are objects, in its order.

    After them come those that only a reference distinguishes from other values, such as
    `#/components/schemas/a`.
    """
    pending: list[tuple[JsonPath, Json]] = [((), document)]
    named: dict[str, None] = {}
    seen: set[int] = set()
    while pending or named:
        if not pending:
            reference = next(iter(named))
            del named[reference]
            pending = [_find(document, steps(reference))]
        path, schema = pending.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield path, schema
        if isinstance(schema.get("$ref"), str):
            named[schema["$ref"]] = None
        inside = [((*path, *inner_path), inner) for inner_path, inner in subschemas(schema)]
        pending += reversed(inside)


def _find(document: Json, path: JsonPath) -> tuple[JsonPath, Json]:
    """The value at a path that writes indices as digits, and its path with integers."""
    found: list[str | int] = []
    for step in path:
        found.append(int(step) if isinstance(document, list) else step)
        document = document[found[-1]]
    return tuple(found), document
