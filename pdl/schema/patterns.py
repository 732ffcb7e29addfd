"""Patterns of ECMA-262, which JSON Schema takes, in the dialect of the `regex` library.

`regex` is imported where a pattern is compiled: it takes 8 ms, and few schemas have patterns.

How much counts multiply that are nested in groups with counts is found out before a pattern is
compiled. The library unrolls such counts, in time and memory that double their product at each
level: `((((x){50}){50}){50}){50}` takes it five seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import _re as re

if TYPE_CHECKING:
    import regex

# ruff: noqa: PLC0415

DIALECT = "patterns are those of ECMA-262, without inline flags and possessive quantifiers"
"""What to advise the author of an invalid pattern."""

_SECONDS = 0.2  # for one search
_MOST = 8_000_000  # the unrolled size that the library compiles in tolerable time


class PatternError(ValueError):
    """A pattern that ECMA-262 does not have: what is wrong with it, and the character, from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def pattern_error(pattern: str) -> str:
    """Why a string is not a regular expression, or nothing if it is one."""
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return f"{error.message}, at character {error.at + 1}"
    except (OverflowError, RecursionError, ValueError):
        return "it nests too deep or repeats too often"
    return ""


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches somewhere in a text; true if that takes too long to find out."""
    try:
        return bool(compile_pattern(pattern).search(text, timeout=_SECONDS))
    except TimeoutError:
        return True


def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern for searching.

    Raises PatternError for what ECMA-262 does not have, and OverflowError where its counts multiply
    to more than the library can take.
    """
    import regex

    if unrolled_size(pattern) > _MOST:
        raise OverflowError("its counts multiply to too much")
    pieces = _pieces(pattern)
    try:
        return regex.compile("".join(text for _, text in pieces), regex.V1 | regex.DOTALL)
    except regex.error as error:
        message = str(error).split(" at position")[0]
        at = int(getattr(error, "pos", None) or 0) - (message in _READ_ON)
        raise PatternError(message, _source_offset(pieces, at)) from error


def translate(pattern: str) -> str:
    """Return the pattern in the dialect of `regex`.

    Raises PatternError for what ECMA-262 does not have.
    """
    return "".join(text for _, text in _pieces(pattern))


_TOKEN = re.compile(
    r"(?P<skipped>\\.|\[\^?(?>(?:\\.|[^\]\\])*)\]?)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|\{(?P<least>[0-9]+)?(?P<comma>,)?(?P<most>[0-9]+)?\}"
    r"|(?P<other>[^\\\[(){}]++|.)",
    re.DOTALL,
)
_LEVEL = 2
_WEIGHT = 8
_DIGITS = 20


def unrolled_size(text: str) -> int:
    """Estimate the size of a pattern whose counts are multiplied out.

    What many counts add up to weighs more: the library keeps all of it at once.
    """
    return max(_nested(text), _WEIGHT * (_size(text) - len(text)))


def _size(text: str) -> int:
    """How many parts a pattern has once its counts are written out."""
    sizes = [0]  # of each open group
    last = 0  # the size of the part that a count may follow
    for token in _TOKEN.finditer(text):
        if token["open"]:
            sizes[-1] += last
            sizes.append(0)
            last = 1
        elif token["close"] and sizes[1:]:
            last += sizes.pop()
        elif (count := _count(token["most"] or token["least"] or "0")) > 1:
            last *= count
        else:
            sizes[-1] += last + len(token[0]) - 1
            last = 1
    return sum(sizes) + last


def _nested(text: str) -> int:
    """What the counts of nested groups multiply to."""
    stack = [1]  # for each open group, the most of what has been closed in it
    last = 1
    worst = 1
    for token in _TOKEN.finditer(text):
        if token["open"]:
            stack.append(1)
        elif token["close"] and stack[1:]:
            last = stack.pop()
            stack[-1] = max(stack[-1], last)
            continue
        elif (count := _count(token["most"] or token["least"] or "0")) > 1:
            last *= _LEVEL * count
            stack[-1] = max(stack[-1], last)
            worst = max(worst, last)
        last = 1
    return worst


