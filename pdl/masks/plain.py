"""The part of a walk that is followed byte by byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.masks.bags import Bag
    from pdl.masks.parts import Pending, Spot
    from pdl.masks.places import Place
    from pdl.masks.walk import Walker


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
