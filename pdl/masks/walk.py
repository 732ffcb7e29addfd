"""The texts of one grammar and their masks, with numpy."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from pdl.gbnf.lexemes import WIDE
from pdl.gbnf.limits_errors import uncollected
from pdl.masks.automaton import DEAD, ENDLESS, EXIT, ROUNDS, WORK, AmbiguousError, FullError
from pdl.masks.lexeme_scan import SMALL, LexemeScan
from pdl.masks.pushdown import BITS, LOW, Place, PushdownAutomaton

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.rtn import Rtn
    from pdl.masks.lexeme_scan import Lexeme
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.pushdown import Item
    from pdl.masks.trie_walk import NodeSet, TrieWalk
    from pdl.masks.vocabulary import Ints

FEW = 24
"""Nodes that are faster looked at one by one."""
_PLACES = 20_000  # at which parts are followed for one mask, beside twice the nodes of the trie
_EACH = 20  # places, as which a part at many nodes counts
_TRIES = 3  # masks that are too ambiguous; then none is tried
_ROOM = 12 << 20  # bytes of an automaton, and as many of what is known of its lexemes


class Walk:
    """The texts of one grammar, and their masks over one vocabulary."""

    def __init__(self, rtn: Rtn, root: int, limit: int, cache: MaskCache) -> None:
        self._automaton = automaton = PushdownAutomaton(rtn, limit, _ROOM)
        self.serial = cache.serial()
        self._walk = cache.walk
        self._start = automaton.start(root)
        self._lexemes = LexemeScan(automaton, cache)
        self._ambiguous = self._grown = 0

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        return self._automaton.spent + self._lexemes.size + self._grown

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
        found = [
            automaton.enter(automaton.closure((target, None)), part & LOW)
            for part in here.parts
            for state, _ in automaton.states[part >> BITS].items
            if (target := taken(state)) is not None
        ]
        if not found:
            return there
        if there is not None:
            found.append((there.parts, there.complete))
        return Place(self, *automaton.union(found))

    def drop(self) -> None:
        """Let go of what is not needed to move a place elsewhere, which may live for long."""
        self._lexemes.drop()
        self._automaton.drop()

    def place(self, items: Iterable[Item], *, complete: bool) -> Place:
        """The place of the closure of some states."""
        parts, is_end = self._automaton.parts_of(items)
        return Place(self, parts, complete or is_end)

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
            found = _Mask(self._automaton, self._walk, self._lexemes).of(here.parts)
        self._ambiguous -= 1
        self._grown += self._walk.grown - before
        return found


class _Mask:
    """A mask that is being made: parts are followed from nodes of the trie, until there are none.

    Narrow states are followed byte by byte: for each node, or for many nodes at once, of which the
    children are known. Shared and wide ones are followed by what is known of lexemes.
    """

    def __init__(self, automaton: PushdownAutomaton, walk: TrieWalk, lexemes: LexemeScan) -> None:
        self._automaton = automaton
        self._walk = walk
        self._lexemes = lexemes
        self._mask = np.zeros(walk.words, np.int32)
        self._found: list[Ints] = []
        """Nodes whose tokens are in the mask."""
        self._sets: list[tuple[int, NodeSet]] = []
        """Parts at nodes from which they are to be followed."""
        self._nodes: list[tuple[int, int]] = []
        """The same, each at one node."""
        self._seen: set[tuple[int, Any]] = set()
        self._work = _PLACES + 2 * len(walk.trie)

    def of(self, parts: Iterable[int]) -> Ints:
        """The mask of some parts."""
        self._add(parts, self._walk.root)
        while self._sets or self._nodes:
            if self._sets:
                self._follow_set(*self._sets.pop())
            else:
                self._follow_nodes()
        if self._found:
            self._mask |= self._walk.mask_of(np.concatenate(self._found))
        return self._mask

    def _spend(self, places: int) -> None:
        """Count places at which parts are followed. Raises AmbiguousError for too many."""
        self._work -= places
        if self._work < 0:
            raise AmbiguousError

    def _add(self, parts: Iterable[int], nodes: NodeSet) -> None:
        """Let parts be followed from some nodes."""
        for part in parts:
            place = part, nodes
            if place not in self._seen:
                self._seen.add(place)
                self._sets.append(place)

    def _follow(self, lexeme: Lexeme, stack: int) -> None:
        """Add the tokens inside a lexeme, and go on where others leave it."""
        self._mask |= lexeme.inside
        for state, nodes in lexeme.exits:
            self._add(self._automaton.enter(state, stack)[0], nodes)

    def _follow_set(self, part: int, nodes: NodeSet) -> None:
        self._spend(_EACH)
        automaton = self._automaton
        state, stack = automaton.clamped(part >> BITS, nodes.height), part & LOW
        is_shared = automaton.is_shared(state)
        if nodes.most <= FEW and not (is_shared and nodes is self._walk.root):
            places = [(state << BITS | stack, node) for node in nodes.nodes.tolist()]
            self._nodes += [place for place in places if place not in self._seen]
            self._seen.update(places)
        elif is_shared:
            self._spend(self._lexemes.cost(state, nodes))
            self._follow(self._lexemes.of(state, nodes), stack)
        else:
            for byte in automaton.known(state):
                kids, inner = nodes.kids(byte)
                self._found.append(kids)
                if inner.most:
                    target = automaton.after(state, automaton.rtn.classes[byte])
                    self._add(automaton.enter(target, stack)[0], inner)

    def _follow_nodes(self) -> None:
        """Follow parts node by node."""
        automaton, walk = self._automaton, self._walk
        heights, bytes_, classes = walk.heights, walk.bytes, automaton.rtn.classes
        pending, seen, found = self._nodes, self._seen, array("i")
        while pending:
            part, node = pending.pop()
            state, stack = part >> BITS, part & LOW
            kids = self._kids(node, part)
            cells = automaton.cells
            for kid in kids:
                target = cells[state, classes[bytes_[kid]]]
                if target == DEAD:
                    continue
                found.append(kid)
                height = heights[kid]
                if not height:
                    continue
                if cells[target, ROUNDS] > height:
                    target = cells[target, ENDLESS]
                parts: tuple[int, ...] = (target << BITS | stack,)
                if cells[target, EXIT]:
                    parts, _ = automaton.enter(target, stack)
                    cells = automaton.cells
                    self._spend(len(parts))
                for one in parts:
                    place = one, kid
                    if place not in seen:
                        seen.add(place)
                        pending.append(place)
        if found:
            self._found.append(np.frombuffer(found, np.int32))

    def _kids(self, node: int, part: int) -> Iterable[int]:
        """The children of a node that a part may lead to; none where a lexeme is followed."""
        automaton, walk = self._automaton, self._walk
        state = part >> BITS
        allowed = automaton.allowed.get(state) or automaton.known(state)
        start, end = walk.kids[node], walk.kids[node + 1]
        if len(allowed) > WIDE and walk.trie.last[node] - walk.trie.first[node] > SMALL:
            self._spend(_EACH)
            self._follow(self._lexemes.scanned(state, np.array([node], np.int32)), part & LOW)
            return ()
        if len(allowed) >= end - start:
            return range(start, end)
        find = walk.bytes.find
        return [kid for byte in allowed if (kid := find(byte, start, end)) >= 0]
