"""How the tokens that follow one state, or some over one node, are found: the parts of a walk.

Each part has `walk(spot, bag, pending)`: it adds to the bag the tokens below a spot that may
follow, and to `pending` the parts that are to be walked from places further on.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from pdl.masks.crossing import Crossing
from pdl.masks.found import MOST
from pdl.masks.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pdl.gbnf.chains import Mark
    from pdl.gbnf.matcher import Configuration, Item
    from pdl.gbnf.stack import Node
    from pdl.masks.bags import Bag
    from pdl.masks.frames import End, Framed
    from pdl.masks.places import Place
    from pdl.masks.walk import Walker

    Pending: TypeAlias = "list[tuple[tuple[Part, ...], Spot]]"
    Lexeme: TypeAlias = tuple[str, Hashable]

States: TypeAlias = frozenset[int]
Spot: TypeAlias = "Place | Crossing"
_WORTH = 12  # nodes below a place from which on a lexeme is looked up


class Inside:
    """States in a lexeme, and the node of the rule that it is."""

    __slots__ = ("lexeme", "node", "plain", "states", "walker")

    def __init__(self, walker: Walker, states: States, node: Node, lexeme: Hashable) -> None:
        self.walker = walker
        self.node = node
        self.lexeme = lexeme
        self.states = states
        self.plain = [Plain(walker, state, node) for state in states]

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens that end in the lexeme, and those that leave it."""
        if isinstance(spot, Crossing) or self._below(spot) < _WORTH:
            for plain in self.plain:
                plain.walk(spot, bag, pending)
            return
        walker = self.walker
        found = walker.inside(self.lexeme, spot, self.states)
        found.add(bag, MOST, None)
        if found.ends:
            walker.leave(walker.behind(self.node), found.behind(0, MOST, None), bag, pending)

    def _below(self, place: Place) -> int:
        """How many nodes there are below that it may come to, roughly."""
        columns = self.walker.columns
        if columns.below(place) < _WORTH:
            return 0
        toward = partial(columns.toward, place) if isinstance(place, int) else place.toward
        return sum(
            1 + columns.below(kid)
            for plain in self.plain
            for low, high, _ in plain.moves
            for kid in toward(low, high)
        )


class Rounds:
    """A lexeme that is repeated, at the beginning of a round; `plain` is for a few tokens."""

    __slots__ = ("lexeme", "plain", "steps", "walker")

    def __init__(self, walker: Walker, lexeme: Lexeme, steps: Steps, plain: Part) -> None:
        self.walker = walker
        self.lexeme = lexeme
        self.steps = steps
        self.plain = plain

    def walk(self, spot: Spot, bag: Bag, pending: Pending, firsts: bytes | None = None) -> None:
        """Add the tokens that end amid the rounds, and those that leave them."""
        if isinstance(spot, Crossing) or (
            firsts is None and self.walker.columns.below(spot) < _WORTH
        ):
            self.plain.walk(spot, bag, pending)
            return
        walker = self.walker
        found = walker.rounds(self.lexeme, spot, self.steps)
        if found is None:
            self.plain.walk(spot, bag, pending)
            return
        runs, most = self._runs(found.most)
        found.add(bag, most, firsts)
        for low, high, others in runs:
            if not others.dead:
                walker.leave(others, found.behind(low, high, firsts), bag, pending)

    def _runs(self, longest: int) -> tuple[list[tuple[int, int, Configuration]], int]:
        """What else may follow after how many rounds, and how many rounds there may be."""
        runs: list[tuple[int, int, Configuration]] = []
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
    """One round: the states at its beginning, and the node that they are in.

    `target` is where a class of characters leads; a rule leads to what waits for its end.
    """

    __slots__ = ("_known", "node", "states", "target", "walker")

    def __init__(self, walker: Walker, states: States, node: Node, target: int | None) -> None:
        self.walker = walker
        self.states = states
        self.node = node
        self.target = target
        self._known: tuple[Steps | None, Configuration] | None = None

    def forget(self) -> None:
        """Let go of the next round."""
        self._known = None

    @property
    def behind(self) -> Configuration:
        """What may follow the round."""
        if self.target is None:
            return self.walker.behind(self.node)
        return self.walker.after(self.target, self.node)

    def following(self) -> tuple[Steps | None, Configuration]:
        """The next round, None if there is none; and what else may follow."""
        if self._known is None:
            find = self._next_call if self.target is None else self._next_class
            self._known = find(self.behind)
        return self._known

    def left(self) -> int:
        """How many rounds are left, if the same may follow each of them and this one; else 0.

        The copies of a chain have one shape: where a round leads from one to the same place of the
        next, and nothing of a copy may follow instead, it is so up to the last.
        """
        following, others = self.following()
        if following is None or not self.mark or following.following()[1] is not others:
            return 0
        chain, place, index = self.mark
        return index + 1 if index and following.mark == (chain, place, index - 1) else 0

    @property
    def mark(self) -> Mark | None:
        """The place behind the round, in the innermost chain around it."""
        state = self.target
        if state is None:
            if self.node.links or len(self.node.waiting) != 1:
                return None
            ((state, _),) = self.node.waiting
        return next(iter(self.walker.matcher.automaton.chains.marks(state)), None)

    def _next_call(self, behind: Configuration) -> tuple[Steps | None, Configuration]:
        held = frozenset(item for item in behind.items if item[0] in self.states)
        nodes = {node for _, node in held}
        if len(nodes) != 1 or len(held) != len(self.states):
            return None, behind
        following = self.walker.plans.steps(self.states, nodes.pop(), None)
        return following, self._without(behind, held)

    def _next_class(self, behind: Configuration) -> tuple[Steps | None, Configuration]:
        (own,) = self.states
        ranges = self.walker.plans.wide(own).ranges
        for item in behind.items:
            wide = self.walker.plans.wide_of(item[0])
            if item[1] is self.node and wide is not None and wide.ranges == ranges:
                target = self.walker.plans.target(item[0])
                following = self.walker.plans.steps(frozenset((item[0],)), self.node, target)
                return following, self._without(behind, frozenset((item,)))
        return None, behind

    def _without(self, behind: Configuration, held: frozenset[Item]) -> Configuration:
        rest = behind.items - held
        return self.walker.matcher.part(rest, complete=behind.complete)


class First:
    """A class of characters, and behind it the rounds of a lexeme that takes them as well."""

    __slots__ = ("firsts", "plain", "rounds")

    def __init__(self, plain: Plain, rounds: Rounds, firsts: bytes) -> None:
        self.plain = plain
        self.rounds = rounds
        self.firsts = firsts

    def walk(self, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens of the rounds that begin with the class."""
        if isinstance(spot, Crossing) or self.plain.walker.columns.below(spot) < _WORTH:
            self.plain.walk(spot, bag, pending)
        else:
            self.rounds.walk(spot, bag, pending, self.firsts)


Part: TypeAlias = "Plain | Inside | Rounds | First | Framed | End"
