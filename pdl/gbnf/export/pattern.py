"""Regular expressions as values: shared parts, and how long they would be when written.

The notation is what Python's `re` and ECMA-262 with the flag `u` read alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.gbnf.export.spelling import PLAIN, bracketed, escaped
from pdl.gbnf.write import suffix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.utf8 import Ranges

_SYNTAX = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "^$.*+?()[]{}|/"}}
_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-"}}
_MOST = 10**15  # sizes beyond it are not told apart
_SIMPLE = ("?", "*", "+")
_GROUP = 4  # characters of `(?:)`


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A regular expression: a text that can be repeated as it stands, or parts.

    `kind` is `one` (a character or a class), `row` (parts one after the other), `options` or
    `repeat`. `size` is at least the length that it has when written, `depth` how deep its groups
    nest; `empty` tells whether it may match nothing.
    """

    kind: str
    text: str = ""
    parts: tuple[Pattern, ...] = ()
    size: int = 0
    depth: int = 0
    empty: bool = False


EMPTY = Pattern("row", empty=True)


@lru_cache(maxsize=1024)
def character(code: int) -> Pattern:
    """One character."""
    return _one(_spelled(code, _SYNTAX))


def char_class(ranges: Ranges) -> Pattern:
    """One character of some ranges."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return character(ranges[0][0])
    return _one(bracketed(ranges, lambda code: _spelled(code, _IN_CLASS)))


def _one(text: str) -> Pattern:
    return Pattern("one", text, size=len(text))


def _spelled(code: int, special: dict[int, str]) -> str:
    """A code point; beyond U+FFFF the two notations share no escape."""
    return chr(code) if code > 0xFFFF else escaped(code, special)  # noqa: PLR2004


def row(parts: Iterable[Pattern]) -> Pattern:
    """Patterns one after the other."""
    kept = tuple(part for part in parts if part is not EMPTY)
    if len(kept) == 1:
        return kept[0]
    if not kept:
        return EMPTY
    size = sum(part.size + _GROUP * (part.kind == "options") for part in kept)
    depth = max(part.depth + (part.kind == "options") for part in kept)
    return Pattern("row", "", kept, min(size, _MOST), depth, all(part.empty for part in kept))


def options(parts: Iterable[Pattern]) -> Pattern:
    """Patterns of which one is taken; each part counts once."""
    kept = tuple(dict.fromkeys(parts))
    if len(kept) == 1:
        return kept[0]
    if EMPTY in kept:
        return repeat(options(part for part in kept if part is not EMPTY), 0, 1)
    size = sum(part.size + 1 for part in kept)
    depth = max(part.depth for part in kept)
    return Pattern("options", "", kept, min(size, _MOST), depth, any(part.empty for part in kept))


def repeat(part: Pattern, least: int, most: int | None) -> Pattern:
    """A pattern several times.

    What may be empty is repeated no times at least, as it does not matter: engines that track back
    would try each way in which the empty text is made of empty texts.
    """
    least = 0 if part.empty else least
    if part is EMPTY or most == 1 == least + part.empty:
        return part
    said = suffix(least, most)
    if part.kind == "repeat" and part.text in _SIMPLE and (said in _SIMPLE or not least):
        if part.text != "?":
            said = "+" if said == part.text == "+" else "*"
        part = part.parts[0]
    grouped = part.kind != "one"
    size = part.size + _GROUP * grouped + len(said)
    empty = part.empty or said in {"?", "*"} or not least
    return Pattern("repeat", said, (part,), min(size, _MOST), part.depth + grouped, empty)


def written(pattern: Pattern) -> str:
    """The text of a pattern, without recursion, as parts may nest in long rows."""
    found: list[str] = []
    pending: list[Pattern | str] = [pattern]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            found.append(one)
        elif one.kind == "one":
            found.append(one.text)
        else:
            pending += reversed(_pieces(one))
    return "".join(found)


def _pieces(pattern: Pattern) -> list[Pattern | str]:
    pieces: list[Pattern | str] = []
    if pattern.kind == "repeat":
        part = pattern.parts[0]
        return [*(_grouped(part) if part.kind != "one" else [part]), pattern.text]
    for part in pattern.parts:
        if pattern.kind == "options":
            pieces += ["|", part] if pieces else [part]
        else:
            pieces += _grouped(part) if part.kind == "options" else [part]
    return pieces


def _grouped(part: Pattern) -> list[Pattern | str]:
    return ["(?:", part, ")"]
