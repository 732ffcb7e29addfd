"""The JSON Schema of a typed turn and of each of its parts, also where the turn does not parse.

The tolerant tokens become the syntax tree that the parser would make of a mended text: what is
missing is `any`, what does not fit is left out. The converter of the schema DSL does the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.errors import PdlError
from pdl.limits import DEFAULT_LIMITS
from pdl.schema import Schema
from pdl.schema.dsl import tree
from pdl.schema.dsl.comments import Comment, descriptions
from pdl.schema.dsl.constraints import Report
from pdl.schema.dsl.to_json_schema import Converter
from pdl.source import Source

if TYPE_CHECKING:
    from pdl._types import JsonSchema
    from pdl.edit.document import Typed
    from pdl.edit.notation import Notation, Token

_DEEPEST = 60  # brackets within brackets
_KINDS = {'"': "string", "'": "raw"}
_NUMBER = re.compile(r"-?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")


class Tool(NamedTuple):
    """A tool of a `tools` turn: the index of the token of its name, and its parameters."""

    token: int
    name: str
    parameters: tree.Object


@dataclass(eq=False)
class Shape:
    """What a typed turn says."""

    text: tree.Text
    tools: list[Tool]
    nodes: dict[int, tree.Node]
    """The fields, definitions and types that tokens begin, by the indices of the tokens."""
    described: dict[int, str]
    _converter: Converter = field(repr=False)

    @cached_property
    def definitions(self) -> dict[str, JsonSchema]:
        """The schemas of the named types."""
        return {
            one.name.text: self._convert(one.type, one) for one in reversed(self.text.definitions)
        }

    @cached_property
    def document(self) -> JsonSchema:
        """The JSON Schema of the whole turn."""
        document = self._convert(self.text.root, self.text.root)
        return {**document, "$defs": self.definitions} if self.definitions else document

    def schema(self, index: int) -> JsonSchema | None:
        """Return the JSON Schema of the field, definition or type that begins with a token."""
        node = self.nodes.get(index)
        if isinstance(node, tree.Field):
            found = self._convert(node.type, node)
            if node.default is None:
                return found
            return {**found, "default": self._converter.values.read(node.default)}
        if isinstance(node, tree.Definition | tree.Rest):
            return self._convert(node.type, node)
        return None if node is None else self._convert(node, node)  # type: ignore[arg-type]

    def arguments(self, tool: Tool) -> JsonSchema:
        """Return the JSON Schema of a tool's arguments."""
        return self._convert(tool.parameters, tool.parameters)

    def _convert(self, node: tree.Type, described: tree.Node) -> JsonSchema:
        found: JsonSchema = _known(self._converter.convert(node, described))
        return found


