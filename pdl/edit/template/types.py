"""Types of values in a template: JSON Schema fragments with the names that they refer to.

A type says what is known; `{}` is a value of which nothing is known. Nothing here validates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.errors import PdlError
from pdl.schema import Schema
from pdl.schema.dsl.tree import join
from pdl.schema.keywords import DEFINITIONS, lookup, nodes, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json, JsonSchema

_MOST = 200  # alternatives of a type that are looked at
_MANY = 30  # definitions that are written out with a type
_SHORT = 40  # characters of a type beside a name
_NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_NOTES = frozenset({"description", "default", "title"})


class Type(NamedTuple):
    """A schema; its references lead into `document`."""

    schema: JsonSchema
    document: JsonSchema = {}  # noqa: RUF012 - never changed

    def to(self, schema: Json) -> Type:
        """Return the type of a part of the same document."""
        return Type(schema if isinstance(schema, dict) else {}, self.document)

    @property
    def is_known(self) -> bool:
        """Whether something is known of the values."""
        return bool(self.schema.keys() - _NOTES)


ANY = Type({})
STR = Type({"type": "string"})
INT = Type({"type": "integer"})
FLOAT = Type({"type": "number"})
BOOL = Type({"type": "boolean"})
NULL = Type({"type": "null"})
STRS = Type({"type": "array", "items": {"type": "string"}})
INTS = Type({"type": "array", "items": {"type": "integer"}})

_LOOP = Type(
    {
        "type": "object",
        "properties": {
            "index": {"type": "integer", "description": "the number of the round, from 1"},
            "index0": {"type": "integer", "description": "the number of the round, from 0"},
            "revindex": {"type": "integer", "description": "the rounds that are left, down to 1"},
            "revindex0": {"type": "integer", "description": "the rounds that are left, down to 0"},
            "first": {"type": "boolean", "description": "whether this is the first round"},
            "last": {"type": "boolean", "description": "whether this is the last round"},
            "length": {"type": "integer", "description": "the number of rounds"},
            "depth": {"type": "integer", "description": "the level of a recursive loop, from 1"},
            "depth0": {"type": "integer", "description": "the level of a recursive loop, from 0"},
            "previtem": {"description": "the item of the round before"},
            "nextitem": {"description": "the item of the next round"},
            "cycle": {"description": "one of its arguments in turn: `loop.cycle('odd', 'even')`"},
            "changed": {"description": "whether its arguments differ from those of the last call"},
        },
    }
)


def loop_type(item: Type) -> Type:
    """Return the type of `loop` in a loop over such items."""
    fields = _LOOP.schema["properties"]
    neighbors = {name: {**item.schema, **fields[name]} for name in ("previtem", "nextitem")}
    whole = {**_LOOP.schema, "properties": {**fields, **neighbors}, "required": list(fields)}
    return Type(whole, item.document)


def alternatives(given: Type) -> list[JsonSchema]:
    """Return the schemas of a type without references and unions."""
    found: list[JsonSchema] = []
    pending: list[Any] = [given.schema]
    seen: set[int] = set()
    while pending and len(seen) < _MOST:
        one = pending.pop()
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        inner = [each for key in ("anyOf", "oneOf", "allOf") for each in _list(one.get(key))]
        if "$ref" in one:
            inner.append(_target(one["$ref"], given.document))
        pending += reversed(inner)
        if not inner or one.keys() & {"type", "properties", "items", "enum", "const"}:
            found.append(one)
    return found


def _list(value: Json) -> list[Any]:
    return value if isinstance(value, list) else []


def _target(reference: Json, document: JsonSchema) -> Json:
    try:
        return lookup(document, str(reference))
    except KeyError:
        return None


def fields(given: Type) -> dict[str, Type]:
    """Return the keys that values can have, of all alternatives, and their types."""
    found: dict[str, list[Type]] = {}
    for one in alternatives(given):
        properties = one.get("properties")
        for name, schema in (properties if isinstance(properties, dict) else {}).items():
            found.setdefault(name, []).append(given.to(schema))
    return {name: union(types) for name, types in found.items()}


def optional(given: Type) -> set[str]:
    """Return the keys that values need not have."""
    objects = [one for one in alternatives(given) if isinstance(one.get("properties"), dict)]
    required = [set(_list(one.get("required"))) for one in objects]
    everywhere = set.intersection(*required) if required else set()
    return set().union(*(one["properties"] for one in objects)) - everywhere


def field(given: Type, name: str) -> Type | None:
    """Return the type of a key; None if it is certain that there is none."""
    found: list[Type] = []
    known = alternatives(given)
    for one in known:
        properties, rest = one.get("properties"), one.get("additionalProperties")
        if isinstance(properties, dict) and name in properties:
            found.append(given.to(properties[name]))
        elif isinstance(rest, dict):
            found.append(given.to(rest))
        elif not types_of(one) and "enum" not in one and "const" not in one:
            found.append(ANY)
    if found:
        return union(found)
    return None if known else ANY


def item(given: Type, index: int | None = None) -> Type:
    """Return the type of the items of arrays (or of one), of the keys of objects, or of a text."""
    found: list[Type] = []
    for one in alternatives(given):
        kinds = types_of(one)
        if "array" in kinds:
            first = _list(one.get("prefixItems"))
            if index is not None and 0 <= index < len(first):
                found.append(given.to(first[index]))
            else:
                found += [given.to(each) for each in first]
            if isinstance(one.get("items"), dict) or not first:
                found.append(given.to(one.get("items", {})))
        elif "string" in kinds or "object" in kinds:
            found.append(STR)
    return union(found) if found else ANY


def values(given: Type) -> Type:
    """Return the type of the values of objects."""
    found = list(fields(given).values())
    for one in alternatives(given):
        rest = one.get("additionalProperties")
        found += [given.to(rest)] if isinstance(rest, dict) else []
    return union(found) if found else ANY


def is_kind(given: Type, *kinds: str) -> bool:
    """Whether all values are of some types, or null."""
    known = alternatives(given)
    return bool(known) and all(
        one_kinds and set(one_kinds) <= {*kinds, "null"}
        for one_kinds in (kinds_of(one) for one in known)
    )


def may_be(given: Type, *kinds: str) -> bool:
    """Whether values of some types are possible."""
    return any(not (of := kinds_of(one)) or set(of) & set(kinds) for one in alternatives(given))


def kinds_of(schema: JsonSchema) -> list[str]:
    """Return the JSON types of a schema, also of its constants."""
    constants = literals(Type(schema))
    return types_of(schema) or list(dict.fromkeys(map(_kind, constants)))


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    for kind, classes in (("boolean", bool), ("integer", int), ("number", float)):
        if isinstance(value, classes):
            return kind
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def literals(given: Type) -> list[Json]:
    """Return the constants that a type lists."""
    found: list[Json] = []
    for one in alternatives(given):
        found += [one["const"]] if "const" in one else _list(one.get("enum"))
    return found


def array(of: Type) -> Type:
    """Return the type of arrays of such items."""
    return of.to({"type": "array", "items": bare(of)} if of.is_known else {"type": "array"})


def record(parts: dict[str, Type]) -> Type:
    """Return the type of objects with these keys."""
    documents = [one.document for one in parts.values()]
    schemas = {name: one.schema for name, one in parts.items()}
    schema = {"type": "object", "properties": schemas, "required": list(schemas)}
    return Type({**schema, "additionalProperties": False}, _merged(documents))


def bare(given: Type) -> JsonSchema:
    """Return a schema without its description and its default."""
    return {key: one for key, one in given.schema.items() if key not in _NOTES}


def not_null(given: Type) -> Type:
    """Return the type without null."""
    found: list[JsonSchema] = []
    for one in _branches(given.schema):
        kinds = types_of(one)
        if kinds == ["null"] or ("const" in one and one["const"] is None):
            continue
        if len(kinds) > 1 and "null" in kinds:
            left = [kind for kind in kinds if kind != "null"]
            one = {**one, "type": left[0] if len(left) == 1 else left}  # noqa: PLW2901
        if None in _list(one.get("enum")):
            one = {**one, "enum": [each for each in one["enum"] if each is not None]}  # noqa: PLW2901
        found.append(one)
    return union([given.to(one) for one in found])


def _branches(schema: JsonSchema) -> Iterator[JsonSchema]:
    inner = _list(schema.get("anyOf"))
    if not inner:
        yield schema
    for one in inner:
        yield one if isinstance(one, dict) else {}


def union(given: Iterable[Type]) -> Type:
    """Return the type of the values of any of some types."""
    types = list(given)
    if len(types) == 1:
        return types[0]
    if not types or not all(one.is_known for one in types):
        return ANY
    parts: list[JsonSchema] = []
    for one in types:
        parts += [each for each in _branches(bare(one)) if each not in parts]
    parts = [part for at, part in enumerate(parts) if not _is_covered(part, parts, at)]
    return Type(join(_split(parts)), _merged([one.document for one in types]))


def _is_covered(part: JsonSchema, parts: list[JsonSchema], at: int) -> bool:
    """Whether another part says the same without constraints."""
    kinds = types_of(part)
    return any(
        other is not part
        and other.keys() == {"type"}
        and set(kinds or ["?"]) <= set(types_of(other))
        for other in (*parts[:at], *parts[at + 1 :])
    )


def _split(parts: list[JsonSchema]) -> list[JsonSchema]:
    """The parts with an enumeration as its constants, as `join` wants them."""
    found: list[JsonSchema] = []
    for one in parts:
        if one.keys() == {"enum"}:
            found += [{"const": each} for each in one["enum"]]
        else:
            found.append(one)
    return found


def _merged(documents: list[JsonSchema]) -> JsonSchema:
    """One document with the definitions of all; of a name with two, the first."""
    several = [one for one in documents if one]
    if not several or all(one is several[0] for one in several):
        return several[0] if several else {}
    defs: dict[str, Any] = {}
    for one in several:
        own = one.get("$defs")
        defs = {**(own if isinstance(own, dict) else {}), **defs}
    return {"$defs": defs}


def standalone(given: Type) -> JsonSchema:
    """Return a document of the type alone, with the definitions that it needs.

    Of very many, only those that the type names itself are left, and accept anything.
    """
    defs = given.document.get("$defs")
    schema = {key: one for key, one in given.schema.items() if key != "$defs"}
    if not isinstance(defs, dict):
        return schema
    known = _named(schema, defs)
    pending = list(known)
    while pending and len(known) <= _MANY:
        more = _named(defs[pending.pop()], defs) - known
        known |= more
        pending += more
    if not known:
        return schema
    if len(known) > _MANY:
        return {**schema, "$defs": {name: {} for name in sorted(_named(schema, defs))}}
    return {**schema, "$defs": {name: one for name, one in defs.items() if name in known}}


def _named(schema: Json, defs: dict[str, Any]) -> set[str]:
    """The definitions that a schema refers to."""
    found = (str(node.get("$ref", "")).removeprefix(DEFINITIONS) for node in nodes(schema))
    return {name for name in found if name in defs}


def to_dsl(given: Type) -> str:
    """Return the type in the schema DSL, `any` if it has no words for it."""
    return _written(standalone(given._replace(schema=bare(given))))


def _written(document: JsonSchema) -> str:
    try:
        return Schema(document).to_dsl()
    except (PdlError, KeyError, TypeError, ValueError, RecursionError):
        return "any"


def name_of(given: Type, most: int = _SHORT) -> str:
    """Return the type in a few characters, without what its names mean."""
    defs = given.document.get("$defs")
    document = {key: one for key, one in bare(given).items() if key != "$defs"}
    names = _named(document, defs) if isinstance(defs, dict) else set()
    if names:
        document["$defs"] = {name: {"type": "null"} for name in names}
    lines = [line for line in _written(document).splitlines() if line.strip()]
    ends = {f"{name} = null" for name in names}
    text = " ".join(line.split("//")[0].strip() for line in lines if line not in ends)
    text = text.replace(", }", " }")
    return text if len(text) <= most else _outline(given)


def _outline(given: Type, depth: int = 0) -> str:
    """What kind of value it is."""
    names: dict[str, None] = {}
    for one in alternatives(given):
        for kind in kinds_of(one) or ["any"]:
            shown = {"object": _keys(one), "array": "[…]"}.get(kind, _NAMES.get(kind, kind))
            if kind == "array" and isinstance(one.get("items"), dict):
                shown = f"[{_outline(given.to(one['items']), depth + 1)}]" if depth < 3 else "[…]"  # noqa: PLR2004
            names[shown] = None
    return " | ".join(names) or "any"


def _keys(schema: JsonSchema) -> str:
    """The keys of an object, as far as they are short."""
    properties = schema.get("properties")
    text = ", ".join(properties) if isinstance(properties, dict) else ""
    return f"{{ {text} }}" if 0 < len(text) < _SHORT else "{ … }"


def pairs(given: Type) -> Type:
    """Return the type of a list of the keys and values of objects."""
    value = values(given)
    pair = {
        "type": "array",
        "prefixItems": [STR.schema, bare(value)],
        "items": False,
        "minItems": 2,
    }
    return value.to({"type": "array", "items": pair})


def to_number(given: Type) -> Type:
    """Return the type of a number that is computed from such numbers."""
    if is_kind(given, "integer"):
        return INT
    return FLOAT if is_kind(given, "integer", "number") else ANY
