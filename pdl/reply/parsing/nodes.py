"""What the schema says about the place that the reader has come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.validation.references import branches
from pdl.reply.validation.schema_walk import ALL_KINDS, root_kinds

if TYPE_CHECKING:
    from collections.abc import Collection

    from pdl._types import Json, JsonPath
    from pdl.reply.validation.references import Document

_DEEP = 8  # arrays in arrays that a schema may prescribe


class Nodes:
    """Questions about the subschemas of a document, asked by the path of a value."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def kinds(self, path: JsonPath) -> frozenset[str]:
        """The type names that may stand at a path; all if the schema does not say."""
        found = self._at(path)
        if not found:
            return ALL_KINDS
        kinds = frozenset().union(*(root_kinds(self._document, sub) for sub in found))
        return kinds or ALL_KINDS

    def may_nest(self, path: JsonPath) -> bool:
        """Whether an array at a path may hold arrays to a depth that the schema leaves open."""
        inner = (*path, 0)
        while "array" in (kinds := self.kinds(inner)):
            if len(kinds) > 1 or len(inner) - len(path) > _DEEP:
                return True
            inner = (*inner, 0)
        return False

    def declares(self, path: JsonPath, name: str) -> bool:
        """Whether the object at a path has a property of that name in its schema."""
        return any(name in branch.get("properties", ()) for branch in self._branches(path))

    def may_have(self, path: JsonPath, names: Collection[str], *, whole: bool) -> bool:
        """Whether an object of those keys may stand at a path; `whole`: it has no others."""
        if "object" not in self.kinds(path):
            return False
        found = [one for one in self._branches(path) if "properties" in one]
        return not found or any(
            (_is_open(one) or one["properties"].keys() >= set(names))
            and (not whole or set(one.get("required", ())) <= set(names))
            for one in found
        )

    def names(self, path: JsonPath) -> frozenset[str]:
        """The properties that the schema has for the object at a path."""
        return frozenset().union(*(one.get("properties", ()) for one in self._branches(path)))

    def open(self, path: JsonPath) -> bool:
        """Whether the object at a path may have keys of any name."""
        found = list(self._branches(path))
        return not any("properties" in branch for branch in found) or any(map(_is_open, found))

    def _branches(self, path: JsonPath) -> list[dict[str, Json]]:
        return [dict(one) for sub in self._at(path) for one in branches(self._document, sub)]

    def _at(self, path: JsonPath) -> list[Json]:
        """The subschemas that stand at a path, those of all branches of unions."""
        here: list[Json] = [self._document]
        for step in path:
            parts = [one for sub in here for one in branches(self._document, sub)]
            found = [part for one in parts for part in _step(one, step)]
            here = list({id(part): part for part in found}.values())
            if not here:
                break
        return here


def _is_open(branch: Json) -> bool:
    more = branch.get("additionalProperties", False)
    return more is not False or "patternProperties" in branch


def _step(branch: Json, step: str | int) -> list[Json]:
    """The subschemas of a branch for one of its parts; `True` where it may be anything."""
    if isinstance(step, int):
        first = branch.get("prefixItems", ())
        if step < len(first):
            return [first[step]]
        rest = branch.get("items")
    elif step in branch.get("properties", {}):
        return [branch["properties"][step]]
    else:
        rest = branch.get("additionalProperties")
    if rest is None:
        return [True] if "type" in branch else []
    return [] if rest is False else [rest]
