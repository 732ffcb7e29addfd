"""The syntax tree of the schema DSL, and its construction from the grammar's productions.

Offsets are characters of the source, half-open. The nodes are named tuples, since fifteen
dataclasses would take as long to define as a schema to read.

`alternatives` gives a type as the list of its alternatives, parentheses and question marks taken
apart; `join` brings alternatives to their one normal form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pdl.schema.keywords import IN_PLACE_APPLICATORS
from pdl.syntax.runner import StuckError, Token, runner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json, JsonSchema
    from pdl.source import Source


class Range(NamedTuple):
    """A range of the text."""

    start: int
    end: int


class Scalar(NamedTuple):
    """A word, a number or a string, as it is written; a string with its quotes."""

    start: int
    end: int
    kind: Literal["word", "number", "string", "raw"]
    text: str


class ListValue(NamedTuple):
    """A JSON array among the values."""

    start: int
    end: int
    items: tuple[Value, ...]


class MapValue(NamedTuple):
    """A JSON object among the values."""

    start: int
    end: int
    entries: tuple[tuple[Scalar, Value], ...]


Value: TypeAlias = Scalar | ListValue | MapValue


class Bounds(NamedTuple):
    """`<lo,hi>`, or `<n>` when exact: then both are the same."""

    start: int
    end: int
    low: Scalar | None
    high: Scalar | None
    exact: bool = False


class Constraint(NamedTuple):
    """`key: value` in the braces after a type."""

    start: int
    end: int
    key: Scalar
    value: Value


class Group(NamedTuple):
    """A type in parentheses."""

    start: int
    end: int
    inner: Type


class Array(NamedTuple):
    """`[]`, `[T]`, or a tuple `[A, B]`."""

    start: int
    end: int
    items: tuple[Type, ...]


class Field(NamedTuple):
    """`key?: type = default`."""

    start: int
    end: int
    key: Scalar
    optional: bool
    type: Type
    default: Value | None


class Rest(NamedTuple):
    """`[str]: type`, the type of all keys that have no field."""

    start: int
    end: int
    key: Scalar
    type: Type


class Object(NamedTuple):
    """Fields in braces."""

    start: int
    end: int
    members: tuple[Field | Rest, ...]


class Item(NamedTuple):
    """An atom with its bounds, its constraints and its `?`."""

    start: int
    end: int
    atom: Atom
    bounds: Bounds | None
    constraints: tuple[Constraint, ...]
    nullable: bool

    @property
    def is_constrained(self) -> bool:
        """Whether it has a bound or a constraint; `{}` contains none."""
        return self.bounds is not None or bool(self.constraints)


class Union(NamedTuple):
    """`A | B`."""

    start: int
    end: int
    items: tuple[Type, ...]


class Definition(NamedTuple):
    """`Name = type`."""

    start: int
    end: int
    name: Scalar
    type: Type


class Text(NamedTuple):
    """A whole text: the answer's type, then the names that it uses."""

    root: Type
    definitions: tuple[Definition, ...]


Atom: TypeAlias = Scalar | Group | Array | Object
Type: TypeAlias = Atom | Item | Union
Node: TypeAlias = (
    Range | Type | ListValue | MapValue | Bounds | Constraint | Field | Rest | Definition
)
"""Anything that has a range of the text."""


def alternatives(node: Type) -> list[Scalar | Array | Object | Item]:
    """The alternatives in the order of the text; an `Item` is one that has constraints.

    `(A | B)?` has the alternatives A, B and null, as `A | B | null` has.
    """
    found: list[Scalar | Array | Object | Item] = []
    pending: list[Type] = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, Union):
            pending += reversed(one.items)
        elif isinstance(one, Group):
            pending.append(one.inner)
        elif isinstance(one, Item):
            if one.nullable:
                pending.append(Scalar(one.end - 1, one.end, "word", "null"))
            if one.is_constrained:
                found.append(one)
            else:
                pending.append(one.atom)
        else:
            found.append(one)
    return found


