"""Places in a grammar, and the shortest texts that lead to them and away from them."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.linting.shortest import NEVER, Shortest
from pdl.gbnf.nodes import Group, Item, Repeat, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
