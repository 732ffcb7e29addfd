"""Left recursion: symbols that lead to themselves before any character is read.

llama.cpp knows only symbols with an empty alternative: it takes `a ::= b` with `b ::= "x" |` for
never empty, does not see the recursion in `c ::= a c "y"`, and runs out of memory. So there are two
searches. `hidden_recursion` knows which symbols are nullable, and finds what llama.cpp overlooks.
`cycles` looks as far as llama.cpp does, whose rule is this: a symbol must not be at its own left
edge, where only symbols that have an empty alternative may come before it. Each group is a symbol,
and each `*` one that repeats itself, so `("a" | "")*` is left recursion, too. Source:
`llama_grammar_detect_left_recursion` in `src/llama-grammar.cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl.gbnf.analysis import Shortest
from pdl.gbnf.nodes import Group, Repeat, RuleRef, bounded, has_empty, is_nothing
from pdl.graphs import shortest_path, strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.analysis import Symbol
    from pdl.gbnf.nodes import Item, Rule, Sequence


def hidden_recursion(rules: Mapping[str, Rule]) -> Iterator[list[str]]:
    """Find the cycles of rules, one of a component, on which a match would need unbounded memory.

    A rule on such a cycle is at its own left edge, after nullable items and before others, which
    every round puts on the stack.
    """
    shortest = Shortest(rules)
    edges = {name: list(_left(shortest, rule.options, last=True)) for name, rule in rules.items()}
    graph = {name: [to for to, _ in found] for name, found in edges.items()}
    for component in strongly_connected_components(graph):
        inside = frozenset(component)
        grows = [
            (name, to)
            for name in component
            for to, last in edges[name]
            if to in inside and not last
        ]
        if grows:
            name, to = grows[0]
            within = {one: [step for step in graph[one] if step in inside] for one in component}
            yield [name, to] if name == to else [name, *shortest_path(within, to, name)]


def _left(
    shortest: Shortest, options: Iterable[Sequence], *, last: bool
) -> Iterator[tuple[str, bool]]:
    """The rules at the left edge, and whether nothing follows them."""
    for option in options:
        items = [item for item in option.items if not is_nothing(item)]
        for index, item in enumerate(items):
            yield from _left_of(shortest, item, last=last and index == len(items) - 1)
            if not shortest.nullable(item):
                break


def _left_of(shortest: Shortest, item: Item, *, last: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(item, RuleRef):
        yield item.name, last
    elif isinstance(item, Group):
        yield from _left(shortest, item.options, last=last)
    elif isinstance(item, Repeat):
        yield from _left_of(shortest, item.item, last=last and item.max == 1)


_SHOWN = 20  # rules of a cycle


@dataclass(slots=True)
class Edges:
    """Which symbols are at the left edge of which.

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
        """The symbols at an item's left edge, and whether what follows it is there, too."""
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


def cycles(
    rules: Mapping[str, Rule], all_rules: Iterable[Rule]
) -> Iterator[tuple[list[str], Rule | Group | Repeat]]:
    """Find the cycles of left edges: the names of the rules on each, and a node of it."""
    edges = Edges(rules, all_rules)
    edges.find()
    for cycle in graph_cycles(edges.left):
        names = [symbol for symbol in cycle if isinstance(symbol, str)]
        numbers = [symbol for symbol in cycle if isinstance(symbol, int)]
        yield names, rules[names[0]] if names else edges.nodes[numbers[0]]


def graph_cycles(graph: Mapping[Symbol, list[Symbol]]) -> Iterator[list[Symbol]]:
    """Cycles of a graph: each symbol that leads to itself, a shortest one of each component."""
    for component in strongly_connected_components(graph):
        inside = frozenset(component)
        within = {one: [step for step in graph[one] if step in inside] for one in component}
        yield from ([one] for one in component if one in within[one])
        if len(component) > 1:
            yield shortest_path(within, component[-1], component[-1])[:-1]


def format_cycle(names: list[str]) -> str:
    """Write a path from rule to rule; of a long one its beginning and end."""
    if len(names) > _SHOWN:
        half = _SHOWN // 2
        left_out = f"({len(names) - 2 * half:,} more)"
        names = [*names[:half], left_out, *names[-half:]]
    return " -> ".join(names)
