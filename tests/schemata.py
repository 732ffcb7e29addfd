"""Random JSON Schemas of all keywords, and random values that often come close to them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pdl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEYS = ("a", "b", "c", "x1", "é")
ODD_KEYS = ("", 'a"b', "\0", "k" * 30, "a/b~c%d", "ab", "\U0001f600")
PATTERNS = ("^a", "b$", "^x[0-9]$", "a|b", "^(?!x)", "^.{2}$", r"^\w*$", "[^a]", "^(a|b)*?$", "^$")
FORMATS = (
    *("date", "ipv4", "uuid", "unheard-of", "date-time", "time", "duration", "email", "hostname"),
    *("ipv6", "uri", "uri-reference", "iri", "uri-template", "json-pointer", "regex"),
    *("relative-json-pointer", "idn-email", "idn-hostname", "iri-reference"),
)
STRINGS = ("", "a", "ab", "b", "ba", "x1", "aab", "2024-02-29", "1.2.3.4", 'q"\\', "é")
ODD_STRINGS = (
    *("2023-02-29", "2024-02-29T23:59:60Z", "23:59:59.5+01:00", "P1DT2H", "P", "a@b.de", "a.b-c"),
    *("::1", "1::2.3.4.5", "https://a.b/c?d#e", "/a/~0", "0#", "{x*}", "(", "\0", "\x1f\x7f", "/"),
    *("550e8400-e29b-41d4-a716-446655440000", "256.1.1.1", "\u2028", "\U0001f600", *ODD_KEYS),
)
NUMBERS = (0, 1, 2, 3, 5, 10, -1, -2, 0.5, 1.5, -0.25, 2.0, 100)
ODD_NUMBERS = (1e22, 0.1 + 0.2, 1e-7, -0.0, 10**20, -(10**20), 1e20, 2**53 + 1, 0.1, 99.99, 1.0)
STEPS = (1, 2, 3, 0.5, 0.25)
ODD_STEPS = (0.1, 0.01, 1e-7, 7, 10, 1.5, 64, 10**20, 3.7)
_ODD = 0.08
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")


def satisfiable(name: str, count: int, *, strict: bool) -> Iterator[pdl.Schema]:
    """Schemas that some value satisfies; with `strict`, those that a grammar holds wholly.

    Another name gives others.
    """
    found = number = 0
    while found < count:
        rng = Random(f"{name} {number}")  # noqa: S311 - no secret
        number += 1
        try:
            made = pdl.Schema.from_json_schema(document(rng))
            pdl.to_gbnf(made, strict=strict)
        except pdl.SchemaError:
            continue
        found += 1
        yield made


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
    if rng.random() < 0.04:
        found["const"] = value(rng)
    if depth < 3 and rng.random() < 0.04:
        found["$ref"] = rng.choice(REFERENCES)
    return found


REFERENCES = ("#/$defs/one", "#/$defs/two", "#anchored", "#/$defs/a~1b%25")


def document(rng: Random) -> dict[str, Any]:
    """A schema with definitions, some of which lead to themselves."""
    found = schema(rng)
    if not isinstance(found, dict):
        found = {"allOf": [found]}
    found["$defs"] = {name: schema(rng, 2) for name in ("one", "two")}
    found["$defs"]["a/b%"] = {"$anchor": "anchored", **_named(rng)}
    if rng.random() < 0.3:
        place = {"$ref": rng.choice(("#", "#/$defs/one", "#/$defs/two"))}
        found.setdefault("properties", {})[rng.choice(KEYS)] = place
    return found


def _named(rng: Random) -> dict[str, Any]:
    inner = schema(rng, 1)
    return inner if isinstance(inner, dict) else {"anyOf": [inner]}


def value(rng: Random, depth: int = 3) -> Any:
    """A JSON value of the texts, numbers and keys that schemas are made of."""
    kind = rng.choice(KINDS if depth else KINDS[:5])
    if kind == "null":
        return None
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("integer", "number"):
        return number(rng)
    if kind == "string":
        return string(rng)
    if kind == "array":
        return [value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    keys = [key for key in KEYS if rng.random() < 0.4]
    if rng.random() < _ODD:
        keys.insert(rng.randint(0, len(keys)), key_of(rng))
    return {key: value(rng, depth - 1) for key in keys}


def number(rng: Random) -> float:
    """A number that schemas speak of."""
    return rng.choice(ODD_NUMBERS if rng.random() < _ODD else NUMBERS)


def string(rng: Random) -> str:
    """A string that schemas speak of."""
    return rng.choice(ODD_STRINGS if rng.random() < 2 * _ODD else STRINGS)


def key_of(rng: Random) -> str:
    """A key that schemas speak of."""
    return rng.choice(ODD_KEYS if rng.random() < _ODD else KEYS)


def _inner(rng: Random, depth: int) -> Any:
    if depth <= 0:
        return rng.choice((True, {"type": rng.choice(KINDS[:5])}, {"const": rng.choice(NUMBERS)}))
    if rng.random() < 0.08:
        return {"$ref": rng.choice(REFERENCES)} if depth < 2 else True
    return schema(rng, depth - 1)


def _number(rng: Random, _depth: int) -> dict[str, Any]:
    keyword = rng.choice(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    )
    if keyword == "multipleOf":
        return {keyword: rng.choice(ODD_STEPS if rng.random() < 2 * _ODD else STEPS)}
    return {keyword: number(rng)}


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
    lambda rng, depth: {
        "prefixItems": [_inner(rng, depth)],
        "contains": _inner(rng, depth),
        "unevaluatedItems": _inner(rng, depth),
    },
    lambda rng, _: {"uniqueItems": rng.random() < 0.7},
    lambda rng, depth: {"unevaluatedItems": _inner(rng, depth)},
)


def _object(rng: Random, depth: int) -> dict[str, Any]:
    return rng.choice(_OBJECTS)(rng, depth)


def _some(rng: Random) -> list[str]:
    return list({key_of(rng): None for _ in range(rng.randint(1, 2))})


def _properties(rng: Random, depth: int) -> dict[str, Any]:
    keys = [key_of(rng) for _ in range(rng.randint(1, 3))]
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
    lambda rng, _: {"propertyNames": {"not": {"enum": [string(rng), string(rng)]}}},
    lambda rng, _: {"minProperties": rng.randint(0, 2)},
    lambda rng, _: {"maxProperties": rng.randint(0, 3)},
    lambda rng, _: {"dependentRequired": {key_of(rng): _some(rng)}},
    lambda rng, depth: {"dependentSchemas": {key_of(rng): _inner(rng, depth)}},
    lambda rng, depth: {"unevaluatedProperties": rng.choice((False, _inner(rng, depth)))},
)


def _joined(rng: Random, depth: int) -> dict[str, Any]:
    keyword = rng.choice(("allOf", "anyOf", "oneOf", "not", "if", "tagged"))
    if keyword == "tagged":
        return {"oneOf": [_tagged(rng, depth, tag) for tag in rng.sample(STRINGS, 2)]}
    if keyword == "not":
        return {"not": _inner(rng, depth)}
    if keyword == "if":
        parts = {"if": _inner(rng, depth), "then": _inner(rng, depth), "else": _inner(rng, depth)}
        if rng.random() < 0.4:
            del parts[rng.choice(("then", "else"))]
        return parts
    return {keyword: [_inner(rng, depth) for _ in range(rng.randint(1, 3))]}


def _tagged(rng: Random, depth: int, tag: str) -> dict[str, Any]:
    """One of several schemas that are told apart by what a key says."""
    parts = {"a": {"const": tag}, rng.choice(KEYS[1:]): _inner(rng, depth)}
    return {"type": "object", "properties": parts, "required": ["a"]}


_PARTS: dict[str, Callable[[Random, int], dict[str, Any]]] = {
    "null": lambda _rng, _depth: {},
    "boolean": lambda _rng, _depth: {},
    "integer": _number,
    "number": _number,
    "string": _string,
    "array": _array,
    "object": _object,
}
