"""A toy in place of schemas: a claim's pointer lists the numbers that satisfy it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pdl.automata.pattern import pattern
from pdl.gbnf.compiling.claims import Claim, Goal
from pdl.gbnf.compiling.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Dfa

VALUES = frozenset({0, 1, 2})


def claim(*values: int) -> Claim:
    """That a value is one of these."""
    return Claim("".join(map(str, sorted(values))))


def meaning(goal: Goal) -> frozenset[int]:
    """The values of a goal."""
    values = VALUES
    for one in goal:
        some = frozenset(map(int, one.pointer))
        values &= some if one.holds else VALUES - some
    return values


@dataclass
class Toy:
    """Joins claims as they come."""

    options: Options = field(default_factory=Options)
    weakened: list[tuple[str, str]] = field(default_factory=list)
    bounded: list[tuple[str, str]] = field(default_factory=list)

    def joined(self, claims: Iterable[Claim]) -> Goal | None:
        goal = tuple(dict.fromkeys(claims))
        opposites = {Claim(one.pointer, not one.holds) for one in goal}
        return None if opposites.intersection(goal) else goal

    def negation(self, one: Claim) -> Claim:
        return Claim(one.pointer, not one.holds)

    def is_empty(self, goal: Goal) -> bool:
        return not meaning(goal)

    def keys_of(self, goal: Goal) -> Dfa | None:
        """For names of properties, pointers are patterns; `?` is for what can't be told."""
        return None if goal[0].pointer == "?" else pattern(goal[0].pointer)

    def finite(self, goal: Goal) -> tuple[Goal, ...] | None:
        return tuple((claim(value),) for value in sorted(meaning(goal))) if goal else None

    def weaken(self, keyword: str, why: str) -> None:
        self.weakened.append((keyword, why))

    def bound(self, keyword: str, why: str) -> None:
        self.bounded.append((keyword, why))


class CanonicalToy(Toy):
    """Joins claims to one, so that goals with the same values are equal."""

    def joined(self, claims: Iterable[Claim]) -> Goal | None:
        values = meaning(tuple(claims))
        return () if values == VALUES else (claim(*values),)


TOYS = st.sampled_from([Toy, CanonicalToy])
