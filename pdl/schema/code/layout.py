"""Python expressions on one line, or broken at their brackets as formatters break them.

A bracket that breaks has an item on each line and a comma after the last, which tells formatters to
leave it broken, whatever the length of their lines.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pdl._types import Json

WIDTH = 88
STEP = "    "


class Group(NamedTuple):
    """Items in brackets. One item without a comma is not a tuple."""

    opening: str
    items: tuple[Doc, ...]
    closing: str
    comma: bool = True


class Chain(NamedTuple):
    """Parts with nothing between."""

    parts: tuple[Doc, ...]


class Either(NamedTuple):
    """A text for one line, and what replaces it where the line is too short."""

    line: str
    broken: Doc


Doc: TypeAlias = str | Group | Chain | Either


def flat(doc: Doc) -> str:
    """Return a doc on one line."""
    match doc:
        case Group(opening, items, closing):
            return f"{opening}{', '.join(map(flat, items))}{closing}"
        case Chain(parts):
            return "".join(map(flat, parts))
        case Either(line):
            return line
    return doc


def lay_out(doc: Doc, indent: str, column: int, tail: int = 0) -> str:
    """Return a doc that begins at a column; `tail` columns are left after it."""
    line = flat(doc)
    if column + _columns(line) + tail <= WIDTH:
        return line
    match doc:
        case Group(opening, items, closing, comma):
            deeper = indent + STEP
            mark = "," if comma else ""
            after = 1 if comma else WIDTH  # without a comma, what is inside has to break too
            lines = [f"{deeper}{lay_out(one, deeper, len(deeper), after)}{mark}" for one in items]
            return "\n".join([opening, *lines, f"{indent}{closing}"]) if items else line
        case Chain(parts):
            return _chain(parts, indent, column, tail)
        case Either(_, broken):
            return lay_out(broken, indent, column, tail)
    return doc


def _can_break(doc: Doc) -> bool:
    """Whether a doc has a bracket with commas."""
    match doc:
        case Group(_, items, _, comma):
            return (comma and bool(items)) or any(map(_can_break, items))
        case Chain(parts):
            return any(map(_can_break, parts))
    return isinstance(doc, Either)


def statement(doc: Doc, indent: str = "") -> str:
    """Return a doc as lines.

    Formatters must not touch a statement whose first line is too long: where they break it depends
    on what follows, and on the length of their lines.
    """
    text = indent + (lay_out(doc, indent, len(indent)) if _can_break(doc) else flat(doc))
    is_long = _columns(text.partition("\n")[0]) > WIDTH
    return f"{text}{'  # fmt: skip' if is_long else ''}\n"


def _chain(parts: tuple[Doc, ...], indent: str, column: int, tail: int) -> str:
    """Parts, of which the first that can break does, until the rest fits."""
    text = ""
    for index, part in enumerate(parts):
        after = _columns("".join(map(flat, parts[index + 1 :])))
        last = text.rpartition("\n")
        start = _columns(last[2]) + (0 if last[1] else column)
        text += lay_out(part, indent, start, after + tail)
    return text


def _columns(text: str) -> int:
    """The columns of a text, at least: wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def literal(text: str) -> str:
    """Return a string literal, in the quotes that need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(_escaped(c, quote) for c in text) + quote


def _escaped(char: str, quote: str) -> str:
    if char in ("\\", quote):
        return "\\" + char
    return char if char in "'\"" or char.isprintable() else repr(char)[1:-1]


def value(data: Json) -> Doc:
    """Return a JSON value as a Python expression."""
    if isinstance(data, str):
        return literal(data)
    if isinstance(data, list):
        return Group("[", tuple(map(value, data)), "]")
    if isinstance(data, dict):
        entries = (Chain((f"{literal(key)}: ", value(inner))) for key, inner in data.items())
        return Group("{", tuple(entries), "}")
    return repr(data).replace("e+", "e")  # as formatters write 1e+30


def call(name: str, arguments: dict[str, Doc]) -> Doc:
    """Return a call with keyword arguments."""
    given = (Chain((f"{key}=", inner)) for key, inner in arguments.items())
    return Group(f"{name}(", tuple(given), ")")
