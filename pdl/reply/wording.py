"""How values, lists and counts are written in messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json

FOUND_WIDTH = 40
"""Characters of a value that a message quotes at most."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
_LISTED = 12  # words that a list in a message names at most


def brief(value: Json, width: int = FOUND_WIDTH) -> str:
    """A value as JSON, one level deep, cut to a width."""
    if isinstance(value, dict):
        parts = [
            f"{_scalar(name, width)}: {_part(part, width)}" for name, part in _first(value.items())
        ]
        return shorten("{" + ", ".join(parts) + "}", width)
    if isinstance(value, list | tuple):
        return shorten("[" + ", ".join(_part(part, width) for part in _first(value)) + "]", width)
    text = _scalar(value, width)
    if isinstance(value, str) and len(text) > width:
        return text[: width - 2].rstrip("\\ ") + '…"'
    return shorten(text, width)


def _first(items: Iterable[Json]) -> list[Json]:
    return [item for item, _ in zip(items, range(_LISTED), strict=False)]


def _part(value: Json, width: int) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list | tuple):
        return "[…]" if value else "[]"
    return _scalar(value, width)


def _scalar(value: Json, width: int) -> str:
    if isinstance(value, str):
        value = value[: width + 1]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 8 * width:
        return "a number of very many digits"
    return json.dumps(value, ensure_ascii=False, default=str)


def shorten(text: str, width: int = FOUND_WIDTH) -> str:
    """The text on one line, shortened to a width with an ellipsis."""
    text = " ".join(text[: 4 * width].split())
    return text if len(text) <= width else text[: width - 1] + "…"


def count(number: int, noun: str) -> str:
    """`1 element`, `3 elements`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def quoted(words: Iterable[str]) -> list[str]:
    """Each in backticks."""
    return [f"`{word}`" for word in words]


def line(text: str) -> str:
    """A pattern on one line, with newlines as escapes."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


def shown_key(name: str) -> str:
    """A key as a message names it: as it is if it is a plain word, else as JSON."""
    plain = name.replace("-", "_").isidentifier()
    return shorten(name if plain else json.dumps(name[: FOUND_WIDTH + 1], ensure_ascii=False))


def excerpt(schema: Json, width: int = 80) -> str:
    """A schema as JSON, cut to a width; no more of it is written than that."""
    text = ""
    for piece in _ENCODER.iterencode(schema):
        text += piece
        if len(text) > width:
            break
    return shorten(text, width)


def line_before(text: str, at: int, since: int = 0, *, most: int = 200) -> str:
    """The part of a line before an offset; of a long line, its last `most` characters.

    It does not begin before the offset `since`.
    """
    return text[max(since, at - most) : at].rpartition("\n")[2]
