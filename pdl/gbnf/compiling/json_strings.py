"""Characters of strings as JSON spells them, and the hexadecimal digits of their escapes.

Source: RFC 8259, section 7. An escape has four digits, or twice four for a surrogate pair. Ranges
become trees of digits with equal branches as one, so that few rules say which code points are
meant.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl.automata.charset import EVERY, CharSet
from pdl.gbnf.compiling.drafts import (
    Choice,
    ProductionDraft,
    Repeat,
    concat,
    joined,
    single,
)
from pdl.gbnf.compiling.inlining import sealed

if TYPE_CHECKING:
    from pdl.automata.charset import Ranges
    from pdl.gbnf.compiling.drafts import Alternative, Alternatives, Part
    from pdl.gbnf.compiling.options import Escapes


_ASTRAL = 0x10000
_END = 0x110000
_UPPER = CharSet.range(0x1000, _END - 1)
HEX = CharSet.of("0123456789ABCDEFabcdef")
"""A hexadecimal digit, in either case."""

_DIGIT = sealed(ProductionDraft("hex", ((HEX,),), fixed=True))


class _Level(NamedTuple):
    """One digit: those that it may be, and whether the second surrogate begins before it."""

    choice: str
    second: bool = False


_HEX = _Level("0123456789abcdef")
_BASIC = (_HEX,) * 3
_PAIR = (_Level("89ab"), _HEX, _HEX, _Level("cdef", second=True), _HEX, _HEX)
"""What follows the `d` of a high surrogate: ten bits of it, and ten of the low one."""


class Digits:
    """Writes sets of code points as digits, in lower case or in any.

    Equal parts are one rule, unless each is to be `alone`.
    """

    def __init__(self, *, lower: bool, alone: bool = False) -> None:
        self._lower = lower
        self._alone = alone or lower  # those of lower case are few
        self._known: dict[Alternatives, ProductionDraft] = {}
        self._free: dict[tuple[_Level, ...], Alternatives] = {}
        self._classes: dict[str, Part] = {}

    def rows(self, chars: CharSet) -> Alternatives:
        """The digits of the characters of a set, for what follows a backslash and `u`.

        Those of all characters from U+1000 on, which most sets have, are one rule.
        """
        if self._lower or (chars & _UPPER) != _UPPER:
            return self.apart(chars)
        lower = chars - _UPPER
        return (*(self.apart(lower) if lower else ()), (_UPPER_DIGITS,))

    def apart(self, chars: CharSet) -> Alternatives:
        """The same, without that rule."""
        pairs = _clipped(chars.ranges, _ASTRAL, _END)
        grouped: dict[Alternatives, str] = {}
        for at, digit in enumerate(_HEX.choice):
            inner = _clipped(chars.ranges, at << 12, at + 1 << 12)
            rows = self._below(inner, _BASIC) if inner else ()
            if pairs and digit == "d":
                rows += self._below(pairs, _PAIR)
            if rows:
                grouped[rows] = grouped.get(rows, "") + digit
        return self._written(_HEX, grouped)

    def _below(self, ranges: Ranges, levels: tuple[_Level, ...]) -> Alternatives:
        """The digits of some levels; no deeper than there are levels."""
        size = 1
        for level in levels:
            size *= len(level.choice)
        if ranges[0] == (0, size - 1):
            return self._all(levels)
        step = size // len(levels[0].choice)
        grouped: dict[Alternatives, str] = {}
        for at, digit in enumerate(levels[0].choice):
            inner = _clipped(ranges, at * step, (at + 1) * step)
            if inner:
                rows = self._below(inner, levels[1:])
                grouped[rows] = grouped.get(rows, "") + digit
        return self._written(levels[0], grouped)

    def _all(self, levels: tuple[_Level, ...]) -> Alternatives:
        if levels not in self._free:
            row = concat(*(self._digit(level, level.choice) for level in levels))
            self._free[levels] = (row,)
        return self._free[levels]

    def _written(self, level: _Level, grouped: dict[Alternatives, str]) -> Alternatives:
        return tuple(
            concat(self._digit(level, choice), self._after(rows))
            for rows, choice in grouped.items()
        )

    def _after(self, rows: Alternatives) -> Alternative:
        if len(rows) == 1:
            return rows[0]
        if self._alone:
            return (Choice(rows),)
        if rows not in self._known:
            self._known[rows] = ProductionDraft("escape", rows)
        return (self._known[rows],)

    def _digit(self, level: _Level, choice: str) -> Alternative:
        before: Alternative = ("\\u", self._class("d")) if level.second else ()
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


_UPPER_DIGITS = sealed(ProductionDraft("escape", Digits(lower=False).apart(_UPPER)))


_SHORT = {0x22: '"', 0x5C: "\\", 0x08: "b", 0x0C: "f", 0x0A: "n", 0x0D: "r", 0x09: "t"}
_SLASH = CharSet.of("/")
_CONTROLS = CharSet.range(0, 0x1F)
_NAMED = CharSet(((0x08, 0x0A), (0x0C, 0x0D), (0x22, 0x22), (0x5C, 0x5C)))
"""What has a letter or a mark as its escape."""
_PLAIN = EVERY - _CONTROLS - CharSet.of('"\\')
"""What may be in a string as itself."""
_PRINTABLE = CharSet.range(0x20, 0x7E)
_FIRST_PLAIN = 0x5D
_LONG = 6
"""Ranges of a class that is a rule of its own."""
_TOLD = 4
"""Characters that the name of a rule mentions."""
_encoded = json.JSONEncoder(ensure_ascii=False).encode  # spells as `canonical` does


@dataclass(frozen=True)
class _Policy:
    """Which characters may be a backslash with a letter or a mark, and which one with digits."""

    named: CharSet
    coded: CharSet
    lower: bool = False

    @property
    def escaped(self) -> CharSet:
        return self.named | self.coded

    @cached_property
    def sure(self) -> frozenset[str]:
        """The characters of ASCII that are written as themselves alone."""
        return frozenset(map(chr, _codes(_PRINTABLE - self.escaped)))


_CANONICAL = _Policy(_NAMED, _CONTROLS - _NAMED, lower=True)
_USUAL = _Policy(_NAMED | _SLASH, EVERY - _PRINTABLE)
_ANY = _Policy(_NAMED | _SLASH, EVERY)
_POLICIES = {"canonical": _CANONICAL, "usual": _USUAL, "any": _ANY}


_FREE: Alternatives = (
    (_PLAIN,),
    ("\\", Choice(((CharSet.of('"/\\bfnrt'),), ("u", Repeat(HEX, 4, 4))))),
)
"""Any character, or half of one written as a pair of surrogates, which JSON allows alone."""


class JsonStringEncoder:
    """The spelling of characters under one policy; what is long becomes a rule, once.

    Those of strings that may have any characters are spelled in all ways, unless all is canonical.
    """

    def __init__(self, escapes: Escapes) -> None:
        self._escapes = escapes
        self._policy = _POLICIES[escapes]
        self._sure = self._policy.sure
        self._digits = Digits(lower=self._policy.lower)
        self._known: dict[CharSet | int, Part] = {}
        self._classes: dict[CharSet, ProductionDraft] = {}
        self._slashed: dict[CharSet, ProductionDraft] = {}
        self._starts: dict[tuple[CharSet, bool], ProductionDraft] = {}
        self._escaped_starts: dict[tuple[CharSet, bool], ProductionDraft] = {}
        self.char, escape = _any(escapes)
        """Any character."""
        self.free = self.char
        """Any character where none are counted: a pair of surrogates may be two of them."""
        if self._policy is _CANONICAL:
            self._slashed[self._policy.escaped] = escape
        else:
            self.free = _free()
        self._known[EVERY] = self.char

    def one(self, chars: CharSet, wish: str) -> Part:
        """A character of a set, as a string if there is only one spelling."""
        ranges = chars.ranges
        if self._policy is _CANONICAL and ranges[0][0] >= _FIRST_PLAIN and len(ranges) < _LONG:
            return single(chars)
        low, high = ranges[0]
        key = low if low == high and len(ranges) == 1 else chars
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._made(chars, wish)
        return found

    def text(self, text: str, wish: str) -> Alternative:
        """A string, character by character."""
        if self._sure.issuperset(text):
            return (text,) if text else ()
        if self._policy is _CANONICAL:
            return (_encoded(text)[1:-1],)
        return joined(*(self.one(CharSet.char(ord(char)), wish) for char in text))

    def beginning(self, chars: CharSet, *, optional: bool) -> ProductionDraft:
        """Any string that begins with a character of a set; or, if `optional`, the empty one."""
        found = self._starts.get((chars, optional))
        if found is None:
            found = ProductionDraft(_without(chars), self._begun(chars, optional=optional))
            self._starts[chars, optional] = found
        return found

    def _begun(self, chars: CharSet, *, optional: bool) -> Alternatives:
        """What begins as itself, and what begins with an escape, which is the same for most."""
        rest = Repeat(self.char, 0, None)
        plain, escaped = _split(self._escapes, chars)
        if chars == EVERY or not plain:
            row = concat((self.one(chars, "some"), rest))
            return (row, ()) if optional else (row,)
        row = (self._plain(plain, "some"), rest)
        if escaped:
            return (row, (self._begun_with_escape(escaped, optional=optional),))
        return (row, ()) if optional else (row,)

    def _begun_with_escape(self, chars: CharSet, *, optional: bool) -> ProductionDraft:
        found = self._escaped_starts.get((chars, optional))
        if found is None:
            rows: Alternatives
            if optional:
                rows = ((self._begun_with_escape(chars, optional=False),), ())
            else:
                rest = Repeat(self.char, 0, None)
                rows = tuple(joined(*row, rest) for row in self._after_slash(chars))
            found = self._escaped_starts[chars, optional] = ProductionDraft("other", rows)
        return found

    def _made(self, chars: CharSet, wish: str) -> Part:
        plain, escaped = _split(self._escapes, chars)
        rows: list[Alternative] = [(self._plain(plain, wish),)] if plain else []
        if escaped:
            rows += self._after_slash(escaped)
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        low = chars.ranges[0][0]
        return ProductionDraft(
            f"char-{low:x}" if chars == CharSet.char(low) else f"{wish}-char", tuple(rows)
        )

    def _plain(self, chars: CharSet, wish: str) -> Part:
        """A class, as a rule if it is long, so that it is written but once."""
        if len(chars.ranges) < _LONG:
            return single(chars)
        found = self._classes.get(chars)
        if found is None:
            found = self._classes[chars] = ProductionDraft(f"{wish}-char", ((chars,),))
        return found

    def _after_slash(self, chars: CharSet) -> Alternatives:
        found = self._slashed.get(chars)
        if found is None:
            few = len(chars.ranges) <= _LONG
            rows = _few(self._escapes, chars) if few else self._many(chars)
            if len(rows[0]) == 1:
                return rows  # a string
            found = self._slashed[chars] = ProductionDraft("escape", rows)
        return ((found,),)

    def _many(self, chars: CharSet) -> Alternatives:
        return _escapes(chars, self._policy, self._digits)


@lru_cache(maxsize=3)
def _any(escapes: Escapes) -> tuple[ProductionDraft, ProductionDraft]:
    """The rule of any character, and the one of its escapes; both are the same in all grammars."""
    spelling: Escapes = "canonical" if escapes == "canonical" else "any"
    escape = ProductionDraft("escape", _few(spelling, EVERY), fixed=True)
    return sealed(ProductionDraft("char", ((_PLAIN,), (escape,)), fixed=True)), escape


@lru_cache(maxsize=1)
def _free() -> ProductionDraft:
    return sealed(ProductionDraft("free-char", _FREE, fixed=True))


@lru_cache(maxsize=512)
def _split(escapes: Escapes, chars: CharSet) -> tuple[CharSet, CharSet]:
    """The characters of a set that are written as themselves, and those that are escaped."""
    return chars & _PLAIN, chars & _POLICIES[escapes].escaped


@lru_cache(maxsize=512)
def _few(escapes: Escapes, chars: CharSet) -> Alternatives:
    """The escapes of a set of few ranges, without drafts that are not sealed."""
    policy = _POLICIES[escapes]
    return _escapes(chars, policy, Digits(lower=policy.lower, alone=True))


def _escapes(chars: CharSet, policy: _Policy, digits: Digits) -> Alternatives:
    """The escapes of the characters of a set, each with its backslash, as one row."""
    rows: list[Alternative] = []
    marks = "".join(_SHORT.get(code, "/") for code in _codes(chars & policy.named))
    if marks:
        rows.append((single(CharSet.of(marks)),))
    coded = chars & policy.coded
    if coded:
        inner = digits.rows(coded)
        rows.append(joined("u", inner[0] if len(inner) == 1 else Choice(inner)))
    return (joined("\\", rows[0] if len(rows) == 1 else Choice(tuple(rows))),)


def _codes(chars: CharSet) -> list[int]:
    return [code for low, high in chars.ranges for code in range(low, high + 1)]


@lru_cache(maxsize=512)
def _without(chars: CharSet) -> str:
    """A name that says which characters are not in a set."""
    others = (EVERY - chars).ranges[:_TOLD] if chars != EVERY else ()
    told = [chr(code) for low, high in others for code in range(low, min(high, low + _TOLD) + 1)]
    return f"no-{''.join(told[:_TOLD])}"
