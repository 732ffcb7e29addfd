"""What schemas say of one JSON value: signed literals, constraints, and their normal form.

A `Conjunction` of literals is a goal: all that the value at one position must satisfy. The tableau
turns it into its disjunctive normal form, whose `Conjunct`s leave nothing to be decided except
the goals of the values inside. A constraint is what one keyword says of a value; those about one
kind of values say nothing of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from fractions import Fraction


Kind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object"]

KINDS: tuple[Kind, ...] = ("null", "boolean", "number", "string", "array", "object")
"""The kinds of JSON values (RFC 8259, section 3)."""

Kinds: TypeAlias = frozenset[Kind]

Bounds: TypeAlias = tuple[int, int | None]
"""A least and a most number; None: any number."""


class SchemaLiteral(NamedTuple):
    """That a value satisfies the schema at a JSON pointer of the document, or that it doesn't.

    Literals are looked up more than anything else, and tuples have the fastest hashes.
    """

    pointer: str
    positive: bool = True

    @property
    def opposite(self) -> SchemaLiteral:
        """The literal of the other sign."""
        return SchemaLiteral(self.pointer, not self.positive)


Conjunction: TypeAlias = tuple[SchemaLiteral, ...]
"""All that one value must satisfy, each literal once; `()` is any value."""


class NumberAtom(NamedTuple):
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


class StringAtom(NamedTuple):
    """One constraint on strings, or its opposite; `value` is a frozenset of strings for `enum`."""

    keyword: Literal["minLength", "maxLength", "pattern", "format", "enum"]
    value: int | str | frozenset[str]
    positive: bool = True


class Keys(NamedTuple):
    """Some keys of objects, or, with `among` false, all keys except these.

    They are those in `names`, those that match one of `patterns`, and those that do not satisfy
    `unlike`. `patterns` are regular expressions of ECMA-262, not anchored; `unlike` is a goal for
    the key as a JSON string (the opposite of `propertyNames`).
    """

    names: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    unlike: Conjunction | None = None
    among: bool = True

    @property
    def are_listed(self) -> bool:
        """Whether they are the `names` and no others."""
        return self.among and not self.patterns and self.unlike is None


class KeyRule(NamedTuple):
    """The value of each of these keys satisfies the literal; None: none of these keys is there."""

    keys: Keys
    literal: SchemaLiteral | None


class Some(NamedTuple):
    """At least one of these keys is there, with a value that satisfies the goal."""

    keys: Keys
    goal: Conjunction = ()


Clause: TypeAlias = frozenset[tuple[str, bool]]
"""At least one of these is true: the key is there (True), or it is not (False)."""


class Presence(NamedTuple):
    """If the value is an object, the clause is true of its keys."""

    clause: Clause


class ItemRule(NamedTuple):
    """Each item from index `start` to before `stop` (None: to the last) satisfies the literal.

    With literal None there is no such item.
    """

    start: int
    stop: int | None
    literal: SchemaLiteral | None


class Contains(NamedTuple):
    """From `least` to `most` (None: any number of) items satisfy the literal.

    Only items from index `start` on are counted.
    """

    literal: SchemaLiteral
    least: int = 1
    most: int | None = None
    start: int = 0


class CustomRule(NamedTuple):
    """A value of one of these kinds is written as the `x-gbnf` of the schema at `pointer` says."""

    pointer: str
    kinds: Kinds = frozenset(KINDS)


class Limit(NamedTuple):
    """One more limit for a field of a branch, which is met with what the field has.

    `kinds` and `booleans` are those that the value may be, `members` and `length` the `Bounds` of
    objects and arrays, `unique` is whether all items differ, and `repeated` whether two are equal.
    """

    field: Literal["kinds", "booleans", "members", "length", "unique", "repeated"]
    value: Any


class Declares(NamedTuple):
    """If the value is an object, these keys come first, in this order."""

    names: tuple[str, ...]


class Unevaluated(NamedTuple):
    """Parts that no keyword of the schema at `pointer` evaluates satisfy the literal, if any.

    With literal None there are no such parts. Not `positive`: some part does not satisfy it, while
    the value satisfies the rest of the schema. Source: JSON Schema Core 2020-12, section 11.
    """

    parts: Literal["properties", "items"]
    pointer: str
    literal: SchemaLiteral | None
    positive: bool = True


class Disjunction(NamedTuple):
    """One of these conjunctions is true: a beta formula, of a keyword of the schema at `pointer`.

    `looser` replaces alternatives that are too many: it has at least the values of all of them.
    """

    alternatives: tuple[Constraints, ...]
    pointer: str
    keyword: str
    looser: tuple[Constraints, ...] | None = None


EVALUATED_ONLY = "if alone"
"""The keyword of a disjunction that asks for nothing, and matters to `unevaluated…` alone."""

Atom: TypeAlias = (
    NumberAtom | StringAtom | KeyRule | Some | Presence | ItemRule | Contains | CustomRule
)
"""What is kept as it is in a branch."""

Constraint: TypeAlias = SchemaLiteral | Atom | Limit | Declares | Unevaluated | Disjunction
Constraints: TypeAlias = tuple[Constraint, ...]
"""Constraints that are all true."""


def kinds(*names: Kind) -> Limit:
    """The value has one of these kinds."""
    return Limit("kinds", frozenset(names))


def members(least: int = 0, most: int | None = None) -> Limit:
    """An object has so many members."""
    return Limit("members", (least, most))


def length(least: int = 0, most: int | None = None) -> Limit:
    """An array has so many items."""
    return Limit("length", (least, most))


def requires(key: str) -> Presence:
    """The key is there."""
    return Presence(frozenset({(key, True)}))


def lacks(key: str) -> Presence:
    """The key is not there."""
    return Presence(frozenset({(key, False)}))


class ObjectConjunct(NamedTuple):
    """What an object satisfies; keys of `order` are written in that order, before all others."""

    order: tuple[str, ...] = ()
    rules: tuple[KeyRule, ...] = ()
    some: tuple[Some, ...] = ()
    clauses: frozenset[Clause] = frozenset()
    least: int = 0
    most: int | None = None


class ArrayConjunct(NamedTuple):
    """What an array satisfies."""

    rules: tuple[ItemRule, ...] = ()
    contains: tuple[Contains, ...] = ()
    least: int = 0
    most: int | None = None
    unique: bool = False
    repeated: bool = False


class Conjunct(NamedTuple):
    """One way to satisfy a goal: the kinds that the value may have, and what is true of each.

    Where there are custom rules, `literals` are all that led here.
    """

    kinds: Kinds = frozenset(KINDS)
    booleans: frozenset[bool] = frozenset({True, False})
    numbers: tuple[NumberAtom, ...] = ()
    strings: tuple[StringAtom, ...] = ()
    objects: ObjectConjunct = ObjectConjunct()
    arrays: ArrayConjunct = ArrayConjunct()
    custom: tuple[CustomRule, ...] = ()
    literals: Conjunction = ()
