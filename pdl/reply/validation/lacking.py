"""What the schema has for the parts of a value, asked where something stands beside the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.validation.schema_walk import Node

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.validation.references import Document


def lacking(document: Document, value: Json) -> frozenset[str]:
    """The keys that the schema has for the objects at the end of a value, and they have not."""
    node = Node(document)
    found: frozenset[str] = frozenset()
    while value and isinstance(value, dict | list):
        if isinstance(value, dict):
            found |= node.names - value.keys()
        step = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
        node, value = node.at(step), value[step]
    return found


def item_kinds(document: Document) -> frozenset[str]:
    """The types that the schema has for the items of an array at its root."""
    return Node(document).at(0).kinds
