"""llama.cpp's stacks, followed as it follows them, over the elements that it makes of a grammar.

A stack is the list of elements at which the rules that were entered continue, the innermost last; a
rule that ends another one leaves nothing there. All distinct stacks live in parallel. Here they are
interned (hash consing): a number for each, its last element and the number of the rest. Source:
`llama_grammar_advance_stack` and `llama_grammar_accept` in llama.cpp's `src/llama-grammar.cpp`.

Elements are made as llama.cpp makes them, each when it is first asked for. Groups and repetitions
become symbols of their own: `S{m,n}` is m copies of S and a reference to `S'n ::= S S'n-1 |`, down
to `S'1 ::= S |`; without a maximum it refers to `S' ::= S S' |`. A repetition of 2000 is 2000
symbols, most of which are never looked at. Source: `parse_sequence` in the same file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.analysis import liked
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    bounded,
    is_nothing,
)
from pdl.gbnf.utf8 import ANY, Ranges, characters, of_class

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pdl.gbnf.nodes import Rule


Options: TypeAlias = "tuple[Element | None, ...]"
"""The first elements of alternatives, None for an empty one."""


class _Items(NamedTuple):
    """What is still to come: items from one of them on."""

    items: tuple[Item, ...]
    at: int
    rest: _Rest


class _Copies(NamedTuple):
    """What is still to come: copies of a repeated item, and then the symbol of the others."""

    repeat: Repeat
    left: int
    rest: _Rest


class _Step(NamedTuple):
    """What is still to come: the symbol of a repetition with some rounds left, -1 without end."""

    repeat: Repeat
    left: int


_Rest: TypeAlias = "_Items | _Copies | _Step | None"


class Symbol:
    """A rule, a group or a step of a repetition."""

    __slots__ = ("_make", "_options")

    def __init__(self, make: Callable[[], Options]) -> None:
        self._make = make
        self._options: Options | None = None

    @property
    def options(self) -> Options:
        """Its alternatives."""
        if self._options is None:
            self._options = self._make()
        return self._options


class Element:
    """A character to match, a token, or a symbol to enter.

    `symbol` is None for a terminal, `ranges` are the characters that it matches.
    """

    __slots__ = ("_done", "_following", "_known", "_maker", "_rest", "item", "number", "symbol")

    def __init__(
        self, maker: Elements, item: Item, rest: _Rest, symbol: Symbol | None = None, done: int = 0
    ) -> None:
        maker.count += 1
        self.number = maker.count
        self.item = item
        self.symbol = symbol
        self._maker = maker
        self._rest = rest
        self._done = done
        self._known = False
        self._following: Element | None = None

    @property
    def ranges(self) -> Ranges:
        """The characters that it takes; none for a token."""
        item = self.item
        if isinstance(item, Literal):
            return self._maker.single(item.codes[self._done])
        if isinstance(item, CharClass):
            return self._maker.of_class(item)
        return ANY if isinstance(item, AnyChar) else ()

    @property
    def following(self) -> Element | None:
        """The element after it, None at the end of its alternative."""
        if not self._known:
            self._known = True
            item, done = self.item, self._done + 1
            if isinstance(item, Literal) and done < len(item.codes):
                self._following = Element(self._maker, item, self._rest, done=done)
            else:
                self._following = self._maker.first(self._rest)
        return self._following


class Elements:
    """Makes the elements of some rules; the same item always has the same symbol."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules
        self._named: dict[str, Symbol] = {}
        self._made: dict[tuple[int, int], Symbol] = {}
        self._singles: dict[int, Ranges] = {}
        self._classes: dict[int, Ranges] = {}
        self.count = 0

    def rule(self, name: str) -> Symbol:
        """The symbol of a rule; one without alternatives if there is none of that name."""
        known = self._named.get(name)
        if known is None:
            rule = self._rules.get(name)
            options = rule.options if rule else ()
            known = self._named[name] = Symbol(lambda: self._options(options))
        return known

    def group(self, item: Group) -> Symbol:
        """The symbol of a group."""
        known = self._made.get((id(item), 0))
        if known is None:
            known = Symbol(lambda: self._options(item.options))
            self._made[id(item), 0] = known
        return known

    def step(self, item: Repeat, left: int) -> Symbol:
        """The symbol of a repetition with some rounds left, -1 if unbounded."""
        known = self._made.get((id(item), left))
        if known is None:
            again = None if left == 1 else _Step(item, left - 1 if left > 0 else -1)
            known = Symbol(lambda: (self.first(_Items((item.item,), 0, again)), None))
            self._made[id(item), left] = known
        return known

    def sequence(self, items: tuple[Item, ...], start: int = 0) -> Element | None:
        """The first element of some items in sequence, from one of them on."""
        return self.first(_Items(items, start, None))

    def first(self, rest: _Rest) -> Element | None:
        """The first element of what is still to come."""
        while rest is not None:
            if isinstance(rest, _Step):
                return Element(self, rest.repeat, None, self.step(rest.repeat, rest.left))
            if isinstance(rest, _Copies):
                if rest.left:
                    fewer = rest._replace(left=rest.left - 1)
                    rest = _Items((rest.repeat.item,), 0, fewer)
                elif (left := _open(rest.repeat)) == 0:
                    rest = rest.rest
                else:
                    repeat = rest.repeat
                    return Element(self, repeat, rest.rest, self.step(repeat, left))
            elif rest.at == len(rest.items):
                rest = rest.rest
            else:
                item = rest.items[rest.at]
                rest = rest._replace(at=rest.at + 1)
                if isinstance(item, Repeat):
                    rest = _Copies(item, item.min, rest)
                elif not is_nothing(item):
                    return self._element(item, rest)
        return None

    def _element(self, item: Item, rest: _Rest) -> Element:
        if isinstance(item, RuleRef):
            return Element(self, item, rest, self.rule(item.name))
        if isinstance(item, Group):
            return Element(self, item, rest, self.group(item))
        return Element(self, item, rest)

    def _options(self, options: Iterable[Sequence]) -> Options:
        return tuple(self.sequence(option.items) for option in options)

    def single(self, code: int) -> Ranges:
        """The ranges of one code point."""
        known = self._singles.get(code)
        if known is None:
            known = self._singles[code] = characters(((code, code),))
        return known

    def of_class(self, item: CharClass) -> Ranges:
        """The ranges of a class."""
        known = self._classes.get(id(item))
        if known is None:
            known = self._classes[id(item)] = of_class(item)
        return known


