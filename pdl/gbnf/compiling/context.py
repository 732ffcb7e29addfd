"""`Context`: what machines are made with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.claims import Claim, Goal
    from pdl.gbnf.compiling.options import Options


class Context(Protocol):
    """The claims of one goal, and where to say what is lost."""

    @property
    def options(self) -> Options:
        """How texts may be written."""

    def joined(self, claims: Iterable[Claim]) -> Goal | None:
        """A goal of some claims; None if they contradict each other."""

    def negation(self, claim: Claim) -> Claim:
        """The opposite of a claim."""

    def is_empty(self, goal: Goal) -> bool:
        """Whether it is known that no value satisfies a goal."""

    def keys_of(self, goal: Goal) -> Dfa | None:
        """The strings that satisfy a goal; None if that can't be told exactly."""

    def finite(self, goal: Goal) -> tuple[Goal, ...] | None:
        """The values of a goal, each as a goal; None if there are more than a few."""

    def weaken(self, keyword: str, why: str) -> None:
        """Say that the grammar takes more than a keyword does."""

    def bound(self, keyword: str, why: str) -> None:
        """Say that the grammar takes less than a keyword does."""
