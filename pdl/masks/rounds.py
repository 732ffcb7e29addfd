"""Lexemes that are repeated: what their tokens do in many rounds is looked up at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.masks.crossing import Crossing
from pdl.masks.found import MOST
from pdl.masks.parts import WORTH

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pdl.gbnf.automaton import Call
    from pdl.gbnf.chains import Mark
    from pdl.masks.bags import Bag
    from pdl.masks.parts import Pending, Plan, Spot
    from pdl.masks.walk import Walker


class Rounds:
    """A lexeme that is repeated, at the beginning of a round; `plain` is for a few tokens."""

    __slots__ = ("lexeme", "plain", "steps", "walker")

    def __init__(self, walker: Walker, lexeme: Hashable, steps: Steps, plain: Plan) -> None:
        self.walker = walker
        self.lexeme = lexeme
        self.steps = steps
        self.plain = plain

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens that end amid the rounds, and those that leave them."""
        if not self.add(spot, bag, None):
            pending.append((self.plain, spot))

    def add(self, spot: Spot, bag: Bag, firsts: bytes | None) -> bool:
        """Add those of which the first byte is one of some.

        False, and none, where the tokens are too few to be looked up, or rounds cannot be told.
        """
        walker = self.walker
        if isinstance(spot, Crossing) or walker.columns.below(spot) < WORTH:
            return False
        found = walker.rounds(self.lexeme, spot, self.steps)
        if found is None:
            return False
        runs, most = self._runs(found.most)
        found.add(bag, most, firsts)
        for low, high, others in runs:
            if others.parts:
                walker.leave(others, found.behind(low, high, firsts), bag)
        return True

    def _runs(self, longest: int) -> tuple[list[tuple[int, int, Plan]], int]:
        """What else may follow after how many rounds, and how many rounds there may be."""
        runs: list[tuple[int, int, Plan]] = []
        steps = self.steps
        number = 1
        while number <= longest:
            following, others = steps.following()
            endless = following is steps
            left = steps.left()
            high = MOST if endless else number + left
            if runs and runs[-1][2] is others:
                runs[-1] = (runs[-1][0], high, others)
            else:
                runs.append((number, high, others))
            if endless:
                return runs, MOST
            if left or following is None:
                return runs, high
            steps = following
            number += 1
        return runs, MOST


class Steps:
    """One round, and the state behind it: of a rule, or of the class of characters of a state."""

    __slots__ = ("_known", "back", "rule", "state", "walker")

    def __init__(self, walker: Walker, rule: int | None, state: int, back: int) -> None:
        self.walker = walker
        self.rule = rule
        self.state = state
        self.back = back
        self._known: tuple[Steps | None, Plan] | None = None

    def following(self) -> tuple[Steps | None, Plan]:
        """The next round, None if there is none; and what else may follow."""
        if self._known is None:
            plans = self.walker.plans
            call, state = self.next()
            steps = None
            if call is not None:
                steps = plans.rule_steps(call.rule, call.back)
            elif state is not None:
                steps = plans.class_steps(state)
            self._known = steps, plans.of(self.back, without=call or state)
        return self._known

    def next(self) -> tuple[Call | None, int | None]:
        """The call, or the state of a class, with which the next round begins."""
        plans = self.walker.plans
        kernel = self.walker.matcher.kernels.of(self.back)
        if self.rule is not None:
            calls = [call for call in kernel.calls if call.rule == self.rule]
            return (calls[0] if len(calls) == 1 else None), None
        ranges = plans.wide(self.state).ranges
        for state in kernel.takes:
            wide = plans.wide_of(state)
            if wide is not None and wide.ranges == ranges:
                return None, state
        return None, None

    def left(self) -> int:
        """How many rounds are left, if the same may follow each of them and this one; else 0.

        The copies of a chain have one shape: where a round leads from one to the same place of the
        next, and nothing of a copy may follow instead, it is so up to the last.
        """
        mark = self.mark
        if mark is None or not mark[2]:
            return 0
        following, others = self.following()
        if following is None or following.following()[1] is not others:
            return 0
        chain, place, index = mark
        return index + 1 if following.mark == (chain, place, index - 1) else 0

    @property
    def mark(self) -> Mark | None:
        """The place behind the round, in the innermost chain around it."""
        return next(iter(self.walker.matcher.automaton.chains.marks(self.back)), None)

    def forget(self) -> None:
        """Let go of the next round, which may be this one."""
        self._known = None


class First:
    """A class of characters, and behind it the rounds of a lexeme that takes them as well."""

    __slots__ = ("firsts", "plain", "rounds")

    def __init__(self, plain: Plan, rounds: Rounds, firsts: bytes) -> None:
        self.plain = plain
        self.rounds = rounds
        self.firsts = firsts

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens of the rounds that begin with the class."""
        if not self.rounds.add(spot, bag, self.firsts):
            pending.append((self.plain, spot))
