"""`$ref` inside one document: every one is `#` and a JSON pointer (RFC 6901, URI fragment form)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

from pdl._types import Json, JsonSchema

Document: TypeAlias = JsonSchema | bool
"""A whole JSON Schema, in which every `$ref` leads to a part of itself."""


def resolve(document: Document, ref: str) -> Json:
    """The subschema that a `$ref` names. Raises LookupError if there is none."""
    target: Any = document
    for step in unquote(ref.removeprefix("#")).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        target = target[int(name)] if isinstance(target, list) else target[name]
    return target


def branches(document: Document, schema: Json) -> Iterator[Mapping[str, Any]]:
    """A schema, what its references name, and what its unions and conjunctions are made of.

    Each of them once, and none of the schemas of its parts.
    """
    return _joined(document, schema, ("anyOf", "oneOf", "allOf"), ("then", "else"))


def conjoined(document: Document, schema: Json) -> Iterator[Mapping[str, Any]]:
    """A schema and what holds beside it: what its references name, and its `allOf`."""
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
