"""Looks for inputs that make many stacks live at once.

From a set of live stacks, the characters that most of them take lead on; the largest set is tried
first. All work is counted, so that a grammar takes a fraction of a second however bad it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.linting.shortest import liked
from pdl.gbnf.linting.stacks import EMPTY, SpentError, Stack, Stacks, holds

if TYPE_CHECKING:
    from collections.abc import Collection

Live: TypeAlias = frozenset[Stack]

_BRANCHES = 12
"""Characters that are tried at each set."""
_RANGES = 4000
"""Ranges of a set that are looked at to find them."""
_SPREAD, _WIDTH = 0x9E3779B97F4A7C15, 2**64
"""A stack's number times the first, modulo the second, is spread so that sums tell sets apart."""
_LONGER = (1.0, 0.98, 0.93, 0.85, 0.75, 0.64, 0.53, 0.42, 0.33, 0.25, 0.18, 0.13, 0.1)
"""The share of the tokens of a usual vocabulary that have more characters than that."""
_WORD = 0.25
"""A class of so many of the printable characters has all small letters."""
_NEXT = 0.9
_PRINTABLE = (0x20, 0x7E)


class Peak(NamedTuple):
    """The most live stacks that were found, and the text that leads to them.

    `more`: there may be more, but the work was spent.
    """

    size: int
    text: str
    more: bool = False


@dataclass(slots=True)
class _Step:
    """A set of live stacks, and how it was come to."""

    live: Live
    code: int
    before: _Step | None

    def text(self) -> str:
        codes: list[int] = []
        step: _Step | None = self
        while step is not None and step.before is not None:
            codes.append(step.code)
            step = step.before
        return "".join(map(chr, reversed(codes)))


def climb(stacks: Stacks, start: Live) -> Peak:
    """The largest set of live stacks that is found from one on."""
    first = best = _Step(start, 0, None)
    heap = [(-len(start), 0, first)]
    seen = {start}
    try:
        while heap:
            step = heappop(heap)[2]
            for code in busiest(stacks, step.live):
                live = frozenset(stacks.step(step.live, code))
                if live in seen:
                    continue
                seen.add(live)
                following = _Step(live, code, step)
                heappush(heap, (-len(live), len(seen), following))
                if len(live) > len(best.live):
                    best = following
    except SpentError:
        if stacks.unfinished > len(best.live):
            return Peak(stacks.unfinished, step.text() + chr(code), more=True)
        return Peak(len(best.live), best.text(), more=True)
    return Peak(len(best.live), best.text())


def busiest(stacks: Stacks, live: Collection[Stack]) -> list[int]:
    """The characters that most stacks of a set take, those first that more do.

    Of those that the same stacks take, it is the one that is best to read.
    """
    changes: Counter[int] = Counter()
    takers: Counter[int] = Counter()
    looked = 0
    for stack in live:
        ranges = stacks.top(stack).ranges if stack != EMPTY else ()
        mark = stack * _SPREAD % _WIDTH
        for low, high in ranges:
            changes[low] += 1
            changes[high + 1] -= 1
            takers[low] += mark
            takers[high + 1] -= mark
        looked += len(ranges) + 1
        if looked > _RANGES:
            break
    stacks.spend(looked)
    points = sorted(changes)
    taken = who = 0
    found: dict[int, tuple[int, int, int]] = {}
    for point, end in pairwise(points):
        taken += changes[point]
        who += takers[point]
        if taken:
            here = (-taken, *liked(((point, end - 1),)))
            found[who] = min(here, found.get(who, here))
    return [code for _, _, code in sorted(found.values())[:_BRANCHES]]


class Mask(NamedTuple):
    """What one mask asks for: the ways through the characters of tokens, and the work.

    `work` is in live stacks: as much as that many, each looked at for the whole vocabulary.
    """

    ways: int
    text: str
    work: float


def mask(stacks: Stacks, live: Collection[Stack]) -> Mask:
    """What a mask costs at a set of live stacks.

    llama.cpp follows each stack through the characters of a token for itself, and does not notice
    where they meet again. Source: `llama_grammar_reject_candidates_for_stack`.
    """
    counts = Counter(live)
    found = Mask(len(counts), "", float(len(counts)))
    share = 1.0
    try:
        for longer in _LONGER[1:]:
            codes = busiest(stacks, list(counts))
            if not codes:
                break
            cover = _cover(stacks, counts, codes[0])
            # Most tokens are words: behind one letter mostly comes another.
            share *= cover if share == 1.0 or cover < _WORD else max(cover, _NEXT)
            counts = _onward(stacks, counts, codes[0])
            ways = sum(counts.values())
            text = found.text + chr(codes[0])
            found = Mask(found.ways + ways, text, found.work + ways * share * longer)
    except SpentError:
        pass  # so far it is certain
    return found


def _onward(stacks: Stacks, counts: Counter[Stack], code: int) -> Counter[Stack]:
    """The stacks behind a character, with the ways that lead to each."""
    following: Counter[Stack] = Counter()
    for stack, count in counts.items():
        after = stacks.taken(stack, code) if stack != EMPTY else None
        for one in stacks.closed(after) if after is not None else ():
            following[one] += count
    stacks.spend(len(counts) + len(following))
    return following


def _cover(stacks: Stacks, live: Collection[Stack], code: int) -> float:
    """The share of printable characters that go on as widely as one of them does."""
    widest = 1
    for stack in live:
        ranges = stacks.top(stack).ranges if stack != EMPTY else ()
        if holds(ranges, code):
            widest = max(widest, sum(map(_printable, ranges)))
    return widest / _printable(_PRINTABLE)


def _printable(one: tuple[int, int]) -> int:
    return max(0, min(one[1], _PRINTABLE[1]) - max(one[0], _PRINTABLE[0]) + 1)
