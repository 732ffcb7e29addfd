"""Texts with a format in prose: dates, addresses, identifiers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.outcome import Reading
from pdl.reply.references import branches
from pdl.reply.scalars import choose, prose
from pdl.reply.spoken import Spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.reply.asked import Asked

_DAY = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})"
_SHAPES = {
    "date": rf"{_DAY}(?![\w:-]|\.\d)",
    "date-time": rf"{_DAY}[Tt ]{_CLOCK}",
    "time": _CLOCK,
    "duration": r"P(?=[\dT])(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?",
    "email": r"[^\s<>\"'`()\[\],;:*_@]{1,64}@[\w-]+(?:\.[\w-]+)*",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"'`“”*]*[^\s<>\"'`“”*.,;:!?)\]}。，]",
    "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "ipv4": r"\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)",
    "ipv6": r"(?=[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:)[0-9A-Fa-f:]+(?:\.\d+){0,3}",
}
"""Format -> what looks like a text of it; whether it is one, the schema decides."""

_AT = re.compile(
    r"\b(?:at|via|see|visit|contact|under|unter|bei|à|en|em|a|su|pod|по)[ *_`<(:]+$", re.IGNORECASE
)
"""What leads to an address, but not to a date."""

_BEFORE = 16  # characters in front of an address in which such a word is looked for
_DOTS = 3  # of an IPv4 address
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "«": "»", "**": "**"}
_ONE = {"const", "enum", "pattern", "format"}


def read(asked: Asked) -> Reading:
    """The only text of the schema's format that stands where an answer does, if there is one."""
    return _unquoted(asked) or _spoken(asked)


def _unquoted(asked: Asked) -> Reading | None:
    """The reply without the quotes around it, where the schema tells what is inside."""
    if not any(_ONE & set(branch) for branch in branches(asked.document, asked.document)):
        return None
    text = prose(asked)
    body = text.strip()
    for opener, closer in _QUOTES.items():
        inside = body.removeprefix(opener).removesuffix(closer)
        whole = len(inside) == len(body) - len(opener) - len(closer)
        if whole and inside == inside.strip() and asked.verdict(inside):
            start = text.find(body) + len(opener)
            return Reading(inside, (start, start + len(inside)))
    return None


def _spoken(asked: Asked) -> Reading:
    shapes = _shapes(asked)
    text = prose(asked)
    return choose(asked, text, _found(asked, text, shapes) if shapes else ())


def _shapes(asked: Asked) -> list[str]:
    """The patterns of the formats at the root; none if any other text may stand there."""
    texts = [
        branch
        for branch in branches(asked.document, asked.document)
        if "type" in branch and "string" in branch["type"]
    ]
    formats = [branch.get("format") for branch in texts]
    return [_SHAPES[name] for name in formats if name in _SHAPES] if all(formats) else []


def _found(asked: Asked, text: str, shapes: list[str]) -> Iterator[Spoken]:
    for found in re.finditer(rf"(?<![\w@/.:-])(?:{'|'.join(shapes)})", text):
        if asked.verdict(found[0]):
            led = _AT.search(text, max(0, found.start() - _BEFORE), found.start()) is not None
            address = not found[0][0].isdigit() or found[0].count(".") == _DOTS
            yield Spoken(found.span(), found[0], placed=led and address)
