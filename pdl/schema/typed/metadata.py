"""What `Annotated` says of a type, read by the names that annotated-types and pydantic share."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl._types import Json

_NUMBERS = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
}
_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}


def annotate(
    schema: dict[str, Json], metadata: Iterable[Any], refuse: Callable[[str], None]
) -> dict[str, Json]:
    """The schema with the constraints and the description that the metadata has.

    A plain string is a description. What is unknown is passed over, as PEP 593 demands; `refuse` is
    called with what is wrong with a constraint that is known but cannot be said.
    """
    result = dict(schema)
    for one in metadata:
        if isinstance(one, str):
            result["description"] = one
            continue
        description = getattr(one, "description", None) or getattr(one, "documentation", None)
        if isinstance(description, str):
            result["description"] = description
        result |= _constraints(result, one, refuse)
        inner = getattr(one, "metadata", None)  # a pydantic field holds its constraints in here
        if isinstance(inner, list | tuple):
            result = annotate(result, inner, refuse)
    return result


def _constraints(
    schema: dict[str, Json], one: Any, refuse: Callable[[str], None]
) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, keyword in _NUMBERS.items():
        bound = getattr(one, name, None)
        if bound is not None:
            number = _number(bound)
            found |= {} if number is None else {keyword: number}
            if number is None:
                refuse(f"the bound {bound!r} is no JSON number")
    for name, end in (("min_length", "min"), ("max_length", "max")):
        length = getattr(one, name, None)
        if isinstance(length, int) and not (end == "min" and length == 0):
            size = _size(schema)
            found |= {end + size: length} if size else {}
            if not size:
                refuse(f"the length {length} has no meaning for it")
    pattern = getattr(one, "pattern", None)
    pattern = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    return found | ({"pattern": pattern} if isinstance(pattern, str) else {})


def _number(bound: Any) -> int | float | None:
    if isinstance(bound, Decimal):
        return int(bound) if bound == bound.to_integral_value() else float(bound)
    is_number = isinstance(bound, int | float) and not isinstance(bound, bool)
    return bound if is_number and math.isfinite(bound) else None


def _size(schema: dict[str, Json]) -> str:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    sizes = [_SIZES[kind] for kind in kinds if kind in _SIZES]
    return sizes[0] if len(sizes) == 1 else ""
