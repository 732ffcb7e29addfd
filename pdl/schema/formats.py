"""String formats, sizes and ranges: what can be said of the values of a schema by itself.

The shapes of formats are necessary conditions, enough to refuse an author's mistake; an answer is
checked elsewhere, by all of the formats' rules (RFC 3339, 4122, 5321, 3986).
"""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.schema.keywords import DRAFT_4_INTEGER, schemas

if TYPE_CHECKING:
    from pdl._types import JsonSchema

_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)"


class Format(NamedTuple):
    """A string format that the schema DSL has a word for.

    `word` is its type word, `name` what models are told, `shape` a regular expression; a string has
    between `shortest` and `longest` characters.
    """

    word: str
    name: str
    shape: str
    shortest: int
    longest: float = math.inf


FORMATS = MappingProxyType(
    {
        "date": Format("date", "a date such as 2024-12-31", _DATE, 10, 10),
        "time": Format("time", "a time such as 23:59:59Z", _TIME, 9),
        "x-time": Format("time", "a time such as 23:59:59", f"{_TIME}?", 8),
        "date-time": Format(
            "datetime", "a date and time such as 2024-12-31T23:59:59Z", f"{_DATE}[Tt]{_TIME}", 20
        ),
        "x-date-time": Format(
            "datetime", "a date and time such as 2024-12-31T23:59:59", f"{_DATE}[Tt]{_TIME}?", 19
        ),
        "duration": Format("duration", "an ISO 8601 duration such as P1DT2H", r"P[\dYMWDTHS]+", 3),
        "email": Format("email", "an email address", r".+@.+", 3),
        "uri": Format("uri", "a URI", r"[A-Za-z][A-Za-z0-9+.-]*:\S*", 2),
        "uuid": Format(
            "uuid", "a UUID", r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", 36, 36
        ),
        "ipv4": Format("ipv4", "an IPv4 address", r"\d{1,3}(?:\.\d{1,3}){3}", 7, 15),
        "ipv6": Format("ipv6", "an IPv6 address", r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*", 2, 45),
    }
)
"""Those with `x-` are not formats of JSON Schema, whose `time` and `date-time` demand an offset."""

ASSERTED = frozenset(FORMATS) | {
    *("hostname", "idn-email", "idn-hostname", "iri", "iri-reference", "json-pointer", "regex"),
    *("relative-json-pointer", "uri-reference", "uri-template"),
}
"""The formats that are checked. Any other is an annotation (JSON Schema validation, 7.2.3)."""

ZONED = MappingProxyType({"x-time": "time", "x-date-time": "date-time"})
"""The formats that also accept local times, and what each is with `{ zone: true }`."""

_ISO_DATE = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_ISO_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?"
PATTERNS = MappingProxyType(
    {"x-time": f"^{_ISO_TIME}$", "x-date-time": f"^{_ISO_DATE}T{_ISO_TIME}$"}
)
"""The formats that JSON Schema does not have, as patterns that models' providers understand."""


def is_like(name: str, text: str) -> bool:
    """Whether a string has the shape of a format; true for an unknown format."""
    if name not in FORMATS:
        return True
    if not re.fullmatch(FORMATS[name].shape, text, re.ASCII):
        return False
    return name not in ("date", "date-time", "x-date-time") or _is_day(text[:10])


def _is_day(text: str) -> bool:
    import datetime as dt  # noqa: PLC0415 - only defaults need it, and few schemas have any

    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000")  # a year that RFC 3339 has and Python has not
    return True


def size_limits(schema: JsonSchema) -> tuple[int, float]:
    """Return the fewest and the most characters of the format, or keys of the fields."""
    if "format" in schema:
        known = FORMATS.get(schema["format"])
        return (known.shortest, known.longest) if known else (0, math.inf)
    closed = schema.get("additionalProperties") is False
    most = len(schema.get("properties", ())) if closed else math.inf
    return len(schema.get("required", ())), most


def has_no_size(schema: JsonSchema, name: str) -> bool:
    """Whether `minName` and `maxName` exclude all sizes that the rest of the schema allows."""
    low, high = size_limits(schema)
    least, most = schema.get(f"min{name}", 0), schema.get(f"max{name}", math.inf)
    return bool(least > most or least > high or most < low)


def has_no_number(schema: JsonSchema, kind: str) -> bool:
    """Whether the bounds of an `integer` or a `number` exclude all of them."""
    step = 1 if kind == "integer" else 0
    above, below = (
        schema.get("exclusiveMinimum", -math.inf),
        schema.get("exclusiveMaximum", math.inf),
    )
    low = max(schema.get("minimum", -math.inf), above + step)
    high = min(schema.get("maximum", math.inf), below - step)
    return bool(low > high or (low == high and not step and (above == low or below == high)))


def standard(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document, changed in place so that other software understands all of it.

    Formats that only pdl has become patterns, and its keyword for draft 4 is removed.
    """
    for _, node in list(schemas(document)):
        node.pop(DRAFT_4_INTEGER, None)
        pattern = PATTERNS.get(str(node.get("format")))
        if pattern:
            del node["format"]
            node.setdefault("pattern", pattern)
    return document
