"""Expressions of the template as trees, also where they are half typed.

What is missing is a node of its own, so that a place in a text always has a node: `steps[0].` is
the attribute of an item, with an empty name. The grammar is Jinja's, with Tera's `::`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.prompt.scan import Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
KEYWORDS = frozenset({"if", "else", "and", "or", "not", "in", "is"})
"""Words that are no names in any expression; some tags have more."""
_PRECEDENCE: dict[str, int] = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">=", "in", "not in"), 4),
    **dict.fromkeys("+-", 5),
    "~": 6,
    **dict.fromkeys(("*", "/", "//", "%"), 7),
    "**": 8,
}
_OPERATORS = frozenset({*_PRECEDENCE, "not"})
_NOT = 3
_SIGNS = frozenset("+-")
_FOLLOWING = frozenset((".", ":", "[", "(", "|", "is"))
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_AHEAD = 4  # tokens behind the end that can be looked at
_DEEPEST = 60  # brackets within brackets
_TALLEST = 100  # nodes on the way to a leaf


class Node(NamedTuple):
    """A part of an expression with its range.

    `at` is where `text` begins, if the node does not begin with it. `names` are those of the
    arguments of a call, a filter or a test, empty for the ones by position.
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
    def place(self) -> int:
        """Where its text begins."""
        return self.at if self.at >= 0 else self.start

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
        self.tokens = [*tokens, *(Token("other", end, end),) * _AHEAD]
        self.at = at
        self.count = len(tokens)
        self.keywords = KEYWORDS
        self._words = [text[start:end] for _, start, end in tokens] + [""] * _AHEAD
        self._depth = 0
        self._indexes = 0

    def word(self, ahead: int = 0) -> str:
        """Return the text of a token, empty at the end."""
        return self._words[self.at + ahead]

    def kind(self, ahead: int = 0) -> str:
        """Return the kind of a token, empty at the end."""
        at = self.at + ahead
        return self.tokens[at].kind if at < self.count else ""

    def take(self, *words: str) -> bool:
        """Go on if one of the words is next."""
        found = self._words[self.at] in words and self.at < self.count
        self.at += found
        return found

    @property
    def offset(self) -> int:
        """Where the next token begins, or the text ends."""
        return self.tokens[self.at].start

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
        height, end = 1, max(self._last, start)
        for one in children:
            height = max(height, one.height + 1)
            end = max(end, one.end)
        if height > _TALLEST:
            return Node("missing", start, end, "", children)
        return Node(kind, start, end, text, children, at, names, height)

    def _missing(self) -> Node:
        """Nothing, right where the next thing would be typed."""
        here = self._last if self.at else self.offset
        after = self.offset
        return Node("missing", here, max(here, after))

    def tuple_or_value(self, *, choices: bool = True) -> Node:
        """A value, or several with commas; without `choices` an `if` ends it."""
        start = self.tokens[self.at].start
        first = self.value(choices=choices)
        if self._words[self.at] != ",":
            return first
        found = [first]
        while self.take(","):
            if self.at >= self.count or self.word() in (")", "in", "="):
                break
            found.append(self.value(choices=choices))
        return self._node("tuple", start, tuple(found))

    def value(self, *, choices: bool = True) -> Node:
        """A value: `A if C else B`, or what that consists of."""
        if self._depth >= _DEEPEST:
            return self._skipped()
        self._depth += 1
        start = self.tokens[self.at].start
        found = self._binary(1)
        while choices and self._words[self.at] == "if":
            self.at += 1
            condition = self._binary(1)
            other = self.value() if self.take("else") else None
            parts = (found, condition) if other is None else (found, condition, other)
            found = self._node("choice", start, parts)
        self._depth -= 1
        return found

    def _skipped(self) -> Node:
        """What is nested too deeply, up to the end of its brackets."""
        start, depth = self.offset, 0
        names: list[Node] = []
        while self.at < self.count:
            word = self.word()
            depth += (word in _CLOSERS) - (word in _CLOSERS.values())
            if depth < 0:
                break
            is_name = self.kind() == "name" and word not in self.keywords
            if is_name and self.word(-1) not in (".", "|"):
                names.append(Node("name", self.offset, self.offset + len(word), word))
            self.at += 1
        return Node("missing", start, max(start, self._last), "", tuple(names))

    def _binary(self, least: int) -> Node:
        start = self.tokens[self.at].start
        signs = 0
        while least <= _NOT and self._words[self.at] == "not":
            self.at += 1
            signs += 1
        if signs:
            found = self._node("unary", start, (self._binary(_NOT + 1),), "not")
        else:
            found = self._unary()
        while (operator := self._words[self.at]) in _OPERATORS:
            if operator == "not" and self.word(1) == "in":
                operator = "not in"
            if _PRECEDENCE.get(operator, 0) < least:
                break
            at = self.offset
            self.at += 2 if operator == "not in" else 1
            right = self._binary(_PRECEDENCE[operator] + 1)
            found = self._node("binary", start, (found, right), operator, at)
        return found

    def _unary(self) -> Node:
        start = self.tokens[self.at].start
        signs = 0
        while self._words[self.at] in _SIGNS:
            self.at += 1
            signs += 1
        found = self._after(self._primary())
        return self._node("unary", start, (found,), "-") if signs else found

    def _primary(self) -> Node:
        (kind, start, _), word = self.tokens[self.at], self._words[self.at]
        if kind == "name" and word not in self.keywords:
            self.at += 1
            return Node("name", start, start + len(word), word)
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
        at = inner.at if inner.children else inner.place
        return inner._replace(start=start, end=max(self._last, inner.end), at=at)

    def _listed(self, closer: str, *separators: str) -> tuple[Node, ...]:
        found: list[Node] = []
        while self.at < self.count and not self.take(closer):
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
            word = self._words[self.at]
            if word not in _FOLLOWING:
                return found
            kind = self.tokens[self.at].kind
            if kind == "operator" and (word == "." or (word == ":" and self._is_path())):
                found = self._attribute(found, 1 if word == "." else 2)
            elif kind == "operator" and word == "[":
                self.at += 1
                self._indexes += 1
                index = self._index()
                self._indexes -= 1
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

    def _is_path(self) -> bool:
        """Whether `::` follows and is Tera's; in an index it is so only before a call."""
        is_call = self.kind(2) == "name" and self.word(3) == "("
        return self.word(1) == ":" and (is_call or not self._indexes)

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
        while self.at < self.count and not self.take(")"):
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
            return self.word() not in self.keywords
        return self.word() in ("[", "{")
