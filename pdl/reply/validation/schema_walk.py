"""Questions about schemas: what they have for a value, for its parts, and for a place in it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.reply.validation.json_types import KINDS, as_integer, kind_of
from pdl.reply.validation.patterns import compile_pattern
from pdl.reply.validation.references import Document, branches, resolve
from pdl.schema.keywords import DIGITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json

Place: TypeAlias = tuple["Json", ...]
"""The subschemas that may hold for a part of a value, those of all branches of unions."""

ALL_KINDS = frozenset(KINDS)


def root_kinds(document: Document, schema: Json) -> frozenset[str]:
    """The type names of the values that may fit; a superset where the schema is intricate.

    `number` stands for `integer` as well. References in a circle allow nothing.
    """
    return _kinds(document, schema, {})


def _kinds(document: Json, schema: Json, known: dict[int, frozenset[str]]) -> frozenset[str]:
    if isinstance(schema, bool):
        return ALL_KINDS if schema else frozenset()
    if id(schema) in known:
        return known[id(schema)]
    known[id(schema)] = frozenset()  # until it is known, for references in a circle
    kinds = frozenset[str]() if forbids_all(schema) else _own_kinds(schema)
    if "$ref" in schema:
        kinds &= _kinds(document, resolve(document, schema["$ref"]), known)
    for sub in schema.get("allOf", ()):
        kinds &= _kinds(document, sub, known)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            kinds &= frozenset().union(*(_kinds(document, sub, known) for sub in schema[word]))
    known[id(schema)] = kinds
    return kinds


def forbids_all(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says `not` of everything, which some write for `false`."""
    return schema.get("not", False) in (True, {})


def _own_kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    kinds = ALL_KINDS
    if "type" in schema:
        named = schema["type"]
        kinds = frozenset([named] if isinstance(named, str) else named)
        kinds |= {"integer"} if "number" in kinds else set()
    values = literals_of(schema)
    if values is not None:
        found = frozenset(map(kind_of, values))
        kinds &= found | ({"number"} if "integer" in found else set())
    return kinds


def literals_of(schema: Mapping[str, Any]) -> list[Json] | None:
    """The values of a schema's own enum, or its constant; None if it has neither."""
    if "enum" in schema:
        return list(schema["enum"])
    return [schema["const"]] if "const" in schema else None


def literals(document: Document, schema: Json) -> list[Json]:
    """The values of the enums and constants at the root, in their order."""
    return [one for branch in branches(document, schema) for one in literals_of(branch) or ()]


def type_names(document: Document, schema: Json) -> list[str]:
    """The types that a schema names at its root, in their order."""
    named = [branch.get("type", ()) for branch in branches(document, schema)]
    return list(chain.from_iterable([one] if isinstance(one, str) else one for one in named))


def is_free_text(document: Document) -> bool:
    """Whether the root may be a string of one's own choice: any prose could be meant as it."""
    return any(
        "string" in _own_kinds(branch) and "type" in branch and not {"enum", "const"} & set(branch)
        for branch in branches(document, document)
    )


def in_digits(document: Document, schema: Json) -> bool:
    """Whether a schema has an integer of draft 4, with neither a point nor an exponent."""
    return any(branch.get(DIGITS) is True for branch in branches(document, schema))


def required_names(document: Document, schema: Json) -> list[str]:
    """The keys that an object at the root must have, if no union decides about them."""
    found: dict[str, None] = {}
    for branch in branches(document, schema):
        if "anyOf" in branch or "oneOf" in branch:
            return []
        found.update(dict.fromkeys(branch.get("required", ())))
    return list(found)


