"""Schemas that are parts of one document, and one document of several schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.schema import Schema
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import pointer, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json, JsonSchema

_DEFINITIONS = "#/$defs/"


def part_of(whole: JsonSchema, part: dict[str, Json]) -> Schema:
    """A schema that stands in a document, with those of its definitions that it uses."""
    definitions = whole.get("$defs", {})
    used: set[str] = set()
    pending: list[Json] = [part]
    while pending:
        new = {name for name in _named(pending.pop()) if name in definitions} - used
        used |= new
        pending += (definitions[name] for name in new)
    kept = {name: schema for name, schema in definitions.items() if name in used}
    return Schema({**part, "$defs": kept} if kept else part)


def _named(schema: Json) -> Iterator[str]:
    """The names of the definitions that a schema refers to."""
    for node in _nodes(schema):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(_DEFINITIONS):
            yield reference.removeprefix(_DEFINITIONS).split("/")[0]


def _nodes(schema: Json) -> Iterator[dict[str, Json]]:
    """A schema and all those inside of it that are objects."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending += [inner for _, inner in subschemas(node)]


class Collected:
    """Documents that become parts of one; definitions of one name that mean the same are one."""

    def __init__(self) -> None:
        self.definitions: dict[str, Json] = {}

    def add(self, document: JsonSchema, place: tuple[str, ...]) -> dict[str, Json]:
        """A copy of a document that is to stand at a path of the whole, without its definitions.

        Its references lead to where it stands, and to the definitions of the whole.
        """
        node: dict[str, Json] = copy_json(document)
        own = node.pop("$defs", {})
        if not own and not any("$ref" in inner for inner in _nodes(node)):
            return node
        names = self._adopted(own)
        here = pointer(place)
        for one in _nodes({"allOf": [node, *own.values()]}):
            reference = one.get("$ref")
            if isinstance(reference, str):
                one["$ref"] = _moved(reference, names, here)
        for name, schema in own.items():
            self.definitions[names[name]] = schema
        return node

    def _adopted(self, own: dict[str, Json]) -> dict[str, str]:
        """The names of a document's definitions in the whole; all keep theirs if all can."""
        taken = self.definitions
        if all(name not in taken or taken[name] == schema for name, schema in own.items()):
            return {name: name for name in own}
        return dict(_fresh(own, taken))


def _fresh(own: Iterable[str], taken: Iterable[str]) -> Iterator[tuple[str, str]]:
    used = {*taken}
    for name in own:
        number, free = 1, name
        while free in used:
            number += 1
            free = f"{name}{number}"
        used.add(free)
        yield name, free


def _moved(reference: str, names: dict[str, str], here: str) -> str:
    """A reference within a document that now stands at the place `here`."""
    if not reference.startswith(_DEFINITIONS):
        return here + reference.removeprefix("#")
    name, slash, rest = reference.removeprefix(_DEFINITIONS).partition("/")
    return f"{_DEFINITIONS}{names.get(name, name)}{slash}{rest}"
