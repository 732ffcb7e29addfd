"""Patterns of ECMA-262, which JSON Schema takes, in the dialect of the `regex` library.

Imported only when a schema has a pattern, for the library takes 8 ms to import.

How counts multiply where groups with counts stand in others is told before a pattern is read. The
`regex` library unrolls such counts when it compiles a pattern, in time and memory that double their
product at each level: `((((x){50}){50}){50}){50}` takes it five seconds.
"""

from __future__ import annotations

import regex

_TOKEN = regex.compile(
    r"(?P<skipped>\\.|\[\^?(?>(?:\\.|[^\]\\])*)\]?)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|\{(?P<least>[0-9]+)?(?P<comma>,)?(?P<most>[0-9]+)?\}"
    r"|(?P<other>[^\\\[(){}]++|.)",
    regex.DOTALL,
)
MOST = 8_000_000
"""More than this takes the library too long."""

_LEVEL = 2
_WEIGHT = 8
_DIGITS = 20


def unrolled(text: str) -> int:
    """About how much the counts of a pattern become when they are multiplied out.

    What many of them add up to weighs more: the library keeps all of it at once.
    """
    return max(_nested(text), _WEIGHT * (_size(text) - len(text)))


def _size(text: str) -> int:
    """How many parts a pattern has once all that is counted is written out."""
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
    """How much the counts in one another become."""
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
    return int(digits[:_DIGITS])  # so many say enough


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


_QUANTIFIER = regex.compile(r"[*+?]|\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}")


_READ_ON = ("bad character range", "unknown property")
"""What the library tells behind the place where it is."""


class BadPattern(regex.error):
    """A pattern that ECMA-262 does not have: what is wrong with it, and the character, from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def compiled(pattern: str) -> regex.Pattern[str]:
    """The pattern, made ready to be searched with.

    Raises BadPattern for what ECMA-262 does not have, and OverflowError where its counts multiply
    to more than the library can take.
    """
    if unrolled(pattern) > MOST:
        raise OverflowError("its counts multiply to too much")
    pieces = _pieces(pattern)
    try:
        return regex.compile("".join(text for _, text in pieces), FLAGS)
    except regex.error as error:
        message = str(error).split(" at position")[0]
        place = int(getattr(error, "pos", None) or 0) - (message in _READ_ON)
        raise BadPattern(message, _origin(pieces, place)) from error


def translate(pattern: str) -> str:
    """The pattern in the dialect of `regex`.

    Raises BadPattern for what ECMA-262 does not have.
    """
    return "".join(text for _, text in _pieces(pattern))


def _origin(pieces: list[tuple[int, str]], place: int) -> int:
    """Where the piece of the pattern begins that a place of its translation is in or behind."""
    length = 0
    for at, text in pieces:
        length += len(text)
        if place < length:
            return at
    return pieces[-1][0] if pieces else 0


def _pieces(pattern: str) -> list[tuple[int, str]]:
    """The translation in pieces, each with the place in the pattern that it stands for."""
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
            # Behind or in front of a class it is itself (ECMA-262, annex B.1.4), and at the start;
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
                raise BadPattern(f"the quantifier `{quantifier[0]}` repeats another", at)
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
        raise BadPattern("unknown group", at)
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
    if char and char in "pP" and (name := regex.match(r".\{[^{}]*\}", pattern, pos=at)):
        return f"\\{name[0]}", name.end()
    if char == "u":
        return _unicode_escape(pattern, at)
    if char.isalpha() and char not in _KEPT_ESCAPES:
        raise BadPattern(f"bad escape \\{char}", at)
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
