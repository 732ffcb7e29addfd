"""A toy in place of schemas: a literal's pointer lists the numbers that satisfy it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pdl.automata.pattern import pattern
from pdl.gbnf.compiling.constraints import Conjunction, SchemaLiteral
from pdl.gbnf.compiling.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Dfa

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


@dataclass
class Toy:
    """Joins literals as they come."""

    options: Options = field(default_factory=Options)
    weakened: list[tuple[str, str]] = field(default_factory=list)
    bounded: list[tuple[str, str]] = field(default_factory=list)

    def joined(self, literals: Iterable[SchemaLiteral]) -> Conjunction | None:
        goal = tuple(dict.fromkeys(literals))
        opposites = {SchemaLiteral(one.pointer, not one.positive) for one in goal}
        return None if opposites.intersection(goal) else goal

    def negation(self, one: SchemaLiteral) -> SchemaLiteral:
        return SchemaLiteral(one.pointer, not one.positive)

    def is_empty(self, goal: Conjunction) -> bool:
        return not meaning(goal)

    def keys_of(self, goal: Conjunction) -> Dfa | None:
        """For names of properties, pointers are patterns; `?` is for what can't be told."""
        return None if goal[0].pointer == "?" else pattern(goal[0].pointer)

    def finite(self, goal: Conjunction) -> tuple[Conjunction, ...] | None:
        return tuple((literal(value),) for value in sorted(meaning(goal))) if goal else None

    def weaken(self, keyword: str, why: str) -> None:
        self.weakened.append((keyword, why))

    def bound(self, keyword: str, why: str) -> None:
        self.bounded.append((keyword, why))


class CanonicalToy(Toy):
    """Joins literals to one, so that goals with the same values are equal."""

    def joined(self, literals: Iterable[SchemaLiteral]) -> Conjunction | None:
        values = meaning(tuple(literals))
        return () if values == VALUES else (literal(*values),)


TOYS = st.sampled_from([Toy, CanonicalToy])
