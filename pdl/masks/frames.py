"""Parts of a walk that are the same wherever their rule was called from.

What a token does in a rule does not depend on what waits for the rule's end, until it comes there.
So it is followed once, as if nothing were below, which tells the places at which it ends the rule
(`Bag.exits`); from those one goes on in what waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.masks.plain import Plain

if TYPE_CHECKING:
    from pdl.gbnf.stack import Node
    from pdl.masks.bags import Bag
    from pdl.masks.parts import Part, Pending, Spot
    from pdl.masks.walk import Walker


class Framed:
    """A part below which nothing waits, `alone`, and the node of what does wait for its end."""

    __slots__ = ("alone", "node", "walker")

    def __init__(self, walker: Walker, alone: Part, node: Node) -> None:
        self.walker = walker
        self.alone = alone
        self.node = node

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens that end in the rule, and those that leave it."""
        walker, alone = self.walker, self.alone
        if isinstance(alone, Plain) and isinstance(spot, int):
            further: Pending = []
            alone.walk(spot, bag, further)
            if not further:
                return
        held = walker.walked(alone, (alone,), spot)
        bag.add(held)
        if held.exits:
            here = walker.behind(self.node)
            for place in held.exits:
                walker.leave(here, place, bag, pending)


class End:
    """Where nothing is left of a rule below which nothing waits."""

    __slots__ = ()

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:  # noqa: ARG002 - a part
        """Note the place."""
        bag.exits.append(spot)


END = End()
