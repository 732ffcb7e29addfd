"""Which subschemas of one schema hold for a part of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply import late

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json


def of_key(schema: Mapping[str, Any], name: str) -> list[Json]:
    """The subschemas for the value of a key (2020-12 core, 10.3.2).

    Of `properties` and `patternProperties`; else `additionalProperties`, which may be absent.
    """
    known = schema.get("properties", {})
    found = [known[name]] if name in known else []
    for pattern, sub in schema.get("patternProperties", {}).items():
        if late.compile_pattern(pattern)(name):
            found.append(sub)
    if found or "additionalProperties" not in schema:
        return found
    return [schema["additionalProperties"]]


def of_index(schema: Mapping[str, Any], index: int) -> list[Json]:
    """The subschemas for an item: of `prefixItems`, or behind them `items` (10.3.1)."""
    prefix = schema.get("prefixItems", ())
    if index < len(prefix):
        return [prefix[index]]
    return [schema["items"]] if "items" in schema else []
