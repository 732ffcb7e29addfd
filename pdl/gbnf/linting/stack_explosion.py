"""Inputs that make many parse stacks live at once in llama.cpp, found by best-first search.

`Bounds` is an upper bound of the number of stacks for all contexts at once. The search looks at the
root, and at the contexts with the highest bounds: from a set of live stacks, the characters that
most of them match lead on, and the largest set is tried first. All work is counted, so a grammar
takes a fraction of a second however bad it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush, nlargest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.analysis import TOKEN, AccessStrings, Contexts, Shortest
from pdl.gbnf.linting.llama_stacks import (
    EMPTY,
    Elements,
    SpentError,
    Stack,
    Stacks,
    contains,
    frequent_characters,
)
from pdl.gbnf.nodes import CharClass, Group, Item, Literal, Repeat, RuleRef, quoted, reachable
from pdl.graphs import strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pdl.gbnf.analysis import Context
    from pdl.gbnf.linting.finding import Finding, Reporter, Severity
    from pdl.gbnf.nodes import GrammarRules, Rule, Sequence


Live: TypeAlias = frozenset[Stack]

_LONGER = (1.0, 0.98, 0.93, 0.85, 0.75, 0.64, 0.53, 0.42, 0.33, 0.25, 0.18, 0.13, 0.1)
"""The share of the tokens of a usual vocabulary that have more characters than that."""
_WORD = 0.25
"""A class of so many of the printable characters has all lowercase letters."""
_NEXT = 0.9
_PRINTABLE = (0x20, 0x7E)


class WorstCase(NamedTuple):
    """The most live stacks that were found, and the string that leads to them.

    `more`: there can be more, but the work was spent.
    """

    size: int
    text: str
    more: bool = False


@dataclass(slots=True)
class _Step:
    """A set of live stacks, and how it was reached."""

    live: Live
    code: int
    before: _Step | None

    def text(self) -> str:
        codes: list[int] = []
        step: _Step | None = self
        while step is not None and step.before is not None:
            codes.append(step.code)
            step = step.before
        return "".join(map(chr, reversed(codes)))


def best_first_search(stacks: Stacks, start: Live) -> WorstCase:
    """Return the largest set of live stacks that is found from one on."""
    first = best = _Step(start, 0, None)
    heap = [(-len(start), 0, first)]
    seen = {start}
    try:
        while heap:
            step = heappop(heap)[2]
            for code in frequent_characters(stacks, step.live):
                live = frozenset(stacks.step(step.live, code))
                if live in seen:
                    continue
                seen.add(live)
                following = _Step(live, code, step)
                heappush(heap, (-len(live), len(seen), following))
                if len(live) > len(best.live):
                    best = following
    except SpentError:
        if stacks.unfinished > len(best.live):
            return WorstCase(stacks.unfinished, step.text() + chr(code), more=True)
        return WorstCase(len(best.live), best.text(), more=True)
    return WorstCase(len(best.live), best.text())


class Mask(NamedTuple):
    """What one mask requires: the paths through the characters of tokens, and the work.

    `work` is in live stacks: as much as that many, each looked at for the whole vocabulary.
    """

    ways: int
    text: str
    work: float


def mask(stacks: Stacks, live: Collection[Stack]) -> Mask:
    """Return what a mask costs at a set of live stacks.

    llama.cpp follows each stack through the characters of a token for itself, and does not notice
    where they meet again. Source: `llama_grammar_reject_candidates_for_stack`.
    """
    counts = Counter(live)
    found = Mask(len(counts), "", float(len(counts)))
    share = 1.0
    try:
        for longer in _LONGER[1:]:
            codes = frequent_characters(stacks, list(counts))
            if not codes:
                break
            cover = _cover(stacks, counts, codes[0])
            # Most tokens are words: a letter is mostly followed by another.
            share *= cover if share == 1.0 or cover < _WORD else max(cover, _NEXT)
            counts = _onward(stacks, counts, codes[0])
            ways = sum(counts.values())
            text = found.text + chr(codes[0])
            found = Mask(found.ways + ways, text, found.work + ways * share * longer)
    except SpentError:
        pass  # so far it is certain
    return found


def _onward(stacks: Stacks, counts: Counter[Stack], code: int) -> Counter[Stack]:
    """The stacks after a character, with the number of paths to each."""
    following: Counter[Stack] = Counter()
    for stack, count in counts.items():
        after = stacks.taken(stack, code) if stack != EMPTY else None
        for one in stacks.closed(after) if after is not None else ():
            following[one] += count
    stacks.spend(len(counts) + len(following))
    return following


def _cover(stacks: Stacks, live: Collection[Stack], code: int) -> float:
    """The share of printable characters that the widest class has which contains one of them."""
    widest = 1
    for stack in live:
        ranges = stacks.top(stack).ranges if stack != EMPTY else ()
        if contains(ranges, code):
            widest = max(widest, sum(map(_printable, ranges)))
    return widest / _printable(_PRINTABLE)


def _printable(one: tuple[int, int]) -> int:
    return max(0, min(one[1], _PRINTABLE[1]) - max(one[0], _PRINTABLE[0]) + 1)


_MANY = 10**9


class Bounds:
    """How many derivations lead from a context to the next character, at most."""

    def __init__(self, rules: Mapping[str, Rule], shortest: Shortest) -> None:
        self._shortest = shortest
        self._rules: dict[str, int] = {}
        self.highest: dict[str, int] = {}
        """The largest bound of each rule's contexts, those in groups included."""
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
        """The bound before each item of an alternative."""
        found = [0]
        for item in reversed(option.items):
            after = found[-1] if self._shortest.nullable(item) else 0
            found.append(min(self._item(item) + after, _MANY))
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
                if not self._shortest.nullable(item):
                    break


