"""Literals and character classes: from what is written between their marks to code points.

The escapes are those of `parse_char` in llama.cpp's `src/llama-grammar.cpp`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHARACTER = re.compile(
    r"""\\(?:x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})
    |(?P<plain>[trn\\"\[\]-]))|(?P<raw>[^\\])""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN = {"t": "\t", "r": "\r", "n": "\n"}
_HEX = {"x": 2, "u": 4, "U": 8}


class EscapeError(ValueError):
    """A backslash that is none of the notation's; `at` is its offset in what was read."""

    def __init__(self, at: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.hint = hint


def literal(body: str) -> tuple[int, ...]:
    """The code points of what stands between the quotes of a literal. Raises EscapeError."""
    if "\\" not in body:
        return tuple(map(ord, body))
    codes: list[int] = []
    at = 0
    while at < len(body):
        code, at = _character(body, at)
        codes.append(code)
    return tuple(codes)


def char_class(body: str) -> tuple[tuple[tuple[int, int], ...], bool]:
    """The ranges between the brackets of a class, and whether it is negated. Raises EscapeError."""
    negated = body.startswith("^")
    ranges: list[tuple[int, int]] = []
    at = int(negated)
    while at < len(body):
        low, at = _character(body, at)
        high = low
        if body.startswith("-", at) and at + 1 < len(body):
            high, at = _character(body, at + 1)
        ranges.append((low, high))
    return tuple(ranges), negated


def faults(body: str) -> Iterator[EscapeError]:
    """All backslashes between the marks of a literal or of a class that are none."""
    at = 0
    while at < len(body):
        found = _CHARACTER.match(body, at)
        if not found:
            yield _unknown(body, at)
        at = found.end() if found else at + 2


def _character(body: str, at: int) -> tuple[int, int]:
    """The code point at an offset, and where the next one begins."""
    found = _CHARACTER.match(body, at)
    if not found:
        raise _unknown(body, at)
    kind, said = found.lastgroup, found[found.lastgroup or 0]
    if kind == "raw":
        return ord(said), found.end()
    if kind == "plain":
        return ord(_PLAIN.get(said, said)), found.end()
    return int(said, 16), found.end()


def _unknown(body: str, at: int) -> EscapeError:
    mark = body[at + 1 : at + 2]
    if mark in _HEX:
        return EscapeError(at, f"`\\{mark}` needs {_HEX[mark]} hexadecimal digits")
    known = r"`\t \r \n \\ \" \[ \] \- \xHH \uHHHH \UHHHHHHHH`"
    hint = f"the escapes of a grammar are {known}"
    if mark in "dswDSW" and mark:
        hint = "a grammar has no shorthands: write `[0-9]`, `[A-Za-z0-9_]` or `[ \\t\\n\\r]`"
    elif mark in "'/.*+?(){}|^$":
        hint = f"`{mark}` needs no backslash here"
    elif mark in {"b", "f", "0"}:
        hint = {"b": "write `\\x08`", "f": "write `\\x0C`", "0": "write `\\x00`"}[mark]
    return EscapeError(at, f"`\\{mark}` is no escape of a grammar", hint)
