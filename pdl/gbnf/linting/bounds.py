"""At which places many stacks may begin: an upper bound of their number, for all places at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.graphs import knots
from pdl.gbnf.nodes import CharClass, Group, Item, Literal, Repeat, RuleRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.empty import Emptiness
    from pdl.gbnf.nodes import Rule, Sequence

_MANY = 10**9


class Bounds:
    """How many ways there are from a place to the next character, the place not being known."""

    def __init__(self, rules: Mapping[str, Rule], empty: Emptiness) -> None:
        self._empty = empty
        self._rules: dict[str, int] = {}
        self.highest: dict[str, int] = {}
        """The largest bound of each rule's places, those in groups included."""
        self._most = 0
        edges = {name: list(self._edges(rule.options)) for name, rule in rules.items()}
        for knot in knots(edges):
            for name in knot:
                self._rules[name] = self._options(rules[name].options)
        for name, rule in rules.items():
            self._most = 0
            self._options(rule.options)
            self.highest[name] = self._most

    def places(self, option: Sequence) -> list[int]:
        """The bound in front of each item of an alternative."""
        found = [0]
        for item in reversed(option.items):
            behind = found[-1] if self._empty.item(item) else 0
            found.append(min(self._item(item) + behind, _MANY))
            self._most = max(self._most, found[-1])
        return found[:0:-1]

    def _options(self, options: Iterable[Sequence]) -> int:
        return min(sum((self.places(option) or [0])[0] for option in options), _MANY)

    def _item(self, item: Item) -> int:
        if isinstance(item, RuleRef):
            return self._rules.get(item.name, 0)
        if isinstance(item, Group):
            return self._options(item.options)
        if isinstance(item, Repeat):
            return self._item(item.item) if item.max != 0 else 0
        if isinstance(item, Literal):
            return int(bool(item.codes))
        return int(not isinstance(item, CharClass) or bool(item.ranges))

    def _edges(self, options: Iterable[Sequence]) -> Iterable[str]:
        """The rules that alternatives begin with."""
        for option in options:
            for item in option.items:
                inner = item
                while isinstance(inner, Repeat):
                    inner = inner.item
                if isinstance(inner, RuleRef):
                    yield inner.name
                elif isinstance(inner, Group):
                    yield from self._edges(inner.options)
                if not self._empty.item(item):
                    break
