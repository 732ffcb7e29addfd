"""Alternatives in their one normal form."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json, JsonSchema

NULL: JsonSchema = {"type": "null"}


def join(parts: Sequence[JsonSchema]) -> JsonSchema:
    """The union of schemas that are no unions themselves.

    All constants become one `enum` where the first of them stands, and null joins them; null beside
    a single plain type makes `type` a list; all else is `anyOf`.
    """
    some = any("const" in part for part in parts)
    constants = [part for part in parts if _is_constant(part, some=some)]
    types = [part for part in parts if part != NULL and "const" not in part]
    if not types:
        return _choice(constants) if constants else NULL
    if not constants and len(types) == 1:
        return types[0] if len(parts) == 1 else _nullable(types[0])
    merged: list[JsonSchema] = []
    waiting = [_choice(constants)] if constants else [NULL]
    for part in parts:
        if "const" not in part and part != NULL:
            merged.append(part)
        elif waiting:
            merged.append(waiting.pop())
    return {"anyOf": merged}


def same(one: Json) -> tuple[str, Json]:
    """What two scalars share if JSON Schema takes them as equal: 1 and 1.0, not 1 and true."""
    return ("bool" if isinstance(one, bool) else "", one)


def _is_constant(part: JsonSchema, *, some: bool) -> bool:
    return "const" in part or (some and part == NULL)


def _choice(constants: list[JsonSchema]) -> JsonSchema:
    values = list({same(part.get("const")): part.get("const") for part in constants}.values())
    return {"const": values[0]} if len(values) == 1 else {"enum": values}


def _nullable(part: JsonSchema) -> JsonSchema:
    if isinstance(part.get("type"), str):
        return {**part, "type": [part["type"], "null"]}
    return {"anyOf": [part, NULL]}
