"""The walk for texts with so many parses that their stacks are shared: with the grammar's matcher.

It is slower by far, but bounded for each grammar. Configurations are numbers, and where each class
of bytes leads from each is a table that is filled when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdl.gbnf.limits_errors import uncollected
from pdl.gbnf.matcher import Configuration, Matcher
from pdl.masks.trie_walk import children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl.gbnf.rtn import Rtn
    from pdl.limits import Limits
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.pushdown import Item
    from pdl.masks.vocabulary import Bytes, Ints

_DEAD = 0
_UNKNOWN = -1
_ROOM = 24 << 20  # bytes of a table
_FIRST = 8  # rows of it at first


class AmbiguousEngine:
    """The texts of one grammar, followed and walked with its matcher."""

    def __init__(self, rtn: Rtn, root: int, limits: Limits, cache: MaskCache) -> None:
        self.serial = cache.serial()
        self._rtn = rtn
        self._matcher = Matcher(rtn, root, limits)
        self._walk = cache.walk
        self._classes = np.frombuffer(rtn.classes, np.uint8).astype(np.int32)
        self._width = int(self._classes[-1]) + 1
        self.start = self._matcher.start
        self.forget()

    def forget(self) -> None:
        """Forget what was learned."""
        self._numbers: dict[Configuration, int] = {}
        self._held: list[Configuration | None] = [None]
        self._table = np.full((_FIRST, self._width), _UNKNOWN, np.int32)
        self._table[_DEAD] = _DEAD

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        return self._table.nbytes + 300 * len(self._held)

    def release(self) -> None:
        """Break reference cycles, which would otherwise wait for the garbage collector."""
        self.forget()
        self._matcher.release()

    def configuration(self, items: Iterable[Item], *, complete: bool) -> Configuration:
        """The configuration of some states, with those to return to."""
        found = []
        for state, frames in items:
            node = self._matcher.bottom
            for back in reversed(frames):
                node = self._matcher.stack.node({(back, node)}, ())
            found.append((state, node))
        return self._matcher.of(found, complete=complete)

    def run(self, here: Configuration, data: bytes) -> Configuration | None:
        """The configuration after some bytes; None if they can't follow."""
        there, taken = self._matcher.run(here, data)
        return there if taken == len(data) else None

    def targets(
        self, here: Configuration, there: Configuration | None, taken: Callable[[int], int | None]
    ) -> Configuration | None:
        """The union of what states with a token lead to, by `taken`, and another configuration."""
        found = [
            (target, node) for state, node in here.items if (target := taken(state)) is not None
        ]
        return self._matcher.joined(found, there) if found else there

    def states(self, here: Configuration) -> Iterator[int]:
        """The states of the network in a configuration."""
        return (state for state, _ in here.items)

    def mask(self, here: Configuration) -> Ints:
        """The mask of a configuration: of the tokens that are text."""
        if self.spent > _ROOM:
            self.forget()
        trie = self._walk.trie
        nodes, numbers = np.zeros(1, np.int32), np.array([self._number(here)], np.int32)
        found: list[Ints] = []
        with uncollected():
            while len(nodes):
                kids, counts = children(trie, nodes)
                numbers = self._targets(numbers.repeat(counts), trie.byte[kids])
                kept = numbers.nonzero()[0]
                nodes, numbers = kids[kept], numbers[kept]
                found.append(nodes)
        return self._walk.mask_of(np.concatenate(found))

    def _number(self, here: Configuration) -> int:
        """The number of a configuration."""
        if here.dead:
            return _DEAD
        found = self._numbers.get(here)
        if found is None:
            found = len(self._held)
            if found == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _UNKNOWN)])
            self._held[found:] = [here]
            self._numbers[here] = found
        return found

    def _targets(self, numbers: Ints, bytes_: Bytes) -> Ints:
        """The configurations at some nodes, from those of the nodes above."""
        kinds = self._classes[bytes_]
        found: Ints = self._table[numbers, kinds]
        missing = (found == _UNKNOWN).nonzero()[0]
        if len(missing):
            pairs = numbers[missing].astype(np.int64) << 8 | bytes_[missing]
            for pair in np.unique(pairs).tolist():
                here, byte = self._held[pair >> 8], pair & 255
                assert here is not None
                target = self._number(self._matcher.step(here, byte))
                self._table[pair >> 8, self._rtn.classes[byte]] = target
            found[missing] = self._table[numbers[missing], kinds[missing]]
        return found
