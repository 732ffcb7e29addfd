"""Looks for inputs that make many stacks live at once, by best-first search.

From a set of live stacks, the characters that most of them take lead on; the largest set is tried
first. All work is counted, so that a grammar takes a fraction of a second however bad it is.

Spots are places in a grammar; for each the shortest texts are known that lead to it and away from
it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.linting.shortest import NEVER, Shortest, liked
from pdl.gbnf.linting.stacks import EMPTY, SpentError, Stack, Stacks, holds
from pdl.gbnf.nodes import Group, Item, Repeat, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pdl.gbnf.nodes import Rule


class Chain(NamedTuple):
    """Items before a place, the nearest first, or behind it; shared between places.

    `cost` is the length of the shortest text of all of them.
    """

    item: Item
    times: int
    rest: Chain | None
    cost: int


class Spot(NamedTuple):
    """One item in a rule: the alternative it stands in, and what is around that in the rule."""

    rule: str
    option: Sequence
    at: int
    before: Chain | None
    after: Chain | None

    @property
    def item(self) -> Item:
        """The item that stands there."""
        return self.option.items[self.at]


class Spots:
    """All places of some rules."""

    def __init__(self, rules: Mapping[str, Rule], shortest: Shortest) -> None:
        self._rules = rules
        self._shortest = shortest
        self._lengths: dict[int, int] = {}

    def known(self, name: str) -> bool:
        """Whether there is a rule of that name."""
        return name in self._rules

    def of_rule(self, name: str) -> Iterator[Spot]:
        """The places of a rule, those in groups included."""
        yield from self._options(name, self._rules[name].options, None, None)

    def _options(
        self, name: str, options: Iterable[Sequence], before: Chain | None, after: Chain | None
    ) -> Iterator[Spot]:
        for option in options:
            behind = [after]
            for item in reversed(option.items):
                behind.append(self._chained(item, 1, behind[-1]))
            ahead = before
            for index, item in enumerate(option.items):
                rest = behind[-2 - index]
                yield Spot(name, option, index, ahead, rest)
                yield from self._inside(name, item, ahead, rest)
                ahead = self._chained(item, 1, ahead)

    def _inside(
        self, name: str, item: Item, before: Chain | None, after: Chain | None
    ) -> Iterator[Spot]:
        while isinstance(item, Repeat):
            if item.min > 1:
                after = self._chained(item.item, item.min - 1, after)
            item = item.item
        if isinstance(item, Group):
            yield from self._options(name, item.options, before, after)

    def _chained(self, item: Item, times: int, rest: Chain | None) -> Chain:
        length = self._lengths.get(id(item))
        if length is None:
            length = self._lengths[id(item)] = self._shortest.item(item)
        cost = min(length * times + (rest.cost if rest else 0), NEVER)
        return Chain(item, times, rest, cost)


class Ways:
    """How each rule is reached from the root with the shortest text.

    With `whole`, what follows the rule up to the end of the text counts, too.
    """

    def __init__(self, spots: Spots, shortest: Shortest, root: str, *, whole: bool) -> None:
        self._shortest = shortest
        self._from: dict[str, Spot | None] = {}
        lengths: dict[str, int] = {root: 0}
        came: dict[str, Spot | None] = {root: None}
        heap = [(0, root)]
        while heap:
            length, name = heappop(heap)
            if name in self._from:
                continue
            self._from[name] = came[name]
            for spot in spots.of_rule(name):
                item = _core(spot.item)
                if not isinstance(item, RuleRef) or item.name in self._from:
                    continue
                more = _cost(spot.before) + (_cost(spot.after) if whole else 0)
                known = lengths.get(item.name, NEVER)
                if length + more < known and spots.known(item.name):
                    lengths[item.name] = length + more
                    came[item.name] = spot
                    heappush(heap, (length + more, item.name))
        self.lengths = lengths

    def cost(self, spot: Spot) -> int:
        """The length of the shortest text that leads to a place (and away, if whole)."""
        return min(self.lengths.get(spot.rule, NEVER) + _cost(spot.before), NEVER)

    def before(self, spot: Spot) -> str:
        """The shortest text from the root to a place."""
        parts: list[str] = []
        here: Spot | None = spot
        while here is not None:
            parts.append(self._shortest.text(_items(here.before)[::-1]))
            here = self._from[here.rule]
        return "".join(reversed(parts))

    def after(self, spot: Spot) -> str:
        """The shortest text from behind a place to the end."""
        parts: list[str] = []
        here: Spot | None = spot
        while here is not None:
            parts.append(self._shortest.text(_items(here.after)))
            here = self._from[here.rule]
        return "".join(parts)


def _core(item: Item) -> Item:
    while isinstance(item, Repeat):
        item = item.item
    return item


def _cost(chain: Chain | None) -> int:
    return chain.cost if chain else 0


def _items(chain: Chain | None) -> list[Item]:
    found: list[Item] = []
    while chain is not None:
        found += [chain.item] * chain.times
        chain = chain.rest
    return found


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
