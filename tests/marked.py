"""Texts with a cursor `¦` and ranges `[[…]]` in them."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile(r"¦|\[\[|\]\]")


class Marked(NamedTuple):
    """A text without its marks, where the cursor is (-1: nowhere), and the ranges."""

    text: str
    cursor: int
    ranges: list[tuple[int, int]]


def unmarked(text: str) -> Marked:
    """Read the marks of a text."""
    out: list[str] = []
    at = length = 0
    cursor, starts, ranges = -1, list[int](), list[tuple[int, int]]()
    for found in _MARK.finditer(text):
        out.append(text[at : found.start()])
        length += found.start() - at
        at = found.end()
        if found[0] == "¦":
            cursor = length
        elif found[0] == "[[":
            starts.append(length)
        else:
            ranges.append((starts.pop(), length))
    return Marked("".join(out) + text[at:], cursor, sorted(ranges))


def marked(text: str, ranges: list[tuple[int, int]]) -> str:
    """Write ranges into a text, so that a difference can be read."""
    for start, end in sorted(ranges, reverse=True):
        text = f"{text[:start]}[[{text[start:end]}]]{text[end:]}"
    return text
