"""`Goals`: claims joined to goals, each conjunction once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.gbnf.compiling.claims import Claim, Goal
    from pdl.gbnf.compiling.context import Context


class Goals:
    """Joins claims to goals."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[tuple[Claim, ...], Goal | None] = {}

    def of(self, claims: tuple[Claim, ...]) -> Goal | None:
        """The goal of claims; None if it is known that no value satisfies them."""
        if claims not in self._known:
            goal = self._context.joined(claims)
            vain = goal is None or self._context.is_empty(goal)
            self._known[claims] = None if vain else goal
        return self._known[claims]

    def narrowed(self, goal: Goal, *claims: Claim) -> Goal | None:
        """A goal with more claims; None if it is known that no value satisfies them all."""
        return self.of(tuple(dict.fromkeys((*goal, *claims))))
