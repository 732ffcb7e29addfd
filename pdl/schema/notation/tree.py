"""What the notation's grammar is read into. Offsets are characters of the source, half-open.

These are named tuples, since fifteen dataclasses would take as long to define as a schema to read.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias


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
