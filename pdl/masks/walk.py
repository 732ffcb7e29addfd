"""The tokens that may follow a configuration.

A configuration is a set of states with the rules that they are in, and what may follow it is the
union of what may follow each. So the states are followed one by one through the trie of the tokens,
from place to place; where one is in a lexeme, what its tokens do there is looked up, and only those
that leave the lexeme are followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.masks.bags import Bag
from pdl.masks.found import MOST
from pdl.masks.frames import Framed
from pdl.masks.places import ROOT
from pdl.masks.plans import Plans
from pdl.masks.scan import Scan

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.stack import Node
    from pdl.masks.bags import Kept
    from pdl.masks.below import Below
    from pdl.masks.found import Found
    from pdl.masks.lexicon import Lexicon
    from pdl.masks.parts import Lexeme, Part, Pending, Spot, States, Steps
    from pdl.masks.places import Place

_STEPS = 4_000  # states that are followed for one mask; several hundred is many
_ROOM = 16 << 20  # bytes that may be learned for one mask; a first one over a large vocabulary: 5
_TANGLED = 3  # masks that need more, from which on none is tried that way
_NESTED = 40  # lexemes in one token of which what follows is remembered


class TangledError(Exception):
    """A grammar has so many ways to read a text that they are best followed together."""


class Walker:
    """The walks of one grammar over one vocabulary, with all that they have learned."""

    def __init__(self, matcher: Matcher, rules: Mapping[str, Rule], lexicon: Lexicon) -> None:
        self.matcher = matcher
        self.moves = matcher.automaton.moves
        self.lexicon = lexicon
        self.columns = lexicon.columns
        self._rules = rules
        self._tangled = 0
        self._left = 0
        self._most = 0
        self._nested = 0
        self.forget()

    def forget(self) -> None:
        """Let go of what was learned."""
        self.spent = 0
        self.plans = Plans(self, self._rules)
        self._plans: dict[Configuration, tuple[Part, ...]] = {}
        self._following: dict[tuple[int, Node], tuple[Part, ...]] = {}
        self._after: dict[tuple[int, Node], Configuration] = {}
        self._behind: dict[Node, Configuration] = {}
        self._bags: dict[tuple[Hashable, Spot], Kept] = {}

    def release(self) -> None:
        """Let go of all, for a walker that nobody will use again: its parts lead back to it."""
        self.plans.release()
        self.__dict__.clear()

    def tokens(self, here: Configuration) -> Bag:
        """The tokens that are text and may follow."""
        if self._tangled < _TANGLED:
            try:
                return self._apart(here)
            except TangledError:
                self._tangled += 1
        return self._together(here)

    def _apart(self, here: Configuration) -> Bag:
        """The tokens, found state by state."""
        self._left = _STEPS
        self._most = self.columns.spent + _ROOM
        self._nested = 0
        bag = Bag()
        for part in self.plan(here):
            if isinstance(part, Framed):
                part.walk(ROOT, bag, [])
            else:
                bag.add(self.walked(part, (part,), ROOT))
        return bag

    def _together(self, here: Configuration) -> Bag:
        """The tokens, found for all states at once, which never takes more than the matcher."""
        columns = self.columns
        bag = Bag()
        scan = Scan(self.matcher, here, repeated=False)
        found = scan.run(columns, columns.nodes(ROOT), self.lexicon.tokens)
        found.add(bag, MOST, None)
        return bag

    def leave(self, here: Configuration, spot: Spot, bag: Bag, pending: Pending) -> None:
        """Add the tokens that go on behind a lexeme; what there is once is there for all."""
        known = self._bags.get((here, spot))
        if known is None:
            if self._nested > _NESTED:
                pending.append((self.plan(here), spot))
                return
            known = self.walked(here, self.plan(here), spot)
        bag.add(known)
        bag.exits += known.exits

    def walked(self, key: Hashable, parts: tuple[Part, ...], spot: Spot) -> Kept:
        """The tokens that some parts add from a place on, known by a key."""
        known = self._bags.get((key, spot))
        if known is not None:
            return known
        self._nested += 1
        try:
            bag = Bag()
            pending: Pending = [(parts, spot)]
            seen: set[tuple[Part, Spot]] = set()
            while pending:
                following, place = pending.pop()
                for part in following:
                    if (part, place) not in seen:
                        seen.add((part, place))
                        part.walk(place, bag, pending)
                        if self.columns.spent > self._most:
                            raise TangledError
                self._left -= len(following)
                if self._left < 0:
                    raise TangledError
        finally:
            self._nested -= 1
        kept = self._bags[key, spot] = bag.kept()
        self.spent += kept.size
        return kept

    def inside(self, lexeme: Hashable, place: Place, states: States) -> Found:
        """What the tokens below a place do in a lexeme, from some of its states on."""
        known = self.lexicon.known(lexeme, place)
        if known is None:
            matcher = self.matcher
            start = matcher.part((state, matcher.bottom) for state in states)
            known = self.lexicon.inside(lexeme, place, matcher, start)
        return known

    def rounds(self, lexeme: Lexeme, place: Place, steps: Steps) -> Found | Below | None:
        """What the tokens below a place do in rounds of a lexeme."""
        kind, _ = lexeme
        if kind == "class":
            (state,) = steps.states
            tiny = self.lexicon.tiny(self.plans.wide(state))
            return self.lexicon.rounds(lexeme, place, tiny, tiny.start)
        rule = self.plans.begins(steps.states)
        assert rule is not None
        start = self.matcher.alone(rule)
        return self.lexicon.rounds(lexeme, place, self.matcher, start)

    def after(self, state: int, node: Node) -> Configuration:
        """Where a state leads without a byte."""
        found = self._after.get((state, node))
        if found is None:
            found = self._after[state, node] = self.matcher.after(state, node)
        return found

    def parts(self, state: int, node: Node) -> tuple[Part, ...]:
        """How what follows a state is found, which may lead on without a byte."""
        found = self._following.get((state, node))
        if found is None:
            if self.matcher.is_still(state):
                parts: list[Part] = []
                self.plans.group([state], node, parts)
                found = tuple(parts)
            else:
                found = self.plan(self.after(state, node))
            self._following[state, node] = found
        return found

    def behind(self, node: Node) -> Configuration:
        """What may follow where a rule ends."""
        found = self._behind.get(node)
        if found is None:
            found = self._behind[node] = self.matcher.behind(node)
        return found

    def plan(self, here: Configuration) -> tuple[Part, ...]:
        """How what follows a configuration is found."""
        found = self._plans.get(here)
        if found is None:
            found = self._plans[here] = self.plans.of(here)
            self.spent += 100 + 200 * len(found)
        return found