def is_literal(node: Scalar | Array | Object | Item) -> bool:
    """Whether the type is itself a value: a number, a string, `true` or `false`."""
    if not isinstance(node, Scalar):
        return False
    return node.kind != "word" or (node.text in ("true", "false"))


NULL: JsonSchema = {"type": "null"}
_OF_ANY_TYPE = IN_PLACE_APPLICATORS | {"const", "enum"}
"""Keywords that null can violate, unlike those of strings, numbers, arrays and objects."""


def join(parts: Sequence[JsonSchema]) -> JsonSchema:
    """Return the union of schemas, none of which is a union.

    All constants become one `enum` at the position of the first, and null joins them; null next to
    a single plain type makes `type` a list; everything else is `anyOf`.
    """
    some = any(map(_is_constant, parts))
    constants = [part for part in parts if _is_constant(part) or (some and part == NULL)]
    types = [part for part in parts if part != NULL and not _is_constant(part)]
    if not types:
        return _choice(constants) if constants else NULL
    if not constants and len(types) == 1:
        return types[0] if len(parts) == 1 else _nullable(types[0])
    merged: list[JsonSchema] = []
    waiting = [_choice(constants)] if constants else [NULL]
    for part in parts:
        if part != NULL and not _is_constant(part):
            merged.append(part)
        elif waiting:
            merged.append(waiting.pop())
    return {"anyOf": merged}


def same(one: Json) -> tuple[str, Json]:
    """A key that two scalars share if they are equal in JSON Schema: 1 and 1.0, not 1 and true."""
    return ("bool" if isinstance(one, bool) else "", one)


def _is_constant(part: JsonSchema) -> bool:
    """Whether it is a constant that nothing else is said of."""
    return part.keys() == {"const"}


def _choice(constants: list[JsonSchema]) -> JsonSchema:
    values = list({same(part.get("const")): part.get("const") for part in constants}.values())
    return {"const": values[0]} if len(values) == 1 else {"enum": values}


def _nullable(part: JsonSchema) -> JsonSchema:
    if isinstance(part.get("type"), str) and not part.keys() & _OF_ANY_TYPE:
        return {**part, "type": [part["type"], "null"]}
    return {"anyOf": [part, NULL]}


_KINDS: dict[str, Any] = {"WORD": "word", "NUMBER": "number", "STRING": "string", "RAW": "raw"}


def parse(source: Source) -> Text:
    """Parse a schema. Raises SchemaError for the first syntax error."""
    try:
        text: Text = runner("schema").parse(source.text, Build())
    except StuckError as stuck:
        from pdl.schema.dsl.syntax_errors import syntax_error  # noqa: PLC0415 - only errors need it

        raise syntax_error(source, stuck) from stuck
    return text