_ROOT_WORK = 100_000
_CONTEXT_WORK = 5_000
_CONTEXTS = 30
_FEW = 3
"""Fewer derivations are not worth a look."""
_PROOF_WORK = 100_000
_LONGEST = 2_000
"""Characters of an input that is followed from the root on."""


class Found(NamedTuple):
    """What was found from one context on; from the root on if `proved`."""

    context: Context | None
    peak: WorstCase
    mask: Mask
    proved: bool


class Search:
    """Follows one grammar's stacks; nothing in it is left recursive."""

    def __init__(self, grammar: GrammarRules, reached: frozenset[str], shortest: Shortest) -> None:
        rules = {name: rule for name, rule in grammar.rule.items() if name in reached}
        self._rules = rules
        self._root = grammar.root
        self._elements = Elements(grammar.rule)
        self._contexts = Contexts(rules, shortest)
        self._bounds = Bounds(rules, shortest)

    def worst(self) -> tuple[Found, Found]:
        """Return the context with the most live stacks, and the one with the hardest mask."""
        found = [self._from_root(), *map(self._from_context, self._candidates())]
        # The nearest context is the one to name.
        peak = max(
            found, key=lambda one: (one.peak.size, -len(one.peak.text), one.context is not None)
        )
        hard = max(found, key=lambda one: (one.mask.work, one.context is not None))
        return self._proved(peak), self._proved(hard)

    @cached_property
    def _access(self) -> AccessStrings:
        return AccessStrings(self._contexts, self._root, whole=False)

    def _candidates(self) -> list[Context]:
        """The contexts where most stacks can begin."""
        best = nlargest(_CONTEXTS, self._bounded(), key=lambda one: one[0])
        return [context for _, context in best]

    def _bounded(self) -> Iterator[tuple[int, Context]]:
        for name in self._rules:
            if self._bounds.highest[name] < _FEW:
                continue
            known: dict[int, list[int]] = {}
            for context in self._contexts.of_rule(name):
                bounds = known.get(id(context.option))
                if bounds is None:
                    bounds = known[id(context.option)] = self._bounds.places(context.option)
                if bounds[context.at] >= _FEW:
                    yield bounds[context.at], context

    def _from_root(self) -> Found:
        stacks = Stacks(_ROOT_WORK)
        try:
            live = frozenset(stacks.entered(self._elements.rule(self._root)))
        except SpentError:
            return _spent(None, "", stacks)
        return _explored(None, stacks, live, _ROOT_WORK)

    def _from_context(self, context: Context) -> Found:
        stacks = Stacks(_CONTEXT_WORK)
        try:
            first = self._elements.sequence(context.option.items, context.at)
            live = frozenset(stacks.closed(stacks.pushed(EMPTY, first)))
        except SpentError:
            return _spent(context, "", stacks)
        return _explored(context, stacks, live, _CONTEXT_WORK)

    def _proved(self, found: Found) -> Found:
        """The same from the root on, after the shortest string that leads there."""
        if found.context is None or self._access.cost(found.context) >= min(TOKEN, _LONGEST):
            return found
        before = self._access.before(found.context)
        text = before + found.peak.text
        stacks = Stacks(_PROOF_WORK)
        best, hardest = WorstCase(0, ""), found.mask
        at = 0
        try:
            live = stacks.entered(self._elements.rule(self._root))
            while True:
                if len(live) > best.size:
                    best = WorstCase(len(live), text[:at])
                if at == len(before):
                    hardest = mask(stacks, live)
                if at == len(text) or not live:
                    break
                live = stacks.step(live, ord(text[at]))
                at += 1
        except SpentError:
            best = max(best, WorstCase(stacks.unfinished, text[: at + 1], more=True))
        asked = hardest._replace(text=before + hardest.text)
        return Found(found.context, best, asked, proved=True)


