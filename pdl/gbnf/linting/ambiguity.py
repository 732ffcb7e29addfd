"""Exponential ambiguity: strings whose number of parses doubles.

If a rule A derives `u A v` in two ways, it derives `u u A v v` in four, and so on: the parses of a
string double with each round. So the search begins at a rule, or at a repetition (a rule that ends
with itself), reads strings, counts the derivations of each stack, and looks for two that reach the
same rule. What it finds is certain; to find nothing proves nothing, as no proof is possible.
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.analysis import TOKEN, Shortest, shown
from pdl.gbnf.linting.llama_stacks import (
    EMPTY,
    Elements,
    SpentError,
    Stack,
    Stacks,
    Symbol,
    frequent_characters,
)
from pdl.gbnf.nodes import Group, Item, Repeat, bounded, items, quoted, references
from pdl.graphs import strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.gbnf.linting.finding import Finding, Reporter
    from pdl.gbnf.nodes import Rule

_ROUNDS = 10
"""A repetition of fewer rounds is not a loop."""
_WORK = 3_000
_ALL_WORK = 90_000
_MANY = 10**9
_TRIES = 3
_SHOWN = 60


class Doubled(NamedTuple):
    """The strings around a rule in two derivations of it from itself."""

    before: str
    after: str


class Reader:
    """Reads strings from one symbol on, and counts the derivations of each stack."""

    def __init__(self, symbol: Symbol, shortest: Shortest, work: int) -> None:
        self.stacks = Stacks(work)
        self._symbol = symbol
        self._shortest = shortest
        self._known: dict[Stack, tuple[Counter[Stack], Counter[Stack]]] = {}

    def doubled(self) -> Doubled | None:
        """Find a string that leads to the symbol itself in two ways."""
        try:
            return self._search()
        except SpentError:
            return None

    def _search(self) -> Doubled | None:
        starts = (self.stacks.pushed(EMPTY, option) for option in self._symbol.options)
        live, _ = self._closed(Counter(starts))
        heap = [(0, 0, "", live)]
        seen = {frozenset(live)}
        while heap:
            _, _, text, live = heappop(heap)
            for code in frequent_characters(self.stacks, list(live)):
                following, arrived = self._closed(self._onward(live, code))
                here = text + chr(code)
                behind = self._twice(arrived)
                if behind is not None:
                    return Doubled(here, behind)
                key = frozenset(following)
                if key not in seen and following:
                    seen.add(key)
                    order = len(here) - 2 * min(len(following), 10)
                    heappush(heap, (order, len(seen), here, following))
        return None

    def _onward(self, live: Counter[Stack], code: int) -> Counter[Stack]:
        found: Counter[Stack] = Counter()
        for stack, count in live.items():
            after = self.stacks.taken(stack, code)
            if after is not None:
                found[after] += count
        self.stacks.spend(len(live))
        return found

    def _twice(self, arrived: Counter[Stack]) -> str | None:
        """What must follow so that two ways have led to the symbol, None if they have not."""
        if sum(arrived.values()) < 2:  # noqa: PLR2004 - two ways
            return None
        for stack, count in arrived.most_common(_TRIES):
            behind = self._text(stack)
            if behind is None:
                continue
            if count > 1 or self._ways(arrived, behind) > 1:
                return behind
        return None

    def _ways(self, stacks: Counter[Stack], text: str) -> int:
        """In how many ways some stacks match a string."""
        live, _ = self._closed(stacks)
        for character in text:
            live, _ = self._closed(self._onward(live, ord(character)))
        return live[EMPTY]

    def _text(self, stack: Stack) -> str | None:
        """A shortest string that completes a stack, if one has no tokens."""
        text = ""
        while stack != EMPTY:
            element = self.stacks.top(stack)
            stack = self.stacks.pushed(self.stacks.below(stack), element.following)
            item: Item = element.item
            if element.symbol is None:
                if not element.ranges:
                    return None
                text += chr(shown(element.ranges))
            elif not isinstance(item, Repeat):  # a repetition's symbol may be empty
                if self._shortest.item(item) >= TOKEN:
                    return None
                text += self._shortest.text((item,))
        return text

    def _closed(self, stacks: Counter[Stack]) -> tuple[Counter[Stack], Counter[Stack]]:
        """The live stacks with the ways to each, and the stacks below the symbol."""
        live: Counter[Stack] = Counter()
        arrived: Counter[Stack] = Counter()
        for stack, times in stacks.items():
            for to, found in zip((live, arrived), self._close(stack), strict=True):
                _add(to, found, times)
        return live, arrived

    def _close(self, stack: Stack) -> tuple[Counter[Stack], Counter[Stack]]:
        """The same for one stack; a cycle of empty rules is left where it closes."""
        pending: list[Stack] = [stack]
        entered: set[Stack] = set()
        while pending:
            one = pending[-1]
            following = self.stacks.opened(one) if one not in self._known else []
            if following and one not in entered:
                entered.add(one)
                self.stacks.spend(len(following))
                fresh = (step for step in following if step not in self._known)
                pending += [step for step in fresh if step not in entered]
                continue
            pending.pop()
            if one not in self._known:
                self._known[one] = self._gathered(one, following)
        return self._known[stack]

    def _gathered(
        self, stack: Stack, following: list[Stack] | None
    ) -> tuple[Counter[Stack], Counter[Stack]]:
        live: Counter[Stack] = Counter()
        arrived: Counter[Stack] = Counter()
        if following is None:
            live[stack] = 1
            return live, arrived
        top = self.stacks.top(stack)
        if top.symbol is self._symbol:
            arrived[self.stacks.pushed(self.stacks.below(stack), top.following)] = 1
        for step in following:
            for to, found in zip((live, arrived), self._known.get(step, ()), strict=False):
                _add(to, found, 1)
        self.stacks.spend(len(live) + len(arrived))
        return live, arrived


def _add(to: Counter[Stack], found: Counter[Stack], times: int) -> None:
    for stack, count in found.items():
        to[stack] = min(to[stack] + count * times, _MANY)


def exponential(
    rules: Mapping[str, Rule], shortest: Shortest, report: Reporter
) -> Iterator[Finding]:
    """Find rules and repetitions around which the parses of a string double."""
    elements = Elements(rules)
    left = _ALL_WORK
    said: set[int] = set()
    for symbol, node in loops(rules, elements):
        if left <= 0:
            return
        reader = Reader(symbol, shortest, min(_WORK, left))
        left -= _WORK // 20
        found = reader.doubled()
        left -= min(_WORK, left) - max(reader.stacks.left, 0)
        if found and node.start not in said:
            said.add(node.start)
            yield _finding(node, found, report)


def _finding(node: Rule | Repeat, found: Doubled, report: Reporter) -> Finding:
    hint = "drop or separate the alternatives that overlap, so that each string has one parse"
    before, behind = _quoted(found.before), _quoted(found.after)
    if isinstance(node, Repeat):
        message = f"`{before}` has two parses here, and each round doubles them"
        return report.at(node, "exponential-ambiguity", message, hint)
    around = f"`{before}` before it" + (f" and `{behind}` after it" if behind else "")
    message = f"rule `{node.name}` is recursive in two ways, with {around}: each round doubles them"
    return report.at(node, "exponential-ambiguity", message, hint)


def _quoted(text: str) -> str:
    return quoted(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")


def loops(rules: Mapping[str, Rule], elements: Elements) -> Iterator[tuple[Symbol, Rule | Repeat]]:
    """All repetitions of many rounds, and the recursive rules."""
    for rule in rules.values():
        for item in items(rule.options):
            if isinstance(item, Repeat) and item.max != 0 and not _plain(item.item):
                most = bounded(item)
                if most is None or most >= _ROUNDS:
                    yield elements.step(item, -1), item
    graph = {name: [ref.name for ref in references(rule.options)] for name, rule in rules.items()}
    for component in strongly_connected_components(graph):
        for name in component if len(component) > 1 or component[0] in graph[component[0]] else ():
            yield elements.rule(name), rules[name]


def _plain(item: Item) -> bool:
    """Whether each round of an item is one character or literal, and cannot be ambiguous."""
    return not isinstance(item, Repeat | Group) and not hasattr(item, "name")
