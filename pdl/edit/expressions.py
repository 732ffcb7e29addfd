"""Expressions of the template as trees, also where they are half typed.

What is missing is a node of its own, so that a place in a text always has a node: `steps[0].` is
the attribute of an item, with an empty name. The grammar is Jinja's, with Tera's `::`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.prompt.scan import Token

Kind: TypeAlias = Literal[
    "name",
    "string",
    "number",
    "attribute",  # children: the value; `text` is the attribute
    "item",  # children: the value, the index
    "slice",  # the index of an item with a colon
    "call",  # children: what is called, the arguments
    "filter",  # children: the value, the arguments; `text` is the filter
    "test",  # as a filter
    "list",
    "tuple",
    "dict",  # children: keys and values in turn
    "unary",  # `text` is the operator
    "binary",  # `text` is the operator: `not in` is one
    "choice",  # `A if C else B`: A, C, B
    "missing",  # nothing where a value should be, or too much of it
]

CONSTANTS = frozenset({"true", "false", "none", "True", "False", "None"})
_WORDS = frozenset({"if", "else", "and", "or", "not", "in", "is", "recursive", "import", "as"})
_PRECEDENCE: dict[str, int] = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">=", "in", "not in"), 4),
    **dict.fromkeys("+-", 5),
    "~": 6,
    **dict.fromkeys(("*", "/", "//", "%"), 7),
    "**": 8,
}
_NOT = 3
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 60  # brackets within brackets
_TALLEST = 100  # nodes on the way to a leaf


class Node(NamedTuple):
    """A part of an expression with its range.

    `at` is where `text` begins, if it is not the whole node. `names` are those of the arguments of
    a call, a filter or a test, empty for the ones by position.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    children: tuple[Node, ...] = ()
    at: int = -1
    names: tuple[str, ...] = ()
    height: int = 1

    @property
    def arguments(self) -> tuple[Node, ...]:
        """What a call, a filter or a test is given besides its value."""
        return self.children[1:]

    def argument(self, name: str, position: int) -> Node | None:
        """Return the argument that has a name, or else a position, if there is one."""
        by_position = [one for one, key in zip(self.arguments, self.names, strict=False) if not key]
        for one, key in zip(self.arguments, self.names, strict=False):
            if key == name:
                return one
        return by_position[position] if 0 <= position < len(by_position) else None

    def walk(self) -> Iterator[Node]:
        """Yield the node and all nodes in it."""
        pending = [self]
        while pending:
            one = pending.pop()
            yield one
            pending += reversed(one.children)

    def path(self, offset: int) -> list[Node]:
        """Return the nodes that a cursor at an offset touches, outermost first.

        Of two that meet there, the one that begins there is preferred if it is longer than nothing.
        """
        found: list[Node] = []
        nodes: Sequence[Node] = (self,)
        while True:
            touched = [one for one in nodes if one.start <= offset <= one.end]
            if not touched:
                return found
            found.append(max(touched, key=lambda one: (one.end > one.start, one.start)))
            nodes = found[-1].children


def unquoted(text: str) -> str:
    """Return a string of the template without its quotes and simple escapes."""
    body = text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]
    return body.replace("\\" + text[:1], text[:1]).replace("\\\\", "\\")


