"""Proves of many grammars that all their texts are JSON.

Runs the rules and the machine that reads JSON side by side. For each symbol and each state in which
it may begin, the states in which it may end are gathered until there are no more (Reps, Horwitz,
Sagiv, 1995: reachability along matched calls). Of the brackets that are open where a symbol begins
only the innermost is known, so a symbol that closes more of them, and reads on, proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.linting.elements import Element, Elements, Symbol
from pdl.gbnf.linting.json_machine import ENDS, START, Step, UnknownError, kinds, step
from pdl.gbnf.nodes import TokenRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Rule

_WORK = 60_000
_DEEP = 20
"""Brackets that one symbol may open without closing them."""


class _Entry(NamedTuple):
    """A symbol that begins in some state, inside of a bracket."""

    symbol: Symbol
    state: str
    top: str


class _Place(NamedTuple):
    """A state, the brackets opened since the entry, and whether the one around it was closed."""

    state: str
    open: str
    left: bool


class _FailedError(Exception):
    """There is no proof."""


class JsonProof:
    """Tries to prove it of one grammar."""

    def __init__(self, rules: Mapping[str, Rule], root: str) -> None:
        self._root = Elements(rules).rule(root)
        self._ends: dict[_Entry, dict[_Place, None]] = {}
        self._callers: dict[_Entry, list[tuple[_Entry, Element | None, _Place]]] = {}
        self._seen: set[tuple[_Entry, int, _Place]] = set()
        self._pending: list[tuple[_Entry, Element | None, _Place]] = []
        self._kinds: dict[int, frozenset[str]] = {}

    def holds(self) -> bool:
        """Whether all texts are certainly JSON."""
        whole = _Entry(self._root, START, "")
        try:
            self._enter(whole)
            for _ in range(_WORK):
                if not self._pending:
                    break
                self._go(*self._pending.pop())
        except (_FailedError, UnknownError):
            return False
        ends = all(end.state in ENDS and not end.open for end in self._ends[whole])
        return ends and not self._pending

    def _enter(self, entry: _Entry) -> None:
        if entry not in self._ends:
            self._ends[entry] = {}
            for option in entry.symbol.options:
                self._reach(entry, option, _Place(entry.state, "", left=False))

    def _reach(self, entry: _Entry, element: Element | None, place: _Place) -> None:
        key = (entry, element.number if element else 0, place)
        if key not in self._seen:
            self._seen.add(key)
            self._pending.append((entry, element, place))

    def _go(self, entry: _Entry, element: Element | None, place: _Place) -> None:
        if element is None:
            self._end(entry, place)
        elif element.symbol is not None:
            called = _Entry(element.symbol, place.state, _top(entry, place))
            self._callers.setdefault(called, []).append((entry, element.following, place))
            self._enter(called)
            for end in tuple(self._ends[called]):
                self._reach(entry, element.following, _joined(place, end))
        else:
            self._read(entry, element, place)

    def _end(self, entry: _Entry, end: _Place) -> None:
        if end not in self._ends[entry]:
            self._ends[entry][end] = None
            for caller, following, place in self._callers.get(entry, ()):
                self._reach(caller, following, _joined(place, end))

    def _read(self, entry: _Entry, element: Element, place: _Place) -> None:
        if isinstance(element.item, TokenRef):
            raise _FailedError
        known = self._kinds.get(element.number)
        if known is None:
            known = self._kinds[element.number] = kinds(element.ranges)
        for one in known:
            found = step(place.state, _top(entry, place), one)
            if found is None:
                raise _FailedError
            self._reach(entry, element.following, _moved(place, found))


def _top(entry: _Entry, place: _Place) -> str:
    """The innermost open bracket."""
    return place.open[-1:] or ("?" if place.left else entry.top)


def _moved(place: _Place, found: Step) -> _Place:
    state, opened, left = found.state, place.open, place.left
    if found.opened:
        opened += found.opened
    elif found.closed and opened:
        opened = opened[:-1]
    elif found.closed:
        left = True
    if len(opened) > _DEEP:
        raise _FailedError
    return _Place(state, opened, left)


def _joined(place: _Place, end: _Place) -> _Place:
    """Where a symbol is left that was entered at a place."""
    opened, left = place.open, place.left
    if end.left and opened:
        opened = opened[:-1]
    elif end.left and left:
        raise _FailedError
    elif end.left:
        left = True
    if len(opened + end.open) > _DEEP:
        raise _FailedError
    return _Place(end.state, opened + end.open, left)
