"""Ranges of code points as ranges of the bytes of their UTF-8 (RFC 3629, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.nodes import LAST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.nodes import CharClass

Ranges: TypeAlias = tuple[tuple[int, int], ...]
ByteRanges: TypeAlias = tuple[tuple[int, int], ...]
"""The ranges that the bytes of a character are in, from its first byte to its last."""

SURROGATES = (0xD800, 0xDFFF)
_ENDS = (0x7F, 0x7FF, 0xFFFF, LAST)
"""The last code points of one byte, of two, of three, of four."""


def normal(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges in order, without overlaps, and without empty ones."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(one for one in ranges if one[0] <= one[1]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def overlap(one: Ranges, other: Ranges) -> bool:
    """Whether two sets of ranges, each in order, have a character in common."""
    first, second = 0, 0
    while first < len(one) and second < len(other):
        if one[first][1] < other[second][0]:
            first += 1
        elif other[second][1] < one[first][0]:
            second += 1
        else:
            return True
    return False


def complement(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """All other code points up to Unicode's last."""
    found: list[tuple[int, int]] = []
    low = 0
    for start, end in normal(ranges):
        if low < start:
            found.append((low, min(start - 1, LAST)))
        low = end + 1
    if low <= LAST:
        found.append((low, LAST))
    return tuple(one for one in found if one[0] <= LAST)


def of_class(node: CharClass) -> Ranges:
    """The code points of a class that a string can contain."""
    ranges = complement(node.ranges) if node.negated else normal(node.ranges)
    return characters(ranges)


def characters(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Those code points of some ranges that a string can contain.

    NUL ends strings in llama.cpp, and UTF-8 has no surrogates.
    """
    found: list[tuple[int, int]] = []
    for low, high in ranges:
        start, end = max(low, 1), min(high, LAST)
        found.append((start, min(end, SURROGATES[0] - 1)))
        found.append((max(start, SURROGATES[1] + 1), end))
    return normal(found)


ANY = characters(((0, LAST),))
"""The characters that `.` matches."""


def encoded(ranges: Ranges) -> Iterator[ByteRanges]:
    """The byte ranges of some code points: each of their encodings is in one of the results."""
    for low, high in ranges:
        start = low
        for end in _ENDS:
            if start <= min(high, end):
                yield from _split(chr(start).encode(), chr(min(high, end)).encode())
                start = min(high, end) + 1


def _split(low: bytes, high: bytes) -> Iterator[ByteRanges]:
    """The byte ranges between two encodings of one length."""
    if len(low) == 1:
        yield ((low[0], high[0]),)
        return
    if low[0] == high[0]:
        yield from (((low[0], low[0]), *rest) for rest in _split(low[1:], high[1:]))
        return
    least, most = b"\x80" * (len(low) - 1), b"\xbf" * (len(low) - 1)
    first, last = low[0], high[0]
    if low[1:] != least:
        yield from (((first, first), *rest) for rest in _split(low[1:], most))
        first += 1
    if high[1:] != most:
        last -= 1
    if first <= last:
        yield ((first, last), *(((0x80, 0xBF),) * (len(low) - 1)))
    if high[1:] != most:
        yield from (((high[0], high[0]), *rest) for rest in _split(least, high[1:]))
