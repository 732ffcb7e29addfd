"""The keywords that bound a value of one type, as the notation's text would give them back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pdl.schema.extents import is_beyond
from pdl.schema.notation.words import FORMATS, ZONED
from pdl.schema.patterns import complaint

if TYPE_CHECKING:
    from pdl._types import Json, JsonSchema


class Unwritable(Exception):  # noqa: N818 - it never leaves this package
    """A keyword has a value for which there is no notation; `why` follows its name."""

    def __init__(self, keyword: str, why: str) -> None:
        super().__init__(keyword, why)
        self.keyword = keyword
        self.why = why


def string(schema: JsonSchema) -> dict[str, Json]:
    """`str`, or a word for a format, with lengths and pattern."""
    found: dict[str, Json] = {"type": "string"}
    if "format" in schema:
        if schema["format"] not in {*FORMATS.values(), *ZONED.values()}:
            raise Unwritable("format", f"of `{schema['format']}`")
        found["format"] = schema["format"]
    found |= sizes(schema, "Length")
    if "pattern" in schema:
        found["pattern"] = _pattern(schema["pattern"])
    if "x-gbnf" in schema:
        found["x-gbnf"] = schema["x-gbnf"]
    return found


def number(schema: JsonSchema, kind: str) -> dict[str, Json]:
    """`int` or `float` with bounds; those of an `int` are brought to whole numbers."""
    found = {key: _plain(schema[key]) for key in _BOUNDS if key in schema}
    if kind == "integer":
        _make_whole(found)
    if "multipleOf" in schema:
        found["multipleOf"] = _plain(schema["multipleOf"])
        if kind == "integer" and isinstance(found["multipleOf"], float):
            raise Unwritable("multipleOf", f"of {found['multipleOf']} for integers")
    _check_range(found, kind)
    return {"type": kind, **found}


def sizes(schema: JsonSchema, name: str) -> dict[str, Json]:
    """`minName` and `maxName`."""
    found = {key: int(schema[key]) for key in (f"min{name}", f"max{name}") if key in schema}
    if found.get(f"min{name}", 0) > found.get(f"max{name}", math.inf):
        raise Unwritable(f"max{name}", f"below `min{name}`, which nothing fits")
    if is_beyond({**schema, **found}, name):
        raise Unwritable(next(iter(found)), "that nothing fits")
    return found


_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def _plain(value: Json) -> Json:
    """An integer where the value is one, as 1.0 is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _make_whole(bounds: dict[str, Json]) -> None:
    """No integer is lost when a bound moves to the next one inside the range."""
    for inclusive, exclusive, inner, outer in (
        ("minimum", "exclusiveMinimum", math.ceil, max),
        ("maximum", "exclusiveMaximum", math.floor, min),
    ):
        if inclusive in bounds:
            bounds[inclusive] = inner(bounds[inclusive])
        if isinstance(bounds.get(exclusive), float):
            moved = inner(bounds.pop(exclusive))
            bounds[inclusive] = outer(moved, bounds.get(inclusive, moved))


def _check_range(bounds: dict[str, Json], kind: str) -> None:
    step = 1 if kind == "integer" else 0
    lows = [bounds.get("minimum", -math.inf), bounds.get("exclusiveMinimum", -math.inf) + step]
    highs = [bounds.get("maximum", math.inf), bounds.get("exclusiveMaximum", math.inf) - step]
    low, high = max(lows), min(highs)
    touching = low == high and kind == "number"
    if low > high or (touching and (lows[1] == low or highs[1] == high)):
        name = next(key for key in ("exclusiveMaximum", "maximum") if key in bounds)
        raise Unwritable(name, "below the least value, which nothing fits")


def _pattern(pattern: str) -> str:
    if complaint(pattern):
        raise Unwritable("pattern", "that is no regular expression here")
    return pattern
