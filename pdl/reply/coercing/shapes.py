"""What holds at one place of a value: schemas without the references and unions in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.reply.validation.json_types import KINDS
from pdl.reply.validation.references import Document, resolve

if TYPE_CHECKING:
    from pdl._types import Json

Schemas: TypeAlias = tuple[Any, ...]
"""Subschemas that all hold for one value."""

Shape: TypeAlias = tuple[Mapping[str, Any], ...]
"""The same with one branch chosen of each union; only the keywords of each itself count."""

_MOST = 2_000  # choices of branches that are looked at for one place


class TooManyError(Exception):
    """The unions of a place combine in more ways than are looked at."""


def shapes(document: Document, schemas: Schemas, value: Json) -> list[Shape]:
    """Each choice of branches that allows the type of the value. Raises TooManyError."""
    found: dict[tuple[int, ...], Shape] = {}
    pending: list[tuple[Shape, list[Json], list[list[Json]]]] = [((), list(schemas), [])]
    for _ in range(_MOST):
        if not pending:
            return list(found.values())
        shape, todo, unions = pending.pop()
        spread = _spread(document, shape, todo, unions, value)
        if spread is None:
            continue
        if unions:
            union, *others = unions
            pending += [(spread, [branch], list(others)) for branch in reversed(union)]
        else:
            found[tuple(map(id, spread))] = spread
    raise TooManyError


def _spread(
    document: Document, shape: Shape, todo: list[Json], unions: list[list[Json]], value: Json
) -> Shape | None:
    """The shape with all that is to do; notes its unions. None if the value's type is excluded."""
    seen = set(map(id, shape))
    found = list(shape)
    while todo:
        schema = todo.pop(0)
        if schema is False:
            return None
        if schema is True or id(schema) in seen:
            continue
        if not _allows(schema, value):
            return None
        seen.add(id(schema))
        found.append(schema)
        todo += _joined(document, schema, value)
        unions += _unions(schema)
    return tuple(found)


def _allows(schema: Mapping[str, Any], value: Json) -> bool:
    kinds = schema.get("type")
    if kinds is None:
        return True
    return any(KINDS[kind](value) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _joined(document: Document, schema: Mapping[str, Any], value: Json) -> Iterator[Json]:
    """What holds beside a schema in any case."""
    if "$ref" in schema:
        yield resolve(document, schema["$ref"])
    yield from schema.get("allOf", ())
    if isinstance(value, dict):
        dependent = schema.get("dependentSchemas", {})
        yield from (sub for name, sub in dependent.items() if name in value)


def _unions(schema: Mapping[str, Any]) -> Iterator[list[Json]]:
    """The choices that a schema leaves; which one is right shows when the value is checked."""
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            yield list(schema[keyword])
    if "if" in schema:
        yield [schema.get("then", True), schema.get("else", True)]
