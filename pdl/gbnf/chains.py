"""Counted repetitions, of which the one with more rounds left stands for those with fewer.

`x{0,3}` is `(x (x x?)?)?`: a copy of `x` for each round, all of the same shape. At one state of two
copies, what can follow in the one with fewer rounds left can follow in the other as well, so
that a text that may be in both need only be followed in the other.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

_T = TypeVar("_T", bound="Hashable")

Mark: TypeAlias = tuple[int, int, int]
"""The first state of a chain, the place in its copy, and the rounds that are left there."""


class Chain(NamedTuple):
    """Copies of an optional item: so many of so many states each, from a state on."""

    first: int
    size: int
    copies: int

    @property
    def end(self) -> int:
        """The state behind the last one."""
        return self.first + self.size * self.copies


class Chains:
    """All chains of an automaton; one is beside another one, or inside one of its copies."""

    def __init__(self, chains: Collection[Chain]) -> None:
        self._chains = sorted(chains, key=lambda chain: (chain.first, -chain.end))
        self._firsts = [chain.first for chain in self._chains]
        self._around = self._parents()
        self._known: dict[int, tuple[Mark, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._chains)

    def _parents(self) -> list[int]:
        """The chain around each, -1 if there is none."""
        around: list[int] = []
        for chain in self._chains:
            outer = len(around) - 1
            while outer >= 0 and self._chains[outer].end <= chain.first:
                outer = around[outer]
            around.append(outer)
        return around

    def marks(self, state: int) -> tuple[Mark, ...]:
        """The places of a state in the chains around it."""
        known = self._known.get(state)
        if known is None:
            found: list[Mark] = []
            at = bisect_right(self._firsts, state) - 1
            while at >= 0:
                chain = self._chains[at]
                if state < chain.end:
                    index, place = divmod(state - chain.first, chain.size)
                    found.append((at, place, index))
                at = self._around[at]
            known = self._known[state] = tuple(found)
        return known

    def strongest(self, pairs: Collection[tuple[int, _T]]) -> list[tuple[int, _T]]:
        """States without those for which another one stands that has the same company."""
        marked = [(marks, other) for state, other in pairs if (marks := self.marks(state))]
        if len(marked) <= 1:
            return list(pairs)
        best: dict[tuple[int, int, _T], int] = {}
        for marks, other in marked:
            for chain, place, index in marks:
                key = (chain, place, other)
                best[key] = max(index, best.get(key, 0))
        return [
            (state, other)
            for state, other in pairs
            if all(best[chain, at, other] == index for chain, at, index in self.marks(state))
        ]
