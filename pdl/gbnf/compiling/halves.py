"""Halves of surrogate pairs in a schema's constants and names, which no text of a grammar holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonSchema

_HALF = re.compile("[\ud800-\udfff]")
_OF_VALUES = ("const", "enum")
_OF_NAMES = ("dependentSchemas", "properties")


def half(value: Json) -> str:
    """The first lone surrogate in the strings and keys of a value; an empty string for none."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            found = None if one.isascii() else _HALF.search(one)
            if found:
                return found[0]
        elif isinstance(one, dict):
            pending += (*one.values(), *one)
        elif isinstance(one, list):
            pending += one
    return ""


def halved(schema: JsonSchema) -> Iterator[tuple[str, str]]:
    """The keywords of a schema, aside from the schemas in it, that name such a half, and it."""
    for keyword, value in schema.items():
        if keyword in _OF_VALUES:
            found = half(value)
        elif keyword in _OF_NAMES:
            found = half(list(value))
        else:
            found = half(value) if keyword in ("dependentRequired", "required") else ""
        if found:
            yield keyword, found


def why(found: str) -> str:
    r"""What is wrong with a half: it is named by its escape, `\ud800`."""
    return f"`\\u{ord(found):04x}` is half of a surrogate pair, which is no character"
