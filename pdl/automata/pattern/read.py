"""From the text of a pattern to its syntax tree, and the error for what no automaton can match.

What is read is the translation that the checker compiles (`pdl.schema.patterns`), after the `regex`
library has accepted it. So both mean the same, including leniencies. Character classes and
escapes are read as the library reads them after the translation: they have been compiled by it
before they come here, and are therefore well formed.
"""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import regex

from pdl.automata.charset import EVERY, LAST, CharSet
from pdl.errors import Problem, SchemaError


class Irregular(SchemaError):  # noqa: N818 - it says what a pattern is, as the theory does
    """A pattern whose strings are not a regular language, or can't be recognized as one.

    Its problem has the code `schema/irregular-pattern`. A checker can still match the pattern.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            Problem("schema/irregular-pattern", f"no automaton can match this pattern: {what}")
        )


@dataclass(frozen=True)
class Chars:
    """One character of a set."""

    allowed: CharSet


@dataclass(frozen=True)
class Sequence:
    """A sequence of parts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Any of the branches."""

    branches: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """A body from `least` to `most` times; None for an unbounded number."""

    body: Node
    least: int
    most: int | None


@dataclass(frozen=True)
class Edge:
    """`^` or `$`: the start or the end of the text."""

    start: bool


@dataclass(frozen=True)
class Look:
    """A lookahead or lookbehind; `depth` is how deep lookarounds nest in it, itself included."""

    body: Node
    ahead: bool
    positive: bool
    depth: int = 1


Node: TypeAlias = Chars | Sequence | Choice | Repeat | Edge | Look


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
    """A class, a character or a range; `-` next to a class or a bracket is literal."""
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
    """Return the characters with a Unicode property, such as `p{Greek}` or `PL`."""
    found = regex.finditer(rf"\{name}+", _all_characters(), regex.V1)
    return CharSet.over(_codes(one.start(), one.end() - 1) for one in found)


@lru_cache(maxsize=1)
def _all_characters() -> str:
    codes = array("I", [*range(_GAP), *range(_GAP + _GAP_SIZE, LAST + 1)])
    return codes.tobytes().decode(f"utf-32-{sys.byteorder[0]}e")  # a tenth of the time of `chr`


def _codes(first: int, last: int) -> tuple[int, int]:
    """The code points between two positions in the text of all characters."""
    return _code(first), _code(last)


def _code(at: int) -> int:
    return at + _GAP_SIZE if at >= _GAP else at


_COUNTS = regex.compile(r"\{(?P<least>[0-9]*)(?:(?P<comma>,)(?P<most>[0-9]*))?\}")
# The library would match approximately, `(?:text){e<=1}`.
_FUZZY = regex.compile(r"\{[0-9,+<=]*[deis][0-9,+<=deis]*[:}]")
_MARKS = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_OPENING = regex.compile(r"\((?:\?(?:(?P<look><?[=!])|:|<\w+>))?(?![?*])")
_OCTAL_CHARACTER = regex.compile(r"0|[1-7][0-7]{2}")
_NESTED_LOOKS = 20
_EMPTY = Sequence(())


@dataclass
class _Group:
    """What was read of an open group."""

    look: str = ""
    branches: list[Node] = field(default_factory=list)
    parts: list[Node] = field(default_factory=list)
    depth: int = 0

    def branch(self) -> None:
        """End the branch that is being read."""
        self.branches.append(sequence(self.parts))
        self.parts = []

    def closed(self) -> Node:
        """The group as a node."""
        self.branch()
        body = self.branches[0] if len(self.branches) == 1 else Choice(tuple(self.branches))
        if not self.look:
            return body
        if self.depth >= _NESTED_LOOKS:
            raise Irregular(f"its lookarounds nest more than {_NESTED_LOOKS} deep")
        return Look(body, "<" not in self.look, "=" in self.look, self.depth + 1)

    def add(self, node: Node, depth: int) -> None:
        """Add a part, in which lookarounds nest so deep."""
        self.parts.append(node)
        self.depth = max(self.depth, depth)


def sequence(parts: list[Node]) -> Node:
    """The parts as one node."""
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


def read(text: str) -> Node:
    """The tree of a translated pattern that `regex` has compiled. Raises Irregular."""
    stack = [_Group()]
    at = 0
    while at < len(text):
        char = text[at]
        group = stack[-1]
        if char == "(":
            opened, at = _open(text, at)
            stack.append(opened)
        elif char == ")":
            closed = stack.pop()
            node = closed.closed()
            stack[-1].add(node, closed.depth + bool(closed.look))
            at += 1
        elif char == "|":
            group.branch()
            at += 1
        else:
            at = _quantified(text, at, group) or _single(text, at, group)
    return stack[0].closed()


def _open(text: str, at: int) -> tuple[_Group, int]:
    found = _OPENING.match(text, at)
    if not found:
        what = "it refers back to a group" if text.startswith("(?P=", at) else "it has a verb"
        raise Irregular(what)
    look = found["look"] or ""
    return _Group(look), found.end()


def _single(text: str, at: int, group: _Group) -> int:
    """Read what matches one character, or a position; return where it ends."""
    node, at = _atom(text, at)
    group.add(node, 0)
    return at


def _atom(text: str, at: int) -> tuple[Node, int]:
    char = text[at]
    if char == "[":
        allowed, at = char_class(text, at + 1)
        return Chars(allowed), at
    if char == ".":
        return Chars(EVERY), at + 1
    if char == "^":
        return Edge(start=True), at + 1
    if char == "\\":
        return _escaped(text, at + 1)
    return Chars(CharSet.char(ord(char))), at + 1


def _escaped(text: str, at: int) -> tuple[Node, int]:
    if text[at] == "Z":
        return Edge(start=False), at + 1
    if text[at] in "0123456789" and not _OCTAL_CHARACTER.match(text, at):
        raise Irregular("it refers back to a group")
    found, at = escape(text, at)
    return Chars(CharSet.char(found) if isinstance(found, int) else found), at


def _quantified(text: str, at: int, group: _Group) -> int:
    """Read a quantifier of the part before it, if there is one; return where it ends."""
    counts = _MARKS.get(text[at])
    end = at + 1
    if text[at] == "{":
        found = _COUNTS.match(text, at)
        if not found or not (found["least"] or found["comma"]):
            if _FUZZY.match(text, at):
                raise Irregular("it allows for errors")
            return 0
        counts, end = _counted(found), found.end()
    if not counts:
        return 0
    group.add(Repeat(group.parts.pop(), *counts), 0)
    return end + text.startswith("?", end)


def _counted(found: regex.Match[str]) -> tuple[int, int | None]:
    least = int(found["least"] or 0)
    if not found["comma"]:
        return least, least
    return least, int(found["most"]) if found["most"] else None
