"""A grammar as a tree: rules, their alternatives, and what these are made of.

Nodes compare by what they mean, not by where they stand; `start` and `end` are offsets in the text
that they were read from, -1 if there is none. Source of the notation: `grammars/README.md` and
`src/llama-grammar.cpp` of llama.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from pdl.gbnf.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """What has a place in a text."""

    start: int = field(default=-1, compare=False, repr=False)
    end: int = field(default=-1, compare=False, repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class Literal(Located):
    """`"text"`: code points one after the other, some of them perhaps beyond Unicode's last."""

    codes: tuple[int, ...]

    @property
    def text(self) -> str:
        """The code points as a string; U+FFFD stands for those that no string can hold."""
        return "".join(map(chr, (code if code <= LAST else 0xFFFD for code in self.codes)))


@sealed
@dataclass(frozen=True, slots=True)
class CharClass(Located):
    """`[a-z_]` or `[^a-z_]`: the ranges of code points, both ends included, in written order."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False


@sealed
@dataclass(frozen=True, slots=True)
class AnyChar(Located):
    """`.`: any one code point."""


@sealed
@dataclass(frozen=True, slots=True)
class RuleRef(Located):
    """The name of a rule."""

    name: str


@sealed
@dataclass(frozen=True, slots=True)
class TokenRef(Located):
    """`<[id]>`, `<text>` or, negated, `!<…>`: one token of the vocabulary.

    Either `id` or `text` (with its angle brackets) is there.
    """

    id: int | None = None
    text: str = ""
    negated: bool = False


@sealed
@dataclass(frozen=True, slots=True)
class Sequence(Located):
    """Items one after the other; none of them match the empty text."""

    items: tuple[Item, ...] = ()


@sealed
@dataclass(frozen=True, slots=True)
class Group(Located):
    """`(a | b)`: alternatives in parentheses."""

    options: tuple[Sequence, ...]


@sealed
@dataclass(frozen=True, slots=True)
class Repeat(Located):
    """`item*`, `item+`, `item?`, `item{m}`, `item{m,}`, `item{m,n}`; no maximum is None."""

    item: Item
    min: int
    max: int | None = None


Item: TypeAlias = Literal | CharClass | AnyChar | RuleRef | TokenRef | Group | Repeat
"""What a sequence is made of."""


@sealed
@dataclass(frozen=True, slots=True)
class Rule(Located):
    """`name ::= a | b`, with the comments above it and in it, without their `#`.

    `named` is where its name ends.
    """

    name: str
    options: tuple[Sequence, ...]
    comments: tuple[str, ...] = ()
    named: int = field(default=-1, compare=False, repr=False)


LAST = 0x10FFFF
"""The last code point of Unicode."""
