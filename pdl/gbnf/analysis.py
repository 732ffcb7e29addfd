"""The shortest string of each symbol: which symbols are productive, which nullable, how to finish.

One fixpoint for all three (Knuth, A generalization of Dijkstra's algorithm, 1977): alternatives are
settled in the order of their lengths, each as soon as all symbols that it needs are. A symbol that
is never settled matches no string, and is useless; one of length 0 is nullable. Lengths count
characters.

A context is the occurrence of an item in a rule. `AccessStrings` knows the shortest strings that
lead from the root to a context, and from there to the end (Dijkstra, 1959).
"""

from __future__ import annotations

from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

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
    bounded,
    is_nothing,
)
from pdl.gbnf.utf8 import ANY, SURROGATES, Ranges, of_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl.gbnf.limits_errors import Clock
    from pdl.gbnf.nodes import Rule

Symbol: TypeAlias = "str | int"
"""The name of a rule, or the identity of a group."""

NEVER = 10**30
"""The length of a string that does not exist; all longer ones count as one less."""
TOKEN = 10**12
"""The length of a token, whose text is unknown; it is avoided where something else will do."""
_LIKED = ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x20, 0x7E), (0xA1, LAST), (1, LAST))
"""Characters to show, the best ones first."""


class Shortest:
    """The length of a shortest string of each rule and group, and the alternative that has it.

    `token` and `undefined` are the lengths of a token and of a name that has no rule. `narrow`
    returns what counts of a literal, class or token: None if nothing matches it.
    """

    def __init__(
        self,
        rules: Mapping[str, Rule],
        *,
        token: int = TOKEN,
        undefined: int = NEVER,
        clock: Clock | None = None,
        narrow: Callable[[Item], Item | None] | None = None,
    ) -> None:
        self.best: dict[Symbol, tuple[int, Sequence]] = {}
        self._rules = rules
        self._token = token
        self._undefined = undefined
        self._narrow = narrow or (lambda item: item)
        self._owners: list[tuple[Symbol, Sequence]] = []
        self._costs: list[int] = []
        self._missing: list[int] = []
        self._needed: dict[Symbol, list[tuple[int, int]]] = {}
        for name, rule in rules.items():
            if clock:
                clock.check()
            pending: list[tuple[Symbol, Iterable[Sequence]]] = [(name, rule.options)]
            while pending:
                owner, options = pending.pop()
                for option in options:
                    self._option(owner, option, pending)
        self._settle()

    def rule(self, name: str) -> int:
        """The length of a rule's shortest string."""
        if name not in self._rules:
            return self._undefined
        return self.best[name][0] if name in self.best else NEVER

    def item(self, item: Item) -> int:
        """The length of an item's shortest string."""
        item, times = unrepeated(item)
        if not times:
            return 0
        if isinstance(item, RuleRef):
            return _times(self.rule(item.name), times)
        if isinstance(item, Group):
            return _times(self.best[id(item)][0], times) if id(item) in self.best else NEVER
        return _times(self._leaf(item), times)

    def sequence(self, items: Iterable[Item]) -> int:
        """The length of the shortest string of some items in sequence."""
        found = 0
        for item in items:
            found = plus(found, self.item(item))
        return found

    def nullable(self, item: Item) -> bool:
        """Whether an item matches the empty string."""
        item, times = unrepeated(item)
        if times and isinstance(item, RuleRef | Group):
            return not self.item(item)
        return not times or is_nothing(item)

    def productive(self, item: Item) -> bool:
        """Whether an item matches any string."""
        return self.item(item) < NEVER

    def productive_part(self) -> dict[str, Rule]:
        """The rules without what matches nothing, or nothing but the empty string."""
        return {
            name: replace(rule, options=self._options(rule.options))
            for name, rule in self._rules.items()
            if name in self.best
        }

    def _options(self, options: Iterable[Sequence]) -> tuple[Sequence, ...]:
        return tuple(
            replace(option, items=tuple(one for item in option.items for one in self._part(item)))
            for option in options
            if all(map(self.productive, option.items))
        )

    def _part(self, item: Item) -> tuple[Item, ...]:
        """A productive item; none if it only matches the empty string."""
        if is_nothing(item):
            return ()
        if isinstance(item, RuleRef):
            return (item,)
        if isinstance(item, Group):
            options = self._options(item.options)
            return (replace(item, options=options),) if any(one.items for one in options) else ()
        if isinstance(item, Repeat):
            inner = self._part(item.item) if self.productive(item.item) else ()
            return tuple(replace(item, item=one, max=bounded(item)) for one in inner)
        found = self._narrow(item)
        return (found,) if found else ()

    def text(self, items: Iterable[Item]) -> str:
        """The shortest string of some items in sequence, which must have one.

        U+FFFD represents a token.
        """
        codes: list[int] = []
        pending = list(items)[::-1]
        while pending:
            item = pending.pop()
            if isinstance(item, Literal):
                codes += item.codes
            elif isinstance(item, Repeat):
                pending += [item.item] * item.min if self.item(item) else []
            elif isinstance(item, RuleRef | Group):
                symbol = item.name if isinstance(item, RuleRef) else id(item)
                length, option = self.best.get(symbol, (0, None))
                pending += option.items[::-1] if option and length else ()
            elif not isinstance(item, CharClass) or item.ranges:
                codes.append(shown(takes(item)))
        return "".join(map(chr, codes))

    def _option(
        self, owner: Symbol, option: Sequence, pending: list[tuple[Symbol, Iterable[Sequence]]]
    ) -> None:
        """Note what an alternative costs for certain, and which symbols it needs how often."""
        number, cost, needs, dead = len(self._owners), 0, 0, False
        for repeated in option.items:
            item, times = unrepeated(repeated) if isinstance(repeated, Repeat) else (repeated, 1)
            need: Symbol | None = None
            if isinstance(item, Group):
                need = id(item)
                pending.append((need, item.options))
            elif isinstance(item, RuleRef) and item.name in self._rules:
                need = item.name
            if times and need is not None:
                self._needed.setdefault(need, []).append((number, times))
                needs += 1
            elif times:
                length = self._undefined if isinstance(item, RuleRef) else self._leaf(item)
                dead = dead or length == NEVER
                cost += length * times
        self._owners.append((owner, option))
        self._costs.append(NEVER if dead else min(cost, NEVER - 1))
        self._missing.append(needs)

    def _leaf(self, whole: Item) -> int:
        """The length of an item that names nothing."""
        item = self._narrow(whole)
        if item is None:
            return NEVER
        if isinstance(item, Literal):
            return len(item.codes) if all(map(possible, item.codes)) else NEVER
        if isinstance(item, TokenRef):
            return self._token
        if isinstance(item, CharClass):
            if not item.ranges:
                return 0
            low, high = item.ranges[0]  # mostly, a look at it is enough
            if item.negated or not (possible(low) and low <= high):
                return 1 if of_class(item) else NEVER
        return 1

    def _settle(self) -> None:
        ready = zip(self._costs, range(len(self._costs)), self._missing, strict=True)
        heap = [(cost, number) for cost, number, missing in ready if not missing and cost < NEVER]
        heapify(heap)
        while heap:
            cost, number = heappop(heap)
            owner, option = self._owners[number]
            if owner in self.best:
                continue
            self.best[owner] = cost, option
            for needing, times in self._needed.get(owner, ()):
                self._costs[needing] = plus(self._costs[needing], _times(cost, times))
                self._missing[needing] -= 1
                if not self._missing[needing] and self._costs[needing] < NEVER:
                    heappush(heap, (self._costs[needing], needing))


