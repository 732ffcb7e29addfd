"""What a value itself says against it: items left out in words, halves of characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.reply.validation.schema_walk import Document

_WORDS = (
    r"(?:(?:and|plus|\+)\s*)?(?:(?:\d+|many|several|some)\s+(?:more|others?)"
    r"|(?:the\s+)?(?:rest|remaining|more|others?))"
    r"(?:\s+(?:items?|entries|elements?|records?|rows?|values?|objects?|results?|of\s+the\s+\w+))?"
)
_MORE = re.compile(
    r"\s*(?:[\[(<]?\s*(?:\.\.\.|…)\s*[\])>]?"
    rf"|[\[(<]?\s*(?:\.\.\.|…)\s*{_WORDS}\s*[\])>]?|[\[(<]\s*{_WORDS}\s*(?:\.\.\.|…)?\s*[\])>]"
    rf"|{_WORDS}\s*(?:\.\.\.|…)|(?:and|plus|\+)\s*\d+\s+(?:more|others?)\b[\w ]{{0,20}}"
    r"|\d+\s+more(?:\s+\w+)?)\s*",
    re.IGNORECASE,
)
_SIGN = re.compile(r"\.\.\.|…|\bmore\b|\bothers?\b|\brest\b|\bremaining\b", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"\s*<(?:string|str|int|integer|number|float|boolean|bool|value|text|null|date|name"
    r"|your[ _-]\w+|insert[ _-]\w+|\w+[ _-]here)>\s*",
    re.IGNORECASE,
)
_PARTS = frozenset(["properties", "items", "prefixItems"])
_LONGEST = 80  # characters of an item that speaks of more
_HALF = re.compile(r"[\ud800-\udfff]")


def is_whole(document: Document, value: Json) -> bool:
    """Whether neither `left_out` nor `half_character` finds anything."""
    return not left_out(document, value) and not half_character(value)


def left_out(document: Document, value: Json) -> str:
    """The first string that represents missing data; an empty string if none does.

    Only where the schema says what the parts of its values are: if anything may be a part, then a
    string of dots may be one.
    """
    said = stand_in(value)
    schemas = (part for part in _containers(document) if isinstance(part, dict)) if said else ()
    return said if any(not _PARTS.isdisjoint(schema) for schema in schemas) else ""


def stand_in(value: Json) -> str:
    """The first string that reads as if data were missing, or an empty string.

    The last of several items that speaks of more (`...`, `and 3 more`), or the value of a key that
    names a type in its place (`<string>`). Dots elsewhere may be data.
    """
    for part in _containers(value):
        last = part[-1] if isinstance(part, list) and len(part) > 1 else None
        if isinstance(last, str) and len(last) <= _LONGEST and _SIGN.search(last):
            if _MORE.fullmatch(last):
                return last
        elif isinstance(part, dict):
            for item in part.values():
                if isinstance(item, str) and _PLACEHOLDER.fullmatch(item):
                    return item
    return ""


def half_character(value: Json) -> str:
    """The first lone surrogate in a value's strings and keys, as an escape; or an empty string.

    No text that has one can be encoded (RFC 8259, section 8.2).
    """
    for part in _containers([value]):
        for item in part if isinstance(part, list) else [*part, *part.values()]:
            found = _HALF.search(item) if isinstance(item, str) else None
            if found:
                return f"\\u{ord(found[0]):04x}"
    return ""


def _containers(value: Json) -> Iterator[Json]:
    """The objects and arrays of a value, each before those in it."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict | list):
            yield part
            pending += reversed(part.values() if isinstance(part, dict) else part)
