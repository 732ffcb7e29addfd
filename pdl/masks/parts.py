"""How the tokens that follow a state are found, within its rule: the parts of a plan.

Each part has `walk(spot, bag, pending)`: it adds to the bag the tokens below a spot that may
follow, and the places at which they end the rule (`Bag.exits`); to `pending` it adds the plans that
are to be walked from places further on.

`Plain` is followed byte by byte. Of lexemes that are repeated (`Rounds`), what their tokens do in
many rounds is looked up at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.masks.ends import Crossing
from pdl.masks.found import MOST

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from pdl.gbnf.automaton import Call, Mark
    from pdl.masks.bags import Bag
    from pdl.masks.trie import Place
    from pdl.masks.walk import Walker

    Pending: TypeAlias = "list[tuple[Plan, Spot]]"


class Plain:
    """A state that is followed byte by byte."""

    __slots__ = ("moves", "state", "walker")

    def __init__(self, walker: Walker, state: int) -> None:
        self.walker = walker
        self.state = state
        self.moves = walker.moves[state]

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens that end behind one more byte, and what else is to be followed."""
        columns = self.walker.columns
        for low, high, target in self.moves:
            if isinstance(spot, int):
                kids: Iterable[Place] = columns.toward(spot, low, high)
            else:
                kids = spot.toward(low, high)
            for kid in kids:
                if isinstance(kid, int):
                    self._along(kid, target, bag, pending)
                    continue
                bag.few += kid.few
                if kid.many is not None:
                    bag.many.append(kid.many)
                if kid.below:
                    pending.append((self.walker.plans.of(target), kid))

    def _along(self, node: int, state: int, bag: Bag, pending: Pending) -> None:
        """The same from a node and a state on, and along a literal while tokens go on with it."""
        columns, moves = self.walker.columns, self.walker.moves
        while node >= 0:
            low, own = columns.low[node], columns.own[node]
            if low != own:
                bag.few += columns.order[low:own]
            start, end = columns.child[node], columns.child[node + 1]
            if start == end:
                return
            held = moves[state]
            if len(held) != 1 or held[0][0] != held[0][1]:
                pending.append((self.walker.plans.of(state), node))
                return
            byte, _, state = held[0]
            node = columns.byte.find(byte, start, end)


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


States: TypeAlias = frozenset[int]
Spot: TypeAlias = "Place | Crossing"
WORTH = 12
"""Nodes below a place from which on a lexeme is looked up."""


class Plan:
    """Parts of which any may follow; there is one plan of the same parts only."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts


class Inside:
    """States in a lexeme."""

    __slots__ = ("lexeme", "plain", "states", "walker")

    def __init__(self, walker: Walker, states: States, lexeme: Hashable) -> None:
        self.walker = walker
        self.lexeme = lexeme
        self.states = states
        self.plain = [Plain(walker, state) for state in states]

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens that end in the lexeme, and where others leave it."""
        if isinstance(spot, Crossing) or self._below(spot) < WORTH:
            for plain in self.plain:
                plain.walk(spot, bag, pending)
            return
        found = self.walker.inside(self.lexeme, spot, self.states)
        found.add(bag, MOST, None)
        if found.ends:
            bag.exits.append(found.behind(0, MOST, None))

    def _below(self, place: Place) -> int:
        """How many nodes there are below that it may come to, roughly."""
        columns = self.walker.columns
        if columns.below(place) < WORTH:
            return 0
        return sum(
            1 + columns.below(kid)
            for plain in self.plain
            for low, high, _ in plain.moves
            for kid in columns.toward(place, low, high)
        )


class Called:
    """A rule that is followed for itself, whoever calls it, and the state that waits for its end.

    `inner` is the state at which it begins, or what of it is meant.
    """

    __slots__ = ("back", "inner", "walker")

    def __init__(self, walker: Walker, inner: int | Plan, back: int) -> None:
        self.walker = walker
        self.inner = inner
        self.back = back

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens that end in the rule, and those that go on behind it."""
        walker, inner = self.walker, self.inner
        held = walker.walked(walker.plans.of(inner) if isinstance(inner, int) else inner, spot)
        bag.add(held)
        if not held.exits:
            return
        walker.spend(len(held.exits))
        back = walker.plans.of(self.back)
        for place in held.exits:
            if isinstance(place, int):
                if place != spot:  # what follows an empty rule is in the caller's plan
                    pending.append((back, place))
            elif place is not spot:
                walker.leave(back, place, bag)


class End:
    """The end of the rule."""

    __slots__ = ()

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:  # noqa: ARG002 - as of all parts
        """Note the place."""
        bag.exits.append(spot)


END = End()
Part: TypeAlias = "Plain | Inside | Called | Rounds | First | End"
