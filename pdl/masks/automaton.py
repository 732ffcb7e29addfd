"""The states of a text within one frame of the stack, as those of a finite automaton.

A state is a set of states of the network that are in one frame; where a byte leads from it is found
once, whatever the stack is (lazy determinization, rule by rule). In a lexeme (`pdl.gbnf.lexemes`),
the rules that it consists of are followed within the state; elsewhere each rule has a frame of its
own.

Where more rounds of a counted repetition are left than bytes are below a node of the vocabulary's
trie, the state with the endless repetition takes the place of the one with the counted one.
"""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pdl.gbnf.gss import EpsilonClosures
from pdl.gbnf.lexemes import WIDE
from pdl.masks.trie_walk import view

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.edges import CallEdge
    from pdl.gbnf.rtn import Rtn

DEAD = 0
"""The state that nothing follows."""
NEVER = 1 << 30
"""More rounds than any token has bytes."""
FILLED, LEAVES = 1, 2
"""Flags of states: it is known where bytes lead; rules begin or end here."""
_FIRST = itemgetter(0)
_MOST = 512  # states of the network in a configuration
_WORK = 4000  # of a closure
WORK = 20_000
"""States of the network that are followed for one mask or token: 20 times what schemas need."""

Inner: TypeAlias = "tuple[int, Inner] | None"
"""The states to return to within a lexeme, the innermost first."""
_Item: TypeAlias = "tuple[int, Inner]"
Edge: TypeAlias = tuple[int, int, int]
"""The first and the last class of bytes that lead to a state, and that."""


class AmbiguousError(Exception):
    """A text has so many parses that their stacks had better be shared."""


class FullError(Exception):
    """So much was learned that it is time to forget."""


