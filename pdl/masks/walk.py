"""The tokens that may follow a configuration.

A configuration is a set of states with the rules that they are in, and what may follow it is the
union of what may follow each. A state is followed within its rule (`pdl.masks.plans`), which tells
the tokens that end there and the places in the trie of tokens at which others end the rule; from
these one goes on in the rule that waits for it. So what is found in a rule is found once, wherever
the rule was called from (as procedures are summarised: Sharir and Pnueli, Two approaches to
interprocedural data flow analysis, 1981). In a lexeme, what tokens do is looked up.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from pdl.masks.bags import Bag
from pdl.masks.found import MOST
from pdl.masks.plans import Plans
from pdl.masks.scan import Scan
from pdl.masks.trie import ROOT, TangledError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.stack import Node
    from pdl.masks.bags import Kept
    from pdl.masks.found import Below, Found
    from pdl.masks.lexicon import Lexicon
    from pdl.masks.parts import Part, Pending, Plan, Spot, States, Steps
    from pdl.masks.trie import Place

_STEPS = 4_000  # states that are followed for one mask; several hundred is many
_ROOM = 16 << 20  # bytes that may be learned for one mask; a first one over a large vocabulary: 5
_TANGLED = 3  # masks that need more, from which on none is tried that way
_NESTED = 40  # rules in one token


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
        self.forget()

    def forget(self) -> None:
        """Let go of what was learned."""
        self.spent = 0
        self.plans = Plans(self, self._rules)
        self._bags: dict[tuple[Plan, Spot], Kept] = {}
        self._open: set[tuple[Plan, Spot]] = set()

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
        bag = Bag()
        seen: set[tuple[Node, Spot]] = set()
        for node, states in _by_node(here):
            for plan, around in self.plans.top(states, node):
                known = self.walked(plan, ROOT)
                bag.add(known)
                if known.exits:
                    self._rise(around, known.exits, bag, seen)
        return bag

    def _rise(
        self, node: Node, places: Sequence[Spot], bag: Bag, seen: set[tuple[Node, Spot]]
    ) -> None:
        """Add the tokens that go on from places at which the rule of a node ends."""
        pending = [(node, places)]
        while pending:
            around, ended = pending.pop()
            self.spend(1 + len(ended))
            fresh = [place for place in ended if (around, place) not in seen]
            if not fresh:
                continue
            seen.update((around, place) for place in fresh)
            pending += [(link, fresh) for link in around.links]
            for back, below in around.waiting:
                if below is not None:
                    plan = self.plans.of(back)
                    for place in fresh:
                        known = self.walked(plan, place)
                        bag.add(known)
                        if known.exits:
                            pending.append((below, known.exits))

    def _together(self, here: Configuration) -> Bag:
        """The tokens, found for all states at once, which never takes more than the matcher."""
        columns = self.columns
        bag = Bag()
        scan = Scan(self.matcher, here, repeated=False)
        found = scan.run(columns, columns.nodes(ROOT), self.lexicon.tokens)
        found.add(bag, MOST, None)
        return bag

    def leave(self, plan: Plan, spot: Spot, bag: Bag) -> None:
        """Add the tokens that go on behind a lexeme."""
        known = self.walked(plan, spot)
        bag.add(known)
        bag.exits += known.exits

    def walked(self, plan: Plan, spot: Spot) -> Kept:
        """The tokens that a plan adds from a place on; what there is once is there for all."""
        key = (plan, spot)
        known = self._bags.get(key)
        if known is not None:
            return known
        if key in self._open or len(self._open) > _NESTED:
            raise TangledError
        self._open.add(key)
        try:
            bag = Bag()
            self._walk(plan, spot, bag)
        finally:
            self._open.remove(key)
        kept = self._bags[key] = bag.kept()
        self.spent += kept.size
        return kept

    def spend(self, steps: int) -> None:
        """Count some steps of one mask. Raises TangledError if they are too many."""
        self._left -= steps
        if self._left < 0 or self.columns.spent > self._most:
            raise TangledError

    def _walk(self, plan: Plan, spot: Spot, bag: Bag) -> None:
        pending: Pending = [(plan, spot)]
        seen: set[tuple[Part, Spot]] = set()
        while pending:
            following, place = pending.pop()
            for part in following.parts:
                if (part, place) not in seen:
                    seen.add((part, place))
                    part.walk(place, bag, pending)
            self.spend(len(following.parts))

    def inside(self, lexeme: Hashable, place: Place, states: States) -> Found:
        """What the tokens below a place do in a lexeme, from some of its states on."""
        known = self.lexicon.known(lexeme, place)
        if known is None:
            matcher = self.matcher
            start = matcher.part((state, matcher.bottom) for state in states)
            known = self.lexicon.inside(lexeme, place, matcher, start)
        return known

    def rounds(self, lexeme: Hashable, place: Place, steps: Steps) -> Found | Below | None:
        """What the tokens below a place do in rounds of a lexeme."""
        if steps.rule is None:
            tiny = self.lexicon.tiny(self.plans.wide(steps.state))
            return self.lexicon.rounds(lexeme, place, tiny, tiny.start)
        return self.lexicon.rounds(lexeme, place, self.matcher, self.matcher.alone(steps.rule))


def _by_node(here: Configuration) -> Iterable[tuple[Node, list[int]]]:
    groups: dict[Node, list[int]] = {}
    for state, node in sorted(here.items, key=itemgetter(0)):  # what is learned is then the same
        groups.setdefault(node, []).append(state)
    return groups.items()
