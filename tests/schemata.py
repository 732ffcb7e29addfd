"""Random JSON Schemas of all keywords, and random values that often come close to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

KEYS = ("a", "b", "c", "x1", "é")
PATTERNS = ("^a", "b$", "^x[0-9]$", "a|b", "^(?!x)", "^.{2}$", r"^\w*$", "[^a]")
FORMATS = ("date", "ipv4", "uuid", "unheard-of")
STRINGS = ("", "a", "ab", "b", "ba", "x1", "aab", "2024-02-29", "1.2.3.4", 'q"\\', "é")
NUMBERS = (0, 1, 2, 3, 5, 10, -1, -2, 0.5, 1.5, -0.25, 2.0, 100)
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")


def schema(rng: Random, depth: int = 3) -> Any:
    """A schema; keywords about one kind mostly come together with it."""
    if rng.random() < 0.06:
        return rng.random() < 0.8
    found: dict[str, Any] = {}
    kinds = rng.sample(KINDS, rng.choice((1, 1, 1, 1, 2, 3)))
    if rng.random() < 0.8:
        found["type"] = kinds[0] if len(kinds) == 1 else kinds
    for kind in kinds:
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            found.update(_PARTS[kind](rng, depth))
    if rng.random() < (0.3 if depth else 0.1):
        found.update(_joined(rng, depth))
    if rng.random() < 0.1:
        found["enum"] = [value(rng, 2) for _ in range(rng.randint(1, 4))]
    return found


def document(rng: Random) -> dict[str, Any]:
    """A schema with definitions, some of which lead to themselves."""
    found = schema(rng)
    if not isinstance(found, dict):
        found = {"allOf": [found]}
    names = ("one", "two")
    found["$defs"] = {name: schema(rng, 2) for name in names}
    if rng.random() < 0.3:
        place = {"$ref": rng.choice(("#", "#/$defs/one", "#/$defs/two"))}
        found.setdefault("properties", {})[rng.choice(KEYS)] = place
    return found


def value(rng: Random, depth: int = 3) -> Any:
    """A JSON value of the texts, numbers and keys that schemas are made of."""
    kind = rng.choice(KINDS if depth else KINDS[:5])
    if kind == "null":
        return None
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("integer", "number"):
        return rng.choice(NUMBERS)
    if kind == "string":
        return rng.choice(STRINGS)
    if kind == "array":
        return [value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    keys = [key for key in KEYS if rng.random() < 0.4]
    return {key: value(rng, depth - 1) for key in keys}


def _inner(rng: Random, depth: int) -> Any:
    if depth <= 0:
        return rng.choice((True, {"type": rng.choice(KINDS[:5])}, {"const": rng.choice(NUMBERS)}))
    if rng.random() < 0.08:
        return {"$ref": rng.choice(("#/$defs/one", "#/$defs/two"))} if depth < 2 else True
    return schema(rng, depth - 1)


def _number(rng: Random, _depth: int) -> dict[str, Any]:
    keyword = rng.choice(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    )
    if keyword == "multipleOf":
        return {keyword: rng.choice((1, 2, 3, 0.5, 0.25))}
    return {keyword: rng.choice(NUMBERS)}


def _string(rng: Random, _depth: int) -> dict[str, Any]:
    return rng.choice(
        (
            {"minLength": rng.randint(0, 3)},
            {"maxLength": rng.randint(0, 4)},
            {"pattern": rng.choice(PATTERNS)},
            {"format": rng.choice(FORMATS)},
        )
    )


def _array(rng: Random, depth: int) -> dict[str, Any]:
    return rng.choice(_ARRAYS)(rng, depth)


_ARRAYS: tuple[Callable[[Random, int], dict[str, Any]], ...] = (
    lambda rng, depth: {"items": _inner(rng, depth)},
    lambda rng, depth: {"items": _inner(rng, depth)},
    lambda rng, depth: {"prefixItems": [_inner(rng, depth) for _ in range(rng.randint(1, 2))]},
    lambda rng, _: {"minItems": rng.randint(0, 2)},
    lambda rng, _: {"maxItems": rng.randint(0, 3)},
    lambda rng, depth: {"contains": _inner(rng, depth)},
    lambda rng, depth: {
        "contains": _inner(rng, depth),
        "minContains": rng.randint(0, 2),
        "maxContains": rng.randint(0, 2),
    },
    lambda rng, _: {"uniqueItems": rng.random() < 0.7},
    lambda rng, depth: {"unevaluatedItems": _inner(rng, depth)},
)


def _object(rng: Random, depth: int) -> dict[str, Any]:
    return rng.choice(_OBJECTS)(rng, depth)


def _some(rng: Random) -> list[str]:
    return rng.sample(KEYS, rng.randint(1, 2))


def _properties(rng: Random, depth: int) -> dict[str, Any]:
    keys = rng.sample(KEYS, rng.randint(1, 3))
    return {"properties": {key: _inner(rng, depth) for key in keys}}


_OBJECTS: tuple[Callable[[Random, int], dict[str, Any]], ...] = (
    _properties,
    _properties,
    _properties,
    lambda rng, _: {"required": _some(rng)},
    lambda rng, _: {"required": _some(rng)},
    lambda rng, depth: {"additionalProperties": rng.choice((False, _inner(rng, depth)))},
    lambda rng, depth: {"patternProperties": {rng.choice(PATTERNS): _inner(rng, depth)}},
    lambda rng, _: {"propertyNames": {"pattern": rng.choice(PATTERNS)}},
    lambda rng, _: {"minProperties": rng.randint(0, 2)},
    lambda rng, _: {"maxProperties": rng.randint(0, 3)},
    lambda rng, _: {"dependentRequired": {rng.choice(KEYS): _some(rng)}},
    lambda rng, depth: {"dependentSchemas": {rng.choice(KEYS): _inner(rng, depth)}},
    lambda rng, depth: {"unevaluatedProperties": rng.choice((False, _inner(rng, depth)))},
)


def _joined(rng: Random, depth: int) -> dict[str, Any]:
    keyword = rng.choice(("allOf", "anyOf", "oneOf", "not", "if"))
    if keyword == "not":
        return {"not": _inner(rng, depth)}
    if keyword == "if":
        parts = {"if": _inner(rng, depth), "then": _inner(rng, depth), "else": _inner(rng, depth)}
        if rng.random() < 0.4:
            del parts[rng.choice(("then", "else"))]
        return parts
    return {keyword: [_inner(rng, depth) for _ in range(rng.randint(1, 3))]}


_PARTS: dict[str, Callable[[Random, int], dict[str, Any]]] = {
    "null": lambda _rng, _depth: {},
    "boolean": lambda _rng, _depth: {},
    "integer": _number,
    "number": _number,
    "string": _string,
    "array": _array,
    "object": _object,
}
