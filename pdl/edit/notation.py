"""The tokens of a typed turn, each with its part in the schema DSL, also where it does not parse.

A small automaton over the DSL's terminals knows what each token is (a key, a type, a bound …), in
which brackets it is, and what can follow. It never fails: what does not fit is an `error`, and
reading goes on. For texts that are right, `pdl.schema.dsl.tree` is the parser.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.syntax.runner import runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Role: TypeAlias = Literal[
    "tool",  # the name of a tool, before its parameters
    "definition",  # a name, before its `=`
    "key",  # the key of a field, of a parameter or of a map among the values; `str` of `[str]`
    "type",  # a word as a type: of the DSL, or a name
    "literal",  # a constant as a type
    "constraint",  # the key of a constraint
    "value",  # a default, or the value of a constraint
    "bound",  # a number between `<` and `>`
    "operator",  # brackets and signs
    "comment",
    "error",
]
Expected: TypeAlias = Literal[
    "start",  # a type (in tools: the name of a tool), or a definition
    "key",
    "colon",  # `?` or `:`
    "type",
    "after",  # what can follow a type: `<`, `{`, `?`, `|`, `,`, a closing bracket …
    "equals",
    "constraint",  # the key of a constraint
    "value",  # a default, or the value of a constraint
    "after value",
    "bound",
]
Kind: TypeAlias = Literal[
    "text", "object", "params", "rest", "array", "group", "constraints", "bounds", "list", "map"
]
"""Of brackets: `rest` is that of `[str]: T`; `list` and `map` are values; `text` is the whole."""


class Token(NamedTuple):
    """A terminal: its part, its range, the brackets that are open after it, and what can follow.

    `owner` is the index of the token that names what it belongs to: of a type the key or definition
    before it, of a value the key or constraint, of a constraint or a bound the type (of an array,
    an object or a group its opening bracket); -1 for none.
    """

    role: Role
    start: int
    end: int
    text: str
    frame: int
    follows: Expected
    owner: int = -1


class Frame(NamedTuple):
    """A pair of brackets: the enclosing one, and the indices of tokens.

    `closer` is -1 if nothing closes them; `owner` is the key, definition, tool or type before them,
    or -1.
    """

    kind: Kind
    parent: int
    opener: int
    closer: int
    owner: int

    @property
    def is_root(self) -> bool:
        """Whether it is the object that the text is."""
        return self.kind == "object" and self.parent == 0 and self.owner < 0


class Notation(NamedTuple):
    """All tokens of a text, and its brackets; the first frame is the text itself."""

    tokens: list[Token]
    frames: list[Frame]

    def at(self, offset: int) -> int:
        """Return the index of the token that covers an offset, or else ends at it, or -1."""
        at = bisect_right(self.tokens, offset, key=_start) - 1
        return at if at >= 0 and self.tokens[at].end >= offset else -1

    def before(self, offset: int) -> int:
        """Return the index of the last token that ends at or before an offset, or -1."""
        at = bisect_right(self.tokens, offset, key=_start) - 1
        while at >= 0 and (self.tokens[at].end > offset or self.tokens[at].role == "comment"):
            at -= 1
        return at

    def expected(self, offset: int) -> tuple[Expected, int]:
        """Return what can begin at an offset, and the index of the brackets around it."""
        at = self.before(offset)
        return (self.tokens[at].follows, self.tokens[at].frame) if at >= 0 else ("start", 0)

    def path(self, index: int) -> list[int]:
        """Return the indices of the keys, definition or tool around a token, outermost first.

        A key, a definition or a tool is the last of its own path.
        """
        token = self.tokens[index]
        named = token.role in ("key", "definition", "tool")
        found = [index] if named else []
        owner = -1 if named else token.owner
        while owner >= 0:
            if self.tokens[owner].role in ("key", "definition", "tool"):
                found.append(owner)
                break
            owner = self.tokens[owner].owner
        frame = self.tokens[found[-1]].frame if found else token.frame
        while frame >= 0:
            owner = self.frames[frame].owner
            if owner >= 0 and owner not in found and self.tokens[owner].role != "type":
                found.append(owner)
            frame = self.frames[frame].parent
        return found[::-1]


def _start(token: Token) -> int:
    return token.start


_CLOSERS: dict[str, tuple[Kind, ...]] = {
    "CLOSE_ROUND": ("group", "params"),
    "CLOSE_SQUARE": ("array", "rest", "list"),
    "CLOSE_CURLY": ("object", "constraints", "map"),
    "MORE": ("bounds",),
}
_SCALARS = frozenset({"WORD", "STRING", "RAW", "NUMBER"})
_OPEN_STRING = re.compile(r"[\"'][^\r\n]*")
_TYPES: dict[str, Kind] = {"OPEN_CURLY": "object", "OPEN_SQUARE": "array", "OPEN_ROUND": "group"}
_AFTER: dict[Kind, Expected] = {
    "rest": "colon",
    "list": "after value",
    "map": "after value",
    "params": "start",
}
_INNER: dict[Kind, Expected] = {
    "object": "key",
    "params": "key",
    "rest": "key",
    "array": "type",
    "group": "type",
    "constraints": "constraint",
    "bounds": "bound",
    "list": "value",
    "map": "key",
    "text": "start",
}
"""What can follow an opening bracket, and a comma within the brackets."""


def read(text: str, start: int = 0, *, tools: bool = False) -> Notation:
    """Read the text of a typed turn; `start` is added to all offsets. Takes linear time."""
    return _Reader(text, start, tools=tools).run()


class _Terminal(NamedTuple):
    """A terminal of the grammar; `ERROR` is what begins none."""

    kind: str
    text: str
    start: int


_END = _Terminal("", "", 0)


def _terminals(text: str) -> Iterator[_Terminal]:
    pattern = runner("schema").pattern
    assert pattern is not None
    match, at = pattern.match, 0
    while at < len(text):
        found = match(text, at)
        if found is None or found.end() == at:
            string = _OPEN_STRING.match(text, at)
            end = string.end() if string else at + 1
            yield _Terminal("ERROR", text[at:end], at)
            at = end
            continue
        if found.lastgroup != "BLANK":
            yield _Terminal(str(found.lastgroup), found[0], at)
        at = found.end()


class _Reader:
    """Reads terminal after terminal; `state` is what can follow, `frame` the innermost brackets."""

    def __init__(self, text: str, start: int, *, tools: bool) -> None:
        self.text = text
        self.start = start
        self.tools = tools
        self.tokens: list[Token] = []
        self.frames: list[Frame] = [Frame("text", -1, -1, -1, -1)]
        self.frame = 0
        self.state: Expected = "start"
        self.named = -1  # the key, definition or tool that a type belongs to
        self.typed = -1  # the word of a type that bounds and constraints belong to
        self.set = -1  # the key or constraint that a value belongs to

    def run(self) -> Notation:
        """Read the text."""
        terminals = list(_terminals(self.text))
        rest = [one for one in terminals if one.kind != "COMMENT"] + [_END, _END]
        at = 0
        for one in terminals:
            if one.kind == "COMMENT":
                self._add("comment", one, self.state)
                continue
            at += 1
            self._resume(one, rest[at], rest[at + 1])
            if not (self._read(one, rest[at]) or self._close(one) or self._comma(one)):
                self._add("error", one, self.state)
        return Notation(self.tokens, self.frames)

    def _resume(self, one: _Terminal, after: _Terminal, then: _Terminal) -> None:
        """Go on after something unfinished where a terminal certainly begins another part."""
        if one.kind not in _SCALARS:
            return
        begins = after.text == "=" or (self.tools and after.text == "(")
        at_margin = one.start == 0 or self.text[one.start - 1] in "\r\n"
        if one.kind == "WORD" and begins and (self.frame == 0 or at_margin):
            self.frame, self.state = 0, "start"
        is_key = after.text == ":" or (after.text == "?" and then.text == ":")
        if not is_key:
            return
        frame = self.frame
        while self.frames[frame].kind in ("bounds", "array", "group"):  # which lack their ends
            frame = self.frames[frame].parent
        if self.frames[frame].kind in ("object", "params"):
            self.frame, self.state = frame, "key"

    def _add(self, role: Role, one: _Terminal, follows: Expected, owner: int = -1) -> bool:
        self.state = follows
        start = self.start + one.start
        token = Token(role, start, start + len(one.text), one.text, self.frame, follows, owner)
        self.tokens.append(token)
        return True

    def _open(self, kind: Kind, one: _Terminal, owner: int) -> bool:
        self.frames.append(Frame(kind, self.frame, len(self.tokens), -1, owner))
        self.frame = len(self.frames) - 1
        return self._add("operator", one, _INNER[kind], owner)

    def _close(self, one: _Terminal) -> bool:
        """Close the innermost brackets of that shape; those within them lack their ends."""
        kinds = _CLOSERS.get(one.kind, ())
        frame = self.frame
        while frame > 0 and self.frames[frame].kind not in kinds:
            frame = self.frames[frame].parent
        if frame <= 0:
            return False
        closed = self.frames[frame]
        self.frames[frame] = closed._replace(closer=len(self.tokens))
        self.frame = closed.parent
        if closed.kind in _TYPES.values():
            self.named, self.typed = closed.owner, closed.opener
        return self._add("operator", one, _AFTER.get(closed.kind, "after"), closed.owner)

    def _comma(self, one: _Terminal) -> bool:
        if one.kind != "_COMMA" or self.frame == 0:
            return False
        return self._add("operator", one, _INNER[self.frames[self.frame].kind])

    def _read(self, one: _Terminal, after: _Terminal) -> bool:
        """Read what is expected; whether it was."""
        if self.state == "start":
            return self._begin(one, after)
        return _READERS.get(self.state, _Reader.sign)(self, one)

    def _begin(self, one: _Terminal, after: _Terminal) -> bool:
        """A definition, or what the text begins with."""
        if one.kind == "WORD" and after.text == "=":
            self.named = len(self.tokens)
            return self._add("definition", one, "equals")
        if not self.tools:
            return self.type(one)
        if one.kind in ("WORD", "NUMBER"):
            self.named = len(self.tokens)
            return self._add("tool", one, "start")
        return one.text == "(" and self._open("params", one, self.named)

    def key(self, one: _Terminal) -> bool:
        kind = self.frames[self.frame].kind
        if one.kind in _SCALARS:
            if kind != "map":
                self.named = len(self.tokens)
            return self._add("key", one, "colon")
        return one.text == "[" and kind == "object" and self._open("rest", one, -1)

    def type(self, one: _Terminal) -> bool:
        if one.kind in _SCALARS:
            is_word = one.kind == "WORD" and one.text not in ("true", "false")
            self.typed = len(self.tokens)
            return self._add("type" if is_word else "literal", one, "after", self.named)
        kind = _TYPES.get(one.kind)
        return kind is not None and self._open(kind, one, self.named)

    def after(self, one: _Terminal) -> bool:
        """What can follow a type."""
        if one.text in ("{", "<"):
            return self._open("constraints" if one.text == "{" else "bounds", one, self.typed)
        if one.text in ("?", "|"):
            return self._add("operator", one, "after" if one.text == "?" else "type")
        if one.text == "=" and self.frames[self.frame].kind in ("object", "params"):
            self.set = self.named
            return self._add("operator", one, "value")
        return False

    def constraint(self, one: _Terminal) -> bool:
        if one.kind not in _SCALARS:
            return False
        self.set = len(self.tokens)
        return self._add("constraint", one, "colon", self.frames[self.frame].owner)

    def bound(self, one: _Terminal) -> bool:
        owner = self.frames[self.frame].owner
        return one.kind == "NUMBER" and self._add("bound", one, "bound", owner)

    def value(self, one: _Terminal) -> bool:
        if one.kind in _SCALARS:
            return self._add("value", one, "after value", self.set)
        kind: Kind = "list" if one.text == "[" else "map"
        return one.text in ("[", "{") and self._open(kind, one, self.set)

    def sign(self, one: _Terminal) -> bool:
        """`=` of a definition, and `?` and `:` after a key."""
        if self.state == "equals" and one.text == "=":
            return self._add("operator", one, "type")
        if self.state != "colon" or one.text not in ("?", ":"):
            return False
        is_value = self.frames[self.frame].kind in ("map", "constraints")
        follows: Expected = "value" if is_value else "type"
        return self._add("operator", one, "colon" if one.text == "?" else follows)


_READERS: dict[Expected, Callable[[_Reader, _Terminal], bool]] = {
    "key": _Reader.key,
    "type": _Reader.type,
    "after": _Reader.after,
    "constraint": _Reader.constraint,
    "value": _Reader.value,
    "bound": _Reader.bound,
}
