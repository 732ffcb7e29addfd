"""From a reference of a schema's document to what it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pdl.schema.keywords import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath, JsonSchema


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
