"""Where to look for many stacks: at the root, and at the places where most may begin."""

from __future__ import annotations

from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from pdl.gbnf.linting.bounds import Bounds
from pdl.gbnf.linting.climb import Live, Mask, Peak, climb, mask
from pdl.gbnf.linting.elements import Elements
from pdl.gbnf.linting.shortest import TOKEN
from pdl.gbnf.linting.spots import Spot, Spots, Ways
from pdl.gbnf.linting.stacks import EMPTY, SpentError, Stacks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.empty import Emptiness
    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.linting.shortest import Shortest

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
