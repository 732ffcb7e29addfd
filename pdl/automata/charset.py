"""Sets of code points, as sorted ranges."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

LAST = 0x10FFFF
Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Inclusive ranges: sorted, disjoint, none next to another."""

_SURROGATES = (0xD800, 0xDFFF)
_SCALARS: Ranges = ((0, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, LAST))


@dataclass(frozen=True)
class CharSet:
    """A set of Unicode scalar values: code points without the surrogates U+D800 to U+DFFF.

    `ranges` must be as `Ranges` says; `CharSet.over` makes them so. `~` is the complement among
    the scalar values.
    """

    ranges: Ranges = ()

    @classmethod
    def over(cls, pairs: Iterable[tuple[int, int]]) -> CharSet:
        """The scalar values in any inclusive ranges: overlapping, unsorted, with surrogates."""
        return cls(_meet(_merged(pairs), _SCALARS))

    @classmethod
    def of(cls, text: str) -> CharSet:
        """The characters of a text."""
        return cls.over((ord(char), ord(char)) for char in text)

    @classmethod
    def range(cls, low: int, high: int) -> CharSet:
        """The scalar values from `low` to `high`, both included."""
        return cls.over([(low, high)])

    @classmethod
    def char(cls, code: int) -> CharSet:
        """One scalar value; nothing for a surrogate."""
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
