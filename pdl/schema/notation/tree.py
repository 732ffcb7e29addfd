"""The syntax tree that the notation's grammar is read into, and the alternatives of a type in it.

Offsets are characters of the source, half-open. The nodes are named tuples, since fifteen
dataclasses would take as long to define as a schema to read.

`alternatives` gives a type as the list of its alternatives, parentheses and question marks taken
apart; `join` brings alternatives to their one normal form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.schema.notation.words import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json, JsonSchema


class Spot(NamedTuple):
    """A place in the text."""

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
    """`key: value` in the braces behind a type."""

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
    """An atom with what stands behind it."""

    start: int
    end: int
    atom: Atom
    bounds: Bounds | None
    constraints: tuple[Constraint, ...]
    nullable: bool

    @property
    def is_constrained(self) -> bool:
        """Whether it has a bound or a constraint; `{}` is none."""
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
    Spot | Type | ListValue | MapValue | Bounds | Constraint | Field | Rest | Definition
)
"""Anything that stands somewhere in the text."""


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
    """Whether the type is a value itself: a number, a string, `true` or `false`."""
    if not isinstance(node, Scalar):
        return False
    return node.kind != "word" or (node.text in CONSTANTS and node.text != "null")


NULL: JsonSchema = {"type": "null"}


def join(parts: Sequence[JsonSchema]) -> JsonSchema:
    """The union of schemas that are no unions themselves.

    All constants become one `enum` where the first of them stands, and null joins them; null beside
    a single plain type makes `type` a list; all else is `anyOf`.
    """
    some = any("const" in part for part in parts)
    constants = [part for part in parts if _is_constant(part, some=some)]
    types = [part for part in parts if part != NULL and "const" not in part]
    if not types:
        return _choice(constants) if constants else NULL
    if not constants and len(types) == 1:
        return types[0] if len(parts) == 1 else _nullable(types[0])
    merged: list[JsonSchema] = []
    waiting = [_choice(constants)] if constants else [NULL]
    for part in parts:
        if "const" not in part and part != NULL:
            merged.append(part)
        elif waiting:
            merged.append(waiting.pop())
    return {"anyOf": merged}


def same(one: Json) -> tuple[str, Json]:
    """What two scalars share if JSON Schema takes them as equal: 1 and 1.0, not 1 and true."""
    return ("bool" if isinstance(one, bool) else "", one)


def _is_constant(part: JsonSchema, *, some: bool) -> bool:
    return "const" in part or (some and part == NULL)


def _choice(constants: list[JsonSchema]) -> JsonSchema:
    values = list({same(part.get("const")): part.get("const") for part in constants}.values())
    return {"const": values[0]} if len(values) == 1 else {"enum": values}


def _nullable(part: JsonSchema) -> JsonSchema:
    if isinstance(part.get("type"), str):
        return {**part, "type": [part["type"], "null"]}
    return {"anyOf": [part, NULL]}
