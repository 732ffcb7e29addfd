"""The bounds of a value in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl._types import Json, JsonSchema

_FORMATS = {
    "date": "a date as 2024-12-31",
    "time": "a time as 23:59:59Z",
    "x-time": "a time as 23:59:59",
    "date-time": "a date and time as 2024-12-31T23:59:59Z",
    "x-date-time": "a date and time as 2024-12-31T23:59:59",
    "duration": "an ISO 8601 duration as P1DT2H",
    "email": "an email address",
    "uri": "a URI",
    "uuid": "a UUID",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
}


def phrases(schema: JsonSchema) -> list[str]:
    """What a typed schema in normal form asks of a value besides its type, its parts aside."""
    if "prefixItems" in schema:
        return _unique(schema)
    said = [_FORMATS[schema["format"]]] if "format" in schema else []
    said += _sized(schema, "Length", "character")
    said += [f"matching the regular expression {schema['pattern']}"] if "pattern" in schema else []
    said += _range(schema)
    said += [f"a multiple of {schema['multipleOf']}"] if "multipleOf" in schema else []
    said += _sized(schema, "Items", "item") + _unique(schema)
    return said + _sized(schema, "Properties", "key")


def counted(low: int | None, high: int | None, noun: str) -> str:
    """A count in words: "1 to 5 items"; empty if it has no bounds."""
    if low is None and high is None:
        return ""
    if high is None:
        return f"at least {_number(low, noun)}" if low else ""
    if not low:
        return f"at most {_number(high, noun)}"
    return _number(high, noun) if low == high else f"{low} to {_number(high, noun)}"


def default_phrase(value: Json) -> str:
    """What is taken for a key that is left out."""
    return f"default {json.dumps(value, ensure_ascii=False)}"


def _number(count: int | None, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _sized(schema: JsonSchema, name: str, noun: str) -> list[str]:
    said = counted(schema.get(f"min{name}"), schema.get(f"max{name}"), noun)
    return [said] if said else []


def _unique(schema: JsonSchema) -> list[str]:
    return ["no two alike"] if schema.get("uniqueItems") else []


def _range(schema: JsonSchema) -> list[str]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        said = [f"from {low} to {high}"]
    else:
        said = [f"at least {low}"] if low is not None else []
        said += [f"at most {high}"] if high is not None else []
    over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    said += [f"more than {over}"] if over is not None else []
    return said + ([f"less than {under}"] if under is not None else [])
