"""What a keyword says of a value, for the kinds that it is about, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.gbnf.compiling.claims import (
    Claim,
    Contains,
    ItemRule,
    KeyRule,
    Kind,
    NumberAtom,
    Some,
    TextAtom,
    Written,
)

if TYPE_CHECKING:
    from pdl.gbnf.compiling.claims import Clause


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
    """What no keyword of the schema at `pointer` has looked at satisfies the claim (None: is not).

    Source: JSON Schema Core 2020-12, section 11.
    """

    what: Literal["properties", "items"]
    pointer: str
    claim: Claim | None


@dataclass(frozen=True, slots=True)
class Branch:
    """One of these conjunctions holds; `pointer` and `keyword` say where that was said.

    `looser` is what to take instead where the alternatives are too many: it has at least the values
    of all of them.
    """

    alternatives: tuple[Facts, ...]
    pointer: str
    keyword: str
    looser: tuple[Facts, ...] | None = None


LOOKED = "if alone"
"""The keyword of a branch that asks for nothing, and matters to `unevaluated…` alone."""

Fact: TypeAlias = (
    Claim
    | OnlyKinds
    | OnlyBooleans
    | NumberAtom
    | TextAtom
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
    | Branch
)
Facts: TypeAlias = tuple[Fact, ...]
"""Facts that hold together."""

NOTHING = OnlyKinds(frozenset())
"""No value satisfies this."""


def requires(key: str) -> Presence:
    """The key is there."""
    return Presence(frozenset({(key, True)}))


def lacks(key: str) -> Presence:
    """The key is not there."""
    return Presence(frozenset({(key, False)}))
