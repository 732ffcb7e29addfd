"""The masks of configurations, with numpy.

What tokens do in a lexeme is the same wherever it is used: some remain inside; others leave it at
some node, and what may follow there depends on the stack (an adaptive token mask cache; Dong et
al., "XGrammar", 2024). So the nodes are kept at which tokens leave, and the walk goes on from them.

Where nearly everything may come, but not for long the same, as in a name that must not be one of
some others, most tokens lead to one and the same state. What tokens do from that state on is right
but for those few nodes at which the two differ, which are walked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdl.gbnf.limits_errors import uncollected
from pdl.masks.automaton import DEAD, LEAVES, WORK, AmbiguousError, FullError
from pdl.masks.descent import FEW, Descent
from pdl.masks.protocol import WORD, packed
from pdl.masks.pushdown import BITS, LOW, Place, PushdownAutomaton
from pdl.masks.trie_walk import Exits, OtherExits, TokenSet, spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl.gbnf.rtn import Rtn
    from pdl.masks.descent import Parts
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.pushdown import Item
    from pdl.masks.vocabulary import Ints

_MANY = 300  # places that are faster grouped all at once
_PLACES = 20_000  # at which a walk may begin for one mask, beside twice the nodes of the trie
_EACH = 20  # places, as which a part counts
_TRIES = 3  # masks that are too ambiguous; then none is tried
_MEMBERS = 64  # states of a lexeme that all grammars share
_ROOT = np.zeros(1, np.int32)
_STEPS = 40  # to the state to which most tokens lead
_NO_STATE = 255
_ROOM = 12 << 20  # bytes of an automaton, and as many of what is known of its lexemes


class Lexeme(NamedTuple):
    """What tokens do from a state on: those inside, and where others leave, by what is left."""

    inside: TokenSet
    exits: list[tuple[int, Exits]]

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes."""
        return self.inside.size + sum(exits.size for _, exits in self.exits)


