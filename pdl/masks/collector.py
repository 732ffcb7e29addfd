"""The tokens that may follow a configuration.

A configuration is a set of states with the rules that they are in, and what may follow it is the
union of what may follow each. A state is followed within its rule (`pdl.masks.closures`), which
finds the tokens that end there and the positions in the trie at which others end the rule; from
these one continues in the rule that waits for it. So what is found in a rule is found once, from
wherever the rule was called (as procedures are summarized: Sharir and Pnueli, "Two approaches to
interprocedural data flow analysis", 1981). Inside a lexeme, it is looked up.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from pdl.masks.closures import Closures
from pdl.masks.lexeme_tokens import MOST
from pdl.masks.mask_cache import Scan
from pdl.masks.trie_index import ROOT, HighAmbiguityError, TokenSetBuilder

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from pdl.gbnf.gss import Node
    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.gbnf.nodes import Rule
    from pdl.masks.lexeme_tokens import LexemeTokens, SubtrieView
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.parts import Closure, Part, Pending, Round, States
    from pdl.masks.trie_index import AnyPosition, Position, TokenSet

_STEPS = 4_000  # states that are followed for one mask; several hundred is many
_ROOM = 16 << 20  # bytes that may be learned for one mask; a first one over a large vocabulary: 5
_MOST_AMBIGUOUS = 3  # masks that need more, from which on none is tried that way
_NESTED = 40  # rules in one token


class TokenCollector:
    """Finds the tokens of one vocabulary that may follow in one grammar, and learns from it."""

    def __init__(self, matcher: Matcher, rules: Mapping[str, Rule], cache: MaskCache) -> None:
        self.matcher = matcher
        self.moves = matcher.rtn.moves
        self.cache = cache
        self.index = cache.index
        self._rules = rules
        self._ambiguous = 0
        self._left = 0
        self._most = 0
        self.forget()

    def forget(self) -> None:
        """Let go of what was learned."""
        self.spent = 0
        self.closures = Closures(self, self._rules)
        self._token_sets: dict[tuple[Closure, AnyPosition], TokenSet] = {}
        self._open: set[tuple[Closure, AnyPosition]] = set()

    def release(self) -> None:
        """Let go of all, for a collector that nobody will use again: its parts lead back to it."""
        self.closures.release()
        self.__dict__.clear()

    def tokens(self, here: Configuration) -> TokenSetBuilder:
        """The tokens that are text and may follow."""
        if self._ambiguous < _MOST_AMBIGUOUS:
            try:
                return self._by_state(here)
            except HighAmbiguityError:
                self._ambiguous += 1
        return self._all_states(here)

    def _by_state(self, here: Configuration) -> TokenSetBuilder:
        """The tokens, found state by state."""
        self._left = _STEPS
        self._most = self.index.spent + _ROOM
        builder = TokenSetBuilder()
        seen: set[tuple[Node, AnyPosition]] = set()
        for node, states in _by_node(here):
            for closure, around in self.closures.top(states, node):
                known = self.collected(closure, ROOT)
                builder.add(known)
                if known.exits:
                    self._rise(around, known.exits, builder, seen)
        return builder

    def _rise(
        self,
        node: Node,
        positions: Sequence[AnyPosition],
        builder: TokenSetBuilder,
        seen: set[tuple[Node, AnyPosition]],
    ) -> None:
        """Add the tokens that go on from positions at which the rule of a node ends."""
        pending = [(node, positions)]
        while pending:
            around, ended = pending.pop()
            self.spend(1 + len(ended))
            fresh = [position for position in ended if (around, position) not in seen]
            if not fresh:
                continue
            seen.update((around, position) for position in fresh)
            pending += [(link, fresh) for link in around.links]
            for back, below in around.return_edges:
                if below is not None:
                    closure = self.closures.of(back)
                    for position in fresh:
                        known = self.collected(closure, position)
                        builder.add(known)
                        if known.exits:
                            pending.append((below, known.exits))

    def _all_states(self, here: Configuration) -> TokenSetBuilder:
        """The tokens, found for all states at once, which never takes more than the matcher."""
        index = self.index
        builder = TokenSetBuilder()
        scan = Scan(self.matcher, here, repeated=False)
        found = scan.run(index, index.nodes(ROOT), self.cache.tokens)
        found.add(builder, MOST, None)
        return builder

    def leave(self, closure: Closure, start: AnyPosition, builder: TokenSetBuilder) -> None:
        """Add the tokens that continue after a lexeme."""
        known = self.collected(closure, start)
        builder.add(known)
        builder.exits += known.exits

    def collected(self, closure: Closure, start: AnyPosition) -> TokenSet:
        """Return the tokens that a closure adds from a position on; found once for all."""
        key = (closure, start)
        known = self._token_sets.get(key)
        if known is not None:
            return known
        if key in self._open or len(self._open) > _NESTED:
            raise HighAmbiguityError
        self._open.add(key)
        try:
            builder = TokenSetBuilder()
            self._collect(closure, start, builder)
        finally:
            self._open.remove(key)
        kept = self._token_sets[key] = builder.build()
        self.spent += kept.size
        return kept

    def spend(self, count: int) -> None:
        """Count some step of one mask. Raises HighAmbiguityError if they are too many."""
        self._left -= count
        if self._left < 0 or self.index.spent > self._most:
            raise HighAmbiguityError

    def _collect(self, closure: Closure, start: AnyPosition, builder: TokenSetBuilder) -> None:
        pending: Pending = [(closure, start)]
        seen: set[tuple[Part, AnyPosition]] = set()
        while pending:
            following, position = pending.pop()
            for part in following.parts:
                if (part, position) not in seen:
                    seen.add((part, position))
                    part.collect(position, builder, pending)
            self.spend(len(following.parts))

    def inside(self, lexeme: Hashable, position: Position, states: States) -> LexemeTokens:
        """What the tokens below a position do in a lexeme, from some of its states on."""
        known = self.cache.known(lexeme, position)
        if known is None:
            matcher = self.matcher
            start = matcher.part((state, matcher.bottom) for state in states)
            known = self.cache.inside(lexeme, position, matcher, start)
        return known

    def rounds(
        self, lexeme: Hashable, position: Position, step: Round
    ) -> LexemeTokens | SubtrieView | None:
        """What the tokens below a position do in rounds of a lexeme."""
        if step.rule is None:
            tiny = self.cache.tiny(self.closures.class_bytes(step.state))
            return self.cache.rounds(lexeme, position, tiny, tiny.start)
        return self.cache.rounds(lexeme, position, self.matcher, self.matcher.alone(step.rule))


def _by_node(here: Configuration) -> Iterable[tuple[Node, list[int]]]:
    groups: dict[Node, list[int]] = {}
    for state, node in sorted(here.items, key=itemgetter(0)):  # what is learned is then the same
        groups.setdefault(node, []).append(state)
    return groups.items()