def _explored(context: Context | None, stacks: Stacks, live: Live, work: int) -> Found:
    """The cost of a mask at a set of stacks, and the worst case from there on."""
    stacks.left = work // 3
    asked = mask(stacks, live)
    stacks.left = work
    return Found(context, best_first_search(stacks, live), asked, context is None)


def _spent(context: Context | None, text: str, stacks: Stacks) -> Found:
    """What is known where the work was spent."""
    count = stacks.unfinished
    return Found(
        context, WorstCase(count, text, more=True), Mask(count, text, float(count)), context is None
    )


def most_stacks(grammar: GrammarRules) -> int:
    """The most stacks that are known to live at once."""
    reached = frozenset(reachable(grammar.rule, grammar.root))
    return Search(grammar, reached, Shortest(grammar.rule, undefined=TOKEN)).worst()[0].peak.size


_STACKS = (5_000, 64, 24)
"""As many live stacks are an error, a warning, a note; most grammars stay below 20."""
_WORK = (5_000, 200, 100)
"""The same for the work of a mask, in stacks."""
_SHOWN = 60


def stack_explosions(grammar: GrammarRules, search: Search, report: Reporter) -> Iterator[Finding]:
    """Find the input with the most live stacks, and the one with the hardest mask."""
    most, hard = search.worst()
    severity = _severity(most.peak.size, _STACKS)
    if severity:
        more = "at least " if most.peak.more else ""
        message = f"{more}{most.peak.size:,} live parse stacks {_where(most, most.peak.text)}"
        hint = (
            "share the prefixes of alternatives, and avoid overlapping repetitions"
            " (`Grammar.optimize` does some of it); fewer than 20 are usual"
        )
        yield report.at(_place(grammar, most), "many-stacks", message, hint, severity)
    severity = _severity(hard.mask.work, _WORK)
    if severity and hard.mask.work >= 4 * most.peak.size:
        where = _where(hard, hard.mask.text)
        message = f"{hard.mask.ways:,} paths through one token {where}"
        hint = (
            "avoid overlapping repetitions: nest optional items, as `(x (x x?)?)?` or"
            " `x{0,3}` for `x? x? x?`"
        )
        yield report.at(_place(grammar, hard), "mask-blow-up", message, hint, severity)


def _severity(found: float, bounds: tuple[int, int, int]) -> Severity | None:
    severities: tuple[Severity, ...] = ("error", "warning", "note")
    reached = (one for one, bound in zip(severities, bounds, strict=True) if found >= bound)
    return next(reached, None)


def _place(grammar: GrammarRules, found: Found) -> tuple[int, int]:
    if found.context is None:
        rule = grammar.rule[grammar.root]
        return rule.start, rule.named
    items = found.context.option.items
    return items[found.context.at].start, items[-1].end


def _where(found: Found, text: str) -> str:
    """The position after a string."""
    said = f"`{'…' if len(text) > _SHOWN else ''}{quoted(text[-_SHOWN:])}`"
    if not found.proved and found.context is not None:
        here = f"here in rule `{found.context.rule}`"
        return f"{here}, after {said}" if text else here
    return f"after {said}" if text else "at the beginning"
