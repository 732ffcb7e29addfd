"""Character classes and escapes, as the `regex` library reads them after the translation.

They have been compiled by the library before they come here, and are therefore well formed.
"""

from __future__ import annotations

import sys
from array import array
from functools import lru_cache

import regex

from pdl.automata.charset import LAST, CharSet
from pdl.automata.pattern.nodes import Irregular

_CONTROLS = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_HEX = {"x": 2, "u": 4, "U": 8}
_SPACE = CharSet.of(" \t\n\r\f\v")
# The translation writes these for "anything" and "nothing" only, `[\s\S]` and `[^\s\S]`.
_HALVES = {"s": _SPACE, "S": ~_SPACE}
_PROPERTY = regex.compile(
    r"[pP](?:[CLMNPSZ]|\{\^?[A-Za-z0-9 &_.-]*(?:[:=] *[A-Za-z0-9&_./-][A-Za-z0-9 &_./-]*)?\})"
)
_OCTAL = regex.compile(r"[0-7]{1,3}")
_HIGHEST_OCTAL = 0x1FF
_GAP, _GAP_SIZE = 0xD800, 0x800


def escape(text: str, at: int) -> tuple[CharSet | int, int]:
    """The class, or the one code point, that is escaped by a backslash before `at`; and its end."""
    char = text[at]
    if char in _HEX:
        end = at + 1 + _HEX[char]
        return int(text[at + 1 : end], 16), end
    if char in "pP" and (found := _PROPERTY.match(text, at)):
        return property_set(found[0]), found.end()
    if octal := _OCTAL.match(text, at):
        return int(octal[0], 8) & _HIGHEST_OCTAL, octal.end()
    if char in _HALVES:
        return _HALVES[char], at + 1
    if char.isascii() and char.isalpha() and char not in _CONTROLS and char not in "pP":
        raise Irregular(f"it has the escape `\\{char}`")
    return _CONTROLS.get(char, ord(char)), at + 1


def char_class(text: str, at: int) -> tuple[CharSet, int]:
    """The characters of the class that opens before `at`, and where it ends.

    A class in a class can only be a negated one without any further class in it.
    """
    negated = text.startswith("^", at)
    at += negated
    found: list[CharSet] = []
    while not text.startswith("]", at):
        item, at = _member(text, at)
        found.append(item)
    union = CharSet.over(pair for one in found for pair in one.ranges)
    return (~union if negated else union), at + 1


def _member(text: str, at: int) -> tuple[CharSet, int]:
    """A class, a character or a range; `-` beside a class or a bracket stands for itself."""
    item, at = _item(text, at)
    if isinstance(item, CharSet):
        return item, at
    if not text.startswith("-", at) or text.startswith("-]", at):
        return CharSet.char(item), at
    end, at = _item(text, at + 1)
    if isinstance(end, CharSet):
        return CharSet.char(item) | CharSet.of("-") | end, at
    return CharSet.range(item, end), at


def _item(text: str, at: int) -> tuple[CharSet | int, int]:
    if text[at] == "\\":
        return escape(text, at + 1)
    if text[at] == "[":
        return char_class(text, at + 1)
    return ord(text[at]), at + 1


@lru_cache(maxsize=64)
def property_set(name: str) -> CharSet:
    """The characters with a property of Unicode, such as `p{Greek}` or `PL`, asked one and all."""
    found = regex.finditer(rf"\{name}+", _all_characters(), regex.V1)
    return CharSet.over(_codes(one.start(), one.end() - 1) for one in found)


@lru_cache(maxsize=1)
def _all_characters() -> str:
    codes = array("I", [*range(_GAP), *range(_GAP + _GAP_SIZE, LAST + 1)])
    return codes.tobytes().decode(f"utf-32-{sys.byteorder[0]}e")  # a tenth of the time of `chr`


def _codes(first: int, last: int) -> tuple[int, int]:
    """The code points between two places in the text of all characters."""
    return _code(first), _code(last)


def _code(place: int) -> int:
    return place + _GAP_SIZE if place >= _GAP else place
