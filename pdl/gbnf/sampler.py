"""Random strings of a grammar, the shortest, and near misses.

The sampler gives each item room for some characters: the length of its shortest string (`Shortest`)
and a random share of what is left over, so that recursion ends as the shares become smaller.

A near miss is one edit away from a string of the grammar, and is not itself one.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.analysis import NEVER, Shortest, takes
from pdl.gbnf.enumeration import check_count, check_productive
from pdl.gbnf.limits_errors import Clock
from pdl.gbnf.nodes import (
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    bounded,
    is_nothing,
    items,
)
from pdl.gbnf.utf8 import characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from pdl.gbnf.analysis import Symbol
    from pdl.gbnf.nodes import GrammarRules
    from pdl.gbnf.utf8 import Ranges

    Edit: TypeAlias = Callable[[str, Random, str], str]

_STEPS = 100_000  # items that are drawn at random, before the rest is written in the shortest way
_KEEP = 0.7  # how likely an optional item is kept, if it has room
_TRIES = 300  # strings in sequence that are not near misses, before there are taken to be no more
_OPEN = (RuleRef, Group, Repeat)
"""Items that have a choice."""
_RARE = 0.1  # how likely a character that ASCII does not print is drawn, if ASCII has some
_PRINTED = ((0x20, 0x7E),)
_OTHERS = (
    ((0x01, 0x1F), (0x7F, 0x7F)),
    ((0x80, 0x7FF),),
    ((0x800, 0xFFFF),),
    ((0x10000, 0x10FFFF),),
)
"""The rest of the characters: control characters, and those of two, three and four bytes."""


class _Letters:
    """The characters of a class, drawn so that most are known to a reader."""

    __slots__ = ("_others", "_printed")

    def __init__(self, ranges: Ranges) -> None:
        self._printed = _Pool(_common(ranges, _PRINTED))
        parts = (_common(ranges, others) for others in _OTHERS)
        self._others = [_Pool(part) for part in parts if part]

    def draw(self, rng: Random) -> str:
        """A random character: mostly one that ASCII prints, else of any length in UTF-8."""
        if self._printed.size and (not self._others or rng.random() >= _RARE):
            return self._printed.draw(rng)
        return rng.choice(self._others).draw(rng)


class _Pool:
    """Characters that are all equally likely, except for those at the ends of their ranges."""

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


class _Row(NamedTuple):
    """Items in sequence, their lengths, and the indices of those that have a choice."""

    items: tuple[Item, ...]
    lengths: list[int]
    open: list[int]


class Sampler:
    """Makes the strings of one grammar; `shortest` has the lengths of its rules.

    No string contains a token or a name that has no rule.
    """

    def __init__(self, grammar: GrammarRules) -> None:
        self._grammar = grammar
        clock = Clock(grammar.limits, "measuring the rules")
        self.shortest = Shortest(grammar.rule, token=NEVER, clock=clock)
        self._root = RuleRef(grammar.root)
        self._lengths: dict[int, int] = {}
        self._leaves: dict[int, str | _Letters] = {}
        self._alternatives: dict[Symbol, tuple[list[int], list[_Row]]] = {}

    def shortest_text(self) -> str:
        """A shortest string. Raises what `check_productive` raises."""
        check_productive(self._grammar, self.shortest)
        return self.shortest.text((self._root,))

    def generate(self, rng: Random, size: int) -> str:
        """A random string of at most `size` characters if one is that short, else a shortest."""
        _check_random(rng)
        check_count("size", size)
        check_productive(self._grammar, self.shortest)
        least = self.shortest.item(self._root)
        return _Drawing(self, rng, size).run(self._root, rng.randint(least, max(least, size)))

    def near_misses(
        self, rng: Random, count: int, size: int, matches: Callable[[str], bool]
    ) -> Iterator[str]:
        """Different strings one edit away from one that matches, which do not match themselves."""
        _check_random(rng)
        check_count("count", count)
        check_count("size", size)
        return self._misses(rng, count, size, matches)

    def _misses(
        self, rng: Random, count: int, size: int, matches: Callable[[str], bool]
    ) -> Iterator[str]:
        letters = _alphabet(self._grammar.rule.values())
        known: set[str] = set()
        tries = 0
        while len(known) < count and tries < _TRIES:
            text = _mutate(self.generate(rng, size), rng, letters)
            tries += 1
            if text not in known and not matches(text):
                known.add(text)
                tries = 0
                yield text

    def length(self, item: Item) -> int:
        """The length of the shortest string of an item of the grammar."""
        known = self._lengths.get(id(item))
        if known is None:
            known = self._lengths[id(item)] = self.shortest.item(item)
        return known

    def leaf(self, item: Item) -> str | _Letters:
        """The string of a literal, or the characters of a class."""
        known = self._leaves.get(id(item))
        if known is None:
            known = item.text if isinstance(item, Literal) else _Letters(takes(item))
            self._leaves[id(item)] = known = "" if is_nothing(item) else known
        return known

    def row(self, items: tuple[Item, ...]) -> _Row:
        """Some items in sequence."""
        open_ = [at for at, one in enumerate(items) if isinstance(one, _OPEN)]
        return _Row(items, list(map(self.length, items)), open_)

    def alternatives(self, item: RuleRef | Group) -> tuple[list[int], list[_Row]]:
        """The productive alternatives, the shortest first, with their lengths."""
        symbol = item.name if isinstance(item, RuleRef) else id(item)
        known = self._alternatives.get(symbol)
        if known is None:
            rule = self._grammar.rule[item.name] if isinstance(item, RuleRef) else item
            lengths = ((self.shortest.sequence(one.items), one.items) for one in rule.options)
            found = sorted((one for one in lengths if one[0] < NEVER), key=lambda one: one[0])
            known = [length for length, _ in found], [self.row(items) for _, items in found]
            self._alternatives[symbol] = known
        return known


class _Drawing:
    """One string as it becomes longer.

    Each item has room for some characters: its least, and a share of what is left over when all
    items have theirs. So the first items leave something for the last. What an item does not use
    goes into a pot, for those after it. After a number of steps no more is put into any.
    """

    def __init__(self, sampler: Sampler, rng: Random, size: int) -> None:
        self._sampler = sampler
        self._rng = rng
        self._steps = _STEPS + size
        self._pot = 0
        self._pending: list[tuple[Item, int]] = []

    def run(self, root: Item, room: int) -> str:
        """The string of an item that has room for so many characters, its least at least."""
        said: list[str] = []
        self._pending.append((root, room))
        while self._pending:
            self._steps -= 1
            item, room = self._pending.pop()
            if not isinstance(item, _OPEN):
                leaf = self._sampler.leaf(item)
                said.append(leaf if isinstance(leaf, str) else leaf.draw(self._rng))
            elif self._steps <= 0:
                self._finish(item)
            elif room := self._more(room):
                self._open(item, room)
        return "".join(said)

    def _more(self, room: int) -> int:
        """The room of an item, and perhaps something out of the pot."""
        more = self._rng.randint(0, self._pot) if self._pot else 0
        self._pot -= more
        return room + more

    def _open(self, item: RuleRef | Group | Repeat, room: int) -> None:
        if isinstance(item, Repeat):
            count = self._count(item, room)
            self._repeat(item.item, count, room)
        else:  # each alternative that fits is as likely as any other
            lengths, rows = self._sampler.alternatives(item)
            number = self._rng.randrange(bisect_right(lengths, room))
            self._share(rows[number], room - lengths[number])

    def _repeat(self, item: Item, count: int, room: int) -> None:
        length = self._sampler.length(item)
        open_ = list(range(count)) if isinstance(item, _OPEN) else []
        self._share(_Row((item,) * count, [length] * count, open_), room - count * length)

    def _finish(self, item: RuleRef | Group | Repeat) -> None:
        """Write the shortest string, without a choice."""
        if not self._sampler.length(item):
            return
        if isinstance(item, Repeat):
            self._repeat(item.item, item.min, item.min * self._sampler.length(item.item))
        else:
            symbol = item.name if isinstance(item, RuleRef) else id(item)
            self._share(self._sampler.row(self._sampler.shortest.best[symbol][1].items), 0)

    def _count(self, item: Repeat, room: int) -> int:
        """How often to repeat: few times more often than many times."""
        inner = self._sampler.length(item.item)
        if inner >= NEVER:
            return 0
        most, highest = (room - item.min * inner) // (inner or 1), bounded(item)
        if highest is not None:
            most = min(most, highest - item.min)
        if most == 1:
            return item.min + (self._rng.random() < _KEEP)
        return item.min + (self._rng.randint(0, self._rng.randint(1, most)) if most else 0)

    def _share(self, row: _Row, slack: int) -> None:
        """Give room to items, and a random share of the rest to each one that has a choice."""
        rooms = row.lengths
        if not row.open:
            self._pot += slack
        elif slack:
            rooms = rooms.copy()
            cuts = sorted(self._rng.randint(0, slack) for _ in row.open[1:])
            for at, low, high in zip(row.open, [0, *cuts], [*cuts, slack], strict=True):
                rooms[at] += high - low
        self._pending += zip(reversed(row.items), reversed(rooms), strict=True)


def _check_random(rng: object) -> None:
    """Raise TypeError for a value that is not a `random.Random`, such as a seed."""
    if not callable(getattr(rng, "randrange", None)):
        raise TypeError(f"rng must be a random.Random, not {type(rng).__name__}")


_COMMON = "aZ09 \n\"',:;{}[]()-_.\\é日😀"
_MOST = 2_000  # characters that are taken from a grammar


def _alphabet(rules: Iterable[Rule]) -> str:
    """The characters that a grammar names, those just outside of its classes, and a few others."""
    codes = dict.fromkeys(map(ord, _COMMON))
    for rule in rules:
        for item in items(rule.options):
            if isinstance(item, Literal):
                codes.update(dict.fromkeys(item.codes))
            elif isinstance(item, CharClass):
                near = ((low - 1, low, high, high + 1) for low, high in item.ranges)
                codes.update(dict.fromkeys(code for some in near for code in some))
        if len(codes) > _MOST:
            break
    return "".join(chr(code) for code in codes if characters(((code, code),)))


def _mutate(text: str, rng: Random, alphabet: str) -> str:
    """A string with one random edit, which can result in the same string."""
    return rng.choice(_EDITS)(text, rng, alphabet)


def _insert(text: str, rng: Random, letters: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + _letter(text, rng, letters) + text[at:]


def _delete(text: str, rng: Random, _: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + text[at + 1 :]


def _replace(text: str, rng: Random, letters: str) -> str:
    at = rng.randint(0, max(0, len(text) - 1))
    return text[:at] + _letter(text, rng, letters) + text[at + 1 :]


def _swap(text: str, rng: Random, _: str) -> str:
    at = rng.randint(0, max(0, len(text) - 2))
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _cut(text: str, rng: Random, _: str) -> str:
    return text[: rng.randint(0, len(text))]


_EDITS: tuple[Edit, ...] = (_insert, _delete, _replace, _swap, _cut)


def _letter(text: str, rng: Random, letters: str) -> str:
    """One that the string has already, or another one."""
    return rng.choice(text if text and rng.random() < 0.3 else letters)  # noqa: PLR2004 - a share
