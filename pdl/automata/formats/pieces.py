"""What the formats are put together from: a description first, and one automaton of all of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.build import words
from pdl.automata.charset import CharSet
from pdl.automata.dfa import DEFAULT_BUDGET, Dfa
from pdl.automata.nfa import Nfa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DIGIT = CharSet.range(0x30, 0x39)
UPPER = CharSet.range(0x41, 0x5A)
LOWER = CharSet.range(0x61, 0x7A)
HEX = DIGIT | CharSet.of("abcdefABCDEF")
ALNUM = DIGIT | UPPER | LOWER
NON_ASCII = ~CharSet.range(0, 0x7F)


@dataclass(frozen=True)
class Piece:
    """A language as it is added to an automaton: from a state to one that is returned."""

    add: Callable[[Nfa, int], int]


Part: TypeAlias = "Piece | Dfa | CharSet | str"
"""A piece, an automaton, one character of a set, or a text as it is."""


def built(part: Part) -> Dfa:
    """The minimal automaton."""
    nfa = Nfa()
    start = nfa.state()
    return nfa.determined(start, _add(nfa, start, part), DEFAULT_BUDGET)


def text(*parts: Part) -> Piece:
    """One after the other."""
    return Piece(lambda nfa, at: reduce(lambda end, part: _add(nfa, end, part), parts, at))


def either(*parts: Part) -> Piece:
    """Any of them."""

    def add(nfa: Nfa, at: int) -> int:
        end = nfa.state()
        for part in parts:
            nfa.skip(_add(nfa, at, part), end)
        return end

    return Piece(add)


def maybe(*parts: Part) -> Piece:
    """One after the other, or nothing."""
    return either(text(*parts), "")


def some(part: Part, least: int = 0, most: int | None = None) -> Piece:
    """From `least` to `most` of it; None for no end."""

    def add(nfa: Nfa, at: int) -> int:
        for _ in range(least):
            at = _add(nfa, at, part)
        if most is None:
            loop = nfa.state()
            nfa.skip(at, loop)
            nfa.skip(_add(nfa, loop, part), loop)
            return loop
        return _add(nfa, at, nested([part] * (most - least)))

    return Piece(add)


def nested(levels: Iterable[Part]) -> Piece:
    """Perhaps the first, and behind it perhaps the second, and behind that perhaps the third."""

    def add(nfa: Nfa, at: int) -> int:
        end = nfa.state()
        nfa.skip(at, end)
        for level in levels:
            at = _add(nfa, at, level)
            nfa.skip(at, end)
        return end

    return Piece(add)


def numerals(values: Iterable[int], width: int) -> Dfa:
    """Numbers with zeros in front to a width."""
    return words(f"{value:0{width}}" for value in values)


def _add(nfa: Nfa, at: int, part: Part) -> int:
    """Go on from a state with a part; the state where it ends."""
    if isinstance(part, Piece):
        return part.add(nfa, at)
    if isinstance(part, Dfa):
        return _embed(nfa, at, part)
    for one in [part] if isinstance(part, CharSet) else map(CharSet.of, part):
        end = nfa.state()
        nfa.step(at, one.ranges, end)
        at = end
    return at


def _embed(nfa: Nfa, at: int, dfa: Dfa) -> int:
    start, accepting = nfa.embed(dfa)
    nfa.skip(at, start)
    end = nfa.state()
    for state in accepting:
        nfa.skip(state, end)
    return end