def _known(schema: Any) -> Any:
    """A schema that takes anything where something is unknown."""
    if isinstance(schema, list):
        return [_known(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("not") == {}:
        return {key: one for key, one in schema.items() if key != "not"}
    return {key: _known(one) for key, one in schema.items()}


def shape(typed: Typed) -> Shape:
    """Return the shape of a typed turn in the schema DSL, which is made once."""
    return typed.derive(_shape)


def document_of(typed: Typed) -> JsonSchema:
    """Return the JSON Schema of an `input` or a `schema` turn in any notation; `{}` if unknown."""
    if typed.language == "dsl":
        return shape(typed).document
    if typed.language == "file":
        return {}
    try:
        return Schema.parse(typed.text).document
    except PdlError:
        return {}


def _shape(typed: Typed) -> Shape:
    builder = _Builder(typed.notation, typed.turn.body.start)
    text = builder.read()
    source = Source(typed.text)
    comments = tuple(
        Comment(start, end, typed.written[start + 2 : end])
        for one in typed.notation.tokens
        if one.role == "comment"
        for start, end in ((one.start - builder.start, one.end - builder.start),)
    )
    described = descriptions(typed.text, comments, text)
    names = frozenset(one.name.text for one in text.definitions)
    converter = Converter(Report(source), DEFAULT_LIMITS, names, described)
    return Shape(text, builder.tools, builder.nodes, described, converter)


class _Builder:
    """Makes a tree of tokens; offsets are those of the typed text."""

    def __init__(self, notation: Notation, start: int) -> None:
        self.tokens = notation.tokens
        self.frames = notation.frames
        self.start = start
        self.order = [
            at for at, one in enumerate(self.tokens) if one.role not in ("comment", "error")
        ]
        self.opened = {one.opener: at for at, one in enumerate(self.frames) if at}
        self.last = [one.closer for one in self.frames]
        for index in self.order:
            frame = self.tokens[index].frame
            self.last[frame] = max(self.last[frame], index)
        for at in range(len(self.frames) - 1, 0, -1):
            parent = self.frames[at].parent
            self.last[parent] = max(self.last[parent], self.last[at])
        self.at = 0
        self.nodes: dict[int, tree.Node] = {}
        self.tools: list[Tool] = []

    def read(self) -> tree.Text:
        """The whole text."""
        root: tree.Type | None = None
        definitions: dict[str, tree.Definition] = {}
        while (token := self._token()) is not None:
            before = self.at
            if token.role == "definition":
                one = self._definition(token)
                definitions.setdefault(one.name.text, one)
            elif token.role == "tool":
                self._tool(token)
            elif (found := self._type(0)) is not None:
                root = root or found
            self.at = max(self.at, before + 1)
        return tree.Text(root or _any(0), tuple(definitions.values()))

    @property
    def _index(self) -> int:
        return self.order[self.at] if self.at < len(self.order) else len(self.tokens)

    def _token(self) -> Token | None:
        return self.tokens[self.order[self.at]] if self.at < len(self.order) else None

    def _take(self, text: str) -> bool:
        token = self._token()
        found = token is not None and token.role == "operator" and token.text == text
        self.at += found
        return found

    @property
    def _end(self) -> int:
        """Where the last token that was read ends."""
        return self.tokens[self.order[self.at - 1]].end - self.start if self.at else 0

    def _scalar(self, token: Token) -> tree.Scalar:
        kind: Any = _KINDS.get(token.text[:1], "word")
        if kind == "word" and _NUMBER.fullmatch(token.text):
            kind = "number"
        start = token.start - self.start
        self.at += 1
        return tree.Scalar(start, start + len(token.text), kind, token.text)

    def _definition(self, token: Token) -> tree.Definition:
        index = self._index
        name = self._scalar(token)
        self._take("=")
        inner = self._type(0) or _any(self._end)
        found = tree.Definition(name.start, max(name.end, inner.end), name, inner)
        self.nodes[index] = found
        return found

    def _tool(self, token: Token) -> None:
        index, name = self._index, token.text
        self.at += 1
        frame = self.opened.get(self._index, 0)
        if self.frames[frame].kind == "params":
            parameters = self._object(frame, 1)
        else:
            parameters = tree.Object(self._end, self._end, ())
        self.tools.append(Tool(index, name, parameters))

    def _type(self, depth: int) -> tree.Type | None:
        first = self._item(depth)
        if first is None:
            return None
        items = [first]
        while self._take("|"):
            items.append(self._item(depth) or _any(self._end))
        return first if len(items) == 1 else tree.Union(first.start, items[-1].end, tuple(items))

    def _item(self, depth: int) -> tree.Type | None:
        token, index = self._token(), self._index
        if token is None:
            return None
        frame = self.opened.get(index, 0)
        atom: tree.Atom
        if token.role in ("type", "literal"):
            atom = self._scalar(token)
        elif self.frames[frame].kind in ("object", "array", "group") and frame:
            atom = self._brackets(frame, depth + 1)
        else:
            return None
        found = self._constrained(atom)
        self.nodes[index] = found
        return found

    def _brackets(self, frame: int, depth: int) -> tree.Atom:
        if depth > _DEEPEST:
            self._leave(frame)
            return _any(self._end)
        if self.frames[frame].kind == "object":
            return self._object(frame, depth)
        start = self._begin(frame)
        items: list[tree.Type] = []
        while self._inside(frame):
            before = self.at
            one = self._type(depth)
            items += [one] if one is not None else []
            self._take(",")
            self.at = max(self.at, before + 1)
        self._leave(frame)
        if self.frames[frame].kind == "array":
            return tree.Array(start, self._end, tuple(items))
        return tree.Group(start, self._end, items[0] if items else _any(self._end))

    def _begin(self, frame: int) -> int:
        self.at += 1
        return self.tokens[self.frames[frame].opener].start - self.start

    def _inside(self, frame: int) -> bool:
        closer = self.frames[frame].closer
        return self._index <= self.last[frame] and self._index != closer

    def _leave(self, frame: int) -> None:
        """Go on after the brackets."""
        while self.at < len(self.order) and self._index <= self.last[frame]:
            self.at += 1

    def _object(self, frame: int, depth: int) -> tree.Object:
        start = self._begin(frame)
        members: dict[str, tree.Field | tree.Rest] = {}
        while self._inside(frame):
            before = self.at
            token = self._token()
            inner = self.opened.get(self._index, 0)
            if token is not None and token.role == "key":
                one: tree.Field | tree.Rest = self._field(token, depth)
                members.setdefault(token.text, one)
            elif self.frames[inner].kind == "rest" and inner:
                members.setdefault("", self._others(inner, depth))
            self.at = max(self.at, before + 1)
        self._leave(frame)
        return tree.Object(start, self._end, tuple(members.values()))

    def _field(self, token: Token, depth: int) -> tree.Field:
        index = self._index
        key = self._scalar(token)
        optional = self._take("?")
        self._take(":")
        inner = self._type(depth) or _any(self._end)
        default = self._value(depth) if self._take("=") else None
        end = max(self._end, inner.end, key.end)
        found = tree.Field(key.start, end, key, optional, inner, default)
        self.nodes[index] = found
        return found

    def _others(self, frame: int, depth: int) -> tree.Rest:
        start = self._begin(frame)
        key = tree.Scalar(start, start + 1, "word", "str")
        self._leave(frame)
        self._take(":")
        inner = self._type(depth) or _any(self._end)
        return tree.Rest(start, max(self._end, inner.end), key, inner)

    def _constrained(self, atom: tree.Atom) -> tree.Type:
        bounds: tree.Bounds | None = None
        constraints: list[tree.Constraint] = []
        nullable = False
        begin = self.at
        while (token := self._token()) is not None:
            frame = self.opened.get(self._index, 0)
            kind = self.frames[frame].kind if frame else ""
            if kind == "bounds":
                bounds = self._bounds(frame)
            elif kind == "constraints":
                self.at += 1
                constraints = self._constraints(frame)
            elif token.role == "operator" and token.text == "?":
                nullable = True
                self.at += 1
            else:
                break
        if self.at == begin:
            return atom
        end = max(self._end, atom.end)
        return tree.Item(atom.start, end, atom, bounds, tuple(constraints), nullable)

    def _bounds(self, frame: int) -> tree.Bounds | None:
        start = self._begin(frame)
        found: list[tree.Scalar | None] = [None]
        while self._inside(frame):
            token = self._token()
            if token is not None and token.role == "bound":
                found[-1] = self._scalar(token)
                continue
            found += [None] if token is not None and token.text == "," else []
            self.at += 1
        self._leave(frame)
        if len(found) == 1:
            exact = found[0]
            return tree.Bounds(start, self._end, exact, exact, exact=True) if exact else None
        return tree.Bounds(start, self._end, found[0], found[1])

    def _constraints(self, frame: int) -> list[tree.Constraint]:
        found: list[tree.Constraint] = []
        while self._inside(frame):
            before = self.at
            token = self._token()
            if token is not None and token.role == "constraint":
                key = self._scalar(token)
                self._take(":")
                value = self._value(0)
                if value is not None:
                    found.append(tree.Constraint(key.start, value.end, key, value))
            self.at = max(self.at, before + 1)
        self._leave(frame)
        return found

    def _value(self, depth: int) -> tree.Value | None:
        token = self._token()
        if token is None:
            return None
        if token.role == "value":
            return self._scalar(token)
        frame = self.opened.get(self._index, 0)
        if not frame or self.frames[frame].kind not in ("list", "map") or depth > _DEEPEST:
            return None
        start = self._begin(frame)
        items: list[tree.Value] = []
        entries: list[tuple[tree.Scalar, tree.Value]] = []
        while self._inside(frame):
            before = self.at
            inner = self._token()
            key = self._scalar(inner) if inner is not None and inner.role == "key" else None
            self._take(":")
            one = self._value(depth + 1)
            if one is not None and key is not None:
                entries.append((key, one))
            elif one is not None:
                items.append(one)
            self.at = max(self.at, before + 1)
        self._leave(frame)
        if self.frames[frame].kind == "list":
            return tree.ListValue(start, self._end, tuple(items))
        return tree.MapValue(start, self._end, tuple(entries))


def _any(at: int) -> tree.Scalar:
    return tree.Scalar(at, at, "word", "any")
