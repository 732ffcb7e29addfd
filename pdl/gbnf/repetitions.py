"""Repetitions in a network of which only the first copy is made.

A bounded repetition is copies of an item, one for each round: `x{0,3}` is `(x (x x?)?)?`. All have
the same shape, so the numbers of their states are reserved, and what a state of another copy leads
to is derived from the first one when it is asked for.

One more copy is endless: where others lead to the one before, it leads to itself. While more rounds
are left than the bytes that one looks ahead, the two can't be distinguished.

Of two states of optional copies that differ in the copy alone, the one with more rounds left
subsumes the other: whatever can follow the other can follow it, too, so only that one need be
tracked.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

_T = TypeVar("_T", bound="Hashable")

Mark: TypeAlias = tuple[int, int, int]
"""The state after a repetition, the position in its copy, and the rounds that are left there.

An optional copy ends with a state of its own, so each repetition ends elsewhere; but it may begin
where one in its first copy does.
"""


class Repetition:
    """Copies of an item: how many, of how many states each, from which state on.

    The first one leads to `following`, each other one to the state `entry` of the one before it,
    and one after the last to its own. If they are optional, the last state of each splits: into its
    round, and `following`.
    """

    __slots__ = ("copies", "entry", "first", "following", "inner", "optional", "size")

    def __init__(self, first: int, following: int) -> None:
        self.first = first
        self.following = following
        self.inner = Repetitions()
        """Those in its first copy."""
        self.repeat(1, 0, first, optional=False)

    def repeat(self, copies: int, size: int, entry: int, *, optional: bool) -> None:
        """Let it have some copies, once the first one is made."""
        self.copies = copies
        self.size = size
        self.entry = entry
        self.optional = optional

    @property
    def end(self) -> int:
        """The state after the endless one."""
        return self.first + self.size * (self.copies + 1)

    def in_copy(self, target: int, copy: int) -> int:
        """Where another copy leads, by where the first one does."""
        if self.first <= target < self.first + self.size:
            return target + copy * self.size
        if copy and target == self.following:
            return self.entry + (copy - (copy < self.copies)) * self.size
        return target


class Repetitions:
    """Repetitions that are apart from each other, in the order of their states."""

    __slots__ = ("_all", "firsts")

    def __init__(self) -> None:
        self._all: list[Repetition] = []
        self.firsts: list[int] = []
        """Their first states."""

    def add(self, repetition: Repetition) -> None:
        """Add one that begins after all others."""
        self._all.append(repetition)
        self.firsts.append(repetition.first)

    def at(self, state: int) -> Repetition | None:
        """The repetition that a state is in."""
        found = bisect_right(self.firsts, state) - 1
        if found < 0 or state >= self._all[found].end:
            return None
        return self._all[found]

    def within(self, states: range) -> bool:
        """Whether one begins at some of those states."""
        return bisect_left(self.firsts, states.start) < bisect_left(self.firsts, states.stop)

    def drop(self, first: int) -> None:
        """Drop those from a state on."""
        kept = bisect_left(self.firsts, first)
        del self.firsts[kept:]
        del self._all[kept:]  # also one that an interrupt left without its first state


class CountedRepetitions:
    """All repetitions of a network: each is apart from another one or inside one of its copies."""

    __slots__ = ("_known", "outer")

    def __init__(self) -> None:
        self.outer = Repetitions()
        """Those that are in no other one."""
        self._known: dict[int, tuple[Mark, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self.outer.firsts)

    def path(self, state: int) -> tuple[int, list[tuple[Repetition, int]]]:
        """The state that is the same in first copies; the repetitions around, each with the copy.

        The inmost one is the last.
        """
        path: list[tuple[Repetition, int]] = []
        found = self.outer.at(state)
        while found is not None:
            copy, place = divmod(state - found.first, found.size)
            path.append((found, copy))
            state = found.first + place
            found = found.inner.at(state)
        return state, path

    def endless(self, state: int) -> tuple[int, int, bool] | None:
        """The rounds that are left of the innermost repetition of a state, and its endless equal.

        And whether the rounds are optional. None if it is in none, or in an endless copy.
        """
        if self.outer.at(state) is None:
            return None
        inmost, copy = self.path(state)[1][-1]
        left = inmost.copies - copy
        return (copy, state + left * inmost.size, inmost.optional) if left else None

    def marks(self, state: int) -> tuple[Mark, ...]:
        """The positions of a state in the optional copies around it, the inmost first."""
        known = self._known.get(state)
        if known is None:
            found: list[Mark] = []
            here = state  # then the state that is the same in first copies
            repetition = self.outer.at(here)
            while repetition is not None:
                copy, place = divmod(here - repetition.first, repetition.size)
                if repetition.optional:
                    found.append((state - here + repetition.end, place, copy))
                here = repetition.first + place
                repetition = repetition.inner.at(here)
            known = self._known[state] = tuple(reversed(found))
        return known

    def drop_subsumed(self, pairs: Collection[tuple[int, _T]]) -> list[tuple[int, _T]]:
        """The states that no other one subsumes that is paired with the same value."""
        marked = [(marks, other) for state, other in pairs if (marks := self.marks(state))]
        if len(marked) <= 1:
            return list(pairs)
        best: dict[tuple[int, int, _T], int] = {}
        for marks, other in marked:
            for end, place, index in marks:
                key = (end, place, other)
                best[key] = max(index, best.get(key, 0))
        return [
            (state, other)
            for state, other in pairs
            if all(best[end, at, other] == index for end, at, index in self.marks(state))
        ]
