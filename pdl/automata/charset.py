"""Sets of code points as sorted ranges, and classes of code points that no edge distinguishes.

An automaton is built over class numbers, of which there are few, and not over code points
(symbolic automata; D'Antoni and Veanes, "The Power of Symbolic Automata and Transducers", 2017).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


LAST = 0x10FFFF
Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Inclusive ranges: sorted, disjoint, none next to another."""

_SURROGATES = (0xD800, 0xDFFF)
_SCALARS: Ranges = ((0, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, LAST))


@final
@dataclass(frozen=True)
class CharSet:
    """A set of Unicode scalar values: code points without the surrogates U+D800 to U+DFFF.

    `ranges` must be as `Ranges` says; `CharSet.over` makes them so. `~` is the complement among
    the scalar values.
    """

    ranges: Ranges = ()

    @classmethod
    def over(cls, pairs: Iterable[tuple[int, int]]) -> CharSet:
        """Return the scalar values in inclusive ranges: overlapping, unsorted, with surrogates."""
        return cls(_meet(_merged(pairs), _SCALARS))

    @classmethod
    def of(cls, text: str) -> CharSet:
        """Return the characters of a string."""
        return cls.over((ord(char), ord(char)) for char in text)

    @classmethod
    def range(cls, low: int, high: int) -> CharSet:
        """Return the scalar values from `low` to `high`, both included."""
        return cls.over([(low, high)])

    @classmethod
    def char(cls, code: int) -> CharSet:
        """Return the set of one scalar value; empty for a surrogate."""
        surrogate = _SURROGATES[0] <= code <= _SURROGATES[1]
        return NONE if surrogate else cls(((code, code),))

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet(_merged(self.ranges + other.ranges))

    def __and__(self, other: CharSet) -> CharSet:
        return CharSet(_meet(self.ranges, other.ranges))

    def __sub__(self, other: CharSet) -> CharSet:
        return CharSet(_meet(self.ranges, _gaps(other.ranges)))

    def __invert__(self) -> CharSet:
        return CharSet(_meet(_SCALARS, _gaps(self.ranges)))

    def __contains__(self, item: int | str) -> bool:
        code = ord(item) if isinstance(item, str) else item
        at = bisect_right(self._lows, code) - 1
        return at >= 0 and code <= self.ranges[at][1]

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.ranges)

    @cached_property
    def _lows(self) -> tuple[int, ...]:
        return tuple(low for low, _ in self.ranges)


def _merged(pairs: Iterable[tuple[int, int]]) -> Ranges:
    out: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if low > high:
            continue
        if out and low <= out[-1][1] + 1:
            if high > out[-1][1]:
                out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return tuple(out)


def _meet(ours: Ranges, theirs: Ranges) -> Ranges:
    out: list[tuple[int, int]] = []
    i = j = 0
    while i < len(ours) and j < len(theirs):
        low = max(ours[i][0], theirs[j][0])
        high = min(ours[i][1], theirs[j][1])
        if low <= high:
            out.append((low, high))
        if ours[i][1] < theirs[j][1]:
            i += 1
        else:
            j += 1
    return tuple(out)


def _gaps(ranges: Ranges) -> Ranges:
    """All code points, surrogates too, that are in none of the ranges."""
    out: list[tuple[int, int]] = []
    at = 0
    for low, high in ranges:
        if at < low:
            out.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        out.append((at, LAST))
    return tuple(out)


NONE = CharSet()
EVERY = CharSet(_SCALARS)


Members: TypeAlias = tuple[int, ...]
"""Class numbers, sorted."""


def classify(sets: Sequence[Ranges]) -> tuple[tuple[Ranges, ...], list[Members]]:
    """Return the coarsest disjoint classes whose unions are the sets (minterms), and those of each.

    Classes are numbered by their lowest code points. What is in no set is in no class.
    """
    parts = _parts(sets)
    members: list[list[int]] = [[] for _ in sets]
    for number, mask in enumerate(parts):
        for index in _bits(mask):
            members[index].append(number)
    return tuple(map(tuple, parts.values())), [tuple(one) for one in members]


def _parts(sets: Sequence[Ranges]) -> dict[int, list[tuple[int, int]]]:
    """The ranges that lie in the same sets; the keys have a bit for each of these sets."""
    flips: defaultdict[int, int] = defaultdict(int)
    for index, ranges in enumerate(sets):
        bit = 1 << index
        for low, high in ranges:
            flips[low] ^= bit
            flips[high + 1] ^= bit
    parts: dict[int, list[tuple[int, int]]] = {}
    active = since = 0
    for point in sorted(flips):
        flip = flips[point]
        if not flip:
            continue
        if active:
            parts.setdefault(active, []).append((since, point - 1))
        active, since = active ^ flip, point
    return parts


def _bits(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def joined(classes: Sequence[Ranges], members: Iterable[int]) -> Ranges:
    """The union of some classes, as ranges."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(pair for member in members for pair in classes[member]):
        if out and out[-1][1] + 1 == low:
            out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return tuple(out)
