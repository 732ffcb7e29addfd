"""The arguments of all tools as one JSON Schema, so that their grammars share rules and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.schema.keywords import pointer
from pdl.tools.schemata import Collected

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.schema import Schema


def place(name: str) -> str:
    """The JSON pointer of a tool's arguments in `document`."""
    return pointer(("$defs", name))


def document(tools: tuple[tuple[str, Schema], ...]) -> dict[str, Json]:
    """An array that has the arguments of one tool after the other as its items.

    They stand in `$defs` under the names of the tools, beside the definitions that they use.
    """
    collected = Collected()
    collected.definitions.update({name: {} for name, _ in tools})
    for name, schema in tools:
        collected.definitions[name] = collected.add(schema.document, ("$defs", name))
    return {
        "type": "array",
        "prefixItems": [{"$ref": place(name)} for name, _ in tools],
        "items": False,
        "minItems": len(tools),
        "$defs": collected.definitions,
    }