class _State(NamedTuple):
    """The states of the network in a state, the rules that begin, and whether its rule may end."""

    items: tuple[_Item, ...]
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
        self._classes = rtn.classes
        self.classes = np.frombuffer(rtn.classes, np.uint8).astype(np.int32)
        self._sizes = [rtn.classes.index(kind) for kind in range(rtn.classes[-1] + 1)] + [256]
        self._shared: dict[int, bool] = {}
        self._lexemes: dict[int, bool] = {}
        self.width = rtn.classes[-1] + 1
        self._closures = EpsilonClosures(rtn)
        self._numbers: dict[Any, int] = {}
        self._single: dict[_Item, int] = {}
        self.states: list[_State] = []
        self._edges: dict[int, list[Edge]] = {}
        self.table = np.zeros((8, self.width), np.int32)
        self.flags = np.zeros(8, np.uint8)
        self.counts = False
        """Whether rounds are left in any state."""
        self.left = np.zeros(8, np.int32)
        self.endless = np.zeros(8, np.int32)
        self.exits = np.zeros(8, np.int32)
        self._views()
        self._number((frozenset(), (), False))
        self.end = self._number((frozenset(), (), True))
        """The state in which nothing but the end of a rule is left."""

    def _views(self) -> None:
        self.flag: Any = view(self.flags)
        self.targets: Any = view(self.table)
        self.rounds: Any = view(self.left)
        self.endless_: Any = view(self.endless)
        self.exit: Any = view(self.exits)

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        return self.table.nbytes + 900 * len(self.states)

    def drop(self) -> None:
        """Keep only what each state is."""
        self._numbers.clear()
        self._single.clear()
        self._edges.clear()
        self.table = self.table[:0].copy()
        self._views()
        self._closures = EpsilonClosures(self.rtn)

    def start_of(self, rule: int) -> int:
        """The state at which a rule begins."""
        return self.closure(self.rtn.starts[rule], None)

    def closure(self, state: int, inner: Inner) -> int:
        """The state of what one state of the network reaches without a byte."""
        item = state, inner
        found = self._single.get(item)
        if found is None:
            is_still = bool(self.rtn.moves[state])
            key = frozenset((item,)), (), False
            found = self._number(key) if is_still else self._closed((item,))
            self._single[item] = found
        return found

    def _closed(self, pending: Iterable[_Item]) -> int:
        """The state of what some states reach without a byte."""
        takes: dict[_Item, None] = {}
        calls: dict[CallEdge, None] = {}
        ends = False
        seen = dict.fromkeys(pending)
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
        repetitions = self.rtn.repetitions
        items = frozenset(
            repetitions.drop_subsumed(takes) if repetitions and len(takes) > 1 else takes
        )
        return self._number((items, tuple(sorted(calls)), ends))

    def _within(self, call: CallEdge, inner: Inner) -> _Item:
        """Where a rule of a lexeme begins."""
        return self.rtn.starts[call.rule], inner if call.last else (call.return_state, inner)

    def _number(self, key: tuple[frozenset[_Item], tuple[CallEdge, ...], bool]) -> int:
        """The number of a state."""
        found = self._numbers.get(key)
        if found is not None:
            return found
        items, calls, ends = key
        if len(items) > self.limit:
            raise AmbiguousError
        counted = self._counted(key) if items and self.rtn.repetitions else (0, 0)
        leaves = bool(calls or ends)
        exit_ = self._number((frozenset(), calls, ends)) if leaves and items else 0
        found = len(self.states)
        if found >= len(self.table):
            if self.spent > self._room:
                raise FullError
            self._grow()
        self.counts |= counted[0] > 0
        self.rounds[found], self.endless_[found] = counted
        self.exit[found] = exit_ or (found if leaves else 0)
        self.flag[found] = (FILLED if not items else 0) | (LEAVES if leaves else 0)
        self.states[found:] = [_State(tuple(items), calls, ends)]
        self._numbers[key] = found
        return found

    def _grow(self) -> None:
        size = len(self.table)
        self.left = np.concatenate([self.left, np.zeros(size, np.int32)])
        self.endless = np.concatenate([self.endless, np.zeros(size, np.int32)])
        self.exits = np.concatenate([self.exits, np.zeros(size, np.int32)])
        self.flags = np.concatenate([self.flags, np.zeros(size, np.uint8)])
        self.table = np.concatenate([self.table, np.zeros_like(self.table)])
        self._views()

    def _counted(self, key: tuple[frozenset[_Item], tuple[CallEdge, ...], bool]) -> tuple[int, int]:
        """How many rounds at least are left in a state, 0 if none; and the one that is endless."""
        repetitions = self.rtn.repetitions
        items, calls, ends = key
        left = NEVER
        found: set[_Item] = set()
        for state, inner in items:
            rounds, state_, inner_ = self._endless(state, inner)
            left = min(left, rounds)
            found.add((state_, inner_))
        if left == NEVER:
            return 0, 0
        kept = frozenset(repetitions.drop_subsumed(found) if len(found) > 1 else found)
        return left, self._number((kept, calls, ends))

    def _endless(self, state: int, inner: Inner) -> tuple[int, int, Inner]:
        """The rounds that are left of a state and those to return to, and the endless ones."""
        left = NEVER
        held = self.rtn.repetitions.endless(state)
        if held is not None:
            left, state, _ = held
        if inner is not None:
            rounds, back, below = self._endless(*inner)
            left, inner = min(left, rounds), (back, below)
        return left, state, inner

    def fill(self, state: int) -> list[Edge]:
        """Find where bytes lead from a state."""
        classes = self._classes
        moves = [
            (classes[low], classes[high], (to, inner))
            for number, inner in self.states[state].items
            for low, high, to in self.rtn.moves[number]
        ]
        if len(self.states[state].items) > 1:
            moves.sort(key=_FIRST)
        if any(one[1] >= two[0] for one, two in pairwise(moves)):
            edges = list(self._merged(moves))
        else:
            edges = [(low, high, self.closure(*to)) for low, high, to in moves]
        row = self.table[state]
        for low, high, target in edges:
            row[low : high + 1] = target
        self._edges[state] = edges
        self.flags[state] |= FILLED
        return edges

    def _merged(self, moves: list[tuple[int, int, _Item]]) -> Iterator[Edge]:
        """The edges of several states of the network together."""
        by_class: dict[int, list[_Item]] = {}
        for low, high, to in moves:
            for kind in range(low, high + 1):
                by_class.setdefault(kind, []).append(to)
        known: dict[tuple[_Item, ...], int] = {}
        first = last = target = -1
        for kind in sorted(by_class):
            held = tuple(by_class[kind])
            found = known.get(held)
            if found is None:
                found = self.closure(*held[0]) if len(held) == 1 else self._closed(held)
                known[held] = found
            if kind != last + 1 or found != target:
                if target > 0:
                    yield first, last, target
                first, target = kind, found
            last = kind
        if target > 0:
            yield first, last, target

    def edges_of(self, state: int) -> list[Edge]:
        """Where bytes lead from a state."""
        found = self._edges.get(state)
        return self.fill(state) if found is None else found

    def after(self, state: int, kind: int) -> int:
        """The state after a byte of a class."""
        if not self.flag[state] & FILLED:
            self.fill(state)
        found: int = self.targets[state, kind]
        return found

    def is_shared(self, state: int) -> bool:
        """Whether a state is in a lexeme, which may be in many places, or many bytes lead on."""
        known = self._shared.get(state)
        if known is None:
            known = self.is_in_lexeme(self.states[state].items[0][0]) or self.is_wide(state)
            self._shared[state] = known
        return known

    def is_wide(self, state: int) -> bool:
        """Whether so many bytes may come that a walk would visit much of a trie."""
        found = 0
        sizes = self._sizes
        for low, high, _ in self.edges_of(state):
            found += sizes[high + 1] - sizes[low]
        return found > WIDE

    def bytes_of(self, low: int, high: int) -> range:
        """The bytes of some classes."""
        return range(self._sizes[low], self._sizes[high + 1])

    def is_in_lexeme(self, state: int) -> bool:
        """Whether a state of the network is in a lexeme."""
        rule = self.rtn.place(state)[0]
        known = self._lexemes.get(rule)
        if known is None:
            known = self._lexemes[rule] = self.rtn.starts.is_lexeme(rule)
        return known
