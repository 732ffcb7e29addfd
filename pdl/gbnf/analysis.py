"""What symbols can do: match some text, match the empty one, lead back to themselves.

llama.cpp knows only symbols with an empty alternative: `a ::= b` with `b ::= "x" |` it takes for
never empty, does not see the recursion in `c ::= a c "y"`, and runs out of memory. So there are two
searches for left recursion. `hidden_recursion` knows what may match the empty text, and finds what
llama.cpp overlooks. `cycles` looks as far as llama.cpp does, whose rule is this: a symbol may not
stand at its own left edge, where only symbols that have an empty alternative may stand before it.
Each group is a symbol, and each `*` one that repeats itself, so that `("a" | "")*` is left
recursion, too. Source: `llama_grammar_detect_left_recursion` in `src/llama-grammar.cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.llama_symbols import bounded
from pdl.gbnf.nodes import LAST, CharClass, Group, Item, Literal, Repeat, Rule, RuleRef, Sequence
from pdl.gbnf.utf8 import of_class
from pdl.graphs import shortest_path, strongly_connected_components
from pdl.trampoline import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.nodes import Sequence
    from pdl.trampoline import Recur


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
    """The circles of rules, one of a component, on which a match would need ever more memory.

    A rule on such a circle stands at its own left edge behind parts that may be empty, with
    something behind it that is kept in mind.
    """
    empty = Emptiness(rules)
    edges = {name: list(_left(empty, rule.options, last=True)) for name, rule in rules.items()}
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


_LOW, _HIGH = 0xD800, 0xDFFF  # the first and the last surrogate


class Liveness(Emptiness):
    """Which rules and groups match some text, found like those that match the empty one."""

    def item(self, item: Item) -> bool:
        """Whether an item matches some text."""
        while isinstance(item, Repeat):
            if not item.min:
                return True
            item = item.item
        return super().item(item) if isinstance(item, RuleRef | Group) else _possible(item)

    def _options(self, owner: Symbol, options: Iterable[Sequence]) -> None:
        run(self._enter(owner, options))

    def _enter(self, owner: Symbol, options: Iterable[Sequence]) -> Recur[None]:
        for option in options:
            needs: list[Symbol] = []
            for item in option.items:
                needs += yield self._parts(item)
            self._option(owner, needs)

    def _parts(self, item: Item) -> Recur[list[Symbol]]:
        """The symbols that must match some text for an item to; `""` if it never does."""
        while isinstance(item, Repeat):
            if not item.min:
                if isinstance(item.item, Group | Repeat):
                    yield self._parts(item.item)
                return []
            item = item.item
        if isinstance(item, Group):
            yield self._enter(id(item), item.options)
            return [id(item)]
        if isinstance(item, RuleRef):
            return [item.name]
        return [] if _possible(item) else [""]


def _possible(item: Item) -> bool:
    """Whether a text can hold what a literal or a class says."""
    if isinstance(item, Literal):
        return all(0 < code < _LOW or _HIGH < code <= LAST for code in item.codes)
    if isinstance(item, CharClass) and item.ranges:
        return bool(of_class(item))
    return True


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
    """Cycles of a graph: each symbol that leads to itself, a shortest one of each component."""
    for component in strongly_connected_components(graph):
        inside = frozenset(component)
        within = {one: [step for step in graph[one] if step in inside] for one in component}
        yield from ([one] for one in component if one in within[one])
        if len(component) > 1:
            yield shortest_path(within, component[-1], component[-1])[:-1]


def arrows(names: list[str]) -> str:
    """A way from rule to rule; of a long one how it begins and ends."""
    if len(names) > _SHOWN:
        half = _SHOWN // 2
        left_out = f"({len(names) - 2 * half:,} more)"
        names = [*names[:half], left_out, *names[-half:]]
    return " -> ".join(names)
