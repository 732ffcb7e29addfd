"""JSON (RFC 8259) as a machine that reads characters and keeps a stack of open brackets.

States are named by what was read last: `value` is where a value begins, `done` behind one; `key`
and `text` are inside strings, the rest inside numbers, escapes and words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.linting.stacks import holds

if TYPE_CHECKING:
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
    """One character for each kind that JSON tells apart among those of some ranges."""
    found = {one for one in _SINGLE if holds(ranges, ord(one))}
    for many, name in ((_CONTROL, "\0"), (_OTHER, "\x7f")):
        if any(low <= end and high >= start for low, high in ranges for start, end in many):
            found.add(name)
    return frozenset(found)


def step(state: str, top: str, one: str) -> Step | None:
    """Where a character leads; None if it cannot stand there.

    `top` is the innermost open bracket: `{`, `[`, nothing, or `?` if that is not known. Raises
    UnknownError where the answer depends on it.
    """
    if state in ENDS:
        return _number(state, one) or _behind(top, one)
    if state.startswith(("key", "text")):
        return _string(state, one)
    if state in {"value", "first"}:
        return _value(state, one)
    if state in {"member", "name", "colon"}:
        return _in_object(state, one)
    return _number(state, one) or _word(state, one)


class UnknownError(Exception):
    """What may follow depends on brackets that are not known."""


def _behind(top: str, one: str) -> Step | None:
    if one in _BLANK:
        return Step("done")
    if top == "?":
        raise UnknownError
    if one == "," and top:
        return Step("value" if top == "[" else "name")
    closes = (top == "[" and one == "]") or (top == "{" and one == "}")
    return Step("done", closed=top) if closes else None


def _in_object(state: str, one: str) -> Step | None:
    """In front of a name or of a colon; `member` is where the object may also end."""
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
    """Inside a string: `key` or `text`, and behind that a backslash or how many digits miss."""
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
