"""What tokens do in the lexemes of a grammar, found with numpy.

What they do in a lexeme is the same wherever it is used: some remain inside; others leave it at
some node, and what may follow there depends on the stack (an adaptive token mask cache; Dong et
al., "XGrammar", 2024). So the nodes are kept at which tokens leave.

Where nearly everything may come, but not for long the same, as in a name that must not be one of
some others, most tokens lead to one and the same state. What tokens do from that state on is right
but for those few nodes at which the two differ, which are walked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdl.masks.automaton import DEAD, ENDLESS, EXIT, ROUNDS, UNKNOWN
from pdl.masks.trie_walk import NodeSet, RestOfNodes, children

if TYPE_CHECKING:
    from pdl.masks.automaton import Automaton
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.vocabulary import Ints

_MEMBERS = 64  # states of a lexeme that all grammars share
_STEPS = 40  # to the state to which most tokens lead
_NO_STATE = 255
SMALL = 100
"""Nodes below some, which are faster looked at one by one."""


class Lexeme(NamedTuple):
    """What tokens do from a state on: those inside, and where others leave, by what is left."""

    inside: Ints
    exits: list[tuple[int, NodeSet]]

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes."""
        return self.inside.nbytes + sum(nodes.size for _, nodes in self.exits) + 300


class LexemeScan:
    """What tokens do in the lexemes of one automaton."""

    def __init__(self, automaton: Automaton, cache: MaskCache) -> None:
        self._automaton = automaton
        self._cache = cache
        self._walk = cache.walk
        self._weights = np.bincount(automaton.classes, cache.walk.weights, automaton.width)
        self._known: dict[tuple[int, NodeSet], Lexeme] = {}
        self.size = 0
        """The memory that they take, in bytes."""

    def drop(self) -> None:
        """Let go of what was learned."""
        self._known.clear()

    def cost(self, state: int, nodes: NodeSet) -> int:
        """From how many nodes a walk begins if that is asked for."""
        return 0 if (state, nodes) in self._known else nodes.most

    def of(self, state: int, nodes: NodeSet) -> Lexeme:
        """What tokens do from a state at some nodes on."""
        found = self._known.get((state, nodes))
        if found is None:
            at_root = nodes is self._walk.root
            found = self._at_root(state) if at_root else self.scanned(state, nodes.nodes)
            self._known[state, nodes] = found
            self.size += found.size
        return found

    def _at_root(self, state: int) -> Lexeme:
        root = self._walk.root.nodes
        if self._automaton.is_wide(state):
            partner = self._partner(state)
            if partner not in (DEAD, state):
                return self.scanned(state, root, partner)
        members = self._members(state)
        if not members:
            return self.scanned(state, root)
        shared = self._cache.lexeme(self._key(members), lambda: self.scanned(state, root))
        return Lexeme(shared.inside, [(self._automaton.end, nodes) for _, nodes in shared.exits])

    def scanned(self, state: int, nodes: Ints, partner: int = DEAD) -> Lexeme:
        """The same, found by a walk; from the root, to where a partner is at the same state."""
        walk = self._walk
        reached, states, lost = self._reached(state, nodes, partner)
        inside = walk.mask_of(reached)
        exits: list[tuple[int, NodeSet]] = []
        if partner:
            base = self.of(partner, walk.root)
            inside |= base.inside & ~walk.mask_below(lost)
            exits += [(one, RestOfNodes(walk, held, reached, lost)) for one, held in base.exits]
        left = self._automaton.table[states, EXIT]
        leaving = ((left > 0) & (walk.height[reached] > 0)).nonzero()[0]
        left, reached = left[leaving], reached[leaving]
        for one in np.bincount(left).nonzero()[0].tolist():
            there = reached[left == one]  # of nodes below each other, some come twice
            exits.append((one, NodeSet(walk, there if len(nodes) == 1 else np.unique(there))))
        return Lexeme(inside, exits)

    def _reached(self, state: int, nodes: Ints, partner: int) -> tuple[Ints, Ints, Ints]:
        """The nodes below some others to which a state leads, and its states there.

        But only where its partner leads elsewhere; and last, the nodes to which only that leads, of
        which no node below is looked at.
        """
        trie, height = self._walk.trie, self._walk.height
        held = [[state], [partner]] if partner else [[state]]
        here = np.array(held, np.int32).repeat(len(nodes), axis=1)
        reached, states, lost = [nodes[:0]], [nodes[:0]], [nodes[:0]]
        while len(nodes) > SMALL or (trie.last[nodes] - trie.first[nodes]).sum() > SMALL:
            kids, counts = children(trie, nodes)
            here = self._targets(here.repeat(counts, axis=1), kids)
            kept = (here[0] != (here[1] if partner else DEAD)).nonzero()[0]
            kids, here = kids.take(kept), here.take(kept, axis=1)
            if partner:
                alive = here[0] != DEAD
                lost.append(kids[~alive])
                kids, here = kids[alive], here[:, alive]
            reached.append(kids)
            states.append(here[0])
            inner = height.take(kids).nonzero()[0]
            nodes, here = kids.take(inner), here.take(inner, axis=1)
        others = here[1:].ravel().tolist() or [DEAD] * len(nodes)
        few = self._few(list(zip(nodes.tolist(), here[0].tolist(), others, strict=True)))
        for arrays, more in zip((reached, states, lost), few, strict=True):
            arrays.append(np.array(more, np.int32))
        return np.concatenate(reached), np.concatenate(states), np.concatenate(lost)

    def _few(self, pending: list[tuple[int, int, int]]) -> tuple[list[int], list[int], list[int]]:
        """The same node by node, each with the two states there."""
        automaton, walk = self._automaton, self._walk
        first, heights, bytes_ = walk.kids, walk.heights, walk.bytes
        classes, after, clamped = automaton.rtn.classes, automaton.after, automaton.clamped
        reached: list[int] = []
        states: list[int] = []
        lost: list[int] = []
        for node, one, other in pending:  # which grows
            for kid in range(first[node], first[node + 1]):
                kind, height = classes[bytes_[kid]], heights[kid]
                there = clamped(after(one, kind), height)
                partner = clamped(after(other, kind), height) if other else DEAD
                if there == partner:
                    continue
                if not there:
                    lost.append(kid)
                    continue
                reached.append(kid)
                states.append(there)
                if height:
                    pending.append((kid, there, partner))
        return reached, states, lost

    def _targets(self, states: Ints, kids: Ints) -> Ints:
        """The states at some nodes, from those at the nodes above."""
        automaton = self._automaton
        kinds = automaton.classes.take(self._walk.trie.byte.take(kids))
        found: Ints = automaton.table.ravel().take(states * automaton.table.shape[1] + kinds)
        missing = found == UNKNOWN
        if missing.any():
            for state in set(states[missing].tolist()):
                automaton.fill(state)
            found = automaton.table[states, kinds]
        if automaton.rtn.repetitions:
            counted = automaton.table[found, ROUNDS] > self._walk.height[kids]
            if counted.any():
                found[counted] = automaton.table[found[counted], ENDLESS]
        return found

    def _members(self, state: int) -> list[int]:
        """The states that a lexeme has, if they are few, and do not depend on a grammar's rules."""
        automaton = self._automaton
        members, found = [state], {DEAD, state}
        for one in members:  # which grows, in the order of the bytes that lead there
            if automaton.states[one].calls or len(members) > _MEMBERS:
                return []
            targets = dict.fromkeys([*automaton.row(one).tolist(), automaton.cells[one, ENDLESS]])
            members += [target for target in targets if target not in found]
            found.update(targets)
        return members

    def _key(self, members: list[int]) -> bytes:
        """The automaton that some states are: where each byte leads, and where the lexeme ends."""
        automaton = self._automaton
        numbers = np.full(len(automaton.table), _NO_STATE, np.uint8)
        numbers[members] = np.arange(len(members))
        table = automaton.table[members]
        ends = bytes(automaton.states[one].ends for one in members)
        rows, rounds = numbers[table[:, automaton.classes]], table[:, ROUNDS]
        endless = numbers[table[:, ENDLESS]]
        return b"".join((rows.tobytes(), ends, rounds.tobytes(), endless.tobytes()))

    def _partner(self, state: int) -> int:
        """The state to which most tokens lead sooner or later; DEAD if there is none."""
        automaton = self._automaton
        for _ in range(_STEPS):
            counts = np.bincount(automaton.row(state), self._weights)
            counts[DEAD] = 0
            there = int(counts.argmax())
            if automaton.cells[there, ROUNDS]:
                there = automaton.cells[there, ENDLESS]
            if there == state or not there or not automaton.is_wide(there):
                return there if there == state else DEAD
            state = there
        return DEAD