def _open(repeat: Repeat) -> int:
    """How many optional rounds a repetition has, -1 if unbounded."""
    most = bounded(repeat)
    return -1 if most is None else max(most - repeat.min, 0)


Stack: TypeAlias = int
"""The number of a stack; the empty one, which completes a string, is 0."""

EMPTY: Stack = 0


class SpentError(Exception):
    """There was more to do than a search was given."""


class Stacks:
    """All stacks that were met, and their closures; `left` is the work that is allowed.

    `unfinished`: so many live stacks were found when the work was spent.
    """

    def __init__(self, work: int) -> None:
        self.left = work
        self.unfinished = 0
        self._known: dict[tuple[int, int], Stack] = {}
        self._tops: list[Element | None] = [None]
        self._below: list[Stack] = [EMPTY]
        self._closed: dict[Stack, tuple[Stack, ...]] = {}

    def top(self, stack: Stack) -> Element:
        """The last element of a stack that is not empty."""
        element = self._tops[stack]
        assert element is not None
        return element

    def below(self, stack: Stack) -> Stack:
        """What is under the last element."""
        return self._below[stack]

    def pushed(self, below: Stack, element: Element | None) -> Stack:
        """A stack with one more element; the same stack if there is none."""
        if element is None:
            return below
        known = self._known.get((below, element.number))
        if known is None:
            known = self._known[below, element.number] = len(self._tops)
            self._tops.append(element)
            self._below.append(below)
        return known

    def entered(self, symbol: Symbol, below: Stack = EMPTY) -> set[Stack]:
        """The live stacks at the beginning of a symbol. Raises SpentError."""
        return self.union(self.pushed(below, option) for option in symbol.options)

    def union(self, stacks: Iterable[Stack]) -> set[Stack]:
        """Return all live stacks that some stacks reach. Raises SpentError."""
        found: set[Stack] = set()
        for stack in stacks:
            found.update(self.closed(stack))
        return found

    def closed(self, stack: Stack) -> tuple[Stack, ...]:
        """Return the live stacks that one reaches without a character. Raises SpentError."""
        known = self._closed.get(stack)
        if known is None:
            known = self._closed[stack] = self._close(stack)
        else:
            self.spend(len(known))
        return known

    def _close(self, stack: Stack) -> tuple[Stack, ...]:
        found = [stack] if self._takes(stack) else []
        seen = {stack}
        pending = [] if found else [stack]
        while pending:
            following = [step for step in self.opened(pending.pop()) or () if step not in seen]
            self.unfinished = len(found)
            self.spend(2 * len(following) + 1)
            for step in dict.fromkeys(following):
                # Terminals count immediately: many are found even if the work is spent soon.
                (found if self._takes(step) else pending).append(step)
            seen.update(following)
        self.unfinished = 0
        return tuple(found)

    def _takes(self, stack: Stack) -> bool:
        top = self._tops[stack]
        return top is None or top.symbol is None

    def opened(self, stack: Stack) -> list[Stack] | None:
        """Return the stacks after entering the top symbol; None if that is a terminal."""
        top = self._tops[stack]
        if top is None or top.symbol is None:
            return None
        below = self.pushed(self._below[stack], top.following)
        return [self.pushed(below, option) for option in top.symbol.options]

    def taken(self, stack: Stack, code: int) -> Stack | None:
        """Return the stack after a character, without its closure; None if it does not match."""
        top = self._tops[stack]
        if top is None or not contains(top.ranges, code):
            return None
        return self.pushed(self._below[stack], top.following)

    def step(self, stacks: Iterable[Stack], code: int) -> set[Stack]:
        """Return the live stacks after one more character. Raises SpentError."""
        found: set[Stack] = set()
        for stack in stacks:
            self.spend(1)
            after = self.taken(stack, code)
            if after is not None:
                found.update(self.closed(after))
        return found

    def spend(self, work: int) -> None:
        """Count some work. Raises SpentError if there was more than was given."""
        self.left -= work
        if self.left < 0:
            raise SpentError


