"""How long the values of a schema can be before its own bounds say anything."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pdl.schema.formats import lengths

if TYPE_CHECKING:
    from pdl._types import JsonSchema


def extents(schema: JsonSchema) -> tuple[int, float]:
    """The fewest and the most characters that the format leaves, or keys that the fields leave."""
    if "format" in schema:
        low, high = lengths(schema["format"])
        return low, math.inf if high is None else high
    closed = schema.get("additionalProperties") is False
    most = len(schema.get("properties", ())) if closed else math.inf
    return len(schema.get("required", ())), most


def is_beyond(schema: JsonSchema, name: str) -> bool:
    """Whether `minName` or `maxName` leave no length of those that the rest of the schema takes."""
    low, high = extents(schema)
    return bool(schema.get(f"min{name}", 0) > high or schema.get(f"max{name}", math.inf) < low)
