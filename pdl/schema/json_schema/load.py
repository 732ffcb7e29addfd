"""A JSON Schema's text as JSON, with the place of what is wrong in it."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from pdl.errors import Problem, error_from
from pdl.schema.json_schema.shapes import TYPES

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.source import Source

_PIECES = re.compile(r'"(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_KEYWORDS = ("$ref", "$schema", "allOf", "anyOf", "oneOf", "properties")
_DEPTH_FACTOR = 4


def load(source: Source, limits: Limits, start: int = 0) -> Json:
    """The JSON value that stands in the text from an offset on.

    Raises SchemaError for text that is no JSON, with its place, and for a key that stands twice;
    LimitError for text that is too long or too deep.
    """
    check_size(source, limits, start)

    def integer(digits: str) -> int:
        if len(digits) > limits.integer_digits:
            message = f"an integer of more than {limits.integer_digits:,} digits"
            raise error_from([Problem("limit/integer-digits", message, source.span(start))])
        return int(digits)

    def constant(name: str) -> Json:
        raise error_from(
            [Problem("schema/not-json", f"{name} is no JSON value", source.span(start))]
        )

    def pairs(entries: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(entries)
        if len(result) < len(entries):
            key = _twice([key for key, _ in entries])
            message = f"an object of the JSON Schema has the key `{key}` twice"
            raise error_from([Problem("schema/duplicate-key", message, source.span(start))])
        return result

    try:
        return json.loads(
            source.text[start:].lstrip("\ufeff"),
            parse_int=integer,
            parse_constant=constant,
            object_pairs_hook=pairs,
        )
    except json.JSONDecodeError as error:
        end = len(source.text.rstrip())
        message = f"this is no JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        place = source.span(min(start + error.pos, end))
        raise error_from([Problem("schema/not-json", message, place)]) from error


def looks_like_schema(text: str, limits: Limits) -> bool:
    """Whether a text as a whole is the JSON of an object that has a JSON Schema's keywords."""
    if len(text) > limits.source_chars:
        return False
    if _deepest(text, 0)[0] > limits.schema_depth * _DEPTH_FACTOR:
        return False
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except ValueError:
        return False
    return isinstance(value, dict) and _has_keywords(value)


def _has_keywords(value: dict[str, Json]) -> bool:
    return value.get("type") in TYPES or any(key in value for key in _KEYWORDS)


def check_size(source: Source, limits: Limits, start: int = 0) -> None:
    """Raise LimitError, with a place, for text that is too long or too deep."""
    if len(source.text) > limits.source_chars:
        message = f"longer than {limits.source_chars:,} characters"
        raise error_from([Problem("limit/source-chars", message, source.span(start))])
    depth, place = _deepest(source.text, start)
    most = limits.schema_depth * _DEPTH_FACTOR
    if depth > most:
        message = f"the JSON nests deeper than {most} levels"
        raise error_from([Problem("limit/schema-depth", message, source.span(place))])


def _deepest(text: str, start: int) -> tuple[int, int]:
    """How deep the brackets outside strings nest, and where they first do."""
    depth = deepest = place = 0
    for match in _PIECES.finditer(text, start):
        if match[0] in "[{":
            depth += 1
            if depth > deepest:
                deepest, place = depth, match.start()
        elif match[0] in "]}":
            depth -= 1
    return deepest, place


def _twice(keys: list[str]) -> str:
    counts = Counter(keys)
    return next(key for key in keys if counts[key] > 1)