def unrepeated(item: Item) -> tuple[Item, int]:
    """What a repetition repeats, and how often at least."""
    times = 1
    while isinstance(item, Repeat):
        times *= item.min
        item = item.item
    return item, times


def plus(one: int, other: int) -> int:
    """The sum of two lengths."""
    return min(one + other, NEVER - 1) if one < NEVER > other else NEVER


def _times(length: int, times: int) -> int:
    return min(length * times, NEVER - 1) if length < NEVER else NEVER


def takes(item: Item) -> Ranges:
    """The characters that a class or a dot matches."""
    if isinstance(item, CharClass):
        return of_class(item)
    return ((0xFFFD, 0xFFFD),) if isinstance(item, TokenRef) else ANY


def possible(code: int) -> bool:
    """Whether a string can contain a character."""
    return 0 < code < SURROGATES[0] or SURROGATES[1] < code <= LAST


def shown(ranges: Ranges) -> int:
    """A character of some ranges that is easy to read."""
    return liked(ranges)[1]


def liked(ranges: Ranges) -> tuple[int, int]:
    """How easy to read the best character of some ranges is, 0 being best, and the character."""
    for rank, (low, high) in enumerate(_LIKED):
        for start, end in ranges:
            if start <= high and end >= low:
                return rank, max(start, low)
    return len(_LIKED), ranges[0][0] if ranges else 0xFFFD


