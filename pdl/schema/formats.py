"""The formats that the notation has words for: the shape and the lengths of their strings.

These are necessary conditions, enough to refuse an author's mistake; an answer is checked
elsewhere, by all of the formats' rules (RFC 3339, 4122, 5321, 3986). `size_limits` says how long
the values of a schema can be, its own bounds aside.
"""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pdl.schema.keywords import DRAFT_4_INTEGER, schemas

if TYPE_CHECKING:
    from pdl._types import JsonSchema


def size_limits(schema: JsonSchema) -> tuple[int, float]:
    """The fewest and the most characters that the format leaves, or keys that the fields leave."""
    if "format" in schema:
        low, high = lengths(schema["format"])
        return low, math.inf if high is None else high
    closed = schema.get("additionalProperties") is False
    most = len(schema.get("properties", ())) if closed else math.inf
    return len(schema.get("required", ())), most


def is_beyond(schema: JsonSchema, name: str) -> bool:
    """Whether `minName` or `maxName` leave no length of those that the rest of the schema takes."""
    low, high = size_limits(schema)
    return bool(schema.get(f"min{name}", 0) > high or schema.get(f"max{name}", math.inf) < low)


_DATE = r"\d{4}-\d\d-\d\d"
_LOCAL = r"\d\d:\d\d:\d\d(?:\.\d+)?"
_ZONE = r"(?:[Zz]|[+-]\d\d:\d\d)"
_TIME = _LOCAL + _ZONE

_SHAPES = MappingProxyType(
    {
        "date": _DATE,
        "time": _TIME,
        "x-time": f"{_TIME}?",
        "date-time": f"{_DATE}[Tt]{_TIME}",
        "x-date-time": f"{_DATE}[Tt]{_TIME}?",
        "duration": r"P[\dYMWDTHS]+",
        "email": r".+@.+",
        "uri": r"[A-Za-z][A-Za-z0-9+.-]*:\S*",
        "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
        "ipv4": r"\d{1,3}(?:\.\d{1,3}){3}",
        "ipv6": r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*",
    }
)
_ISO_DATE = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_ISO_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?"
PATTERNS = MappingProxyType(
    {"x-time": f"^{_ISO_TIME}$", "x-date-time": f"^{_ISO_DATE}T{_ISO_TIME}$"}
)
"""The formats that JSON Schema has not, as patterns that models' providers understand."""

_LENGTHS = MappingProxyType(
    {
        "date": (10, 10),
        "time": (9, None),
        "x-time": (8, None),
        "date-time": (20, None),
        "x-date-time": (19, None),
        "duration": (3, None),
        "email": (3, None),
        "uri": (2, None),
        "uuid": (36, 36),
        "ipv4": (7, 15),
        "ipv6": (2, 45),
    }
)


def lengths(name: str) -> tuple[int, int | None]:
    """The fewest and the most characters of a string of a format; None for no end."""
    return _LENGTHS.get(name, (0, None))


def is_like(name: str, text: str) -> bool:
    """Whether a text has the shape of a format; true for a format that is not known here."""
    shape = _SHAPES.get(name)
    if shape is None:
        return True
    if not re.fullmatch(shape, text, re.ASCII):
        return False
    return name not in ("date", "date-time", "x-date-time") or _is_day(text[:10])


def _is_day(text: str) -> bool:
    import datetime as dt  # noqa: PLC0415 - only defaults need it, and few schemas have any

    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000")  # a year that RFC 3339 has and Python has not
    return True


def standard(document: dict[str, Any]) -> dict[str, Any]:
    """The document, changed so that others know all that it says.

    Patterns stand for the formats that only pdl has, and nothing for its keyword for draft 4.
    """
    for _, node in list(schemas(document)):
        node.pop(DRAFT_4_INTEGER, None)
        pattern = PATTERNS.get(str(node.get("format")))
        if pattern:
            del node["format"]
            node.setdefault("pattern", pattern)
    return document
