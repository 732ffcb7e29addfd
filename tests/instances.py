"""Values that come close to a schema: most of them satisfy it, and many fail it by one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import schemata

from pdl.reply.validation.formats import FORMATS
from pdl.schema.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

_DEEPEST = 6


class Instances:
    """Values for one document, made keyword by keyword; they need not satisfy it."""

    def __init__(self, document: Mapping[str, Any], rng: Random) -> None:
        self._root = document
        self._rng = rng

    def value(self, schema: Any = None, depth: int = 0) -> Any:
        """A value for a schema, by default for the whole document."""
        rng = self._rng
        said = self._told(self._root if schema is None else schema, depth)
        if depth > _DEEPEST or not said:
            return schemata.value(rng, 1)
        listed = [*said.get("enum", ()), *([said["const"]] if "const" in said else ())]
        if listed:
            return rng.choice(listed)
        kinds = said.get("type", _kinds(said) or schemata.KINDS)
        kind = kinds if isinstance(kinds, str) else rng.choice(kinds)
        if kind in ("object", "array"):
            return (self._object if kind == "object" else self._array)(said, depth)
        if kind in ("string", "integer", "number"):
            return (self._string if kind == "string" else self._number)(said)
        return rng.random() < 0.5 if kind == "boolean" else None

    def _told(self, schema: Any, depth: int) -> dict[str, Any]:
        """The keywords of a schema, and of those that it holds and that may apply as well."""
        if not isinstance(schema, dict) or depth > 2 * _DEEPEST:
            return {}
        rng = self._rng
        inner = list(schema.get("allOf", ()))
        inner += [rng.choice(schema[key]) for key in ("anyOf", "oneOf") if key in schema]
        if "if" in schema:
            inner += rng.choice(([schema["if"], schema.get("then")], [schema.get("else")]))
        if "$ref" in schema:
            inner.append(self._target(schema["$ref"]))
        inner += [one for one in schema.get("dependentSchemas", {}).values() if rng.random() < 0.5]
        found = dict(schema)
        for one in inner:
            for key, told in self._told(one, depth + 1).items():
                found[key] = _both(found[key], told, rng) if key in found else told
        return found

    def _target(self, reference: str) -> Any:
        if reference == "#":
            return self._root
        name = "a/b%" if reference in ("#anchored", "#/$defs/a~1b%25") else reference[8:]
        return self._root["$defs"][name]

    def _object(self, said: Mapping[str, Any], depth: int) -> dict[str, Any]:
        rng, parts = self._rng, said.get("properties", {})
        keys = [key for key in parts if rng.random() < 0.7]
        keys += [key for key in said.get("required", ()) if rng.random() < 0.95]
        while len(keys) < said.get("minProperties", 0) or rng.random() < 0.2:
            keys.append(schemata.key_of(rng) if rng.random() < 0.7 else schemata.string(rng))
        rng.shuffle(keys)
        keys = list(dict.fromkeys(keys))[: said.get("maxProperties", 9)]
        return {key: self.value(self._member(said, key), depth + 1) for key in keys}

    def _member(self, said: Mapping[str, Any], key: str) -> Any:
        about = [said["properties"][key]] if key in said.get("properties", {}) else []
        patterns = said.get("patternProperties", {})
        about += [inner for pattern, inner in patterns.items() if matches(pattern, key)]
        rest = ("additionalProperties", "unevaluatedProperties")
        about = about or [said[keyword] for keyword in rest if keyword in said]
        return self._rng.choice(about or [True])

    def _array(self, said: Mapping[str, Any], depth: int) -> list[Any]:
        rng = self._rng
        most = said.get("maxItems", 4)
        count = rng.randint(min(said.get("minItems", 0), most), max(most, said.get("minItems", 0)))
        prefix = said.get("prefixItems", [])
        rest = said.get("items", said.get("unevaluatedItems", True))
        schemas = [prefix[at] if at < len(prefix) else rest for at in range(count)]
        for _ in range(said.get("minContains", 1) if "contains" in said and schemas else 0):
            schemas[rng.randrange(len(schemas))] = said["contains"]
        return [self.value(one, depth + 1) for one in schemas]

    def _string(self, said: Mapping[str, Any]) -> str:
        rng = self._rng
        found = schemata.string(rng)
        for _ in range(12):
            test = FORMATS.get(said.get("format", ""))
            short = len(found) < said.get("minLength", 0)
            if not short and matches(said.get("pattern", ""), found) and (not test or test(found)):
                break
            found = schemata.string(rng) + (schemata.string(rng) if rng.random() < 0.3 else "")
        return found

    def _number(self, said: Mapping[str, Any]) -> Any:
        rng = self._rng
        bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        told = [said[key] for key in bounds if key in said]
        found = rng.choice([*told, schemata.number(rng)]) + rng.choice((0, 0, 1, -1, 0.5, 10))
        step = said.get("multipleOf")
        return found if step is None else step * rng.randint(-3, 12)


def _kinds(said: Mapping[str, Any]) -> list[str]:
    """The kinds that keywords are about."""
    hints = {"properties": "object", "required": "object", "items": "array", "pattern": "string"}
    return [kind for keyword, kind in hints.items() if keyword in said]


def _both(one: Any, other: Any, rng: Random) -> Any:
    """What two schemas say with one keyword, more or less."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **other} if rng.random() < 0.5 else {**other, **one}
    if isinstance(one, list) and isinstance(other, list):
        common = [part for part in one if part in other]
        return common or one + other
    return rng.choice((one, other))


def changed(value: Any, rng: Random) -> Any:
    """The value with one thing about it changed."""
    if isinstance(value, list) and value and rng.random() < 0.7:
        at = rng.randrange(len(value))
        new = rng.choice(
            ([], [changed(value[at], rng)], [changed(value[at], rng)], [value[at]] * 2)
        )
        return [*value[:at], *new, *value[at + 1 :]]
    if isinstance(value, dict) and rng.random() < 0.8:
        return _other_members(value, rng)
    if isinstance(value, list) and rng.random() < 0.5:
        return [*value, schemata.value(rng, 1)]
    if isinstance(value, str) and rng.random() < 0.5:
        at = rng.randint(0, len(value))
        return value[:at] + rng.choice(("", "a", "1", "é")) + value[at + rng.randint(0, 1) :]
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.5:
        return value + rng.choice((1, -1, 0.5, 0.25, 10))
    return schemata.value(rng, 1)


def _other_members(value: dict[str, Any], rng: Random) -> dict[str, Any]:
    members = list(value.items())
    rng.shuffle(members)
    if members and rng.random() < 0.6:
        key, inner = members.pop()
        if rng.random() < 0.7:
            members.append((key, changed(inner, rng)))
    else:
        members.append((schemata.key_of(rng), schemata.value(rng, 1)))
    return dict(members)