class Walk:
    """The texts of one grammar, and their masks over one vocabulary."""

    def __init__(self, rtn: Rtn, root: int, limit: int, cache: MaskCache) -> None:
        self._automaton = automaton = PushdownAutomaton(rtn, limit, _ROOM)
        self.serial = cache.serial()
        self._cache = cache
        self._walk = cache.walk
        self._start = automaton.start(root)
        self._descent = Descent(automaton, cache.walk)
        self._work = self._ambiguous = self._size = 0
        self._lexemes: dict[int, Lexeme] = {}
        self._inner: dict[tuple[int, Exits], Lexeme] = {}
        weights = np.bincount(automaton.classes, cache.walk.weights, automaton.width)
        self._weights = [(kind, weight) for kind, weight in enumerate(weights.tolist()) if weight]

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        return self._automaton.spent + self._size

    @property
    def start(self) -> Place:
        """The place before any text."""
        return Place(self, *self._start)

    def run(self, here: Place, data: bytes) -> Place | None:
        """The place after some bytes; None if they can't follow."""
        if not data:
            return here
        self._automaton.work = WORK
        parts, complete = self._automaton.run(here.parts, data)
        return Place(self, parts, complete) if parts or complete else None

    def states_at(self, here: Place) -> list[int]:
        """The states of the network at a place."""
        states = self._automaton.states
        return [state for part in here.parts for state, _ in states[part >> BITS].items]

    def items(self, here: Place) -> list[Item]:
        """The same, each with those to return to."""
        return self._automaton.items_of(here.parts)

    def targets(
        self, here: Place, there: Place | None, taken: Callable[[int], int | None]
    ) -> Place | None:
        """The union of what states with a token lead to, by `taken`, and another place."""
        automaton = self._automaton
        parts = set() if there is None else set(there.parts)
        complete = there is not None and there.complete
        found = False
        for part in here.parts:
            for state, _ in automaton.states[part >> BITS].items:
                target = taken(state)
                if target is not None:
                    found = True
                    more, is_end = automaton.enter(automaton.closure(target, None), part & LOW)
                    parts.update(more)
                    complete |= is_end
        return Place(self, automaton.sorted(parts), complete) if found else there

    def drop(self) -> None:
        """Let go of what is not needed to move a place elsewhere, which may live for long."""
        self._lexemes.clear()
        self._inner.clear()
        self._descent.drop()
        self._automaton.drop()

    def place(self, items: Iterable[Item], *, complete: bool) -> Place:
        """The place of the closure of some states."""
        parts, is_end = self._automaton.parts_of(items)
        return Place(self, self._automaton.sorted(parts), complete or is_end)

    def mask(self, here: Place) -> Ints:
        """The mask of a place: of the tokens that are text."""
        if self.spent > 2 * _ROOM:
            raise FullError
        if self._ambiguous >= _TRIES:
            raise AmbiguousError
        self._ambiguous += 1  # until the mask is made
        before = self._walk.grown
        self._automaton.work = WORK
        with uncollected():
            found = self._mask(here.parts)
        self._ambiguous -= 1
        self._size += self._walk.grown - before
        return found

    def _mask(self, parts: Iterable[int]) -> Ints:
        automaton, highest = self._automaton, self._walk.trie.depth
        mask = np.zeros(self._walk.words, np.int32)
        starts: dict[int, list[Ints]] = {}
        pending: list[tuple[int, Exits]] = []
        for one in parts:
            part = automaton.clamped(one, highest)
            if automaton.is_shared(part >> BITS):
                self._follow(self.lexeme(part >> BITS), part & LOW, pending, mask)
            else:
                starts[part] = [_ROOT]
        seen: set[tuple[int, Exits]] = set()
        marked: list[Ints] = []
        self._work = _PLACES + 2 * len(self._walk.trie)
        while starts or pending:
            while pending:
                place = pending.pop()
                if place not in seen:
                    seen.add(place)
                    self._leave(*place, starts, pending, mask)
            found = self._grouped(self._descent.descend(starts, marked)) if starts else ()
            starts = {}
            for part, nodes in found:
                for following in automaton.beyond(part):
                    starts.setdefault(following, []).append(nodes)
                    self._spend(_EACH + len(nodes))
        self._walk.mark(marked, mask)
        return mask

    def _spend(self, places: int) -> None:
        """Count places at which a walk begins. Raises AmbiguousError if there are too many."""
        self._work -= places
        if self._work < 0:
            raise AmbiguousError

    def _follow(
        self, lexeme: Lexeme, stack: int, pending: list[tuple[int, Exits]], mask: Ints
    ) -> None:
        """Add the tokens inside a lexeme, and go on where others leave it."""
        lexeme.inside.add_to(mask)
        for state, exits in lexeme.exits:
            beyond = self._automaton.beyond(state << BITS | stack)
            pending.extend([(part, exits) for part in beyond])

    def _grouped(self, places: Iterable[tuple[Ints, Parts]]) -> Iterable[tuple[int, Ints]]:
        """The nodes of each part."""
        found: dict[int, list[int]] = {}
        for nodes, parts in places:
            self._spend(len(nodes))
            if len(parts) > _MANY:
                for part in np.unique(parts).tolist():
                    yield part, nodes[parts == part]
            else:
                for node, part in zip(nodes.tolist(), parts.tolist(), strict=True):
                    found.setdefault(part, []).append(node)
        for part, held in found.items():
            yield part, np.array(held, np.int32)

    def _leave(
        self,
        part: int,
        exits: Exits,
        starts: dict[int, list[Ints]],
        pending: list[tuple[int, Exits]],
        mask: Ints,
    ) -> None:
        """Go on from some nodes with a part: by what is known of a lexeme, or else by one byte."""
        self._spend(_EACH)
        automaton = self._automaton
        state, stack = part >> BITS, part & LOW
        if exits.most <= FEW:
            starts.setdefault(part, []).append(exits.nodes)
            return
        if automaton.is_shared(state):
            key = state, exits
            lexeme = self._inner.get(key)
            if lexeme is None:
                self._spend(exits.most)
                lexeme = self._inner[key] = self._scanned(state, exits.nodes)
                self._size += lexeme.size
            self._follow(lexeme, stack, pending, mask)
            return
        for low, high, target in automaton.edges_of(state):
            for byte in automaton.bytes_of(low, high):
                kids = exits.kids(byte)
                kids.tokens.add_to(mask)
                if kids.inner.most:
                    self._step(target << BITS | stack, kids.inner, starts, pending)

    def _step(
        self,
        part: int,
        exits: Exits,
        starts: dict[int, list[Ints]],
        pending: list[tuple[int, Exits]],
    ) -> None:
        """Note a part at some nodes, and what follows where its state is left."""
        automaton = self._automaton
        state, stack = part >> BITS, part & LOW
        if automaton.flag[state] & LEAVES:
            beyond = automaton.beyond(automaton.exit[state] << BITS | stack)
            pending.extend([(one, exits) for one in beyond])
        if automaton.rounds[state]:
            for there, nodes in self._clamped(state, exits.nodes):
                starts.setdefault(there << BITS | stack, []).append(nodes)
        elif automaton.states[state].items:
            pending.append((part, exits))

    def _clamped(self, state: int, nodes: Ints) -> Iterator[tuple[int, Ints]]:
        """A state at some nodes, and the one with endless repetitions where it is the same."""
        endless = self._walk.height[nodes] < self._automaton.rounds[state]
        yield self._automaton.endless_[state], nodes[endless]
        yield state, nodes[~endless]

    def lexeme(self, state: int) -> Lexeme:
        """What tokens do from a state on."""
        found = self._lexemes.get(state)
        if found is None:
            found = self._lexemes[state] = self._made(state)
            self._size += found.size
        return found

    def _made(self, state: int) -> Lexeme:
        if self._automaton.is_wide(state):
            partner = self._partner(state)
            if partner not in (None, state):
                return self._differing(state, partner)
        members = self._members(state)
        made = self._swept if self._automaton.is_wide(state) else self._scanned
        if members is None:
            return made(state)
        shared = self._cache.lexeme(self._key(members), lambda: made(state))
        return Lexeme(shared.inside, [(self._automaton.end, exits) for _, exits in shared.exits])

    def _swept(self, state: int) -> Lexeme:
        """The same for a state from which much of the trie is reached."""
        automaton, walk = self._automaton, self._walk
        states = self._descent.sweep(state)
        marks = np.zeros(walk.words * WORD, np.bool_)
        tokens, nodes = walk.text
        marks[tokens] = states[nodes] != DEAD
        states[0] = DEAD
        states[walk.is_leaf] = DEAD
        left = (automaton.flags[states] & LEAVES).nonzero()[0].astype(np.int32)
        return Lexeme(TokenSet(packed(marks)), self._exits(left, automaton.exits[states[left]]))

    def _scanned(self, state: int, nodes: Ints = _ROOT) -> Lexeme:
        """The same from some nodes on, found by a walk."""
        mask = np.zeros(self._walk.words, np.int32)
        marked: list[Ints] = []
        left = self._descent.descend({state << BITS: [nodes]}, marked)
        self._walk.mark(marked, mask)
        if not left:
            return Lexeme(TokenSet(mask), [])
        nodes, parts = map(np.concatenate, zip(*left, strict=True))
        order = nodes.argsort()
        return Lexeme(TokenSet(mask), self._exits(nodes[order], parts[order] >> BITS))

    def _exits(self, nodes: Ints, states: Ints | Parts) -> list[tuple[int, Exits]]:
        """Some nodes, which are in order, by what is left there."""
        held = np.bincount(states).nonzero()[0].tolist() if len(states) else []
        if len(held) == 1:
            return [(held[0], Exits(self._walk, nodes))]
        return [(state, Exits(self._walk, nodes[states == state])) for state in held]

    def _members(self, state: int) -> list[int] | None:
        """The states that a lexeme has, if they are few, and do not depend on a grammar's rules."""
        automaton = self._automaton
        found = {state: None}
        pending = [state]
        for one in pending:
            if automaton.states[one].calls or len(pending) > _MEMBERS:
                return None
            targets = [target for _, _, target in automaton.edges_of(one)]
            if automaton.rounds[one]:
                targets.append(automaton.endless_[one])
            for target in targets:
                if target not in found:
                    found[target] = None
                    pending.append(target)
        return pending

    def _key(self, members: list[int]) -> bytes:
        """The automaton that some states are: where each byte leads, and where the lexeme ends."""
        automaton = self._automaton
        numbers = np.full(len(automaton.table), _NO_STATE, np.uint8)
        numbers[members] = np.arange(len(members))
        numbers[DEAD] = _NO_STATE
        rows = numbers[automaton.table[members]][:, automaton.classes]
        ends = bytes(automaton.states[one].ends for one in members)
        endless = automaton.left[members].tobytes() + numbers[automaton.endless[members]].tobytes()
        return b"".join((rows.tobytes(), ends, endless))

    def _partner(self, state: int) -> int | None:
        """The state to which most tokens lead sooner or later."""
        automaton = self._automaton
        here = state
        for _ in range(_STEPS):
            counts: dict[int, int] = {}
            for kind, weight in self._weights:
                target = automaton.after(here, kind)
                counts[target] = counts.get(target, 0) + weight
            counts.pop(DEAD, None)
            if not counts:
                return None
            there = max(counts, key=counts.__getitem__)
            if automaton.rounds[there]:
                there = automaton.endless_[there]
            if there == here:
                return here
            if not automaton.is_wide(there):
                return None
            here = there
        return None

    def _differing(self, state: int, partner: int) -> Lexeme:
        """What tokens do from one state on, by what they do from another one on."""
        base = self.lexeme(partner)
        touched, states, lost = self._descent.differ(state, partner)
        walk, trie = self._walk, self._walk.trie
        order = touched.argsort()
        touched, states = touched[order], states[order]
        mask = np.zeros(walk.words, np.int32)
        base.inside.add_to(mask)
        marks = np.unpackbits(mask.view(np.uint8), bitorder="little").view(np.bool_)
        marks[trie.order[spans(trie.low[lost], trie.high[lost])[0]]] = False
        marks[trie.order[spans(trie.low[touched], trie.own[touched])[0]]] = True
        exits: list[tuple[int, Exits]] = [
            (one, OtherExits(walk, held, touched, lost)) for one, held in base.exits
        ]
        left = self._automaton.flags[states] & LEAVES > 0
        inner = trie.child[touched] < trie.child[touched + 1]
        left &= inner
        left[0] = False  # the root, where what follows is another part
        exits += self._exits(touched[left], self._automaton.exits[states[left]])
        return Lexeme(TokenSet(packed(marks)), exits)