def contains(ranges: tuple[tuple[int, int], ...], code: int) -> bool:
    """Whether ranges in order contain a code point."""
    at = bisect_right(ranges, (code, 0x7FFFFFFFF)) - 1
    return at >= 0 and ranges[at][0] <= code <= ranges[at][1]


_BRANCHES = 12
"""Characters that are tried at each set."""
_RANGES = 4000
"""Ranges of a set that are looked at to find them."""
_SPREAD, _WIDTH = 0x9E3779B97F4A7C15, 2**64
"""A stack's number times the first, modulo the second: sums of these distinguish sets."""


def frequent_characters(stacks: Stacks, live: Collection[Stack]) -> list[int]:
    """Return the characters that most stacks of a set match, the most frequent ones first.

    Of those that the same stacks match, it is the one that is easiest to read.
    """
    changes: Counter[int] = Counter()
    takers: Counter[int] = Counter()
    looked = 0
    for stack in live:
        ranges = stacks.top(stack).ranges if stack != EMPTY else ()
        mark = stack * _SPREAD % _WIDTH
        for low, high in ranges:
            changes[low] += 1
            changes[high + 1] -= 1
            takers[low] += mark
            takers[high + 1] -= mark
        looked += len(ranges) + 1
        if looked > _RANGES:
            break
    stacks.spend(looked)
    points = sorted(changes)
    taken = who = 0
    found: dict[int, tuple[int, int, int]] = {}
    for point, end in pairwise(points):
        taken += changes[point]
        who += takers[point]
        if taken:
            here = (-taken, *liked(((point, end - 1),)))
            found[who] = min(here, found.get(who, here))
    return [code for _, _, code in sorted(found.values())[:_BRANCHES]]
