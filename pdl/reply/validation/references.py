"""What a schema refers to: every `$ref` is `#` and a JSON pointer into the same document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from pdl._types import Json, JsonSchema
from pdl.schema.references import lookup

Document: TypeAlias = JsonSchema | bool
"""A whole JSON Schema, in which every `$ref` leads to a part of itself."""


def resolve(document: Document, ref: str) -> Json:
    """The subschema that a `$ref` names. Raises LookupError if there is none."""
    return lookup(document if isinstance(document, Mapping) else {}, ref)


def branches(document: Document, schema: Json) -> Iterator[Mapping[str, Any]]:
    """A schema, what its references name, and what its unions and conjunctions are made of.

    Each of them once, and none of the schemas of its parts.
    """
    return _joined(document, schema, ("anyOf", "oneOf", "allOf"), ("then", "else"))


def conjoined(document: Document, schema: Json) -> Iterator[Mapping[str, Any]]:
    """A schema and what holds with it: what its references name, and its `allOf`."""
    return _joined(document, schema, ("allOf",), ())


def _joined(
    document: Document, schema: Json, lists: tuple[str, ...], single: tuple[str, ...]
) -> Iterator[Mapping[str, Any]]:
    """A schema, and those that its references and some keywords lead to, each once."""
    pending: list[Json] = [schema]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if not isinstance(current, Mapping) or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if "$ref" in current:
            pending.append(resolve(document, current["$ref"]))
        for keyword in lists:
            pending += current.get(keyword, ())
        pending += [current[keyword] for keyword in single if keyword in current]
