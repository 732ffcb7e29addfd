"""A grammar made ready to be written out: each part knows the length of its shortest text.

The lengths are those of Knuth, A generalization of Dijkstra's algorithm, 1977: alternatives are
settled in the order of their lengths, each as soon as all parts that it needs are. A part that is
never settled has no text.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.budget import Clock
from pdl.gbnf.generate.letters import Letters
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
from pdl.gbnf.symbols import bounded
from pdl.gbnf.utf8 import characters, of_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.nodes import Rule
    from pdl.limits import Limits

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
