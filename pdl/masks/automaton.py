"""The states of a text within one frame of the stack, as those of a finite automaton.

A state is a set of states of the network that are in one frame; where a byte leads from it is found
once, whatever the stack is (lazy determinization, rule by rule). In a lexeme (`pdl.gbnf.lexemes`),
the rules that it consists of are followed within the state; elsewhere each rule has a frame of its
own.

Where more rounds of a counted repetition are left than bytes are below a node of the vocabulary's
trie, the state with the endless repetition takes the place of the one with the counted one.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pdl.gbnf.gss import EpsilonClosures
from pdl.gbnf.lexemes import WIDE

if TYPE_CHECKING:
    from pdl.gbnf.edges import CallEdge
    from pdl.gbnf.rtn import Rtn
    from pdl.masks.vocabulary import Ints

DEAD = 0
"""The state that nothing follows."""
UNKNOWN = -1
"""In the table, where it was not asked yet where the bytes of a state lead."""
NEVER = 1 << 30
"""More rounds than any token has bytes."""
ROUNDS, ENDLESS, EXIT = -3, -2, -1
"""The columns of the table behind those of the classes of bytes.

How many rounds at least are left in a state, 0 if none, and the state in which they are endless;
the state of the rules that begin or end there, 0 if none does."""
_MOST = 512  # states of the network in a configuration
_WORK = 4000  # of a closure
WORK = 20_000
"""States of the network that are followed for one mask or token: 20 times what schemas need."""

Inner: TypeAlias = "tuple[int, Inner] | None"
"""The states to return to within a lexeme, the innermost first."""
_Item: TypeAlias = "tuple[int, Inner]"


class AmbiguousError(Exception):
    """A text has so many parses that their stacks had better be shared."""


class FullError(Exception):
    """So much was learned that it is time to forget."""


class _State(NamedTuple):
    """The states of the network in a state, the rules that begin, and whether its rule may end."""

    items: frozenset[_Item]
    calls: tuple[CallEdge, ...]
    ends: bool


class Automaton:
    """The states of one network, by number."""

    def __init__(self, rtn: Rtn, limit: int, room: int) -> None:
        self.rtn = rtn
        self.limit = min(limit, _MOST)
        self._room = room
        self.work = WORK
        """How many states of the network may still be followed, for one mask or token."""
        self.classes = np.frombuffer(rtn.classes, np.uint8).astype(np.int32)
        self.width = rtn.classes[-1] + 1
        self._bytes = [
            (self.classes == kind).nonzero()[0].astype(np.uint8).tobytes()
            for kind in range(self.width)
        ]
        self.states: list[_State] = []
        self._keep(np.empty((0, self.width - ROUNDS), np.int32))
        self._forget()
        self._number(_State(frozenset(), (), ends=False))
        self.end = self._number(_State(frozenset(), (), ends=True))
        """The state in which nothing but the end of a rule is left."""

    def _keep(self, table: Ints) -> None:
        self.table = table
        """A row for each state: where each class of bytes leads, and the other columns."""
        self.cells: Any = memoryview(table)  # type: ignore[arg-type]  # as numpy's types have it
        """The same as numbers of Python, which are had three times as fast."""

    def _forget(self) -> None:
        self._closures = EpsilonClosures(self.rtn)
        self._numbers: dict[_State, int] = {}
        self._closed: dict[tuple[_Item, ...], int] = {}
        self.allowed: dict[int, bytes] = {}
        """The bytes that lead on from states, of which it is known where they lead."""

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        return self.table.nbytes + 900 * len(self.states)

    def drop(self) -> None:
        """Keep only what each state is."""
        self._forget()
        self._keep(self.table[:0].copy())

    def start_of(self, rule: int) -> int:
        """The state at which a rule begins."""
        return self.closure((self.rtn.starts[rule], None))

    def closure(self, *items: _Item) -> int:
        """The state of what some states of the network reach without a byte."""
        found = self._closed.get(items)
        if found is None:
            is_still = len(items) == 1 and self.rtn.moves[items[0][0]]
            closed = _State(frozenset(items), (), ends=False) if is_still else self._reached(items)
            found = self._closed[items] = self._number(closed)
        return found

    def _reached(self, items: tuple[_Item, ...]) -> _State:
        takes: dict[_Item, None] = {}
        calls: dict[CallEdge, None] = {}
        ends = False
        seen = dict.fromkeys(items)
        held = list(seen)
        for state, inner in held:  # which grows
            closure = self._closures.of(state)
            takes.update(dict.fromkeys([(taking, inner) for taking in closure.takes]))
            more = [inner] if closure.ends and inner else []
            ends |= closure.ends and not inner
            if closure.calls and (inner or self.is_in_lexeme(state)):
                more += [self._within(call, inner) for call in closure.calls]
            else:
                calls.update(dict.fromkeys(closure.calls))
            held += [item for item in more if item not in seen]
            seen.update(dict.fromkeys(more))
            if len(held) > _WORK:
                raise AmbiguousError
        self.work -= len(held)
        if self.work < 0:
            raise AmbiguousError
        return _State(self._thinned(takes), tuple(sorted(calls)), ends)

    def _thinned(self, items: dict[_Item, None] | set[_Item]) -> frozenset[_Item]:
        """Some items without those that others subsume."""
        repetitions = self.rtn.repetitions
        is_counted = repetitions and len(items) > 1
        return frozenset(repetitions.drop_subsumed(items) if is_counted else items)

    def _within(self, call: CallEdge, inner: Inner) -> _Item:
        """Where a rule of a lexeme begins."""
        return self.rtn.starts[call.rule], inner if call.last else (call.return_state, inner)

    def _number(self, state: _State) -> int:
        """The number of a state."""
        found = self._numbers.get(state)
        if found is not None:
            return found
        if len(state.items) > self.limit:
            raise AmbiguousError
        rounds, endless = self._counted(state) if self.rtn.repetitions else (0, 0)
        leaves = state.calls or state.ends
        exit_ = self._number(state._replace(items=frozenset())) if leaves and state.items else 0
        found = len(self.states)
        if found >= len(self.table):
            if self.spent > self._room:
                raise FullError
            more = np.full((max(8, found), self.table.shape[1]), UNKNOWN, np.int32)
            self._keep(np.concatenate([self.table, more]))
        self.table[found, ROUNDS:] = rounds, endless, exit_ or (found if leaves else 0)
        self.states[found:] = [state]
        self._numbers[state] = found
        return found

    def _counted(self, state: _State) -> tuple[int, int]:
        """How many rounds at least are left in a state, 0 if none; and the one that is endless."""
        left = NEVER
        found: set[_Item] = set()
        for item in state.items:
            rounds, endless = self._endless(item)
            left = min(left, rounds)
            found.add(endless)
        if left == NEVER:
            return 0, 0
        return left, self._number(state._replace(items=self._thinned(found)))

    def _endless(self, item: _Item) -> tuple[int, _Item]:
        """The rounds that are left of a state and those to return to, and the endless ones."""
        left = NEVER
        state, inner = item
        held = self.rtn.repetitions.endless(state)
        if held is not None:
            left, state, _ = held
        if inner is not None:
            rounds, inner = self._endless(inner)
            left = min(left, rounds)
        return left, (state, inner)

    def fill(self, state: int) -> None:
        """Find where bytes lead from a state."""
        classes = self.rtn.classes
        held: defaultdict[int, list[_Item]] = defaultdict(list)
        for number, inner in self.states[state].items:
            for low, high, to in self.rtn.moves[number]:
                item = to, inner
                for kind in range(classes[low], classes[high] + 1):
                    held[kind].append(item)
        targets: dict[int, int] = {}
        before: list[_Item] = []
        target = DEAD
        for kind, items in held.items():
            if items != before:  # as they mostly are for neighbors
                before, target = items, self.closure(*items)
            if target:
                targets[kind] = target
        self.table[state, :ROUNDS] = DEAD
        cells = self.cells
        for kind, target in targets.items():
            cells[state, kind] = target
        self.allowed[state] = b"".join([self._bytes[kind] for kind in targets])

    def known(self, state: int) -> bytes:
        """The bytes that lead on from a state; it is known then where."""
        if state not in self.allowed:
            self.fill(state)
        return self.allowed[state]

    def row(self, state: int) -> Ints:
        """Where each class of bytes leads from a state."""
        self.known(state)
        found: Ints = self.table[state, :ROUNDS]
        return found

    def after(self, state: int, kind: int) -> int:
        """The state after a byte of a class."""
        found: int = self.cells[state, kind]
        if found == UNKNOWN:
            self.fill(state)
            found = self.cells[state, kind]
        return found

    def clamped(self, state: int, height: int) -> int:
        """The state that is the same for so many bytes."""
        found: int = self.cells[state, ENDLESS] if self.cells[state, ROUNDS] > height else state
        return found

    def is_shared(self, state: int) -> bool:
        """Whether a state is in a lexeme, which may be in many places, or many bytes lead on."""
        return self.is_in_lexeme(next(iter(self.states[state].items))[0]) or self.is_wide(state)

    def is_wide(self, state: int) -> bool:
        """Whether so many bytes may come that a walk would visit much of a trie."""
        return len(self.known(state)) > WIDE

    def is_in_lexeme(self, state: int) -> bool:
        """Whether a state of the network is in a lexeme."""
        return self.rtn.starts.is_lexeme(self.rtn.place(state)[0])
