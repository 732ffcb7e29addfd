"""A toy in place of schemas: a literal's pointer lists the numbers that satisfy it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pdl.automata.pattern import pattern
from pdl.gbnf.compiling.constraints import Conjunction, SchemaLiteral
from pdl.gbnf.compiling.machine import Context
from pdl.gbnf.compiling.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.options import Level

VALUES = frozenset({0, 1, 2})


def literal(*values: int) -> SchemaLiteral:
    """That a value is one of these."""
    return SchemaLiteral("".join(map(str, sorted(values))))


def meaning(goal: Conjunction) -> frozenset[int]:
    """The values of a goal."""
    values = VALUES
    for one in goal:
        some = frozenset(map(int, one.pointer))
        values &= some if one.positive else VALUES - some
    return values


class Toy(Context):
    """Joins literals as they come."""

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options or Options())
        self.weakened: list[tuple[str, str]] = []
        self.bounded: list[tuple[str, str]] = []

    def joined(self, literals: Iterable[SchemaLiteral | None]) -> Conjunction | None:
        goal = tuple(dict.fromkeys(one for one in literals if one is not None))
        return None if any(one.opposite in goal for one in goal) else goal

    def is_unsatisfiable(self, goal: Conjunction) -> bool:
        return not meaning(goal)

    def names_of(self, goal: Conjunction) -> Dfa | None:
        """For names of properties, pointers are patterns; `?` is for what can't be told."""
        return None if goal[0].pointer == "?" else pattern(goal[0].pointer)

    def finite(self, goal: Conjunction) -> tuple[Conjunction, ...] | None:
        return tuple((literal(value),) for value in sorted(meaning(goal))) if goal else None

    def report(self, keyword: str, level: Level, why: str) -> None:
        found = self.weakened if level == "POST_HOC" else self.bounded
        found.append((keyword, why))


class CanonicalToy(Toy):
    """Joins literals to one, so that goals with the same values are equal."""

    def joined(self, literals: Iterable[SchemaLiteral | None]) -> Conjunction | None:
        values = meaning(tuple(one for one in literals if one is not None))
        return () if values == VALUES else (literal(*values),)


TOYS = st.sampled_from([Toy, CanonicalToy])