class Build:
    """One method a production; each has its production as its docstring."""

    def start(self, root: Type, *definitions: Definition) -> Text:
        """start: union definition*."""
        return Text(root, definitions)

    def definition(self, name: Token, _: Token, type_: Type) -> Definition:
        """definition: WORD EQUALS union."""
        return Definition(name.start, type_.end, _scalar(name), type_)

    def union(self, *items: Type) -> Union:
        """union: item (_BAR item)+."""
        return Union(items[0].start, items[-1].end, items)

    def item(self, atom: Atom, *after: Any) -> Type:
        """item: atom bounds? constraints? QUESTION?."""
        if not after:
            return atom
        bounds = next((part for part in after if isinstance(part, Bounds)), None)
        braces = next((part for part in after if isinstance(part, MapValue)), None)
        constraints = tuple(
            Constraint(key.start, value.end, key, value)
            for key, value in (braces.entries if braces else ())
        )
        last = after[-1]
        nullable = isinstance(last, Token)
        end = last.end
        return Item(atom.start, end, atom, bounds, constraints, nullable)

    def scalar(self, token: Token) -> Scalar:
        """atom, value: WORD | STRING | RAW | NUMBER."""
        return _scalar(token)

    def group(self, opener: Token, inner: Type, closer: Token) -> Group:
        """group: OPEN_ROUND union CLOSE_ROUND."""
        return Group(opener.start, closer.end, inner)

    def array(self, opener: Token, *items: Any) -> Array:
        """array: OPEN_SQUARE (union (_COMMA union)* _COMMA?)? CLOSE_SQUARE."""
        return Array(opener.start, items[-1].end, items[:-1])

    def object(self, opener: Token, *members: Any) -> Object:
        """object: OPEN_CURLY (_member (_COMMA _member)* _COMMA?)? CLOSE_CURLY."""
        return Object(opener.start, members[-1].end, members[:-1])

    def field(self, key: Scalar, *rest: Any) -> Field:
        """field: key QUESTION? _COLON union (EQUALS value)?."""
        optional = isinstance(rest[0], Token)
        type_, *default = rest[1:] if optional else rest
        value = default[1] if default else None
        return Field(key.start, (value or type_).end, key, optional, type_, value)

    def rest(self, opener: Token, key: Token, _closer: Token, type_: Type) -> Rest:
        """rest: OPEN_SQUARE WORD CLOSE_SQUARE _COLON union."""
        return Rest(opener.start, type_.end, _scalar(key), type_)

    def key(self, token: Token) -> Scalar:
        """key: WORD | STRING | RAW | NUMBER."""
        return _scalar(token)

    def exact_bounds(self, less: Token, number: Token, more: Token) -> Bounds:
        """bounds: LESS NUMBER MORE."""
        value = _scalar(number)
        return Bounds(less.start, more.end, value, value, exact=True)

    def open_bounds(self, less: Token, more: Token) -> Bounds:
        """bounds: LESS _COMMA MORE."""
        return Bounds(less.start, more.end, None, None)

    def low_bounds(self, less: Token, low: Token, more: Token) -> Bounds:
        """bounds: LESS NUMBER _COMMA MORE."""
        return Bounds(less.start, more.end, _scalar(low), None)

    def high_bounds(self, less: Token, high: Token, more: Token) -> Bounds:
        """bounds: LESS _COMMA NUMBER MORE."""
        return Bounds(less.start, more.end, None, _scalar(high))

    def both_bounds(self, less: Token, low: Token, high: Token, more: Token) -> Bounds:
        """bounds: LESS NUMBER _COMMA NUMBER MORE."""
        return Bounds(less.start, more.end, _scalar(low), _scalar(high))

    def list_value(self, opener: Token, *items: Any) -> ListValue:
        """list_value: OPEN_SQUARE (value (_COMMA value)* _COMMA?)? CLOSE_SQUARE."""
        return ListValue(opener.start, items[-1].end, items[:-1])

    def map_value(self, opener: Token, *entries: Any) -> MapValue:
        """map_value: OPEN_CURLY (entry (_COMMA entry)* _COMMA?)? CLOSE_CURLY."""
        return MapValue(opener.start, entries[-1].end, entries[:-1])

    constraints = map_value

    def entry(self, key: Scalar, value: Value) -> tuple[Scalar, Value]:
        """entry, constraint: key _COLON value."""
        return key, value

    constraint = entry


def _scalar(token: Token) -> Scalar:
    return Scalar(token.start, token.end, _KINDS[token.type], token.text)


_LINE_END = re.compile(r"\r\n?|\n")


def lines_of(description: str) -> list[str]:
    """Return the lines of a description as comments can carry them.

    They lose spaces at their ends, empty lines at both ends, and common indentation.
    """
    lines = [line.rstrip() for line in _LINE_END.split(description)]
    filled = [number for number, line in enumerate(lines) if line]
    lines = lines[filled[0] : filled[-1] + 1] if filled else []
    indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return [line[indent:] for line in lines]


def joined(lines: list[str]) -> str:
    """Return the description that lines of comments make."""
    return "\n".join(lines_of("\n".join(lines)))
