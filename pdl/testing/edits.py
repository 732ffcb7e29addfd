"""Edits of a text whose newlines and byte order mark stay as they are."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = "\ufeff"


class Edit(NamedTuple):
    """A replacement of a range, whose offsets are those of the text as pdl reads it.

    That is without a byte order mark, and with lines that end in LF.
    """

    start: int
    end: int
    text: str


def edited(raw: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits, which must not overlap; all else stays byte for byte.

    New lines end as the first line of the text does.
    """
    begin = len(_MARK) if raw.startswith(_MARK) else 0
    pairs: list[int] = []  # where lines end in CRLF, in the text as pdl reads it
    at = raw.find("\r\n")
    while at >= 0:
        pairs.append(at - begin - len(pairs))
        at = raw.find("\r\n", at + 2)
    newline = "\r\n" if pairs and raw.find("\n") == raw.find("\r\n") + 1 else "\n"
    parts: list[str] = []
    last = 0
    for start, end, text in sorted(edits, key=lambda one: one[:2]):
        raw_start = start + begin + bisect_left(pairs, start)
        parts += [raw[last:raw_start], text.replace("\n", newline)]
        last = end + begin + bisect_left(pairs, end)
    return "".join((*parts, raw[last:]))
