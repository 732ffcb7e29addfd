"""What kinds of values a schema allows at its root, and whether a value was meant as such a one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.validation.json_types import KINDS, kind_of
from pdl.reply.validation.references import Document, branches, resolve
from pdl.schema.keywords import DIGITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json

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
    literals = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if literals is not None:
        found = frozenset(map(kind_of, literals))
        kinds &= found | ({"number"} if "integer" in found else set())
    return kinds


def literals(document: Document, schema: Json) -> list[Json]:
    """The values of the enums and constants at the root, in their order."""
    found: list[Json] = []
    for branch in branches(document, schema):
        found += branch.get("enum", ())
        found += [branch["const"]] if "const" in branch else []
    return found


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
