"""The shortest texts of rules and items, and whether there are any.

Knuth's generalisation of Dijkstra's way (1977): a rule is settled when the shortest of its
alternatives is. Texts are counted in characters; what a token stands for is unknown, so that one
counts as very long, and its text is a U+FFFD.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.nodes import (
    LAST,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenRef,
)
from pdl.gbnf.utf8 import Ranges, characters, of_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.nodes import Rule

Symbol: TypeAlias = "str | int"
"""The name of a rule, or the identity of a group."""

NEVER = 10**30
"""The length of a text that there is not."""
TOKEN = 10**12
"""The length of a token, and of all else that should be avoided."""
_SURROGATES = (0xD800, 0xDFFF)
_ANY = characters(((0, LAST),))
_LIKED = ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x20, 0x7E), (0xA1, LAST), (1, LAST))
"""Characters to show, the best ones first."""


class Shortest:
    """The length of a shortest text of each rule and group, and the alternative that has it.

    Names of no rule count as tokens: that they are missing is another finding.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.best: dict[Symbol, tuple[int, Sequence]] = {}
        self._rules = rules
        self._owners: list[tuple[Symbol, Sequence]] = []
        self._costs: list[int] = []
        self._missing: list[int] = []
        self._needed: dict[Symbol, list[tuple[int, int]]] = {}
        self._fresh: list[tuple[int, int]] = []
        for rule in rules.values():
            self._options(rule.name, rule.options)
        self._settle()

    def rule(self, name: str) -> int:
        """The length of a rule's shortest text."""
        if name not in self._rules:
            return TOKEN
        return self.best[name][0] if name in self.best else NEVER

    def item(self, item: Item) -> int:
        """The length of an item's shortest text."""
        cost, needs = self._parts(item)
        return min(cost + sum(self._symbol(need) * times for need, times in needs), NEVER)

    def sequence(self, items: Iterable[Item]) -> int:
        """The length of the shortest text of some items in a row."""
        return min(sum(map(self.item, items)), NEVER)

    def text(self, items: Iterable[Item]) -> str:
        """The shortest text of some items in a row, of which there must be one."""
        codes: list[int] = []
        pending = list(items)[::-1]
        while pending:
            item = pending.pop()
            if isinstance(item, Literal):
                codes += item.codes
            elif isinstance(item, Repeat):
                pending += [item.item] * item.min
            elif isinstance(item, RuleRef | Group):
                symbol = item.name if isinstance(item, RuleRef) else id(item)
                if symbol in self.best:
                    pending += self.best[symbol][1].items[::-1]
            elif not isinstance(item, CharClass) or item.ranges:
                codes.append(shown(takes(item)))
        return "".join(map(chr, codes))

    def _symbol(self, symbol: Symbol) -> int:
        if isinstance(symbol, str):
            return self.rule(symbol)
        return self.best[symbol][0] if symbol in self.best else NEVER

    def _options(self, owner: Symbol, options: Iterable[Sequence]) -> None:
        for option in options:
            cost, needs = 0, []
            for item in option.items:
                more, inner = self._parts(item, make=True)
                cost += more
                needs += inner
            number = len(self._owners)  # behind those of the groups inside
            self._owners.append((owner, option))
            self._costs.append(min(cost, NEVER))
            self._missing.append(len(needs))
            for need, times in needs:
                self._needed.setdefault(need, []).append((number, times))
            if not needs and cost < NEVER:
                self._fresh.append((cost, number))

    def _parts(self, item: Item, *, make: bool = False) -> tuple[int, list[tuple[Symbol, int]]]:
        """The characters that an item has for certain, and the symbols that it needs how often."""
        if isinstance(item, RuleRef):
            return (0, [(item.name, 1)]) if item.name in self._rules else (TOKEN, [])
        if isinstance(item, Group):
            if make:
                self._options(id(item), item.options)
            return 0, [(id(item), 1)]
        if isinstance(item, Repeat):
            cost, needs = self._parts(item.item, make=make)
            if not item.min:
                return 0, []
            return min(cost * item.min, NEVER), [(need, times * item.min) for need, times in needs]
        return _characters(item), []

    def _settle(self) -> None:
        heap = self._fresh
        heapify(heap)
        while heap:
            cost, number = heappop(heap)
            owner, option = self._owners[number]
            if owner in self.best:
                continue
            self.best[owner] = cost, option
            for needing, times in self._needed.get(owner, ()):
                self._costs[needing] = min(self._costs[needing] + cost * times, NEVER)
                self._missing[needing] -= 1
                if not self._missing[needing] and self._costs[needing] < NEVER:
                    heappush(heap, (self._costs[needing], needing))


def _characters(item: Item) -> int:
    """The characters of an item that names nothing."""
    if isinstance(item, TokenRef):
        return TOKEN
    if isinstance(item, Literal):
        return len(item.codes) if all(map(possible, item.codes)) else NEVER
    if isinstance(item, CharClass) and not item.ranges:
        return 0
    return 1 if takes(item) else NEVER


def takes(item: Item) -> Ranges:
    """The characters that a class or a dot takes."""
    if isinstance(item, CharClass):
        return of_class(item)
    return ((0xFFFD, 0xFFFD),) if isinstance(item, TokenRef) else _ANY


def possible(code: int) -> bool:
    """Whether a character can stand in a text."""
    return 0 < code < _SURROGATES[0] or _SURROGATES[1] < code <= LAST


def shown(ranges: Ranges) -> int:
    """A character of some ranges that is good to read."""
    return liked(ranges)[1]


def liked(ranges: Ranges) -> tuple[int, int]:
    """How good to read the best character of some ranges is, 0 being best, and the character."""
    for rank, (low, high) in enumerate(_LIKED):
        for start, end in ranges:
            if start <= high and end >= low:
                return rank, max(start, low)
    return len(_LIKED), ranges[0][0] if ranges else 0xFFFD
