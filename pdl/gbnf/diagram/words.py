"""What diagrams say: safe in markup, and as wide as they will be drawn."""

from __future__ import annotations

import re
import unicodedata
from html import escape

_UNSAFE = re.compile(
    "[^\\t\\n\\r\\x20-\\x7E\\x85\\u00A0-\\uD7FF\\uE000-\\uFFFD\\U00010000-\\U0010FFFF]"
)
_NOT_IN_ID = re.compile(r"[^A-Za-z0-9-]")
_CELL = 8.4
"""The width of one character of the font, of which wide ones take two."""


def safe(text: str) -> str:
    """A text for markup, also between double quotes.

    Characters that XML 1.0 (section 2.2) does not have become U+FFFD.
    """
    return escape(_UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text))


def anchor(name: str) -> str:
    """The id of a rule's picture; names that no parser reads get one of their own, too."""
    return "rule-" + _NOT_IN_ID.sub(lambda found: f"_{ord(found[0]):x}_", name)


def width(text: str) -> int:
    """How wide a text is."""
    if text.isascii():
        return round(len(text) * _CELL)
    return round(sum(map(_cells, text)) * _CELL)


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def shortened(text: str, most: int) -> str:
    """A text, or the beginning and the end of one that has too many characters."""
    if len(text) <= most:
        return text
    return f"{text[: most - most // 4 - 1]}…{text[-(most // 4) :]}"
