"""Classes of code points that no edge of an automaton tells apart.

An automaton is built over class numbers, of which there are few, and not over code points
(symbolic automata; D'Antoni and Veanes, "The Power of Symbolic Automata and Transducers", 2017).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl.automata.charset import Ranges

Members: TypeAlias = tuple[int, ...]
"""Class numbers, sorted."""


def classify(sets: Sequence[Ranges]) -> tuple[tuple[Ranges, ...], list[Members]]:
    """The coarsest disjoint classes whose unions are the sets; and the classes of each set.

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
