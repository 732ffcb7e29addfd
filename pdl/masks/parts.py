"""How the tokens that follow a state are found, within its rule: the parts of a plan.

Each part has `walk(spot, bag, pending)`: it adds to the bag the tokens below a spot that may
follow, and the places at which they end the rule (`Bag.exits`); to `pending` it adds the plans that
are to be walked from places further on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.masks.crossing import Crossing
from pdl.masks.found import MOST
from pdl.masks.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pdl.masks.bags import Bag
    from pdl.masks.places import Place
    from pdl.masks.rounds import First, Rounds
    from pdl.masks.walk import Walker

    Pending: TypeAlias = "list[tuple[Plan, Spot]]"

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
