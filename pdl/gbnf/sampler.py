"""Random strings of a grammar, the shortest, and near misses.

The sampler gives each item room for some characters: the length of its shortest string (`Shortest`)
and a random share of what is left over, so that recursion ends as the shares become smaller.

A near miss is one edit away from a string of the grammar, and is not itself one.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import GrammarError, LimitError, Problem
from pdl.gbnf.analysis import NEVER, Shortest, takes
from pdl.gbnf.limits_errors import Clock
from pdl.gbnf.nodes import (
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenRef,
    bounded,
    is_nothing,
    item_text,
    items,
)
from pdl.gbnf.utf8 import characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from pdl.gbnf.analysis import Symbol
    from pdl.gbnf.nodes import GrammarRules
    from pdl.gbnf.utf8 import Ranges
    from pdl.limits import Limits
    from pdl.source import Source, Span

    Edit: TypeAlias = Callable[[str, Random, str], str]

_STEPS = 100_000  # items that are drawn at random, before the rest is written in the shortest way
_KEEP = 0.7  # how likely an optional item is kept, if it has room
_HUGE = 10**12  # lengths that are not written out
_TRIES = 300  # strings in sequence that are not near misses, before there are taken to be no more
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
        self._letters: dict[Item, _Letters] = {}
        self._alternatives: dict[Symbol, tuple[list[int], list[Sequence]]] = {}

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

    def letters(self, item: Item) -> _Letters:
        """The characters of a class."""
        known = self._letters.get(item)
        if known is None:
            known = self._letters[item] = _Letters(takes(item))
        return known

    def alternatives(self, item: RuleRef | Group) -> tuple[list[int], list[Sequence]]:
        """The productive alternatives, the shortest first, with their lengths."""
        symbol = item.name if isinstance(item, RuleRef) else id(item)
        known = self._alternatives.get(symbol)
        if known is None:
            rule = self._grammar.rule[item.name] if isinstance(item, RuleRef) else item
            lengths = ((self.shortest.sequence(one.items), one) for one in rule.options)
            found = sorted((one for one in lengths if one[0] < NEVER), key=lambda one: one[0])
            known = [length for length, _ in found], [option for _, option in found]
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
            if isinstance(item, Literal):
                said.append(item.text)
            elif not isinstance(item, RuleRef | Group | Repeat):
                said.append("" if is_nothing(item) else self._sampler.letters(item).draw(self._rng))
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
            self._share((item.item,) * count, room - count * self._sampler.length(item.item))
        else:  # each alternative that fits is as likely as any other
            lengths, options = self._sampler.alternatives(item)
            number = self._rng.randrange(bisect_right(lengths, room))
            self._share(options[number].items, room - lengths[number])

    def _finish(self, item: RuleRef | Group | Repeat) -> None:
        """Write the shortest string, without a choice."""
        if not self._sampler.length(item):
            return
        if isinstance(item, Repeat):
            self._share((item.item,) * item.min, 0)
        else:
            symbol = item.name if isinstance(item, RuleRef) else id(item)
            self._share(self._sampler.shortest.best[symbol][1].items, 0)

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

    def _share(self, parts: tuple[Item, ...], slack: int) -> None:
        """Give room to items, and a random share of the rest to each one that may grow."""
        open_ = [at for at, one in enumerate(parts) if isinstance(one, RuleRef | Group | Repeat)]
        rooms = list(map(self._sampler.length, parts))
        if not open_:
            self._pot += slack
        elif slack:
            cuts = sorted(self._rng.randint(0, slack) for _ in open_[1:])
            for at, low, high in zip(open_, [0, *cuts], [*cuts, slack], strict=True):
                rooms[at] += high - low
        self._pending += zip(reversed(parts), reversed(rooms), strict=True)


def check_productive(grammar: GrammarRules, shortest: Shortest) -> None:
    """Raise GrammarError if no string matches, LimitError if the shortest is too long."""
    length = shortest.rule(grammar.root)
    if length >= NEVER:
        raise GrammarError(_reason(grammar, shortest))
    check_length(length, grammar.limits, "shortest")


def check_length(size: int, limits: Limits, which: str) -> None:
    """Raise LimitError if a string of that many characters is too long; `which` string it is."""
    if size > limits.output_chars:
        count = f"{size:,}" if size < _HUGE else f"{_HUGE:,} or more"
        message = f"the {which} string has {count} characters, over the {limits.output_chars:,}"
        raise LimitError(Problem("limit/output-chars", f"{message} allowed"))


def _reason(grammar: GrammarRules, shortest: Shortest) -> Problem:
    """Where the first alternatives lead: to an item that never matches, or into a cycle."""
    path: dict[Symbol, Rule | Item] = {}
    at: Rule | Item = grammar.rule.get(grammar.root) or RuleRef(grammar.root)
    while isinstance(at, Rule | Group) and at.options:
        symbol = at.name if isinstance(at, Rule) else id(at)
        if symbol in path:
            met = list(path.values())
            names = _rule_names([*met[list(path).index(symbol) :], at])
            message, hint = f"{' -> '.join(names)} never ends", "add an alternative that ends"
            break
        path[symbol] = at
        at = next(one for one in at.options[0].items if not shortest.productive(one))
        while isinstance(at, Repeat):
            at = at.item
        if isinstance(at, RuleRef):
            at = grammar.rule.get(at.name, at)
    else:
        message, hint = _impossible(at)
    return Problem(
        "gbnf/no-text", f"the grammar matches no string: {message}", _span(at, grammar.source), hint
    )


def _rule_names(cycle: list[Rule | Item]) -> list[str]:
    """The rules on a cycle, which has at least one: groups alone cannot contain themselves."""
    names = [one.name for one in cycle if isinstance(one, Rule)]
    return names if isinstance(cycle[0], Rule) else [*names, names[0]]


def _impossible(item: Rule | Item) -> tuple[str, str]:
    """Why an item never matches, and a hint."""
    if isinstance(item, Rule | Group | Repeat):
        return "a rule or a group has no alternatives", ""
    said = f"`{item_text(item)}`"
    hint = "remove NUL, surrogates and numbers above U+10FFFF: no string contains them"
    if isinstance(item, TokenRef):
        return f"{said} is a token, whose text only a vocabulary knows", ""
    if isinstance(item, RuleRef):
        return f"undefined rule {said}", ""
    if isinstance(item, Literal):
        return f"{said} contains a character that no string can contain", hint
    if isinstance(item, CharClass) and any(low > high for low, high in item.ranges):
        hint = "begin a range with the lower character"
    return f"{said} matches no character", hint


def _span(origin: Rule | Item, source: Source) -> Span | None:
    if origin.start < 0:
        return None
    end = origin.named if isinstance(origin, Rule) else origin.end
    return source.span(origin.start, end)


def _check_random(rng: object) -> None:
    """Raise TypeError for a value that is not a `random.Random`, such as a seed."""
    if not callable(getattr(rng, "randrange", None)):
        raise TypeError(f"rng must be a random.Random, not {type(rng).__name__}")


def check_count(name: str, count: object) -> None:
    """Raise TypeError for a value that is not an integer, ValueError for one below zero."""
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{name} must be an int, not {type(count).__name__}")
    if count < 0:
        raise ValueError(f"{name} must be 0 or more, not {count}")


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
