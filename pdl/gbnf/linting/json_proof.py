"""Proves of many grammars that all their strings are JSON, by context-free reachability.

Runs the rules and the automaton that reads JSON in parallel. For each symbol and each state in
which it can begin, the states in which it can end are gathered until there are no more (Reps,
Horwitz, Sagiv, 1995: reachability along matched calls). Of the brackets that are open where a
symbol begins only the innermost is known, so a symbol that closes more of them, and reads on,
proves nothing.

The automaton reads the characters of JSON (RFC 8259) and keeps a stack of open brackets. Its states
are named by what was read last: `value` is where a value begins, `done` after one; `key` and `text`
are inside strings, the rest inside numbers, escapes and words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.linting.llama_stacks import Element, Elements, Symbol, contains
from pdl.gbnf.nodes import TokenRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.utf8 import Ranges


START = "value"
ENDS = frozenset(["done", "zero", "integer", "fraction", "exponent"])
"""States in which a value is complete."""
_BLANK = " \t\n\r"
_NONZERO = "123456789"
_DIGITS = "0" + _NONZERO
_HEX = _DIGITS + "abcdefABCDEF"
_SINGLE = "".join(map(chr, range(0x20, 0x7F))) + "\t\n\r"
_CONTROL = ((0, 8), (0xB, 0xC), (0xE, 0x1F))
_OTHER = ((0x7F, 0x10FFFF),)


class Step(NamedTuple):
    """Where a character leads: a state, and a bracket that is opened or closed."""

    state: str
    opened: str = ""
    closed: str = ""


def kinds(ranges: Ranges) -> frozenset[str]:
    """Return one character for each class that JSON distinguishes within some ranges."""
    found = {one for one in _SINGLE if contains(ranges, ord(one))}
    for many, name in ((_CONTROL, "\0"), (_OTHER, "\x7f")):
        if any(low <= end and high >= start for low, high in ranges for start, end in many):
            found.add(name)
    return frozenset(found)


def step(state: str, top: str, one: str) -> Step | None:
    """Return where a character leads; None if it is not allowed there.

    `top` is the innermost open bracket: `{`, `[`, nothing, or `?` if that is not known. Raises
    UnknownError where the answer depends on it.
    """
    if state in ENDS:
        return _number(state, one) or _after(top, one)
    if state.startswith(("key", "text")):
        return _string(state, one)
    if state in {"value", "first"}:
        return _value(state, one)
    if state in {"member", "name", "colon"}:
        return _in_object(state, one)
    return _number(state, one) or _word(state, one)


class UnknownError(Exception):
    """What can follow depends on brackets that are not known."""


def _after(top: str, one: str) -> Step | None:
    if one in _BLANK:
        return Step("done")
    if top == "?":
        raise UnknownError
    if one == "," and top:
        return Step("value" if top == "[" else "name")
    closes = (top == "[" and one == "]") or (top == "{" and one == "}")
    return Step("done", closed=top) if closes else None


def _in_object(state: str, one: str) -> Step | None:
    """Before a name or a colon; `member` is where the object can also end."""
    if one in _BLANK:
        return Step(state)
    if state == "colon":
        return Step("value") if one == ":" else None
    if one == "}" and state == "member":
        return Step("done", closed="{")
    return Step("key") if one == '"' else None


def _value(state: str, one: str) -> Step | None:
    if one in _BLANK:
        return Step(state)
    if one in "{[":
        return Step("member" if one == "{" else "first", opened=one)
    if one == "]" and state == "first":
        return Step("done", closed="[")
    plain = {'"': "text", "-": "minus", "t": "rue", "f": "alse", "n": "ull"}.get(one)
    return Step(plain) if plain else _number("minus", one)


def _string(state: str, one: str) -> Step | None:
    """Inside a string: `key` or `text`, then a backslash or how many digits are missing."""
    name, rest = (state[:3], state[3:]) if state[0] == "k" else (state[:4], state[4:])
    if rest == "\\":
        if one == "u":
            return Step(name + "4")
        return Step(name) if one in '"\\/bfnrt' else None
    if rest:
        left = int(rest) - 1
        return Step(name + (str(left) if left else "")) if one in _HEX else None
    if one == '"':
        return Step("colon" if name == "key" else "done")
    if one == "\\":
        return Step(name + "\\")
    return None if one in "\0\t\n\r" else Step(name)


_NUMBERS = {
    "minus": (("0", "zero"), (_NONZERO, "integer")),
    "zero": ((".", "point"), ("eE", "power")),
    "integer": ((_DIGITS, "integer"), (".", "point"), ("eE", "power")),
    "point": ((_DIGITS, "fraction"),),
    "fraction": ((_DIGITS, "fraction"), ("eE", "power")),
    "power": (("+-", "sign"), (_DIGITS, "exponent")),
    "sign": ((_DIGITS, "exponent"),),
    "exponent": ((_DIGITS, "exponent"),),
}


def _number(state: str, one: str) -> Step | None:
    found = (to for characters, to in _NUMBERS.get(state, ()) if one in characters)
    to = next(found, None)
    return Step(to) if to else None


def _word(state: str, one: str) -> Step | None:
    """Inside `true`, `false` or `null`: the state is what is missing."""
    return Step(state[1:] or "done") if state not in _NUMBERS and state[0] == one else None


_WORK = 60_000
_DEEP = 20
"""Brackets that one symbol can open without closing them."""


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
        """Whether all strings are certainly JSON."""
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
