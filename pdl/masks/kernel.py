"""The walks in C, with the states of a network that the kernel asks for."""

from __future__ import annotations

import ctypes
from array import array
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from pdl.errors import LimitError
from pdl.gbnf.limits_errors import uncollected
from pdl.masks.automaton import DEAD, NEVER, AmbiguousError, FullError
from pdl.masks.native import LOADER, library, pointer, scan_lexeme
from pdl.masks.pushdown import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from pdl.gbnf.rtn import Rtn
    from pdl.masks.mask_cache import MaskCache
    from pdl.masks.native import KernelLexeme
    from pdl.masks.pushdown import Item
    from pdl.masks.vocabulary import Ints

_BOUND = 24 << 20  # bytes of one engine
LONGEST = 60_000  # bytes of a token
_MEMBERS = 41
_ITEMS = 512
_MOVES, _SPLIT, _CALL, _END = range(1, 5)
_BATCH = 24  # states that are loaded at once
_WHOLE = 400  # states of a rule that are loaded with its start

_Int = ctypes.c_int32


class _States:
    """Gives the kernel the states of a network, each under a number of its own."""

    def __init__(self, rtn: Rtn) -> None:
        self._rtn = rtn
        self._classes = rtn.classes
        self._numbers: dict[int, int] = {}
        self._loaded: set[int] = set()
        self._new: list[int] = []
        self.states: list[int] = []
        self.engine = 0
        self.error: BaseException | None = None

    def number(self, state: int) -> int:
        """The number of a state, which the kernel knows from then on."""
        found = self._numbered(state)
        self._tell()
        return found

    def _numbered(self, state: int) -> int:
        found = self._numbers.get(state)
        return self._add(state) if found is None else found

    def _add(self, state: int) -> int:
        """A number for a state that has none, and for its endless copy."""
        found = self._numbers[state] = len(self.states)
        self.states.append(state)
        rounds = self._rtn.repetitions.endless(state)
        if rounds is None:
            self._new += (NEVER, found, 0)
        else:
            at = len(self._new) + 1
            left, endless, optional = rounds
            self._new += (left, found, int(optional))
            known = self._numbers.get(endless)
            self._new[at] = self._add(endless) if known is None else known
        return found

    def _tell(self) -> None:
        """Let the kernel know the new numbers."""
        if self._new:
            new, self._new = self._new, []
            self._call(library().pdl_states, new, len(new) // 3)

    def _call(self, function: Any, data: list[int], size: int) -> None:
        held = array("i", data)
        if function(self.engine, held.buffer_info()[0], size) < 0:
            raise FullError

    def loader(self) -> Generator[int, int]:
        """Load each state that is sent, and some that it leads to. The kernel sends them.

        A generator, not a function: an interrupt on entry, too, is raised within its `try`.
        """
        code = 0
        while True:
            try:
                number = yield code
                with uncollected():
                    self._load_safely(number)
                code = 0
            except GeneratorExit:
                return
            except BaseException as error:  # noqa: BLE001 - which must not pass through C
                self.error = error
                code = -1

    def _load_safely(self, number: int) -> None:
        """The same; that alone, if it is beyond a limit to load what nobody has asked for."""
        for most in (_BATCH, 1):
            fresh: list[int] = []
            try:
                self._load_some([number], len(self._loaded) + most, fresh)
            except BaseException as error:
                self._loaded.difference_update(fresh)
                if most == 1 or not isinstance(error, LimitError):
                    raise
            else:
                return

    def _load_some(self, pending: list[int], most: int, fresh: list[int]) -> None:
        records: list[int] = []
        states, loaded, classes = self.states, self._loaded, self._classes
        known, add = self._numbers.get, self._add
        for number in pending:  # which grows
            if number in loaded:
                continue
            loaded.add(number)
            fresh.append(number)
            state = states[number]
            moves = self._rtn.moves[state]
            if not moves:
                targets = self._load(number, state, records, fresh)
                if len(loaded) < most:
                    pending += targets
                continue
            records += (number, _MOVES, 3 * len(moves))
            for low, high, target in moves:
                to = known(target)
                if to is None:
                    to = add(target)
                records += (classes[low], classes[high], to)
                if len(loaded) < most:
                    pending.append(to)
        self._tell()
        self._call(library().pdl_load, records, len(records))

    def _load(self, number: int, state: int, records: list[int], fresh: list[int]) -> list[int]:
        """Load a state that reads no byte; the results are those to which it leads."""
        rtn = self._rtn
        held = rtn.splits.get(state)
        call = rtn.calls.get(state) if held is None else None
        if call is not None:
            held = (rtn.starts[call.rule], call.return_state)
            if held[0] not in self._numbers:
                self._enter(rtn.starts.states(call.rule), records, fresh)
        targets = [self._numbers.get(target, -1) for target in held or ()]
        if -1 in targets:
            targets = [self._numbered(target) for target in held or ()]
        if call is not None:
            records += (number, _CALL, 3, *targets, int(call.last))
        elif held is not None:
            records += (number, _SPLIT, len(targets), *targets)
        else:
            records += (number, _END if state in rtn.ends else _MOVES, 0)
        return targets

    def _enter(self, rule: range, records: list[int], fresh: list[int]) -> None:
        """Load a small rule without repetitions, but for the states that call unknown ones.

        The kernel's numbers of them are in the same order, so that they need not be looked up.
        """
        is_small = len(rule) <= _WHOLE and not self._rtn.repetitions.outer.within(rule)
        if not is_small or not self._numbers.keys().isdisjoint(rule):
            return
        rtn = self._rtn
        moves, splits, ends = rtn.moves, rtn.splits, rtn.ends
        rules, backs = rtn.calls.tables
        classes, begin, known = self._classes, len(self.states), rtn.starts.get
        numbers = range(begin, begin + len(rule))
        self._numbers.update(zip(rule, numbers, strict=True))
        self.states.extend(rule)
        self._new += [one for number in numbers for one in (NEVER, number, 0)]
        ahead = begin - rule.start
        unknown: list[int] = []
        for number, state in zip(numbers, rule, strict=True):
            held = moves[state]
            if held:
                records += (number, _MOVES, 3 * len(held))
                for low, high, target in held:
                    records += (classes[low], classes[high], target + ahead)
            elif state in splits:
                targets = splits[state]
                records += (number, _SPLIT, len(targets), *[one + ahead for one in targets])
            elif state in rules:
                start = self._numbers.get(known(rules[state], -1), -1)
                back = backs[state]
                if start >= 0:
                    records += (number, _CALL, 3, start, back + ahead, int(back in ends))
                else:
                    unknown.append(number)
            else:
                records += (number, _END if state in ends else _MOVES, 0)
        made = set(numbers).difference(unknown)
        fresh += made
        self._loaded |= made


def _ints(values: list[int]) -> Any:
    return (_Int * len(values))(*values)


_CODES = {-1: AmbiguousError, -2: FullError}


class Kernel:
    """The configurations of one network in C, by number, and the walks with them."""

    def __init__(self, rtn: Rtn, root: int, limit: int, cache: MaskCache) -> None:
        self._lib = library()
        self._cache = cache
        self._trie = trie = cache.kernel_trie
        self.serial = cache.serial()
        self.states = _States(rtn)
        loader = self.states.loader()
        next(loader)
        self._loader = LOADER(loader.send)
        kinds = np.frombuffer(rtn.classes, np.uint8)
        weights = np.ascontiguousarray(trie.weights, np.int64)
        addresses = (trie.address, pointer(kinds), pointer(weights))
        self._engine = self._lib.pdl_new(*addresses, self._loader, min(limit, _ITEMS), _BOUND)
        if not self._engine:
            raise FullError
        self.states.engine = self._engine
        finalize(self, self._lib.pdl_free, self._engine).atexit = False  # other threads may run
        self._partner = _Int()
        self._table = np.empty(256 * _MEMBERS, np.uint8)
        self._members = np.empty(_MEMBERS, np.int32)
        self._addresses = (
            ctypes.addressof(self._partner),
            pointer(self._table),
            pointer(self._members),
        )
        start = self.states.number(rtn.starts[root])
        self._start = self._config([(start, 0)], complete=False)

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""
        found: int = self._lib.pdl_spent(self._engine)
        return found + 150 * len(self.states.states)

    def _checked(self, code: int) -> int:
        """A result. Raises the error that it stands for."""
        if code < 0:
            error, self.states.error = self.states.error, None
            if error is not None:
                raise error
            raise _CODES.get(code, AssertionError)
        return code

    def _config(self, items: Iterable[tuple[int, int]], *, complete: bool) -> int:
        """Twice the configuration of the closure of some states, and one more where it may end."""
        held = [number for item in items for number in item]
        code = self._lib.pdl_config(self._engine, _ints(held), len(held) // 2, complete)
        return self._checked(code)

    @property
    def start(self) -> Place:
        """The place before any text."""
        return self._place(self._start)

    def _place(self, found: int) -> Place:
        return Place(self, found >> 1, bool(found & 1))

    def _items(self, here: Place) -> list[tuple[int, int]]:
        """The kernel's states at a place, and their stacks."""
        found = (_Int * (2 * _ITEMS))()
        count = self._checked(self._lib.pdl_items(self._engine, here.parts, found, _ITEMS))
        return list(zip(found[: 2 * count : 2], found[1 : 2 * count : 2], strict=True))

    def states_at(self, here: Place) -> list[int]:
        """The states of the network at a place."""
        return [self.states.states[number] for number, _ in self._items(here)]

    def items(self, here: Place) -> list[Item]:
        """The same, each with those to return to."""
        states = self.states.states
        return [(states[number], self._frames(stack)) for number, stack in self._items(here)]

    def targets(
        self, here: Place, there: Place | None, taken: Callable[[int], int | None]
    ) -> Place | None:
        """The union of what states with a token lead to, by `taken`, and another place."""
        found: list[tuple[int, int]] = []
        for number, stack in self._items(here):
            target = taken(self.states.states[number])
            if target is not None:
                found.append((self.states.number(target), stack))
        if not found or there is None:
            return self._place(self._config(found, complete=False)) if found else there
        return self._place(self._config(found + self._items(there), complete=there.complete))

    def place(self, items: Iterable[Item], *, complete: bool) -> Place:
        """The place of the closure of some states."""
        held = [(self.states.number(state), self._stack(frames)) for state, frames in items]
        return self._place(self._config(held, complete=complete))

    def _stack(self, frames: tuple[int, ...]) -> int:
        """The stack of states to return to, the innermost first."""
        found = 0
        for state in reversed(frames):
            found = self._lib.pdl_push(self._engine, self.states.number(state), found)
            self._checked(found)
        return found

    def _frames(self, stack: int) -> tuple[int, ...]:
        """The states to return to, the innermost first."""
        found: list[int] = []
        back = _Int()
        while stack > 0:
            stack = self._lib.pdl_frame(self._engine, stack, ctypes.addressof(back))
            found.append(self.states.states[back.value])
        return tuple(found)

    def drop(self) -> None:
        """Let go of what is not needed to move a place elsewhere: nothing."""

    def run(self, here: Place, data: bytes) -> Place | None:
        """The place after some bytes; None if they can't follow."""
        found = self._checked(self._lib.pdl_run(self._engine, here.parts, data, len(data)))
        return self._place(found) if found else None

    def mask(self, here: Place) -> Ints:
        """The mask of a place: of the tokens that are text."""
        return self._mask(here.parts)

    def _mask(self, number: int) -> Ints:
        same, partner = self.kind(number)
        if same != number:
            return self._cache.mask((~self.serial, same), lambda: self._mask(same)).copy()
        if partner == DEAD:
            return self.walk(number)
        stays = self._cache.mask((~self.serial, partner), lambda: self._stays(partner))
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
        code = self._lib.pdl_kind(self._engine, number, self._addresses[0])
        return self._checked(code), self._partner.value

    def lexeme(self, number: int) -> tuple[bytes, Ints] | None:
        """The table of the lexeme that a configuration is in, and its members; None if too many."""
        count = self._checked(self._lib.pdl_lexeme(self._engine, number, *self._addresses[1:]))
        return (self._table[: 256 * count].tobytes(), self._members[:count]) if count else None

    def walk(self, number: int) -> Ints:
        """The mask of a configuration."""
        found = np.zeros(self._trie.words, np.int32)
        self._checked(self._lib.pdl_walk(self._engine, number, pointer(found)))
        return found

    def leave(self, lexeme: KernelLexeme, members: Ints) -> Ints:
        """The mask of the first member of a lexeme."""
        found = lexeme.inside.copy()
        keys, ends, nodes = lexeme.addresses
        held = (pointer(members), len(members), keys, ends, len(lexeme.keys), nodes)
        self._checked(self._lib.pdl_leave(self._engine, *held, pointer(found)))
        return found

    def differ(self, number: int, partner: int, mask: Ints) -> Ints:
        """The mask of a configuration, from that of another one."""
        found = mask.copy()
        code = self._lib.pdl_differ(self._engine, number, partner, pointer(found))
        self._checked(code)
        return found