def _count(digits: str) -> int:
    return int(digits[:_DIGITS])  # more digits change nothing


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
_MANY = re.compile(r"\\[dwsDWSpP]")
"""An escape that represents many characters."""

_KEPT_ESCAPES = frozenset("bBfnrtvxukpP0123456789")
_NAMED = re.compile(r"k<([\w$]+)>")
_PROPERTY = re.compile(r".\{[^{}]*\}")
_CODE_POINT = re.compile(r"u\{([0-9A-Fa-f]{1,6})\}")
_SURROGATES = re.compile(r"u([dD][89abAB]..)\\u([dD][c-fC-F]..)")
_QUANTIFIER = re.compile(r"[*+?]|\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}")
_READ_ON = ("bad character range", "unknown property")
"""Errors whose position the library reports one character too late."""


def _source_offset(pieces: list[tuple[int, str]], offset: int) -> int:
    """The offset in the pattern of the piece that an offset of its translation is in or after."""
    length = 0
    for at, text in pieces:
        length += len(text)
        if offset < length:
            return at
    return pieces[-1][0] if pieces else 0


def _pieces(pattern: str) -> list[tuple[int, str]]:
    """The translation in pieces, each with the offset in the pattern of what it translates."""
    out: list[tuple[int, str]] = []
    at, in_class, many = 0, False, False
    behind = -1  # the end of the last quantifier
    while at < len(pattern):
        char, start = pattern[at], at
        if char == "\\":
            many = _MANY.match(pattern, at) is not None
            text, at = _escape(pattern, at + 1, in_class=in_class)
        elif in_class:
            in_class = char != "]"
            # Next to a class and at the start it represents itself (ECMA-262, annex B.1.4), for
            # two of them would subtract one class from another.
            alone = (
                many or out[-1][1] in _STARTS or out[-1][1] == "-" or _MANY.match(pattern, at + 1)
            )
            text = "\\-" if char == "-" and alone else _IN_CLASS.get(char, char)
            many, at = False, at + 1
        elif char == "[":
            text, at = _open_class(pattern, at)
            in_class = text[-1] != "]"
        elif quantifier := _QUANTIFIER.match(pattern, at):
            if behind == at:
                raise PatternError(f"the quantifier `{quantifier[0]}` repeats another", at)
            text, at = quantifier[0], quantifier.end()
            behind = at = at + 1 if pattern[at : at + 1] == "?" else at
            text = pattern[start:at]
        else:
            text, at = _group(pattern, at) if char == "(" else _OUTSIDE.get(char, char), at + 1
        out.append((start, text))
    return out


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
        raise PatternError("unknown group", at)
    return "("


def _escape(pattern: str, at: int, *, in_class: bool) -> tuple[str, int]:
    """The escape whose backslash precedes `at`, translated; and where it ends."""
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
    if char == "k" and (name := _NAMED.match(pattern, at)):
        return f"(?P={name[1]})", name.end()
    if char and char in "pP" and (name := _PROPERTY.match(pattern, at)):
        return f"\\{name[0]}", name.end()
    if char == "u":
        return _unicode_escape(pattern, at)
    if char.isalpha() and char not in _KEPT_ESCAPES:
        raise PatternError(f"bad escape \\{char}", at)
    return f"\\{char}", at + 1


def _unicode_escape(pattern: str, at: int) -> tuple[str, int]:
    """Braces with a code point, and surrogate pairs, name one character each."""
    braced = _CODE_POINT.match(pattern, at)
    if braced:
        return f"\\U{int(braced[1], 16):08x}", braced.end()
    pair = _SURROGATES.match(pattern, at)
    if pair:
        high, low = int(pair[1], 16), int(pair[2], 16)
        return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}", pair.end()
    return "\\u", at + 1
