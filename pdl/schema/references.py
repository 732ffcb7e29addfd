"""From a reference of a schema's document to what it names."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath, JsonSchema


def steps(reference: str) -> JsonPath:
    """The keys that a reference within a document leads through (RFC 6901, section 6).

    Indices of arrays are strings too: only the document tells them from keys.
    """
    tokens = unquote(reference.removeprefix("#")).split("/")[1:]
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def lookup(document: JsonSchema, reference: str) -> Json:
    """The schema that a reference of a `Schema.document` names; KeyError if there is none."""
    node: Json = document
    for step in steps(reference):
        try:
            node = node[int(step)] if isinstance(node, list) else node[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise KeyError(reference) from None
    return node
