"""Code points as the four hexadecimal digits of an escape, or twice four for a surrogate pair.

Ranges become trees of digits with equal branches as one, so that few rules say which code points
are meant. Source: RFC 8259, section 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.automata.charset import CharSet
from pdl.gbnf.compiling.emission.finish import sealed
from pdl.gbnf.compiling.emission.fold import concat
from pdl.gbnf.compiling.emission.parts import Choice, Draft

if TYPE_CHECKING:
    from pdl.automata.charset import Ranges
    from pdl.gbnf.compiling.emission.parts import Part, Row, Rows

_ASTRAL = 0x10000
_END = 0x110000
_UPPER = CharSet.range(0x1000, _END - 1)
HEX = CharSet.of("0123456789ABCDEFabcdef")
"""A hexadecimal digit, in either case."""

_DIGIT = sealed(Draft("hex", ((HEX,),), fixed=True))


class _Level(NamedTuple):
    """One digit: those that it may be, and whether the second surrogate begins in front of it."""

    choice: str
    second: bool = False


_HEX = _Level("0123456789abcdef")
_BASIC = (_HEX,) * 3
_PAIR = (_Level("89ab"), _HEX, _HEX, _Level("cdef", second=True), _HEX, _HEX)
"""What follows the `d` of a high surrogate: ten bits of it, and ten of the low one."""


class Digits:
    """Writes sets of code points as digits, in lower case or in any.

    Equal parts are one rule, unless each is to stand `alone`.
    """

    def __init__(self, *, lower: bool, alone: bool = False) -> None:
        self._lower = lower
        self._alone = alone or lower  # those of lower case are few
        self._known: dict[Rows, Draft] = {}
        self._free: dict[tuple[_Level, ...], Rows] = {}
        self._classes: dict[str, Part] = {}

    def rows(self, chars: CharSet) -> Rows:
        """The digits of the characters of a set, for what stands behind a backslash and `u`.

        Those of all that is not in Latin or near it, which most sets have, are one rule.
        """
        if self._lower or (chars & _UPPER) != _UPPER:
            return self.apart(chars)
        lower = chars - _UPPER
        return (*(self.apart(lower) if lower else ()), (_UPPER_DIGITS,))

    def apart(self, chars: CharSet) -> Rows:
        """The same, without that rule."""
        pairs = _clipped(chars.ranges, _ASTRAL, _END)
        grouped: dict[Rows, str] = {}
        for at, digit in enumerate(_HEX.choice):
            inner = _clipped(chars.ranges, at << 12, at + 1 << 12)
            rows = self._below(inner, _BASIC) if inner else ()
            if pairs and digit == "d":
                rows += self._below(pairs, _PAIR)
            if rows:
                grouped[rows] = grouped.get(rows, "") + digit
        return self._written(_HEX, grouped)

    def _below(self, ranges: Ranges, levels: tuple[_Level, ...]) -> Rows:
        """The digits of some levels; no deeper than there are levels."""
        size = 1
        for level in levels:
            size *= len(level.choice)
        if ranges[0] == (0, size - 1):
            return self._all(levels)
        step = size // len(levels[0].choice)
        grouped: dict[Rows, str] = {}
        for at, digit in enumerate(levels[0].choice):
            inner = _clipped(ranges, at * step, (at + 1) * step)
            if inner:
                rows = self._below(inner, levels[1:])
                grouped[rows] = grouped.get(rows, "") + digit
        return self._written(levels[0], grouped)

    def _all(self, levels: tuple[_Level, ...]) -> Rows:
        if levels not in self._free:
            row = concat(*(self._digit(level, level.choice) for level in levels))
            self._free[levels] = (row,)
        return self._free[levels]

    def _written(self, level: _Level, grouped: dict[Rows, str]) -> Rows:
        return tuple(
            concat(self._digit(level, choice), self._behind(rows))
            for rows, choice in grouped.items()
        )

    def _behind(self, rows: Rows) -> Row:
        if len(rows) == 1:
            return rows[0]
        if self._alone:
            return (Choice(rows),)
        if rows not in self._known:
            self._known[rows] = Draft("escape", rows)
        return (self._known[rows],)

    def _digit(self, level: _Level, choice: str) -> Row:
        before: Row = ("\\u", self._class("d")) if level.second else ()
        return (*before, self._class(choice))

    def _class(self, choice: str) -> Part:
        if len(choice) == 1 and (self._lower or choice.isdigit()):
            return choice
        if choice == _HEX.choice and not self._lower:
            return _DIGIT
        if choice not in self._classes:
            text = choice if self._lower else choice + choice.upper()
            self._classes[choice] = CharSet.of(text)
        return self._classes[choice]


def _clipped(ranges: Ranges, low: int, end: int) -> Ranges:
    """What ranges have from `low` to before `end`, counted from there."""
    return tuple(
        (max(first, low) - low, min(last, end - 1) - low)
        for first, last in ranges
        if first < end and last >= low
    )


_UPPER_DIGITS = sealed(Draft("escape", Digits(lower=False).apart(_UPPER)))
