"""The walks in C, with the rules of a network that the kernel asks for."""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from pdl.gbnf.limits_errors import uncollected
from pdl.masks.automaton import DEAD, AmbiguousError, FullError
from pdl.masks.native import library, pointer, scan_lexeme
from pdl.masks.pushdown import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.rtn import Rtn
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.native import KernelLexeme
    from pdl.masks.pushdown import Item
    from pdl.masks.vocabulary import Ints

_BOUND = 24 << 20  # bytes of one engine
LONGEST = 60_000  # bytes of a token
_MEMBERS = 41
_ITEMS = 512

_Int = ctypes.c_int32


def _ints(values: list[int]) -> Any:
    return (_Int * len(values))(*values)


_AMBIGUOUS, _FULL, _UNLOADED = -1, -2, -3


class Kernel:
    """The configurations of one network in C, by number, and the walks with them."""

    def __init__(self, rtn: Rtn, root: int, limit: int, cache: MaskCache) -> None:
        self._lib = library()
        self._cache = cache
        self._masks = cache.masks
        self._trie = trie = cache.kernel_trie
        self.serial = cache.serial()
        self._rtn = rtn
        kinds = np.frombuffer(rtn.classes, np.uint8)
        weights = np.ascontiguousarray(trie.weights, np.int64)
        addresses = (trie.address, pointer(kinds), pointer(weights))
        self._engine = self._lib.pdl_new(*addresses, min(limit, _ITEMS), _BOUND)
        if not self._engine:
            raise FullError
        finalize(self, self._lib.pdl_free, self._engine).atexit = False  # other threads may run
        self._partner = _Int()
        self._table = np.empty(256 * _MEMBERS, np.uint8)
        self._members = np.empty(_MEMBERS, np.int32)
        self._addresses = (
            ctypes.addressof(self._partner),
            pointer(self._table),
            pointer(self._members),
        )
        self._start = self._config([(self._loaded(rtn.starts[root]), 0)], complete=False)

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        found: int = self._lib.pdl_spent(self._engine)
        return found

    def _called(self, function: Any, *held: object) -> int:
        """The result of a function, for which the rules are loaded that it lacks.

        It is called again then, and goes on, or does whatever it did once more.
        """
        code: int = function(self._engine, *held)
        while code == _UNLOADED:
            self._load(self._lib.pdl_wanted(self._engine))
            code = function(self._engine, *held)
        if code >= 0:
            return code
        raise {_AMBIGUOUS: AmbiguousError, _FULL: FullError}.get(code, AssertionError)(code)

    def _load(self, rule: int) -> None:
        """Load a rule if it is not loaded."""
        with uncollected():
            start = self._rtn.starts[rule]
        compiled = self._rtn.moves.rule_at(start)
        address, size = compiled.records.buffer_info()
        held = start, compiled.states.start, compiled.states.stop, address, size
        self._called(self._lib.pdl_rule, rule, *held)

    def _loaded(self, state: int) -> int:
        """A state, with its rule loaded."""
        self._load(self._rtn.place(state)[0])
        return state

    def _config(self, items: Iterable[tuple[int, int]], *, complete: bool) -> int:
        """Twice the configuration of the closure of some states, and one more where it may end."""
        held = [number for item in items for number in item]
        return self._called(self._lib.pdl_config, _ints(held), len(held) // 2, complete)

    @property
    def start(self) -> Place:
        """The place before any text."""
        return self._place(self._start)

    def _place(self, found: int) -> Place:
        return Place(self, found >> 1, bool(found & 1))

    def _items(self, here: Place) -> list[tuple[int, int]]:
        """The states at a place, and their stacks by number."""
        found = (_Int * (2 * _ITEMS))()
        count = self._called(self._lib.pdl_items, here.parts, found, _ITEMS)
        return list(zip(found[: 2 * count : 2], found[1 : 2 * count : 2], strict=True))

    def states_at(self, here: Place) -> list[int]:
        """The states of the network at a place."""
        return [state for state, _ in self._items(here)]

    def items(self, here: Place) -> list[Item]:
        """The same, each with those to return to."""
        return [(state, self._frames(stack)) for state, stack in self._items(here)]

    def targets(
        self, here: Place, there: Place | None, taken: Callable[[int], int | None]
    ) -> Place | None:
        """The union of what states with a token lead to, by `taken`, and another place."""
        found: list[tuple[int, int]] = []
        for state, stack in self._items(here):
            target = taken(state)
            if target is not None:
                found.append((target, stack))
        if not found or there is None:
            return self._place(self._config(found, complete=False)) if found else there
        return self._place(self._config(found + self._items(there), complete=there.complete))

    def place(self, items: Iterable[Item], *, complete: bool) -> Place:
        """The place of the closure of some states."""
        held = [(self._loaded(state), self._stack(frames)) for state, frames in items]
        return self._place(self._config(held, complete=complete))

    def _stack(self, frames: tuple[int, ...]) -> int:
        """The stack of states to return to, the innermost first."""
        found = 0
        for state in reversed(frames):
            found = self._called(self._lib.pdl_push, self._loaded(state), found)
        return found

    def _frames(self, stack: int) -> tuple[int, ...]:
        """The states to return to, the innermost first."""
        found: list[int] = []
        back = _Int()
        while stack > 0:
            stack = self._lib.pdl_frame(self._engine, stack, ctypes.addressof(back))
            found.append(back.value)
        return tuple(found)

    def drop(self) -> None:
        """Let go of what is not needed to move a place elsewhere: nothing."""

    def run(self, here: Place, data: bytes) -> Place | None:
        """The place after some bytes; None if they can't follow."""
        found = self._called(self._lib.pdl_run, here.parts, data, len(data))
        return self._place(found) if found else None

    def mask(self, here: Place) -> Ints:
        """The mask of a place: of the tokens that are text."""
        return self._mask(here.parts)

    def _mask(self, number: int) -> Ints:
        same, partner = self.kind(number)
        if same != number:
            return self._masks.get((~self.serial, same), lambda: self._mask(same)).copy()
        if partner == DEAD:
            return self.walk(number)
        stays = self._masks.get((~self.serial, partner), lambda: self._stays(partner))
        return stays.copy() if partner == number else self.differ(number, partner, stays)

    def _stays(self, number: int) -> Ints:
        """The mask of a configuration in which a lexeme stays."""
        found = self.lexeme(number)
        if found is None:
            return self.walk(number)
        table, members = found
        lexeme = self._cache.lexeme(table, lambda: scan_lexeme(self._trie, table))
        return self.leave(lexeme, members)

    def kind(self, number: int) -> tuple[int, int]:
        """The configuration that has the same mask, and its partner; 0 if there is none."""
        same = self._called(self._lib.pdl_kind, number, self._addresses[0])
        return same, self._partner.value

    def lexeme(self, number: int) -> tuple[bytes, Ints] | None:
        """The table of the lexeme that a configuration is in, and its members; None if too many."""
        count = self._called(self._lib.pdl_lexeme, number, *self._addresses[1:])
        return (self._table[: 256 * count].tobytes(), self._members[:count]) if count else None

    def walk(self, number: int) -> Ints:
        """The mask of a configuration."""
        found = self._trie.mask()
        self._called(self._lib.pdl_walk, number, byref(_Int()), found)
        return np.frombuffer(found, np.int32)

    def leave(self, lexeme: KernelLexeme, members: Ints) -> Ints:
        """The mask of the first member of a lexeme."""
        found = self._trie.mask.from_buffer_copy(lexeme.inside)
        keys, ends, nodes = lexeme.addresses
        held = (pointer(members), len(members), keys, ends, len(lexeme.keys), nodes)
        self._called(self._lib.pdl_leave, *held, found)
        return np.frombuffer(found, np.int32)

    def differ(self, number: int, partner: int, mask: Ints) -> Ints:
        """The mask of a configuration, from that of another one."""
        found = self._trie.mask.from_buffer_copy(mask)
        self._called(self._lib.pdl_differ, number, partner, byref(_Int()), found)
        return np.frombuffer(found, np.int32)