class Parser:
    """Reads tokens from a position on; what does not fit ends an expression."""

    def __init__(self, text: str, tokens: Sequence[Token], at: int = 0, end: int = 0) -> None:
        """`end` is the offset of what is missing at the end."""
        self.text = text
        self.tokens = tokens
        self.at = at
        self.end = end
        self._depth = 0

    def word(self, ahead: int = 0) -> str:
        """Return the text of a token, empty at the end."""
        at = self.at + ahead
        if at >= len(self.tokens):
            return ""
        return self.text[self.tokens[at].start : self.tokens[at].end]

    def kind(self, ahead: int = 0) -> str:
        """Return the kind of a token, empty at the end."""
        at = self.at + ahead
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def take(self, *words: str) -> bool:
        """Go on if one of the words is next."""
        found = self.word() in words and self.at < len(self.tokens)
        self.at += found
        return found

    @property
    def offset(self) -> int:
        """Where the next token begins, or the text ends."""
        return self.tokens[self.at].start if self.at < len(self.tokens) else self.end

    @property
    def _last(self) -> int:
        return self.tokens[self.at - 1].end if self.at > 0 else self.offset

    def _node(  # noqa: PLR0913, PLR0917 - they are the fields
        self,
        kind: Kind,
        start: int,
        children: tuple[Node, ...] = (),
        text: str = "",
        at: int = -1,
        names: tuple[str, ...] = (),
    ) -> Node:
        height = 1 + max((one.height for one in children), default=0)
        end = max(self._last, start, *(one.end for one in children))
        if height > _TALLEST:
            return Node("missing", start, end)
        return Node(kind, start, end, text, children, at, names, height)

    def _missing(self) -> Node:
        """Nothing, right where the next thing would be typed."""
        here = self._last if self.at else self.offset
        after = self.offset
        return Node("missing", here, max(here, after))

    def tuple_or_value(self, *, choices: bool = True) -> Node:
        """A value, or several with commas; without `choices` an `if` ends it."""
        start = self.offset
        first = self.value(choices=choices)
        if self.word() != ",":
            return first
        found = [first]
        while self.take(","):
            if self.at >= len(self.tokens) or self.word() in (")", "in", "="):
                break
            found.append(self.value(choices=choices))
        return self._node("tuple", start, tuple(found))

    def value(self, *, choices: bool = True) -> Node:
        """A value: `A if C else B`, or what that consists of."""
        if self._depth >= _DEEPEST:
            return self._skipped()
        self._depth += 1
        start = self.offset
        found = self._binary(1)
        while choices and self.kind() == "name" and self.take("if"):
            condition = self._binary(1)
            other = self.value() if self.take("else") else None
            parts = (found, condition) if other is None else (found, condition, other)
            found = self._node("choice", start, parts)
        self._depth -= 1
        return found

    def _skipped(self) -> Node:
        """What is nested too deeply, up to the end of its brackets."""
        start, depth = self.offset, 0
        while self.at < len(self.tokens):
            depth += (self.word() in _CLOSERS) - (self.word() in _CLOSERS.values())
            if depth < 0:
                break
            self.at += 1
        return Node("missing", start, max(start, self._last))

    def _operator(self) -> str:
        if self.kind() not in ("name", "operator"):
            return ""
        word = self.word()
        if word == "not":
            return "not in" if self.word(1) == "in" else ""
        return word if word in _PRECEDENCE else ""

    def _binary(self, least: int) -> Node:
        start = self.offset
        signs = 0
        while least <= _NOT and self.kind() == "name" and self.take("not"):
            signs += 1
        if signs:
            found = self._node("unary", start, (self._binary(_NOT + 1),), "not")
        else:
            found = self._unary()
        while (operator := self._operator()) and _PRECEDENCE[operator] >= least:
            at = self.offset
            self.at += 2 if operator == "not in" else 1
            right = self._binary(_PRECEDENCE[operator] + 1)
            found = self._node("binary", start, (found, right), operator, at)
        return found

    def _unary(self) -> Node:
        start = self.offset
        signs = 0
        while self.kind() == "operator" and self.take("-", "+"):
            signs += 1
        found = self._after(self._primary())
        return self._node("unary", start, (found,), "-") if signs else found

    def _primary(self) -> Node:
        start, kind, word = self.offset, self.kind(), self.word()
        if kind == "name" and word not in _WORDS:
            self.at += 1
            return self._node("name", start, (), word)
        if kind in ("string", "number"):
            self.at += 1
            while kind == "string" and self.kind() == "string":  # which are one string
                self.at += 1
            return Node("string" if kind == "string" else "number", start, self._last, word)
        if kind == "operator" and word in _CLOSERS:
            self.at += 1
            return self._bracketed(start, word)
        return self._missing()

    def _bracketed(self, start: int, opener: str) -> Node:
        if opener == "(":
            return self._group(start)
        if opener == "[":
            return self._node("list", start, self._listed("]"))
        return self._node("dict", start, self._listed("}", ":", ","))

    def _group(self, start: int) -> Node:
        inner = self.tuple_or_value() if self.word() != ")" else None
        self.take(")")
        if inner is None:
            return self._node("tuple", start)
        return inner._replace(start=start, end=max(self._last, inner.end))

    def _listed(self, closer: str, *separators: str) -> tuple[Node, ...]:
        found: list[Node] = []
        while self.at < len(self.tokens) and not self.take(closer):
            found.append(self.value())
            if not self.take(*(separators or (",",))):
                self.take(closer)
                return tuple(found)
        if self.word(-1) in (",", ":"):
            found.append(self._missing())
        return tuple(found)

    def _after(self, found: Node, *, filters: bool = True) -> Node:
        """What follows a value: attributes, items, calls; with `filters` also those and tests."""
        start = found.start
        while True:
            kind, word = self.kind(), self.word()
            if kind == "operator" and (word == "." or (word == ":" and self.word(1) == ":")):
                found = self._attribute(found, 1 if word == "." else 2)
            elif kind == "operator" and word == "[":
                self.at += 1
                index = self._index()
                self.take("]")
                found = self._node("item", start, (found, index))
            elif kind == "operator" and word == "(":
                arguments, names = self.arguments()
                found = self._node("call", start, (found, *arguments), names=names)
            elif kind == "operator" and word == "|" and filters:
                found = self.filter(found)
            elif kind == "name" and word == "is" and filters:
                found = self._test(found)
            else:
                return found

    def _attribute(self, value: Node, signs: int) -> Node:
        self.at += signs
        at = self._last
        name = ""
        if self.kind() in ("name", "number"):
            at, name = self.offset, self.word()
            self.at += 1
        return self._node("attribute", value.start, (value,), name, at)

    def _index(self) -> Node:
        start = self.offset
        found = self._missing() if self.word() in ("]", ":") else self.tuple_or_value()
        if self.word() != ":":
            return found
        parts = [found]
        while self.take(":"):
            parts.append(self._missing() if self.word() in ("]", ":", "") else self.value())
        return self._node("slice", start, tuple(parts))

    def arguments(self) -> tuple[tuple[Node, ...], tuple[str, ...]]:
        """The arguments in parentheses, and their names."""
        self.take("(")
        found: list[Node] = []
        names: list[str] = []
        while self.at < len(self.tokens) and not self.take(")"):
            before = self.at
            name = ""
            if self.kind() == "name" and self.word(1) == "=":
                name = self.word()
                self.at += 2
            while self.kind() == "operator" and self.take("*", "**"):
                name = "*"
            found.append(self.value())
            names.append(name)
            if self.take(","):
                continue
            if self.word() != ")" or self.at == before:
                self.take(")")
                break
        return tuple(found), tuple(names)

    def filter(self, value: Node) -> Node:
        """A `|` and the filter after it."""
        self.take("|")
        name, at = self._dotted()
        arguments, names = self.arguments() if self.word() == "(" else ((), ())
        return self._node("filter", value.start, (value, *arguments), name, at, names)

    def _dotted(self) -> tuple[str, int]:
        at = self._last if self.kind() != "name" else self.offset
        if self.kind() != "name":
            return "", at
        self.at += 1
        while self.word() == "." and self.kind(1) == "name":
            self.at += 2
        return self.text[at : self._last], at

    def _test(self, value: Node) -> Node:
        self.take("is")
        self.take("not")
        name, at = self._dotted()
        arguments: tuple[Node, ...] = ()
        names: tuple[str, ...] = ()
        if self.word() == "(" and self.kind() == "operator":
            arguments, names = self.arguments()
        elif self._begins_argument():
            arguments, names = (self._after(self._primary(), filters=False),), ("",)
        return self._node("test", value.start, (value, *arguments), name, at, names)

    def _begins_argument(self) -> bool:
        if self.kind() in ("string", "number"):
            return True
        if self.kind() == "name":
            return self.word() not in _WORDS
        return self.word() in ("[", "{")
