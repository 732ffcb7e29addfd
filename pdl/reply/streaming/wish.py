"""What the schema says about how an answer begins, known before one comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pdl.reply.choosing.tool_call import (  # what marks a call
    ARGUMENTS,
    LISTS,
    NAMES,
    OTHERS,
    WRAPPERS,
)
from pdl.reply.streaming.nesting import Seat
from pdl.reply.validation.references import Document, branches
from pdl.reply.validation.schema_walk import ALL_KINDS, root_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from pdl._types import Json

_CALLS = frozenset().union(ARGUMENTS, LISTS, NAMES, OTHERS, WRAPPERS)
_BESIDE = frozenset(["role", "content"])  # keys of a message that holds a call
_FREE = frozenset(["type", "items", "title", "description", "default", "$schema", "$defs", "$ref"])
"""Keywords of a list that fits whatever its items are, if these may be anything."""


@dataclass(frozen=True)
class Wish:
    """The kinds of the root, the keys that an object there may have, the kinds of items.

    `inner` are the kinds of what stands in items that are arrays; `seat` is the place of the
    root. `lines`: a bracket that does not fit may be one of the lines that are an array together.
    """

    kinds: frozenset[str]
    names: frozenset[str]
    items: frozenset[str]
    inner: frozenset[str]
    lines: bool
    seat: Seat = field(repr=False)

    @classmethod
    def of(cls, document: Document) -> Self:
        """What a document says."""
        found = list(branches(document, document))
        names = [name for branch in found for name in branch.get("properties", ())]
        items = _items(found)
        inside = [branch for item in items or [True] for branch in branches(document, item)]
        free = all(item is True or item == {} for item in items)
        lines = not (free and all(_FREE.issuperset(branch) for branch in found))
        return cls(
            root_kinds(document, document),
            frozenset(names),
            _kinds(document, items),
            _kinds(document, _items(inside)),
            lines,
            Seat(document, [document]),
        )

    def knows(self, name: str) -> bool:
        """Whether an object with such a key looks like an answer."""
        return not self.names or name in self.names

    @staticmethod
    def is_of_call(name: str) -> bool:
        """Whether a tool call, which may be around the answer, has such a key."""
        return name in _CALLS

    @staticmethod
    def may_hold_call(name: str) -> bool:
        """Whether a tool call, or the message that holds one, has such a key."""
        return name in _CALLS or name in _BESIDE

    def may_be_line(self, box: Json) -> bool:
        """Whether a bracket that opens may be an item of the array that is wanted."""
        kind = "object" if isinstance(box, dict) else "array"
        return self.lines and "array" in self.kinds and kind in self.items


def _items(found: Iterable[Mapping[str, Any]]) -> list[Json]:
    """The schemas of the items of arrays."""
    items: list[Json] = []
    for branch in found:
        items += branch.get("prefixItems", ())
        items += [branch["items"]] if "items" in branch else []
    return items


def _kinds(document: Document, schemas: Iterable[Json]) -> frozenset[str]:
    """The kinds of what fits any of some schemas; all if there are none."""
    return frozenset[str]().union(*(root_kinds(document, one) for one in schemas)) or ALL_KINDS
