"""Several documents as one (bundling: JSON Schema Core 2020-12, section 9.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.schema.json_values import copy_json
from pdl.schema.keywords import DEFINITIONS, nodes, pointer

if TYPE_CHECKING:
    from collections.abc import Collection

    from pdl._types import Json, JsonSchema


class Bundle:
    """Bundles documents into one; equal definitions of one name are shared."""

    def __init__(self) -> None:
        self.definitions: dict[str, Json] = {}

    def add(self, document: JsonSchema, path: tuple[str, ...]) -> dict[str, Json]:
        """Return a copy of a document for a path of the whole, without its definitions.

        Its references point to that path, and to the definitions of the whole.
        """
        node: dict[str, Json] = copy_json(document)
        own = node.pop("$defs", {})
        if not own and not any("$ref" in inner for inner in nodes(node)):
            return node
        names = self._names(own)
        here = pointer(path)
        for one in nodes({"allOf": [node, *own.values()]}):
            reference = one.get("$ref")
            if isinstance(reference, str):
                one["$ref"] = _moved(reference, names, here)
        for name, schema in own.items():
            self.definitions[names[name]] = schema
        return node

    def _names(self, own: dict[str, Json]) -> dict[str, str]:
        """The names of a document's definitions in the whole; unchanged if none is taken."""
        taken = self.definitions
        if all(name not in taken or taken[name] == schema for name, schema in own.items()):
            return {name: name for name in own}
        used = set(taken)
        names: dict[str, str] = {}
        for name in own:
            names[name] = free_name(name, used)
            used.add(names[name])
        return names


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: the name itself, or with a number after it."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    return free


def _moved(reference: str, names: dict[str, str], here: str) -> str:
    """A reference within a document that is now at `here`."""
    if not reference.startswith(DEFINITIONS):
        return here + reference.removeprefix("#")
    name, slash, rest = reference.removeprefix(DEFINITIONS).partition("/")
    return f"{DEFINITIONS}{names.get(name, name)}{slash}{rest}"