def resembles(document: Document, value: Json) -> bool:
    """Whether a value that does not fit looks like an attempt at one that does.

    An object that has one of the keys that the schema names; an array with an element of a type
    that the schema has for elements. A schema that an example echoes is neither.
    """
    found = list(branches(document, document))
    if isinstance(value, dict):
        names = {name for branch in found for name in branch.get("properties", ())}
        return not names or not value or not names.isdisjoint(value)
    if isinstance(value, list) and value:
        items = [branch["items"] for branch in found if "items" in branch]
        items += [sub for branch in found for sub in branch.get("prefixItems", ())]
        kinds = frozenset().union(*(root_kinds(document, item) for item in items)) or ALL_KINDS
        return any(kind_of(item) in kinds for item in value)
    return True


# Parts


def of_key(schema: Mapping[str, Any], name: str) -> list[Json]:
    """The subschemas for the value of a key (2020-12 core, 10.3.2).

    Of `properties` and `patternProperties`; else `additionalProperties`, which may be absent.
    """
    known = schema.get("properties", {})
    found = [known[name]] if name in known else []
    for pattern, sub in schema.get("patternProperties", {}).items():
        if compile_pattern(pattern)(name):
            found.append(sub)
    if found or "additionalProperties" not in schema:
        return found
    return [schema["additionalProperties"]]


def of_index(schema: Mapping[str, Any], index: int) -> list[Json]:
    """The subschemas for an item: of `prefixItems`, or after them `items` (10.3.1)."""
    prefix = schema.get("prefixItems", ())
    if index < len(prefix):
        return [prefix[index]]
    return [schema["items"]] if "items" in schema else []


# Integers


def settled(document: Document, value: Json) -> Json:
    """The value with integers where the schema has integers and no other numbers: 1000 for `1e3`.

    An integer may be written with a point or an exponent (2020-12 core, 4.2.3). The parser makes a
    float of it, and from 2**53 on not each integer is one: the float of `1e23` is less by 8388608.
    The same object if nothing is to change.
    """
    if not _has_whole_float(value):
        return value
    places = _Places(document)
    root = [value]
    pending: list[tuple[Any, Place | None]] = [(root, None)]
    while pending:
        copy, around = pending.pop()
        for step, part in list(copy.items() if isinstance(copy, dict) else enumerate(copy)):
            whole = type(part) is float and part.is_integer()
            if not whole and type(part) not in (dict, list):
                continue
            place = (document,) if around is None else places.part(around, step)
            if not whole:
                copy[step] = part.copy()
                pending.append((copy[step], place))
            elif places.wants_integer(place):
                copy[step] = as_integer(part)
    return root[0]


def _has_whole_float(value: Json) -> bool:
    """Asked level by level, so that most of the work is done in C."""
    level: list[Any] = [value]
    while level:
        if any(part.is_integer() for part in level if type(part) is float):
            return True
        dicts = [part.values() for part in level if type(part) is dict]
        lists = [part for part in level if type(part) is list]
        level = list(chain.from_iterable([*dicts, *lists]))
    return False


class _Places:
    """Questions about the places of a document, each of which is answered once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._parts: dict[tuple[object, ...], Place] = {}
        self._integers: dict[tuple[int, ...], bool] = {}

    def wants_integer(self, place: Place) -> bool:
        """Whether an integer may be there, however it is written, and no other number."""
        mark = tuple(map(id, place))
        if mark not in self._integers:
            kinds = frozenset().union(*(root_kinds(self._document, sub) for sub in place))
            digits = any(in_digits(self._document, sub) for sub in place)
            self._integers[mark] = "integer" in kinds and "number" not in kinds and not digits
        return self._integers[mark]

    def part(self, place: Place, step: str | int) -> Place:
        """The place of a part."""
        mark = (*map(id, place), step)
        if mark not in self._parts:
            whole = chain.from_iterable(branches(self._document, sub) for sub in place)
            if isinstance(step, str):
                subs = [sub for one in whole for sub in of_key(one, step)]
            else:
                subs = [sub for one in whole for sub in of_index(one, step)]
            self._parts[mark] = tuple({id(sub): sub for sub in subs}.values())
        return self._parts[mark]
