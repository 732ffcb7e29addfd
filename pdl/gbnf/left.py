"""Left recursion, as far as llama.cpp looks for it.

Its rule: a symbol may not stand at its own left edge, where only symbols that have an empty
alternative may stand before it. Each group is a symbol, and each `*` one that repeats itself, so
that `("a" | "")*` is left recursion, too. Source: `llama_grammar_detect_left_recursion` in
`src/llama-grammar.cpp`; what it overlooks is found by `pdl.gbnf.empty`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.graphs import knots, way
from pdl.gbnf.nodes import CharClass, Group, Item, Literal, Repeat, Rule, RuleRef, Sequence
from pdl.gbnf.symbols import bounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Symbol: TypeAlias = "str | int"
"""A rule's name, or the number of a symbol that a group or a repetition becomes."""

_SHOWN = 20  # rules of a circle


@dataclass(slots=True)
class Edges:
    """Which symbols stand at the left edge of which.

    `nodes` are what made the nameless ones, `empty` the rules that have an empty alternative.
    """

    rules: Mapping[str, Rule]
    all: Iterable[Rule]
    left: dict[Symbol, list[Symbol]] = field(default_factory=dict)
    nodes: dict[int, Group | Repeat] = field(default_factory=dict)
    empty: frozenset[str] = frozenset()

    def find(self) -> None:
        """Read all rules; of those of one name the last counts, but the groups of all."""
        self.empty = frozenset(name for name, one in self.rules.items() if has_empty(one.options))
        for rule in self.all:
            self.left[rule.name] = self._alternatives(rule.options)

    def _alternatives(self, options: Iterable[Sequence]) -> list[Symbol]:
        found: list[Symbol] = []
        for option in options:
            at_edge = True
            for item in option.items:
                symbols, through = self._edge(item)  # makes the symbols of all items
                found += symbols if at_edge else ()
                at_edge = at_edge and through
        return found

    def _edge(self, item: Item) -> tuple[list[Symbol], bool]:
        """The symbols at an item's left edge, and whether what follows it is there as well."""
        if isinstance(item, RuleRef):
            return [item.name], item.name in self.empty
        if isinstance(item, Group):
            return [self._symbol(item, self._alternatives(item.options))], has_empty(item.options)
        if isinstance(item, Repeat):
            return self._repeat(item)
        return [], is_nothing(item)

    def _repeat(self, item: Repeat) -> tuple[list[Symbol], bool]:
        inner, through = self._edge(item.item)
        most = bounded(item)
        if most == 0:
            return [], True
        rest: list[Symbol] = []
        if most is None or most > item.min:
            rest = [self._symbol(item, list(inner))]
            if most is None and through and not is_nothing(item.item):
                self.left[rest[0]] += rest
        if item.min and not through:
            return inner, False
        return (inner if item.min else []) + rest, True

    def _symbol(self, node: Group | Repeat, left: list[Symbol]) -> int:
        number = len(self.nodes)
        self.nodes[number] = node
        self.left[number] = left
        return number


def has_empty(options: Iterable[Sequence]) -> bool:
    """Whether an alternative has no elements at all; one that may match nothing does not count."""
    return any(all(map(is_nothing, option.items)) for option in options)


def is_nothing(item: Item) -> bool:
    """Whether llama.cpp has no element for an item."""
    if isinstance(item, Literal):
        return not item.codes
    if isinstance(item, CharClass):
        return not item.ranges
    return isinstance(item, Repeat) and item.max == 0


def cycles(
    rules: Mapping[str, Rule], all_rules: Iterable[Rule]
) -> Iterator[tuple[list[str], Rule | Group | Repeat]]:
    """The circles of left edges: the names of the rules on each, and a node of it to point at."""
    edges = Edges(rules, all_rules)
    edges.find()
    for circle in circles(edges.left):
        names = [symbol for symbol in circle if isinstance(symbol, str)]
        numbers = [symbol for symbol in circle if isinstance(symbol, int)]
        yield names, rules[names[0]] if names else edges.nodes[numbers[0]]


def circles(graph: Mapping[Symbol, list[Symbol]]) -> Iterator[list[Symbol]]:
    """Circles of a graph: each symbol that leads to itself, and a shortest one of each knot."""
    for knot in knots(graph):
        inside = frozenset(knot)
        within = {one: [step for step in graph[one] if step in inside] for one in knot}
        yield from ([one] for one in knot if one in within[one])
        if len(knot) > 1:
            yield way(within, knot[-1], knot[-1])[:-1]


def arrows(names: list[str]) -> str:
    """A way from rule to rule; of a long one how it begins and ends."""
    if len(names) > _SHOWN:
        half = _SHOWN // 2
        left_out = f"({len(names) - 2 * half:,} more)"
        names = [*names[:half], left_out, *names[-half:]]
    return " -> ".join(names)
