"""The configurations of a text in a grammar: states of an automaton with stacks below them.

A configuration is a set of parts, each a state (`pdl.masks.automaton`) and the stack of states to
return to from its frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.masks.automaton import EXIT, AmbiguousError, Automaton

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.rtn import Rtn
    from pdl.masks.automaton import Inner

BITS = 32
"""A part is a number: its state, and in as many lower bits its stack."""
LOW = (1 << BITS) - 1
Item: TypeAlias = tuple[int, tuple[int, ...]]
"""A state of the network, and those to return to, the innermost first."""


class Place(NamedTuple):
    """A configuration of a walk: its parts in order, or its number; whether the text may end."""

    walk: Any
    parts: Any
    complete: bool


class PushdownAutomaton(Automaton):
    """An automaton with the stacks of its states, by number."""

    def __init__(self, rtn: Rtn, limit: int, room: int) -> None:
        self._frames: list[tuple[int, int]] = [(-1, -1)]
        super().__init__(rtn, limit, room)

    def _forget(self) -> None:
        super()._forget()
        self._stacks: dict[tuple[int, int], int] = {}
        self._entered: dict[int, tuple[tuple[int, ...], bool]] = {}

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        return super().spent + 300 * (len(self._frames) + len(self._entered))

    def start(self, root: int) -> tuple[tuple[int, ...], bool]:
        """The parts before any text, and whether it may end."""
        return self.enter(self.start_of(root), 0)

    def union(self, places: Iterable[tuple[tuple[int, ...], bool]]) -> tuple[tuple[int, ...], bool]:
        """The parts of several configurations in order, and whether the text may end in one.

        Raises AmbiguousError if they are too many.
        """
        found: set[int] = set()
        complete = False
        for parts, is_end in places:
            found.update(parts)
            complete |= is_end
        if sum(len(self.states[part >> BITS].items) for part in found) > self.limit:
            raise AmbiguousError
        return tuple(sorted(found)), complete

    def _pushed(self, back: int, below: int) -> int:
        """The stack with one more state to return to."""
        found = self._stacks.get((back, below))
        if found is None:
            found = len(self._frames)
            self._frames[found:] = [(back, below)]
            self._stacks[back, below] = found
        return found

    def enter(self, state: int, stack: int) -> tuple[tuple[int, ...], bool]:
        """The parts that are reached without a byte, and whether the text may end."""
        key = state << BITS | stack
        if not self.cells[state, EXIT]:
            return (key,), False
        found = self._entered.get(key)
        if found is None:
            found = self._entered[key] = self._enter(key)
        return found

    def _enter(self, key: int) -> tuple[tuple[int, ...], bool]:
        complete = False
        seen = {key: None}
        pending = [key]
        for part in pending:  # which grows
            state, stack = part >> BITS, part & LOW
            more = [
                (self.start_of(rule), stack if last else self._pushed(back, stack))
                for rule, back, last in self.states[state].calls
            ]
            if self.states[state].ends:
                if stack:
                    back, below = self._frames[stack]
                    more.append((self.closure((back, None)), below))
                else:
                    complete = True
            for held in more:
                one = held[0] << BITS | held[1]
                if one not in seen:
                    seen[one] = None
                    pending.append(one)
            if len(pending) > self.limit:
                raise AmbiguousError
        return tuple(one for one in pending if self.states[one >> BITS].items), complete

    def run(self, parts: tuple[int, ...], data: bytes) -> tuple[tuple[int, ...], bool]:
        """The parts after some bytes, none if they can't follow; whether the text may end."""
        complete = False
        for kind in data.translate(self.rtn.classes):
            targets = [(self.after(part >> BITS, kind), part & LOW) for part in parts]
            parts, complete = self.union([self.enter(*one) for one in targets if one[0]])
            if not parts and not complete:
                break
        return parts, complete

    def items_of(self, parts: Iterable[int]) -> list[Item]:
        """The states of the network in some parts, each with those to return to."""
        return [
            (state, self._frames_of(inner, part & LOW))
            for part in parts
            for state, inner in self.states[part >> BITS].items
        ]

    def _frames_of(self, inner: Inner, stack: int) -> tuple[int, ...]:
        found: list[int] = []
        while inner is not None:
            back, inner = inner
            found.append(back)
        while stack:
            back, stack = self._frames[stack]
            found.append(back)
        return tuple(found)

    def parts_of(self, items: Iterable[Item]) -> tuple[tuple[int, ...], bool]:
        """The parts of the closure of some states, and whether the text may end there."""
        return self.union([self._part_of(*item) for item in items])

    def _part_of(self, state: int, frames: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
        within = 0
        while within < len(frames) and self.is_in_lexeme(frames[within]):
            within += 1
        inner: Inner = None
        for back in reversed(frames[:within]):
            inner = back, inner
        stack = 0
        for back in reversed(frames[within:]):
            stack = self._pushed(back, stack)
        return self.enter(self.closure((state, inner)), stack)
