"""Random schemas as the notation makes them, and values in the form that OpenAI wants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

import pdl

if TYPE_CHECKING:
    from random import Random

NAMES = ("a", "b", "c", "answer")
_MORE: dict[str, list[dict[str, Any]]] = {
    "string": [{"minLength": 1}, {"maxLength": 2}, {"pattern": "^a"}, {"format": "date"}],
    "integer": [{"minimum": 1}, {"multipleOf": 2}, {"exclusiveMaximum": 5}],
    "array": [{"minItems": 1}, {"maxItems": 2}, {"uniqueItems": True}],
    "object": [{"minProperties": 1}, {"title": "T"}],
    "null": [{"description": "d"}],
}


def schema(rng: Random) -> pdl.Schema:
    """A schema whose objects are closed and whose parts all say their type."""
    document = {**part(rng, 3), "$defs": {"N": part(rng, 2, "object")}}
    return pdl.Schema.from_json_schema(document)


def part(rng: Random, depth: int, kind: str = "") -> dict[str, Any]:
    """A part of such a schema."""
    kinds = ["string", "integer", "null", "enum"]
    kinds += ["object", "array", "tuple", "union", "$ref"] * (depth > 0) * 2
    kind = kind or rng.choice(kinds)
    if kind in ("union", "tuple"):
        parts = [part(rng, depth - 1) for _ in range(rng.randint(1, 3))]
        closed: dict[str, Any] = {"items": False, "minItems": len(parts)}
        is_tuple = kind == "tuple"
        return {"type": "array", "prefixItems": parts, **closed} if is_tuple else {"anyOf": parts}
    if kind in ("$ref", "enum"):
        values = rng.sample(["x", "y", 1, 2.5, None], 2)
        return {"enum": values} if kind == "enum" else {"$ref": "#/$defs/N"}
    more = rng.choice(_MORE[kind]) if rng.random() < 0.5 else {}
    if kind == "array":
        return {"type": kind, "items": part(rng, depth - 1), **more}
    if kind == "object":
        names = rng.sample(NAMES, rng.randint(1, 3))
        properties = {name: part(rng, depth - 1) for name in names}
        required = [name for name in names if rng.random() < 0.5]
        closed = {"required": required, "additionalProperties": False}
        return {"type": kind, "properties": properties, **closed, **more}
    return {"type": kind, **more}


def widened(value: Any, projected: dict[str, Any], root: dict[str, Any]) -> Any:
    """A value with null for each key that a form wants and the value has not."""
    for leaf in _leaves(projected, root):
        found = _widened(value, leaf, root)
        whole = {**leaf, "$defs": root.get("$defs", {})}
        if Draft202012Validator(whole).is_valid(found):
            return found
    raise AssertionError((value, projected))


def _leaves(projected: dict[str, Any], root: dict[str, Any]) -> list[dict[str, Any]]:
    if "$ref" in projected:
        return _leaves(root["$defs"][projected["$ref"].rsplit("/", 1)[1]], root)
    if "anyOf" in projected:
        return [leaf for one in projected["anyOf"] for leaf in _leaves(one, root)]
    return [projected]


def _widened(value: Any, leaf: dict[str, Any], root: dict[str, Any]) -> Any:
    try:
        if (
            isinstance(value, dict)
            and leaf["type"] == "object"
            and value.keys() <= leaf["properties"].keys()
        ):
            return {
                name: widened(value[name], inner, root) if name in value else None
                for name, inner in leaf["properties"].items()
            }
        if isinstance(value, list) and leaf["type"] == "array":
            return [widened(one, leaf["items"], root) for one in value]
    except AssertionError:
        return value
    return value