class Chain(NamedTuple):
    """Items before a context, the nearest first, or after it; shared between contexts.

    `cost` is the length of the shortest string of all of them.
    """

    item: Item
    times: int
    rest: Chain | None
    cost: int


class Context(NamedTuple):
    """One item in a rule: the alternative that it is in, and what surrounds that in the rule."""

    rule: str
    option: Sequence
    at: int
    before: Chain | None
    after: Chain | None

    @property
    def item(self) -> Item:
        """The item itself."""
        return self.option.items[self.at]


class Contexts:
    """All contexts of some rules."""

    def __init__(self, rules: Mapping[str, Rule], shortest: Shortest) -> None:
        self.rules = rules
        self.shortest = shortest
        self._lengths: dict[int, int] = {}

    def of_rule(self, name: str) -> Iterator[Context]:
        """The contexts of a rule, those in groups included."""
        yield from self._options(name, self.rules[name].options, None, None)

    def _options(
        self, name: str, options: Iterable[Sequence], before: Chain | None, after: Chain | None
    ) -> Iterator[Context]:
        for option in options:
            rests = [after]
            for item in reversed(option.items):
                rests.append(self._chained(item, 1, rests[-1]))
            ahead = before
            for index, item in enumerate(option.items):
                rest = rests[-2 - index]
                yield Context(name, option, index, ahead, rest)
                yield from self._inside(name, item, ahead, rest)
                ahead = self._chained(item, 1, ahead)

    def _inside(
        self, name: str, item: Item, before: Chain | None, after: Chain | None
    ) -> Iterator[Context]:
        while isinstance(item, Repeat):
            if item.min > 1:
                after = self._chained(item.item, item.min - 1, after)
            item = item.item
        if isinstance(item, Group):
            yield from self._options(name, item.options, before, after)

    def _chained(self, item: Item, times: int, rest: Chain | None) -> Chain:
        length = self._lengths.get(id(item))
        if length is None:
            length = self._lengths[id(item)] = self.shortest.item(item)
        return Chain(item, times, rest, plus(_times(length, times), _cost(rest)))


class AccessStrings:
    """How each rule is reached from the root with the shortest string.

    With `whole`, what follows the rule up to the end of the string counts, too.
    """

    def __init__(self, contexts: Contexts, root: str, *, whole: bool) -> None:
        self._shortest = contexts.shortest
        self._from: dict[str, Context | None] = {}
        lengths: dict[str, int] = {root: 0}
        came: dict[str, Context | None] = {root: None}
        heap = [(0, root)]
        while heap:
            length, name = heappop(heap)
            if name in self._from:
                continue
            self._from[name] = came[name]
            for context in contexts.of_rule(name):
                item = context.item
                while isinstance(item, Repeat):
                    item = item.item
                if not isinstance(item, RuleRef) or item.name in self._from:
                    continue
                more = _cost(context.before) + (_cost(context.after) if whole else 0)
                known = lengths.get(item.name, NEVER)
                if length + more < known and item.name in contexts.rules:
                    lengths[item.name] = length + more
                    came[item.name] = context
                    heappush(heap, (length + more, item.name))
        self._lengths = lengths

    def cost(self, context: Context) -> int:
        """The length of the shortest string that leads to a context (and on, if whole)."""
        return min(self._lengths.get(context.rule, NEVER) + _cost(context.before), NEVER)

    def before(self, context: Context) -> str:
        """The shortest string from the root to a context."""
        parts: list[str] = []
        here: Context | None = context
        while here is not None:
            parts.append(self._shortest.text(_items(here.before)[::-1]))
            here = self._from[here.rule]
        return "".join(reversed(parts))

    def after(self, context: Context) -> str:
        """The shortest string from the end of a context to the end."""
        parts: list[str] = []
        here: Context | None = context
        while here is not None:
            parts.append(self._shortest.text(_items(here.after)))
            here = self._from[here.rule]
        return "".join(parts)


def _cost(chain: Chain | None) -> int:
    return chain.cost if chain else 0


def _items(chain: Chain | None) -> list[Item]:
    found: list[Item] = []
    while chain is not None:
        found += [chain.item] * chain.times
        chain = chain.rest
    return found
