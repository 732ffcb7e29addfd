"""Where schemas stand inside schemas (JSON Schema Core 2020-12, section 10, and older drafts)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath, JsonSchema

ONE = frozenset(
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

MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is an array of schemas; `items` was one too, up to 2019-09."""

NAMED = frozenset(
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
        *(ONE - {"additionalItems", "contentSchema"}),
        *MANY,
        *("dependentSchemas", "patternProperties", "properties"),
    }
)
"""Keywords of 2020-12 that an instance can violate."""

DIGITS = "x-draft-4-integer"
"""Says of a schema of draft 4 that its integers are written in digits alone, so that 1.0 is none.

An integer is "a JSON number without a fraction or exponent part" there (Core, draft 4, section
3.5), and any number with a zero fraction from draft 6 on, which has no keyword for the difference.
"""

IN_PLACE = frozenset({"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"})
"""Keywords whose schemas look at the same value as the schema that holds them."""


def subschemas(node: JsonSchema) -> Iterator[tuple[JsonPath, Json]]:
    """The schemas right inside a schema, each with the steps that lead to it."""
    for key, value in node.items():
        if isinstance(value, list) and (key in MANY or key == "items"):
            for index, inner in enumerate(value):
                yield (key, index), inner
        elif isinstance(value, dict) and key in NAMED:
            for name, inner in value.items():
                if not (key == "dependencies" and isinstance(inner, list)):
                    yield (key, name), inner
        elif key in ONE:
            yield (key,), value


def pointer(path: JsonPath) -> str:
    """A path as the fragment of a reference: `#/$defs/a~1b` (RFC 6901, section 6).

    Only `%` is encoded besides `~` and `/`: the other characters stay readable.
    """
    return "".join(["#", *map(_step, path)])


@lru_cache(maxsize=1024)
def _step(step: str | int) -> str:
    return "/" + str(step).replace("~", "~0").replace("/", "~1").replace("%", "%25")
