"""A grammar made ready to be written out: each part knows the length of its shortest text.

The lengths are those of Knuth, A generalization of Dijkstra's algorithm, 1977: alternatives are
settled in the order of their lengths, each as soon as all parts that it needs are. A part that is
never settled has no text.

`Letters` says which character to take of a class: one that a reader knows, now and then one from
far away.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import heappop, heappush
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.budget import Clock
from pdl.gbnf.llama_symbols import bounded
from pdl.gbnf.nodes import (
    LAST,
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenRef,
)
from pdl.gbnf.utf8 import characters, of_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from random import Random

    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.utf8 import Ranges
    from pdl.limits import Limits


_LIKED = ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x20, 0x7E))
"""Letters, digits, then all that ASCII prints."""
_PRINTED = ((0x20, 0x7E),)
_OTHERS = (
    ((0x01, 0x1F), (0x7F, 0x7F)),
    ((0x80, 0x7FF),),
    ((0x800, 0xFFFF),),
    ((0x10000, 0x10FFFF),),
)
"""The rest of the characters: control characters, and those of two, three and four bytes."""
_RARE = 0.1  # of the characters, where ASCII has some


class Letters:
    """One character of some ranges, which hold one at least."""

    __slots__ = ("_others", "_printed", "first", "least")

    def __init__(self, ranges: Ranges) -> None:
        self.least: int | None = 1
        liked = next((part for one in _LIKED if (part := _common(ranges, (one,)))), ranges)
        self.first = chr(liked[0][0])
        self._printed = _Pool(_common(ranges, _PRINTED))
        parts = (_common(ranges, others) for others in _OTHERS)
        self._others = [_Pool(part) for part in parts if part]

    def draw(self, rng: Random) -> str:
        """A random character: mostly one that ASCII prints, else of any length in UTF-8."""
        if self._printed.size and (not self._others or rng.random() >= _RARE):
            return self._printed.draw(rng)
        return rng.choice(self._others).draw(rng)


class _Pool:
    """Characters that are all drawn equally often, but for those at the ends of their ranges."""

    __slots__ = ("_ranges", "_sums", "size")

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._sums = list(accumulate((high - low + 1 for low, high in ranges), initial=0))
        self.size = self._sums[-1]

    def draw(self, rng: Random) -> str:
        if self.size > 0x7F and rng.random() < _RARE:  # noqa: PLR2004 - what ASCII has
            return chr(rng.choice(rng.choice(self._ranges)))
        place = rng.randrange(self.size)
        index = bisect_right(self._sums, place) - 1
        return chr(self._ranges[index][0] + place - self._sums[index])


def _common(one: Ranges, other: Ranges) -> Ranges:
    """The code points that are in both; `other` has few ranges."""
    found = ((max(a, low), min(b, high)) for low, high in other for a, b in one)
    return tuple((low, high) for low, high in found if low <= high)


MOST = 10**12
"""A length that stands for all above it: grammars may have a shortest text of 2^100000."""
_ANY = characters(((0, LAST),))


class Fixed:
    """Always the same text."""

    __slots__ = ("least", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.least: int | None = len(text)


class Option:
    """Parts one after the other. `least` is the length of the shortest text, None if there is none.

    Until it is known, `missing` counts the parts without a length, and `sum` adds up the others.
    """

    __slots__ = ("least", "missing", "number", "owner", "parts", "sum")

    def __init__(self, owner: Choice, number: int) -> None:
        self.owner = owner
        self.number = number
        self.parts: list[Part] = []
        self.least: int | None = None
        self.missing = 0
        self.sum = 0

    def needs(self, part: Part, times: int) -> None:
        """Take note of a part of which a text has so many at least."""
        if not times:
            return
        if isinstance(part, Choice):
            self.missing += 1
            part.waiting.append((self, times))
        else:
            self.sum += times * (part.least or 0)


class Choice:
    """A rule or a group: `options` that have a text, `best` is the one to take to come to an end.

    They are in the order of their `lengths`; `waiting` are the alternatives that need it, with how
    many times. What no text can hold is a choice of nothing, `origin` is what it was read from. If
    there is no text, `blame` is the first part for which there is none.
    """

    __slots__ = ("best", "blame", "least", "lengths", "options", "origin", "waiting")

    def __init__(self, origin: Rule | Item) -> None:
        self.origin = origin
        self.blame: Choice | None = None
        self.options: list[Option] = []
        self.lengths: list[int] = []
        self.best: Option | None = None
        self.least: int | None = None
        self.waiting: list[tuple[Option, int]] = []

    def settle(self) -> None:
        """Keep the alternatives that have a text, the shortest first."""
        if self.least is None and self.options:
            self.blame = next(filter(None, map(_textless, self.options[0].parts)), None)
        found = [option for option in self.options if option.least is not None]
        self.options = sorted(found, key=lambda option: option.least or 0)
        self.lengths = [option.least or 0 for option in self.options]
        self.waiting.clear()


class Many:
    """A part `min` times at least, and `max` times at most if that is not None."""

    __slots__ = ("least", "max", "min", "part")

    def __init__(self, part: Part, least: int, most: int | None) -> None:
        self.part = part
        self.min = least
        self.max = most
        self.least: int | None = None

    def settle(self) -> None:
        """Find the shortest length from that of the part."""
        inner = self.part.least
        if inner is not None:
            self.least = min(MOST, inner * self.min)
        elif not self.min:
            self.least = self.max = 0  # the part has no text


Part: TypeAlias = "Fixed | Letters | Choice | Many"


def _textless(part: Part) -> Choice | None:
    """What of a part keeps it from having a text."""
    while isinstance(part, Many) and part.min:
        part = part.part
    return part if isinstance(part, Choice) and part.least is None else None


class Plan:
    """The rules of a grammar ready to be written out, made in time that goes with its size."""

    def __init__(self, rules: Mapping[str, Rule], root: str, limits: Limits) -> None:
        clock = Clock(limits, "measuring the rules")
        self.choices = {name: Choice(rule) for name, rule in rules.items()}
        self.root = self.choices[root]
        self._all = list(self.choices.values())
        self._many: list[Many] = []
        self._count = 0
        self._known: dict[Item, Part] = {}
        self._pending: list[tuple[Choice, tuple[Sequence, ...]]] = []
        for name, rule in rules.items():
            clock.check()
            self._pending.append((self.choices[name], rule.options))
            while self._pending:
                self._options(*self._pending.pop())
        self._settle()

    def _options(self, choice: Choice, options: Iterable[Sequence]) -> None:
        for sequence in options:
            option = Option(choice, self._count)
            self._count += 1
            for item in sequence.items:
                option.parts.append(self._part(item, option))
            choice.options.append(option)

    def _part(self, item: Item, option: Option) -> Part:
        """The part that an item becomes; repetitions of repetitions are opened from outside in."""
        repeats: list[Repeat] = []
        times = 1
        while isinstance(item, Repeat):
            repeats.append(item)
            times *= item.min
            item = item.item
        part = self._single(item)
        option.needs(part, times)
        for repeat in reversed(repeats):
            part = Many(part, repeat.min, bounded(repeat))
            self._many.append(part)
        return part

    def _single(self, item: Item) -> Part:
        if isinstance(item, Group):
            choice = Choice(item)
            self._all.append(choice)
            self._pending.append((choice, item.options))
            return choice
        if isinstance(item, RuleRef):
            return self.choices.get(item.name) or Choice(item)
        if item not in self._known:
            self._known[item] = self._plain(item)
        return self._known[item]

    def _plain(self, item: Item) -> Part:
        """What stands for itself; nothing if no text can hold it."""
        if isinstance(item, Literal):
            possible = all(characters(((code, code),)) for code in item.codes)
            return Fixed(item.text) if possible else Choice(item)
        if isinstance(item, TokenRef):
            return Choice(item)
        if isinstance(item, CharClass) and not item.ranges:
            return Fixed("")
        assert isinstance(item, CharClass | AnyChar)
        ranges = of_class(item) if isinstance(item, CharClass) else _ANY
        return Letters(ranges) if ranges else Choice(item)

    def _settle(self) -> None:
        heap: list[tuple[int, int, Option]] = []
        for choice in self._all:
            for option in choice.options:
                _push(heap, option)
        while heap:
            length, _, option = heappop(heap)
            option.least = length
            owner = option.owner
            if owner.best is not None:
                continue
            owner.best, owner.least = option, length
            for waiting, times in owner.waiting:
                waiting.sum += times * length
                waiting.missing -= 1
                _push(heap, waiting)
        for choice in self._all:
            choice.settle()
        for many in self._many:
            many.settle()


def _push(heap: list[tuple[int, int, Option]], option: Option) -> None:
    if not option.missing:
        heappush(heap, (min(MOST, option.sum), option.number, option))
