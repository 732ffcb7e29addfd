"""Strings of a value that no text can hold: halves of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

_HALVES = ("\ud800", "\udfff")


def half_character(value: Json) -> str:
    """The first lone surrogate in a value's strings and keys, as an escape; or an empty string.

    No text that has one can be encoded (RFC 8259, section 8.2).
    """
    for part in containers([value]):
        for item in part if isinstance(part, list) else [*part, *part.values()]:
            if isinstance(item, str) and not item.isascii():
                first, last = _HALVES
                found = next((char for char in item if first <= char <= last), "")
                if found:
                    return f"\\u{ord(found):04x}"
    return ""


def containers(value: Json) -> Iterator[Json]:
    """The objects and arrays of a value, each before those in it."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict | list):
            yield part
            pending += reversed(part.values() if isinstance(part, dict) else part)
