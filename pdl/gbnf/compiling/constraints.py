"""What is said of one JSON value, as small values that can be put together and told apart.

A goal is a conjunction of literals about the value at one place; it becomes conjuncts, a union of
conjunctions in which nothing is left to be decided but the goals of the values inside. A
constraint is what a keyword says of a value, for the kinds that it is about, and leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from fractions import Fraction


Kind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]

KINDS: tuple[Kind, ...] = ("null", "boolean", "number", "string", "array", "object")
"""The kinds of JSON values (RFC 8259, section 3)."""


class SchemaLiteral(NamedTuple):
    """That a value satisfies the schema at a JSON pointer of the document, or that it does not.

    Claims are looked up more than anything else: as tuples they have their hashes soonest.
    """

    pointer: str
    positive: bool = True


Conjunction: TypeAlias = tuple[SchemaLiteral, ...]
"""All that one value must satisfy, each literal once; `()` is any value."""


@dataclass(frozen=True, slots=True)
class NumberAtom:
    """One constraint on numbers, or its opposite.

    `value` is a Fraction for bounds and `multipleOf`, a frozenset of them for `enum`, None for
    `integer` and `digits` (an integer that is written in digits alone).
    """

    keyword: Literal[
        "integer",
        "digits",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "enum",
    ]
    value: Fraction | frozenset[Fraction] | None = None
    positive: bool = True


@dataclass(frozen=True, slots=True)
class StringAtom:
    """One constraint on strings, or its opposite; `value` is a frozenset of texts for `enum`.

    `goal` stands for a schema that the text satisfies itself (`propertyNames`).
    """

    keyword: Literal["minLength", "maxLength", "pattern", "format", "enum"]
    value: int | str | frozenset[str]
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Keys:
    """Some keys of objects, or, with `among` false, all keys but these.

    They are those in `names`, those that match one of `patterns`, and those that do not satisfy
    `unlike`. `patterns` are regular expressions of ECMA-262, not anchored; `unlike` is a goal for
    the key as a JSON string (the opposite of `propertyNames`).
    """

    names: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    unlike: Conjunction | None = None
    among: bool = True


@dataclass(frozen=True, slots=True)
class KeyRule:
    """The value of each of these keys satisfies the literal; None: there is none of these keys."""

    keys: Keys
    literal: SchemaLiteral | None


@dataclass(frozen=True, slots=True)
class Some:
    """At least one of these keys is there, with a value that satisfies the goal."""

    keys: Keys
    goal: Conjunction = ()


Clause: TypeAlias = frozenset[tuple[str, bool]]
"""At least one of these holds: the key is there (True), or it is not (False)."""


@dataclass(frozen=True, slots=True)
class ObjectConjunct:
    """What an object satisfies; keys of `order` are written in that order, before all others."""

    order: tuple[str, ...] = ()
    rules: tuple[KeyRule, ...] = ()
    some: tuple[Some, ...] = ()
    clauses: frozenset[Clause] = frozenset()
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class ItemRule:
    """Each item from index `start` to before `stop` (None: to the last) satisfies the literal.

    With literal None there is no such item.
    """

    start: int
    stop: int | None
    literal: SchemaLiteral | None


@dataclass(frozen=True, slots=True)
class Contains:
    """From `least` to `most` (None: any number of) items satisfy the literal.

    Only items from index `start` on are counted.
    """

    literal: SchemaLiteral
    least: int = 1
    most: int | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class ArrayConjunct:
    """What an array satisfies."""

    rules: tuple[ItemRule, ...] = ()
    contains: tuple[Contains, ...] = ()
    least: int = 0
    most: int | None = None
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A value of one of these kinds is written as the `x-gbnf` of the schema at `pointer` says."""

    pointer: str
    kinds: frozenset[Kind] = frozenset(KINDS)


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One way to satisfy a goal: the kinds that the value may have, and what holds for each.

    Where anything is `written`, `said` has all literals that led to the conjunct.
    """

    kinds: frozenset[Kind] = frozenset(KINDS)
    booleans: frozenset[bool] = frozenset({True, False})
    numbers: tuple[NumberAtom, ...] = ()
    texts: tuple[StringAtom, ...] = ()
    objects: ObjectConjunct = ObjectConjunct()
    arrays: ArrayConjunct = ArrayConjunct()
    written: tuple[Written, ...] = ()
    said: Conjunction = ()


@dataclass(frozen=True, slots=True)
class OnlyKinds:
    """The value has one of these kinds."""

    kinds: frozenset[Kind]


@dataclass(frozen=True, slots=True)
class OnlyBooleans:
    """If it is a boolean, it is one of these."""

    values: frozenset[bool]


@dataclass(frozen=True, slots=True)
class Declares:
    """If it is an object, these keys come first, in this order."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Presence:
    """If it is an object, at least one of these keys is there, or is not."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class Members:
    """If it is an object, it has so many members."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Length:
    """If it is an array, it has so many items."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Unique:
    """If it is an array, no two of its items are equal."""


@dataclass(frozen=True, slots=True)
class Unevaluated:
    """Parts that no keyword of the schema at `pointer` evaluates satisfy the literal, if any.

    Source: JSON Schema Core 2020-12, section 11.
    """

    what: Literal["properties", "items"]
    pointer: str
    literal: SchemaLiteral | None


@dataclass(frozen=True, slots=True)
class Disjunction:
    """One of these conjunctions holds; `pointer` and `keyword` say where that was said.

    `looser` is what to take instead where the alternatives are too many: it has at least the values
    of all of them.
    """

    alternatives: tuple[Constraints, ...]
    pointer: str
    keyword: str
    looser: tuple[Constraints, ...] | None = None


LOOKED = "if alone"
"""The keyword of a branch that asks for nothing, and matters to `unevaluated…` alone."""

Constraint: TypeAlias = (
    SchemaLiteral
    | OnlyKinds
    | OnlyBooleans
    | NumberAtom
    | StringAtom
    | Declares
    | KeyRule
    | Some
    | Presence
    | Members
    | ItemRule
    | Contains
    | Length
    | Unique
    | Unevaluated
    | Written
    | Disjunction
)
Constraints: TypeAlias = tuple[Constraint, ...]
"""Constraints that hold together."""

NOTHING = OnlyKinds(frozenset())
"""No value satisfies this."""


def requires(key: str) -> Presence:
    """The key is there."""
    return Presence(frozenset({(key, True)}))


def lacks(key: str) -> Presence:
    """The key is not there."""
    return Presence(frozenset({(key, False)}))
