"""Which character to take of a class: one that a reader knows, now and then one from far away."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from pdl.gbnf.utf8 import Ranges

_LIKED = ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x20, 0x7E))
"""Letters, digits, then all that ASCII prints."""
_PRINTED = ((0x20, 0x7E),)
_OTHERS = (
    ((0x01, 0x1F), (0x7F, 0x7F)),
    ((0x80, 0x7FF),),
    ((0x800, 0xFFFF),),
    ((0x10000, 0x10FFFF),),
)
"""The rest of the characters: control characters, and those of two, three and four bytes."""
_RARE = 0.1  # of the characters, where ASCII has some


class Letters:
    """One character of some ranges, which hold one at least."""

    __slots__ = ("_others", "_printed", "first", "least")

    def __init__(self, ranges: Ranges) -> None:
        self.least: int | None = 1
        liked = next((part for one in _LIKED if (part := _common(ranges, (one,)))), ranges)
        self.first = chr(liked[0][0])
        self._printed = _Pool(_common(ranges, _PRINTED))
        parts = (_common(ranges, others) for others in _OTHERS)
        self._others = [_Pool(part) for part in parts if part]

    def draw(self, rng: Random) -> str:
        """A random character: mostly one that ASCII prints, else of any length in UTF-8."""
        if self._printed.size and (not self._others or rng.random() >= _RARE):
            return self._printed.draw(rng)
        return rng.choice(self._others).draw(rng)


class _Pool:
    """Characters that are all drawn equally often, but for those at the ends of their ranges."""

    __slots__ = ("_ranges", "_sums", "size")

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._sums = list(accumulate((high - low + 1 for low, high in ranges), initial=0))
        self.size = self._sums[-1]

    def draw(self, rng: Random) -> str:
        if self.size > 0x7F and rng.random() < _RARE:  # noqa: PLR2004 - what ASCII has
            return chr(rng.choice(rng.choice(self._ranges)))
        place = rng.randrange(self.size)
        index = bisect_right(self._sums, place) - 1
        return chr(self._ranges[index][0] + place - self._sums[index])


def _common(one: Ranges, other: Ranges) -> Ranges:
    """The code points that are in both; `other` has few ranges."""
    found = ((max(a, low), min(b, high)) for low, high in other for a, b in one)
    return tuple((low, high) for low, high in found if low <= high)
