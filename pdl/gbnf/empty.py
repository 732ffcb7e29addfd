"""What may match the empty text, and the left recursion that hides behind it.

llama.cpp knows only symbols with an empty alternative; `a ::= b` with `b ::= "x" |` it takes for
never empty, does not see the recursion in `c ::= a c "y"`, and runs out of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.graphs import knots, way
from pdl.gbnf.left import is_nothing
from pdl.gbnf.nodes import Group, Item, Repeat, Rule, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Symbol: TypeAlias = "str | int"
"""The name of a rule, or the identity of a group."""


class Emptiness:
    """Which rules and groups may match the empty text.

    Counts for each alternative the parts that are not yet known to (Dowling and Gallier, 1984), so
    that it takes time in proportion to the grammar. `found` is in the order in which they become
    known: each is empty by those before it alone.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._missing: list[int] = []
        self._owner: list[Symbol] = []
        self._needed: dict[Symbol, list[int]] = {}
        self.found: dict[Symbol, None] = {}
        self._fresh: list[Symbol] = []
        for rule in rules.values():
            self._options(rule.name, rule.options)
        self._spread()

    def item(self, item: Item) -> bool:
        """Whether an item may match the empty text."""
        if isinstance(item, RuleRef):
            return item.name in self.found
        if isinstance(item, Group):
            return id(item) in self.found
        if isinstance(item, Repeat):
            return not item.min or self.item(item.item)
        return is_nothing(item)

    def _options(self, owner: Symbol, options: Iterable[Sequence]) -> None:
        for option in options:
            self._option(owner, [need for item in option.items for need in self._needs(item)])

    def _option(self, owner: Symbol, needs: list[Symbol]) -> None:
        """An alternative that is empty if all that it needs is."""
        if "" in needs:
            return
        number = len(self._missing)
        self._missing.append(len(needs))
        self._owner.append(owner)
        for need in needs:
            self._needed.setdefault(need, []).append(number)
        if not needs:
            self._fresh.append(owner)

    def _needs(self, item: Item) -> list[Symbol]:
        """The symbols that must be empty for an item to be; `""` if it never is."""
        if isinstance(item, RuleRef):
            return [item.name]
        if isinstance(item, Group):
            self._options(id(item), item.options)
            return [id(item)]
        if isinstance(item, Repeat):
            inner = self._needs(item.item)
            return inner if item.min else []
        return [] if is_nothing(item) else [""]

    def _spread(self) -> None:
        while self._fresh:
            symbol = self._fresh.pop()
            if symbol in self.found:
                continue
            self.found[symbol] = None
            for number in self._needed.get(symbol, ()):
                self._missing[number] -= 1
                if not self._missing[number]:
                    self._fresh.append(self._owner[number])


def hidden_recursion(rules: Mapping[str, Rule]) -> Iterator[list[str]]:
    """The circles of rules, one of a knot, on which a match would need ever more memory.

    A rule on such a circle stands at its own left edge behind parts that may be empty, with
    something behind it that is kept in mind.
    """
    empty = Emptiness(rules)
    edges = {name: list(_left(empty, rule.options, last=True)) for name, rule in rules.items()}
    graph = {name: [to for to, _ in found] for name, found in edges.items()}
    for knot in knots(graph):
        inside = frozenset(knot)
        grows = [
            (name, to) for name in knot for to, last in edges[name] if to in inside and not last
        ]
        if grows:
            name, to = grows[0]
            within = {one: [step for step in graph[one] if step in inside] for one in knot}
            yield [name, to] if name == to else [name, *way(within, to, name)]


def _left(
    empty: Emptiness, options: Iterable[Sequence], *, last: bool
) -> Iterator[tuple[str, bool]]:
    """The rules at the left edge, and whether nothing is behind them."""
    for option in options:
        items = [item for item in option.items if not is_nothing(item)]
        for index, item in enumerate(items):
            yield from _left_of(empty, item, last=last and index == len(items) - 1)
            if not empty.item(item):
                break


def _left_of(empty: Emptiness, item: Item, *, last: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(item, RuleRef):
        yield item.name, last
    elif isinstance(item, Group):
        yield from _left(empty, item.options, last=last)
    elif isinstance(item, Repeat):
        yield from _left_of(empty, item.item, last=last and item.max == 1)
