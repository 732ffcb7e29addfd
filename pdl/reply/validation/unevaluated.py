"""`unevaluatedProperties`, `unevaluatedItems` (2020-12 core, 11): what no keyword looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pdl.reply.validation.json_types import KINDS
from pdl.reply.validation.patterns import compile_pattern
from pdl.reply.validation.references import Document, resolve

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.validation.keywords import CellOf, Memo, Test


def unevaluated(document: Document, cell_of: CellOf, schema: Mapping[str, Any]) -> Iterator[Test]:
    """The compiled tests of the two keywords, where the schema has them."""
    for word, kind in (("unevaluatedProperties", "object"), ("unevaluatedItems", "array")):
        if word in schema:
            yield _test(document, cell_of, schema, word, kind)


def _test(
    document: Document, cell_of: CellOf, schema: Mapping[str, Any], word: str, kind: str
) -> Test:
    rest, is_kind = cell_of(schema[word]), KINDS[kind]

    def test(value: Json, memo: Memo) -> bool:
        if is_kind(value):
            for step in rest_of(document, cell_of, schema, value, memo):
                if not rest[0](value[step], memo):
                    return False
        return True

    return test


def rest_of(
    document: Document, cell_of: CellOf, schema: Mapping[str, Any], value: Json, memo: Memo
) -> list[Any]:
    """The keys or indices that no keyword looked at, here or in what applies in place."""
    rest = dict.fromkeys(value if isinstance(value, dict) else range(len(value)))
    look = _properties if isinstance(value, dict) else _items
    word = "unevaluatedProperties" if isinstance(value, dict) else "unevaluatedItems"
    pending: list[Any] = [schema]
    seen: set[int] = set()
    while pending and rest:
        current = pending.pop()
        if not isinstance(current, Mapping) or id(current) in seen:
            continue
        seen.add(id(current))
        if word in current and current is not schema:
            return []
        for step in look(cell_of, current, value, memo):
            rest.pop(step, None)
        pending += _in_place(document, cell_of, current, value, memo)
    return list(rest)


def _in_place(
    document: Document, cell_of: CellOf, schema: Mapping[str, Any], value: Json, memo: Memo
) -> Iterator[Any]:
    """The subschemas that apply to the same value and that it fits."""
    if "$ref" in schema:
        yield resolve(document, schema["$ref"])
    yield from schema.get("allOf", ())
    for word in ("anyOf", "oneOf"):
        yield from (sub for sub in schema.get(word, ()) if cell_of(sub)[0](value, memo))
    if "if" in schema:
        fits = cell_of(schema["if"])[0](value, memo)
        yield from (schema["if"], schema.get("then", True)) if fits else (schema.get("else", True),)
    if isinstance(value, dict):
        dependent = schema.get("dependentSchemas", {})
        yield from (sub for name, sub in dependent.items() if name in value)


def _properties(_cell_of: CellOf, schema: Mapping[str, Any], value: Json, _memo: Memo) -> list[str]:
    if "additionalProperties" in schema:
        return list(value)
    known = schema.get("properties", {})
    matchers = [compile_pattern(pattern) for pattern in schema.get("patternProperties", {})]
    return [name for name in value if name in known or any(fits(name) for fits in matchers)]


def _items(cell_of: CellOf, schema: Mapping[str, Any], value: Json, memo: Memo) -> list[int]:
    if "items" in schema:
        return list(range(len(value)))
    known = list(range(len(schema.get("prefixItems", ()))))
    if "contains" in schema:
        cell = cell_of(schema["contains"])
        known += [index for index, part in enumerate(value) if cell[0](part, memo)]
    return known
