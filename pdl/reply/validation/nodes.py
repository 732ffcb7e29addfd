"""The one walk over a schema: which subschemas may hold for a part of a value, by its path."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pdl.reply.validation.references import branches
from pdl.reply.validation.schema_walk import ALL_KINDS, root_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.reply.validation.references import Document

_DEEP = 8  # arrays in arrays that a schema may prescribe


class Node:
    """The subschemas that may hold at one place, those of all branches of unions.

    Nodes are made when they are asked for and kept, so that a recursive schema is a lazy tree.
    """

    def __init__(self, document: Document, schemas: Iterable[Json] | None = None) -> None:
        self._document = document
        self._schemas = [document] if schemas is None else list(schemas)
        found = [one for sub in self._schemas for one in branches(document, sub)]
        self._branches = list({id(one): one for one in found}.values())
        self._prefix = max([len(one.get("prefixItems", ())) for one in found], default=0)
        self._parts: dict[str | int, Node] = {}
        self._other: Node | None = None

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The type names that are allowed; all if the schema does not say."""
        found = (root_kinds(self._document, schema) for schema in self._schemas)
        return frozenset[str]().union(*found) or ALL_KINDS

    @cached_property
    def names(self) -> frozenset[str]:
        """The properties of an object."""
        return frozenset(name for one in self._branches for name in one.get("properties", ()))

    def at(self, step: str | int) -> Node:
        """The node of a part; that of all names, and of all items, that the schema leaves open."""
        if isinstance(step, str) and step not in self.names:
            if self._other is None:
                self._other = self._inner(step)
            return self._other
        known = step if isinstance(step, str) else min(step, self._prefix)
        if known not in self._parts:
            self._parts[known] = self._inner(known)
        return self._parts[known]

    def _inner(self, step: str | int) -> Node:
        found = [part for one in self._branches for part in _step(one, step)]
        return Node(self._document, {id(part): part for part in found}.values())

    def declares(self, name: str) -> bool:
        """Whether an object has a property of that name."""
        return name in self.names

    def may_nest(self) -> bool:
        """Whether an array may hold arrays to a depth that the schema leaves open."""
        inner = self.at(0)
        for _ in range(_DEEP):
            if "array" not in inner.kinds:
                return False
            if len(inner.kinds) > 1:
                return True
            inner = inner.at(0)
        return "array" in inner.kinds


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
