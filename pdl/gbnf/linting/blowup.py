"""What there is to say about the live stacks of a grammar: where many may begin, and which do.

An upper bound of the number of stacks is found for all places at once. The search looks at the
root, and at the places where most may begin.
"""

from __future__ import annotations

from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.linting.climb import Live, Mask, Peak, Spot, Spots, Ways, climb, mask
from pdl.gbnf.linting.shortest import TOKEN
from pdl.gbnf.linting.stacks import EMPTY, Elements, SpentError, Stacks
from pdl.gbnf.nodes import CharClass, Group, Item, Literal, Repeat, RuleRef, item_text
from pdl.graphs import strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.analysis import Emptiness
    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.linting.finding import Finding, Reporter, Severity
    from pdl.gbnf.linting.shortest import Shortest
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
        for component in strongly_connected_components(edges):
            for name in component:
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


_ROOT_WORK = 100_000
_SPOT_WORK = 5_000
_SPOTS = 30
_FEW = 3
"""Fewer ways to begin are not worth a look."""
_PROOF_WORK = 100_000
_LONGEST = 2_000
"""Characters of an input that is followed from the root on."""


class Found(NamedTuple):
    """What was found from one place on; from the root on if `proved`."""

    spot: Spot | None
    peak: Peak
    mask: Mask
    proved: bool


class Search:
    """Follows one grammar's stacks; nothing in it is left recursive."""

    def __init__(
        self, grammar: Grammar, reached: frozenset[str], shortest: Shortest, empty: Emptiness
    ) -> None:
        rules = {name: rule for name, rule in grammar.rule.items() if name in reached}
        self._rules = rules
        self._root = grammar.root
        self._elements = Elements(grammar.rule)
        self._shortest = shortest
        self._spots = Spots(rules, shortest)
        self._bounds = Bounds(rules, empty)

    def worst(self) -> tuple[Found, Found]:
        """The place with the most live stacks, and the one with the hardest mask."""
        found = [self._from_root(), *map(self._from_spot, self._candidates())]
        # The nearest place is the one to name.
        peak = max(
            found, key=lambda one: (one.peak.size, -len(one.peak.text), one.spot is not None)
        )
        hard = max(found, key=lambda one: (one.mask.work, one.spot is not None))
        return self._proved(peak), self._proved(hard)

    @cached_property
    def _ways(self) -> Ways:
        return Ways(self._spots, self._shortest, self._root, whole=False)

    def _candidates(self) -> list[Spot]:
        """The places where most stacks may begin."""
        best = nlargest(_SPOTS, self._bounded(), key=lambda one: one[0])
        return [spot for _, spot in best]

    def _bounded(self) -> Iterator[tuple[int, Spot]]:
        for name in self._rules:
            if self._bounds.highest[name] < _FEW:
                continue
            known: dict[int, list[int]] = {}
            for spot in self._spots.of_rule(name):
                bounds = known.get(id(spot.option))
                if bounds is None:
                    bounds = known[id(spot.option)] = self._bounds.places(spot.option)
                if bounds[spot.at] >= _FEW:
                    yield bounds[spot.at], spot

    def _from_root(self) -> Found:
        stacks = Stacks(_ROOT_WORK)
        try:
            live = frozenset(stacks.entered(self._elements.rule(self._root)))
        except SpentError:
            return _spent(None, "", stacks)
        return _explored(None, stacks, live, _ROOT_WORK)

    def _from_spot(self, spot: Spot) -> Found:
        stacks = Stacks(_SPOT_WORK)
        try:
            first = self._elements.sequence(spot.option.items, spot.at)
            live = frozenset(stacks.closed(stacks.pushed(EMPTY, first)))
        except SpentError:
            return _spent(spot, "", stacks)
        return _explored(spot, stacks, live, _SPOT_WORK)

    def _proved(self, found: Found) -> Found:
        """The same from the root on, behind the shortest text that leads there."""
        if found.spot is None or self._ways.cost(found.spot) >= min(TOKEN, _LONGEST):
            return found
        before = self._ways.before(found.spot)
        text = before + found.peak.text
        stacks = Stacks(_PROOF_WORK)
        best, hardest = Peak(0, ""), found.mask
        at = 0
        try:
            live = stacks.entered(self._elements.rule(self._root))
            while True:
                if len(live) > best.size:
                    best = Peak(len(live), text[:at])
                if at == len(before):
                    hardest = mask(stacks, live)
                if at == len(text) or not live:
                    break
                live = stacks.step(live, ord(text[at]))
                at += 1
        except SpentError:
            best = max(best, Peak(stacks.unfinished, text[: at + 1], more=True))
        asked = hardest._replace(text=before + hardest.text)
        return Found(found.spot, best, asked, proved=True)


def _explored(spot: Spot | None, stacks: Stacks, live: Live, work: int) -> Found:
    """What a mask costs at a set of stacks, and what comes of it."""
    stacks.left = work // 3
    asked = mask(stacks, live)
    stacks.left = work
    return Found(spot, climb(stacks, live), asked, spot is None)


def _spent(spot: Spot | None, text: str, stacks: Stacks) -> Found:
    """What is known where the work was spent."""
    count = stacks.unfinished
    return Found(spot, Peak(count, text, more=True), Mask(count, text, float(count)), spot is None)


_STACKS = (5_000, 64, 24)
"""From so many live stacks on it is an error, a warning, a note; most grammars stay below 20."""
_WORK = (5_000, 200, 100)
"""The same for the work of a mask, in stacks."""
_SHOWN = 60


def blowup(grammar: Grammar, search: Search, report: Reporter) -> Iterator[Finding]:
    """The input with the most live stacks, and the one with the hardest mask, if they are bad."""
    most, hard = search.worst()
    severity = _severity(most.peak.size, _STACKS)
    if severity:
        more = "at least " if most.peak.more else ""
        message = f"{more}{most.peak.size:,} stacks live at once {_behind(most, most.peak.text)}"
        hint = (
            "share what alternatives begin with, and let only one part at a time be open"
            " (`Grammar.optimize` does some of it); below 20 is usual"
        )
        yield report.at(_place(grammar, most), "many-stacks", message, hint, severity)
    severity = _severity(hard.mask.work, _WORK)
    if severity and hard.mask.work >= 4 * most.peak.size:
        where = _behind(hard, hard.mask.text)
        message = f"{hard.mask.ways:,} ways lead through one token {where}"
        hint = (
            "let only one part at a time be open: nest what is optional, as `(x (x x?)?)?` or"
            " `x{0,3}` for `x? x? x?`"
        )
        yield report.at(_place(grammar, hard), "mask-blow-up", message, hint, severity)


def _severity(found: float, bounds: tuple[int, int, int]) -> Severity | None:
    severities: tuple[Severity, ...] = ("error", "warning", "note")
    reached = (one for one, bound in zip(severities, bounds, strict=True) if found >= bound)
    return next(reached, None)


def _place(grammar: Grammar, found: Found) -> tuple[int, int]:
    if found.spot is None:
        rule = grammar.rule[grammar.root]
        return rule.start, rule.named
    items = found.spot.option.items
    return items[found.spot.at].start, items[-1].end


def _behind(found: Found, text: str) -> str:
    """Where a text has led."""
    shown = item_text(Literal(tuple(map(ord, text[-_SHOWN:]))))[1:-1].replace('\\"', '"')
    said = f"`{'…' if len(text) > _SHOWN else ''}{shown}`"
    if not found.proved and found.spot is not None:
        here = f"here in rule `{found.spot.rule}`"
        return f"{here}, behind {said}" if text else here
    return f"behind {said}" if text else "at the beginning"
