"""`Context`, which machines are made with, and `ValueLanguages`, which rules are made of.

`Goals` joins literals to conjunctions, each once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction, SchemaLiteral
    from pdl.gbnf.compiling.machine import Arrays, Objects
    from pdl.gbnf.compiling.options import Options


MOST_COUNTED = 100_000
"""Characters of a string, or items of an array, up to which there is a bound for them."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """All strings of `least` to `most` (None: any number of) code points."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class ValueLanguages:
    """The values of a goal by their kinds; None where it has none of a kind.

    `numbers` are texts of JSON numbers over ASCII, in the spellings that are to be written;
    `strings` are values, before they are spelled as JSON. `written` are the JSON pointers of rules
    written by hand, whose values there are besides.
    """

    null: bool = False
    booleans: frozenset[bool] = frozenset()
    numbers: Dfa | None = None
    strings: Dfa | Lengths | None = None
    arrays: Arrays | None = None
    objects: Objects | None = None
    written: tuple[str, ...] = ()


class Goals:
    """Joins literals to goals."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[tuple[SchemaLiteral, ...], Conjunction | None] = {}

    def of(self, literals: tuple[SchemaLiteral, ...]) -> Conjunction | None:
        """The goal of literals; None if it is known that no value satisfies them."""
        if literals not in self._known:
            goal = self._context.joined(literals)
            vain = goal is None or self._context.is_empty(goal)
            self._known[literals] = None if vain else goal
        return self._known[literals]

    def narrowed(self, goal: Conjunction, *literals: SchemaLiteral) -> Conjunction | None:
        """A goal with more literals; None if it is known that no value satisfies them all."""
        return self.of(tuple(dict.fromkeys((*goal, *literals))))


class Context(Protocol):
    """The literals of one goal, and where to say what is lost."""

    @property
    def options(self) -> Options:
        """How texts may be written."""

    def joined(self, literals: Iterable[SchemaLiteral]) -> Conjunction | None:
        """A goal of some literals; None if they contradict each other."""

    def negation(self, literal: SchemaLiteral) -> SchemaLiteral:
        """The opposite of a literal."""

    def is_empty(self, goal: Conjunction) -> bool:
        """Whether it is known that no value satisfies a goal."""

    def keys_of(self, goal: Conjunction) -> Dfa | None:
        """The strings that satisfy a goal; None if that can't be told exactly."""

    def finite(self, goal: Conjunction) -> tuple[Conjunction, ...] | None:
        """The values of a goal, each as a goal; None if there are more than a few."""

    def weaken(self, keyword: str, why: str) -> None:
        """Say that the grammar takes more than a keyword does."""

    def bound(self, keyword: str, why: str) -> None:
        """Say that the grammar takes less than a keyword does."""
