"""The walk through a vocabulary's trie, level by level, with the configurations of a grammar.

Configurations are numbers here, and where each byte leads from each of them is a table that is
filled when it is needed (lazy determinization). A level of the trie is one look into the table for
all its nodes. Where a mask differs little from another one, only the nodes are visited at which it
does: two configurations are followed together, down to the nodes at which they are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdl.masks.endless import NEVER
from pdl.masks.protocol import packed
from pdl.masks.trie_walk import LEAVES, REFUSES, children, spans, view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.gss import Node
    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.masks.endless import EndlessRtn
    from pdl.masks.trie_walk import Lexeme, TrieWalk
    from pdl.masks.vocabulary import Ints

DEAD = 0
"""The number of the configuration that nothing follows."""
_UNKNOWN = -1
_WIDE = 24  # more bytes than may follow where JSON's structure is
_MEMBERS = 40  # configurations of one lexeme
_PARTNERS = 40  # steps to the configuration in which a lexeme stays
_FEW = 24  # nodes of a level that are faster looked at one by one
_SEVERAL = 8  # children of a node
_CONTINUES = ((1 << 64) - 1) << 0x80
"""The bytes of UTF-8 that continue a character, as bits."""
_ROOM = 24 << 20  # bytes of a table
_FIRST = 8  # rows of a table at first


class Configurations:
    """The configurations of a matcher, by number, and the walks with them."""

    def __init__(self, matcher: Matcher, rtn: EndlessRtn, walk: TrieWalk) -> None:
        self._matcher = matcher
        self._rtn = rtn
        self._walk = walk
        self._classes = np.frombuffer(rtn.classes, np.uint8).astype(np.int32)
        self._width = int(self._classes[-1]) + 1
        self._kinds = rtn.classes
        kinds = np.bincount(self._classes, walk.weights, self._width).astype(np.int64).tolist()
        self._weights = [(rtn.classes.index(kind), one) for kind, one in enumerate(kinds) if one]
        self._examples = [rtn.classes.index(kind) for kind in range(self._width)]
        self._firsts: dict[int, int] = {}
        self.forget()

    def forget(self) -> None:
        """Forget all numbers."""
        self._numbers: dict[Configuration, int] = {}
        self._held: list[Configuration | None] = [None]
        self._table = np.full((_FIRST, self._width), _UNKNOWN, np.int32)
        self._table[DEAD] = DEAD
        self._counted = np.zeros(_FIRST, np.bool_)
        self._views()
        self._allowed: dict[int, bytes] = {}
        self._waiting: dict[Node, bool] = {}
        self._clamps: dict[int, list[tuple[int, int, int]]] = {}

    @property
    def spent(self) -> int:
        """The memory that the numbers take, in bytes."""
        return self._table.nbytes + 300 * len(self._held)

    @property
    def full(self) -> bool:
        """Whether it is time to forget."""
        return self.spent > _ROOM

    def number(self, here: Configuration) -> int:
        """The number of a configuration."""
        if here.dead:
            return DEAD
        found = self._numbers.get(here)
        if found is None:
            found = self._numbers[here] = len(self._held)
            self._held.append(here)
            if found == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _UNKNOWN)])
                self._counted = np.concatenate([self._counted, np.zeros_like(self._counted)])
                self._views()
            self._counted[found] = self._is_counted(here)
        return found

    def _is_counted(self, here: Configuration) -> bool:
        """Whether a state is in a repetition, or one that waits in the innermost rules."""
        waiting = self._waiting
        for state, node in here.items:
            if self._rtn.rounds(state) is not None:
                return True
            known = waiting.get(node)
            if known is None:
                known = waiting[node] = self._is_waiting(node)
            if known:
                return True
        return False

    def _is_waiting(self, node: Node) -> bool:
        """Whether a state is in a repetition that waits in the innermost rules."""
        found: set[int] = set()

        def noted(state: int) -> int:
            found.add(state)
            return state

        self._matcher.stack.mapped(node, noted)
        return any(self._rtn.rounds(state) is not None for state in found)

    def _views(self) -> None:
        """Let items of the tables be had as Python's numbers, three times as fast."""
        self._view: Any = view(self._table)
        self._marked: Any = view(self._counted)

    def _here(self, number: int) -> Configuration:
        here = self._held[number]
        assert here is not None
        return here

    def clamp(self, number: int, left: int) -> int:
        """The configuration that is the same for so many bytes, with endless repetitions."""
        return self._clamped(number, left) if self._counted[number] else number

    def _clamped(self, number: int, left: int) -> int:
        known = self._clamps.setdefault(number, [])
        for low, high, target in known:
            if low <= left < high:
                return target
        bounds = [-1, NEVER]

        def endless(state: int) -> int:
            rounds = self._rtn.rounds(state)
            if rounds is None:
                return state
            if rounds[0] > left:
                bounds[1] = min(bounds[1], rounds[0])
                return rounds[1]
            bounds[0] = max(bounds[0], rounds[0])
            return state

        here, mapped = self._here(number), self._matcher.stack.mapped
        items = ((endless(state), mapped(node, endless)) for state, node in here.items)
        target = self.number(self._matcher.of(items, complete=here.complete))
        known.append((*bounds, target))  # type: ignore[arg-type]  # two of them
        return target

    def step(self, number: int, byte: int) -> int:
        """The configuration after a byte."""
        kind = self._kinds[byte]
        found: int = self._view[number, kind]
        if found == _UNKNOWN:
            found = self.number(self._matcher.step(self._here(number), byte))
            self._table[number, kind] = found
        return found

    def _targets(self, numbers: Ints, kids: Ints) -> Ints:
        """The configurations at some nodes, from those of the nodes above."""
        bytes_ = self._walk.trie.byte[kids]
        found = self._table[numbers, self._classes[bytes_]]
        missing = (found == _UNKNOWN).nonzero()[0]
        if len(missing):
            pairs = numbers[missing].astype(np.int64) << 8 | bytes_[missing]
            for pair in np.unique(pairs).tolist():
                self.step(pair >> 8, pair & 255)
            found[missing] = self._table[numbers[missing], self._classes[bytes_[missing]]]
        counted = self._counted[found].nonzero()[0]
        if len(counted):
            pairs = found[counted].astype(np.int64) << 32 | self._walk.height[kids[counted]]
            values, at = np.unique(pairs, return_inverse=True)
            held = [self.clamp(pair >> 32, pair & 0xFFFFFFFF) for pair in values.tolist()]
            found[counted] = np.array(held, np.int32)[at]
        return found

    def _first_bytes(self, number: int) -> int:
        """The bytes that may follow a configuration, as bits."""
        found = 0
        for state, _ in self._here(number).items:
            known = self._firsts.get(state)
            if known is None:
                known = 0
                for low, high, _ in self._rtn.moves[state]:
                    known |= ((1 << (high - low + 1)) - 1) << low
                self._firsts[state] = known
            found |= known
        return found

    def is_wide(self, number: int) -> bool:
        """Whether a configuration may be one inside a lexeme."""
        firsts = self._first_bytes(number)
        return firsts.bit_count() > _WIDE or bool(firsts and not firsts & ~_CONTINUES)

    def is_broad(self, number: int) -> bool:
        """Whether so many bytes may follow that a walk would visit much of the trie."""
        firsts = self._first_bytes(number)
        return firsts.bit_count() > _WIDE and bool(firsts & ~_CONTINUES)

    def partner(self, number: int) -> int | None:
        """The configuration in which a lexeme stays, after most tokens from one on."""
        here = self.clamp(number, -1)
        for _ in range(_PARTNERS):
            counts: dict[int, int] = {}
            for byte, weight in self._weights:
                target = self.step(here, byte)
                counts[target] = counts.get(target, 0) + weight
            counts.pop(DEAD, None)
            if not counts:
                return None
            most = max(counts, key=counts.__getitem__)
            there = self.clamp(most, -1)
            if there == here:
                return here
            if not self.is_wide(there):
                return None
            here = there
        return None

    def lexeme(self, number: int) -> tuple[bytes, list[int]] | None:
        """The table of the lexeme that a configuration is in, and its members; None if too many."""
        members = {number: 0}
        rows: list[bytes] = []
        pending = [number]
        for here in pending:
            kinds = bytes(self._member(here, byte, members, pending) for byte in self._examples)
            rows.append(self._rtn.classes.translate(kinds.ljust(256)))
            if len(pending) > _MEMBERS:
                return None
        return b"".join(rows), pending

    def _member(self, here: int, byte: int, members: dict[int, int], pending: list[int]) -> int:
        """Where a byte leads in a lexeme."""
        there = self.clamp(self.step(here, byte), self._walk.highest)
        if there == DEAD:
            return REFUSES
        if there not in members:
            if not self.is_wide(there):
                return LEAVES
            members[there] = len(pending)
            pending.append(there)
        return members[there]

    def walk(self, number: int) -> Ints:
        """The mask of a configuration."""
        marks = self._walk.marks()
        self._walk.mark(self._below(np.zeros(1, np.int32), np.array([number], np.int32)), marks)
        return packed(marks)

    def leave(self, lexeme: Lexeme, members: list[int]) -> Ints:
        """The mask of the first member of a lexeme."""
        nodes: list[Ints] = []
        numbers: list[Ints] = []
        for (member, byte), held in lexeme.exits.items():
            there = self.step(members[member], byte)
            if there != DEAD:
                nodes.append(held)
                numbers.append(np.full(len(held), there, np.int32))
        found = lexeme.inside.copy()
        if nodes:
            marks = self._walk.marks()
            self._walk.mark([*nodes, *self._below(*map(np.concatenate, (nodes, numbers)))], marks)
            found |= packed(marks)
        return found

    def _below(self, nodes: Ints, numbers: Ints) -> list[Ints]:
        """The nodes below some others that their configurations lead to."""
        trie = self._walk.trie
        found: list[Ints] = []
        while len(nodes):
            if len(nodes) <= _FEW:
                nodes, numbers = self._below_few(nodes.tolist(), numbers.tolist(), found)
                continue
            kids, above = children(trie, nodes)
            numbers = self._targets(numbers[above], kids)
            kept = numbers.nonzero()[0]
            nodes, numbers = kids[kept], numbers[kept]
            found.append(nodes)
        return found

    def _below_few(
        self, nodes: list[int], numbers: list[int], found: list[Ints]
    ) -> tuple[Ints, Ints]:
        """The same node by node, up to a level that has many."""
        held: list[int] = []
        while nodes and len(nodes) <= _FEW:
            kids: list[int] = []
            targets: list[int] = []
            for node, number in zip(nodes, numbers, strict=True):
                for kid in self._kids(node, number):
                    target = self._target(number, kid)
                    if target != DEAD:
                        kids.append(kid)
                        targets.append(target)
            held += kids
            nodes, numbers = kids, targets
        found.append(np.array(held, np.int32))
        return np.array(nodes, np.int32), np.array(numbers, np.int32)

    def _kids(self, node: int, number: int) -> Iterable[int]:
        """The children of a node that a configuration may lead to."""
        walk = self._walk
        start, end = walk.kids[node], walk.kids[node + 1]
        if end - start <= _SEVERAL:
            return range(start, end)
        allowed = self._allowed.get(number)
        if allowed is None:
            bits = self._first_bytes(number)
            allowed = bytes(byte for byte in range(256) if bits >> byte & 1)
            self._allowed[number] = allowed
        if len(allowed) > end - start:
            return range(start, end)
        found = (walk.bytes.find(byte, start, end) for byte in allowed)
        return [kid for kid in found if kid >= 0]

    def _target(self, number: int, kid: int) -> int:
        """The configuration at a node, from that of the node above."""
        walk = self._walk
        found = self.step(number, walk.bytes[kid])
        return self._clamped(found, walk.heights[kid]) if self._marked[found] else found

    def differ(self, number: int, partner: int, mask: Ints) -> Ints:
        """The mask of a configuration, from that of another one."""
        trie = self._walk.trie
        nodes = np.zeros(1, np.int32)
        pairs = np.array([[number], [partner]], np.int32)
        gained: list[Ints] = []
        lost: list[Ints] = []
        while len(nodes):
            kids, above = children(trie, nodes)
            pairs = np.stack([self._targets(one[above], kids) for one in pairs])
            kept = (pairs[0] != pairs[1]).nonzero()[0]
            nodes, pairs = kids[kept], pairs[:, kept]
            alive = pairs[0] != DEAD
            lost.append(nodes[~alive])
            nodes, pairs = nodes[alive], pairs[:, alive]
            gained.append(nodes)
            if len(nodes) <= _FEW:
                self._differ_few(nodes.tolist(), pairs.tolist(), gained, lost)
                break
        return self._corrected(mask, gained, np.concatenate(lost))

    def _differ_few(
        self, nodes: list[int], pairs: list[list[int]], gained: list[Ints], lost: list[Ints]
    ) -> None:
        """The same node by node."""
        pending = list(zip(nodes, *pairs, strict=True))
        more: list[int] = []
        gone: list[int] = []
        while pending:
            node, number, partner = pending.pop()
            for kid in range(self._walk.kids[node], self._walk.kids[node + 1]):
                one, other = self._target(number, kid), self._target(partner, kid)
                if one == DEAD != other:
                    gone.append(kid)
                elif one != other:
                    more.append(kid)
                    pending.append((kid, one, other))
        gained.append(np.array(more, np.int32))
        lost.append(np.array(gone, np.int32))

    def _corrected(self, mask: Ints, gained: list[Ints], lost: Ints) -> Ints:
        """A mask with the tokens at some nodes, and without those from others on."""
        trie = self._walk.trie
        marks = np.unpackbits(mask.view(np.uint8), bitorder="little").view(np.bool_)
        self._walk.mark(gained, marks)
        marks[trie.order[spans(trie.low[lost], trie.high[lost])[0]]] = False
        return packed(marks)
