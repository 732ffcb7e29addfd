"""The walk down a vocabulary's trie with the states of an automaton, level by level.

A level is one look into the table of the automaton for all its nodes; where a level has few nodes,
they are looked at one by one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pdl.masks.automaton import DEAD, FILLED, LEAVES
from pdl.masks.pushdown import BITS, LOW
from pdl.masks.trie_walk import children

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.masks.pushdown import PushdownAutomaton
    from pdl.masks.trie_walk import TrieWalk
    from pdl.masks.vocabulary import Ints

    Parts = NDArray[np.int64]

FEW = 24
"""Nodes of a level that are faster looked at one by one."""
_SEVERAL = 4  # children of a node


class Descent:
    """The walks down one trie with one automaton."""

    def __init__(self, automaton: PushdownAutomaton, walk: TrieWalk) -> None:
        self._automaton = automaton
        self._walk = walk
        self._allowed: dict[int, bytes] = {}

    def drop(self) -> None:
        """Let go of what was learned."""
        self._allowed.clear()

    def sweep(self, state: int) -> Ints:
        """The states at all nodes, from one at the root."""
        trie = self._walk.trie
        states = np.zeros(len(trie), np.int32)
        states[0] = state
        for start, end in pairwise(trie.levels[1:].tolist()):
            here = slice(start, end)
            states[here] = self._targets(states[trie.parent[here]], here)
        return states

    def descend(
        self, starts: dict[int, list[Ints]], marked: list[Ints]
    ) -> list[tuple[Ints, Parts]]:
        """Note the nodes below some others that parts lead to, within their states.

        The results are the nodes, and what is left there, at which a rule may begin or end.
        """
        events: list[tuple[Ints, Parts]] = []
        automaton, is_leaf = self._automaton, self._walk.is_leaf
        nodes_ = [
            nodes[0] if len(nodes) == 1 else np.unique(np.concatenate(nodes))
            for nodes in starts.values()
        ]
        sizes = list(map(len, nodes_))
        at = np.concatenate(nodes_)
        held = np.array(list(starts), np.int64).repeat(sizes)
        while len(at):
            if len(at) <= FEW:
                nodes, parts = self._few(at.tolist(), held.tolist(), marked, events)
                if not nodes:
                    break
                at, held = np.array(nodes, np.int32), np.array(parts, np.int64)
            kids, above = children(self._walk.trie, at)
            targets = self._targets((held >> BITS)[above], kids)
            kept = targets.nonzero()[0]
            marked.append(kids[kept])
            kept = kept[~is_leaf[kids[kept]]]
            at, targets = kids[kept], targets[kept]
            held = targets.astype(np.int64) << BITS | held[above[kept]] & LOW
            leaves = (automaton.flags[targets] & LEAVES).nonzero()[0]
            if len(leaves):
                exits = automaton.exits[targets[leaves]].astype(np.int64)
                events.append((at[leaves], exits << BITS | held[leaves] & LOW))
        return events

    def _few(
        self,
        nodes: list[int],
        parts: list[int],
        marked: list[Ints],
        events: list[tuple[Ints, Parts]],
    ) -> tuple[list[int], list[int]]:
        """The same node by node, up to a level that has many."""
        automaton, kids_, heights = self._automaton, self._walk.kids, self._walk.heights
        classes, bytes_ = automaton.rtn.classes, self._walk.bytes
        found: list[int] = []
        left: list[int] = []
        exits: list[int] = []
        while nodes and len(nodes) <= FEW:
            below: list[int] = []
            there: list[int] = []
            for node, part in zip(nodes, parts, strict=True):
                state = part >> BITS
                kids = self._kids(node, state)
                targets, rounds, flag = automaton.targets, automaton.rounds, automaton.flag
                for kid in kids:
                    target = targets[state, classes[bytes_[kid]]]
                    if target == DEAD:
                        continue
                    found.append(kid)
                    if kids_[kid] == kids_[kid + 1]:
                        continue
                    if rounds[target] > heights[kid]:
                        target = automaton.endless_[target]
                    below.append(kid)
                    there.append(target << BITS | part & LOW)
                    if flag[target] & LEAVES:
                        left.append(kid)
                        exits.append(automaton.exit[target] << BITS | part & LOW)
            nodes, parts = below, there
        if found:
            marked.append(np.array(found, np.int32))
        if left:
            events.append((np.array(left, np.int32), np.array(exits, np.int64)))
        return nodes, parts

    def _kids(self, node: int, state: int) -> Iterable[int]:
        """The children of a node that a state may lead to; it is known then where it leads."""
        walk = self._walk
        allowed = self._allowed.get(state)
        if allowed is None:
            automaton = self._automaton
            edges = automaton.edges_of(state)
            allowed = b"".join(bytes(automaton.bytes_of(low, high)) for low, high, _ in edges)
            self._allowed[state] = allowed
        start, end = walk.kids[node], walk.kids[node + 1]
        if len(allowed) > end - start or end - start <= _SEVERAL:
            return range(start, end)
        find = walk.bytes.find
        return [kid for byte in allowed if (kid := find(byte, start, end)) >= 0]

    def _targets(self, states: Ints | Parts, kids: Ints | slice) -> Ints:
        """The states at some nodes, from those at the nodes above."""
        automaton = self._automaton
        filled = automaton.flags[states] & FILLED
        if not filled.all():
            for state in set(states[filled == 0].tolist()):
                automaton.fill(state)
        found: Ints = automaton.table[states, automaton.classes[self._walk.trie.byte[kids]]]
        if automaton.counts:
            counted = (automaton.left[found] > self._walk.height[kids]).nonzero()[0]
            if len(counted):
                found[counted] = automaton.endless[found[counted]]
        return found

    def differ(self, state: int, partner: int) -> tuple[Ints, Ints, Ints]:
        """The nodes at which two states lead elsewhere.

        First those to which the one leads, with its states there; then those to which only the
        other one does, of which no node below is looked at.
        """
        trie = self._walk.trie
        nodes = np.zeros(1, np.int32)
        ones, others = np.array([state], np.int32), np.array([partner], np.int32)
        touched: list[Ints] = [nodes]
        states: list[Ints] = [ones]
        lost: list[Ints] = [nodes[:0]]
        while len(nodes):
            kids, above = children(trie, nodes)
            ones, others = self._targets(ones[above], kids), self._targets(others[above], kids)
            kept = (ones != others).nonzero()[0]
            nodes, ones, others = kids[kept], ones[kept], others[kept]
            alive = ones != DEAD
            lost.append(nodes[~alive])
            nodes, ones, others = nodes[alive], ones[alive], others[alive]
            touched.append(nodes)
            states.append(ones)
        return np.concatenate(touched), np.concatenate(states), np.concatenate(lost)
