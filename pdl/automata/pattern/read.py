"""From the text of a pattern to its parts.

What is read is the translation that the checker compiles (`pdl.schema.ecma`), after the `regex`
library has taken it. Both therefore mean the same, leniencies and all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

from pdl.automata.charset import EVERY, CharSet
from pdl.automata.pattern.nodes import (
    Chars,
    Choice,
    Edge,
    Irregular,
    Look,
    Node,
    Repeat,
    Sequence,
)
from pdl.automata.pattern.sets import char_class, escape

_COUNTS = regex.compile(r"\{(?P<least>[0-9]*)(?:(?P<comma>,)(?P<most>[0-9]*))?\}")
# The library would search with errors, `(?:text){e<=1}`.
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
        """Go on with a part, in which lookarounds nest so deep."""
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
    """Read what matches one character, or a place; where it ends."""
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
    """Read a quantifier, if there is one, which changes the part before it; where it ends."""
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
