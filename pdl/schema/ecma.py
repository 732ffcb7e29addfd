"""Patterns of ECMA-262, which JSON Schema takes, in the dialect of the `regex` library.

Imported only when a schema has a pattern, for the library takes 8 ms to import.
"""

from __future__ import annotations

import regex

from pdl.schema.counts import MOST, unrolled

FLAGS = regex.V1 | regex.DOTALL
"""What a translated pattern is compiled with."""

# WhiteSpace and LineTerminator of ECMA-262
_SPACE = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CLASSES = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": _SPACE,
}
_BOUNDARIES = {
    "b": r"(?:(?<![A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<=[A-Za-z0-9_])(?![A-Za-z0-9_]))",
    "B": r"(?:(?<![A-Za-z0-9_])(?![A-Za-z0-9_])|(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_]))",
}
_OUTSIDE = {
    "$": r"\Z",
    ".": r"[^\n\r\u2028\u2029]",
}
_IN_CLASS = {"[": r"\[", "&": r"\&", "~": r"\~", "|": r"\|"}  # they mean more to the library
_STARTS = frozenset(["[", "[^"])
_MANY = regex.compile(r"\\[dwsDWSpP]")
"""An escape that stands for many characters."""

_KEPT_ESCAPES = frozenset("bBfnrtvxukpP0123456789")


def compiled(pattern: str) -> regex.Pattern[str]:
    """The pattern, made ready to be searched with.

    Raises `regex.error` for what ECMA-262 does not have, and OverflowError where its counts
    multiply to more than the library can take.
    """
    if unrolled(pattern) > MOST:
        raise OverflowError("its counts multiply to too much")
    return regex.compile(translate(pattern), FLAGS)


def translate(pattern: str) -> str:
    """The pattern in the dialect of `regex`.

    Raises `regex.error` for what ECMA-262 does not have.
    """
    out: list[str] = []
    at, in_class, many = 0, False, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            many = _MANY.match(pattern, at) is not None
            text, at = _escape(pattern, at + 1, in_class=in_class)
            out.append(text)
            continue
        if in_class:
            in_class = char != "]"
            # Behind or in front of a class it is itself (ECMA-262, annex B.1.4), and at the start;
            # two of them would subtract one class from another.
            alone = many or out[-1] in _STARTS or out[-1] == "-" or _MANY.match(pattern, at + 1)
            out.append("\\-" if char == "-" and alone else _IN_CLASS.get(char, char))
            many = False
        elif char == "[":
            text, at = _open_class(pattern, at)
            in_class = text[-1] != "]"
            out.append(text)
            continue
        else:
            out.append(_group(pattern, at) if char == "(" else _OUTSIDE.get(char, char))
        at += 1
    return "".join(out)


def _open_class(pattern: str, at: int) -> tuple[str, int]:
    """`[]` matches nothing and `[^]` anything in ECMA-262."""
    if pattern.startswith("[^]", at):
        return "[\\s\\S]", at + 3
    if pattern.startswith("[]", at):
        return "[^\\x00-\\U0010ffff]", at + 2  # the library takes `[^\\s\\S]` for any character
    return ("[^", at + 2) if pattern.startswith("[^", at) else ("[", at + 1)


def _group(pattern: str, at: int) -> str:
    """Groups are written alike; inline flags and comments are the library's own and refused."""
    if pattern.startswith("(?", at) and pattern[at + 2 : at + 3] not in {":", "=", "!", "<"}:
        raise regex.error("unknown group", pattern, at)
    return "("


def _escape(pattern: str, at: int, *, in_class: bool) -> tuple[str, int]:
    """The escape whose backslash stands before `at`; and where it ends."""
    char = pattern[at : at + 1]
    if char and char in "dwsDWS":
        members = _CLASSES[char.lower()]
        plain = members if in_class else f"[{members}]"
        return (plain if char.islower() else f"[^{members}]"), at + 1
    if char and char in "bB" and not in_class:
        return _BOUNDARIES[char], at + 1
    return _other_escape(pattern, at, char)


def _other_escape(pattern: str, at: int, char: str) -> tuple[str, int]:
    if char == "c" and pattern[at + 1 : at + 2].isalpha():
        return f"\\x{ord(pattern[at + 1]) % 32:02x}", at + 2
    if char == "k" and (name := regex.match(r"k<([\w$]+)>", pattern, pos=at)):
        return f"(?P={name[1]})", name.end()
    if char == "u":
        return _unicode_escape(pattern, at)
    if char.isalpha() and char not in _KEPT_ESCAPES:
        raise regex.error(f"bad escape \\{char}", pattern, at)
    return f"\\{char}", at + 1


def _unicode_escape(pattern: str, at: int) -> tuple[str, int]:
    """Braces with a code point, and surrogate pairs, name one character each."""
    braced = regex.match(r"u\{([0-9A-Fa-f]{1,6})\}", pattern, pos=at)
    if braced:
        return f"\\U{int(braced[1], 16):08x}", braced.end()
    pair = regex.match(r"u([dD][89abAB]..)\\u([dD][c-fC-F]..)", pattern, pos=at)
    if pair:
        high, low = int(pair[1], 16), int(pair[2], 16)
        return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}", pair.end()
    return "\\u", at + 1
