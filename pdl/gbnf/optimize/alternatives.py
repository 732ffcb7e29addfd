"""The normal form of alternatives: each once, none beginning like another, the empty one last.

None of this ever gives llama.cpp more stacks than before: two alternatives that become one at
their beginning or their end had two stacks there for each one that is left.

Sets of characters are sorted ranges that do not touch, one code point a literal. Code points that
no text can hold count neither way. Positive or negative makes a difference in llama.cpp only for
tokens that end amid a character: there an excluded character excludes all that begin as it does
(`llama_grammar_match_partial_char`). So a class stays negative, or becomes it, only where that
loses nothing.

`seq_length` tells about how long parts are when they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.nodes import AnyChar, CharClass, Literal, RuleRef, item_text
from pdl.gbnf.optimize.parts import Choice, Part, joined, multiplied, once, repeated
from pdl.gbnf.utf8 import ANY, Ranges, characters, complement, normal, of_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pdl.gbnf.optimize.parts import Atom, Seq


_QUOTES = 2
_COUNT = 3


def seq_length(parts: Seq) -> int:
    """The characters of some parts, without quotes."""
    return sum(_length(part.atom) + (0 if part.once else _COUNT) for part in parts)


def _length(atom: Atom) -> int:
    if isinstance(atom, Choice):
        return _QUOTES + sum(map(seq_length, atom.options))
    return len(item_text(atom)) - (_QUOTES if isinstance(atom, Literal) else 0)


CharSet: TypeAlias = "Literal | CharClass | AnyChar"

_ASCII = 0x7F
_HYPHEN = (0x2D, 0x2D)
_BEFORE, _AFTER = 0xD7FF, 0xE000  # what surrogates lie between


def is_set(atom: Atom) -> bool:
    """Whether an atom takes exactly one character."""
    if isinstance(atom, Literal):
        return len(atom.codes) == 1
    return isinstance(atom, CharClass | AnyChar)


def ranges_of(atom: Atom) -> Ranges:
    """The characters that an atom takes."""
    if isinstance(atom, Literal):
        return characters((code, code) for code in atom.codes)
    return of_class(atom) if isinstance(atom, CharClass) else ANY


def union(atoms: Sequence[Atom]) -> CharSet:
    """The atom that takes what any of some atoms takes."""
    found = normal(one for atom in atoms for one in ranges_of(atom))
    negated = all(isinstance(atom, CharClass) and atom.negated for atom in atoms)
    return atom_of(found, negated=negated)


def atom_of(found: Ranges, *, negated: bool) -> CharSet:
    """The normal form of a set that is not empty; `negated` says how it was written."""
    others = characters(complement(found))
    if not others:
        return AnyChar()
    if len(found) == 1 and found[0][0] == found[0][1]:
        return Literal((found[0][0],))
    if negated or others[-1][1] <= _ASCII:
        low, high = others[0]
        first = (low if low > 1 else 0, high)  # NUL is left out as well, as usually written
        return CharClass(_written((first, *others[1:])), negated=True)
    return CharClass(_written(found))


def _written(ranges: Ranges) -> Ranges:
    """Ranges as one likes to read them: no range of two, and a hyphen at the end."""
    found: list[tuple[int, int]] = []
    for low, high in _bridged(ranges):
        found += [(low, low), (high, high)] if high == low + 1 else [(low, high)]
    found.sort(key=_HYPHEN.__eq__)
    return tuple(found)


def _bridged(ranges: Ranges) -> Ranges:
    """Ranges without the gap that surrogates make."""
    joined: list[tuple[int, int]] = []
    for low, high in ranges:
        if low == _AFTER and joined and joined[-1][1] == _BEFORE:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return tuple(joined)


_DEEPEST = 40  # groups in groups that factoring makes
_SAVED = 8  # characters that a shared end must save: about what the group costs


class Alternatives:
    """Brings alternatives into normal form.

    `simple` are the rules that are one part, `empty` those that may match the empty text. Of these,
    rules of the same `component` as the one that is rewritten may need it for that; only because of
    the others can it do without saying itself that something may be left out.
    """

    def __init__(self, empty: AbstractSet[str], simple: Mapping[str, Part]) -> None:
        self._empty = empty
        self._simple = simple
        self.component: AbstractSet[str] = frozenset()

    def sequence(self, parts: Iterable[Part]) -> Seq:
        """Parts one after the other, equal ones with a count."""
        found = joined(parts, self._simple)
        if all(part.high is not None or not part.low for part in found):
            return found
        return tuple(self._endless(part) for part in found)

    def _endless(self, part: Part) -> Part:
        """`x+` as `x*`, if x may be empty."""
        return part._replace(low=0) if part.high is None and self._may_be(part.atom) else part

    def times(self, options: tuple[Seq, ...], low: int, high: int | None) -> Seq:
        """Normal alternatives, repeated; what may be empty anyway is not made optional."""
        if (low, high) == (0, 1) and self._any_empty(option for option in options if option):
            options, low = tuple(option for option in options if option), 1
        if len(options) == 1 and len(options[0]) == 1 and high and high > 1:
            part = options[0][0]
            if part.high and part.high > 1 and self._may_be(part.atom):
                # As one repetition it might have more stacks, where it leads back to itself.
                return (Part(Choice(options, normal=True), low, high),)
        return repeated(options, low, high)

    def plain(self, part: Part) -> Seq:
        """A part whose inside is in normal form, as parts that are so themselves."""
        return self.times(tuple(map(self.sequence, once(part))), part.low, part.high)

    def normal(self, options: Iterable[Seq], level: int) -> tuple[Seq, ...]:
        """Alternatives in normal form; `level` is how many groups are around them."""
        found = self._flat(options)
        while True:
            before = found
            full = [option for option in before if option]
            if level < _DEEPEST:
                full = self._factored(self._ended(full, level), level)
            full = self._merged(full)
            found = dict.fromkeys(full)
            if () in before and not self._any_empty(full):
                found[()] = None
            if len(found) == len(before):
                return _counted(tuple(found))

    def _flat(self, options: Iterable[Seq]) -> dict[Seq, None]:
        """Alternatives without those that are groups, each once."""
        found: dict[Seq, None] = {}
        for option in options:
            only = option[0] if len(option) == 1 else None
            if only is None or only.high != 1 or only.low > 1:
                found[option] = None
                continue
            found.update((self.sequence(one), None) for one in once(only))
            if not only.low:
                found[()] = None
        return found

    def _any_empty(self, options: Iterable[Seq]) -> bool:
        """Whether an alternative matches the empty text without help of this component of rules."""
        return any(
            all(not part.low or self._may_be(part.atom, self.component) for part in option)
            for option in options
        )

    def _may_be(self, atom: Atom, component: AbstractSet[str] = frozenset()) -> bool:
        """Whether an atom may match the empty text, without help of some rules."""
        if isinstance(atom, RuleRef):
            return atom.name in self._empty and atom.name not in component
        return isinstance(atom, Choice) and any(
            all(not part.low or self._may_be(part.atom, component) for part in option)
            for option in atom.options
        )

    def _factored(self, options: list[Seq], level: int) -> list[Seq]:
        """Alternatives with the same beginning as one: `"ab" | "ac"` is `"a" ("b" | "c")`."""
        groups: dict[object, list[Seq]] = {}
        for option in options:
            first = option[0]
            groups.setdefault(first.atom if first.low else first, []).append(option)
        if len(groups) == len(options):
            return options
        return [self._shared(group, level) for group in groups.values()]

    def _shared(self, group: list[Seq], level: int) -> Seq:
        if len(group) == 1:
            return group[0]
        start = _common(group)
        rests = [option[len(start) :] for option in group]
        firsts = [rest[0] if rest else None for rest in rests]
        least = min((part.low for part in firsts if part), default=0)
        first = firsts[0]
        if first and least and all(part and part.atom == first.atom for part in firsts):
            start = (*start, *self.plain(Part(first.atom, least, least)))
            rests = [self._without(rest, least) for rest in rests]
        body = self.normal(rests, level + 1)
        return self.sequence((*start, *self.times(body, 1, 1)))

    def _without(self, option: Seq, count: int) -> Seq:
        """A sequence whose first part comes so many times less."""
        atom, low, high = option[0]
        fewer = Part(atom, low - count, None if high is None else high - count)
        return (*self.plain(fewer), *option[1:])

    def _merged(self, options: list[Seq]) -> list[Seq]:
        """Alternatives that differ in a first character alone as one: `"a" | "b"` is `[ab]`."""
        tails: dict[Seq, list[int]] = {}
        for number, option in enumerate(options):
            if option[0].once and is_set(option[0].atom):
                tails.setdefault(option[1:], []).append(number)
        merged = list(options)
        dropped: set[int] = set()
        for tail, numbers in tails.items():
            if len(numbers) > 1:
                atom = union([options[number][0].atom for number in numbers])
                merged[numbers[0]] = self.sequence((Part(atom), *tail))
                dropped.update(numbers[1:])
        return [option for number, option in enumerate(merged) if number not in dropped]

    def _ended(self, options: list[Seq], level: int) -> list[Seq]:
        """All alternatives as one with their common end, if that is worth it."""
        if len(options) < 2:  # noqa: PLR2004 - nothing in common
            return options
        end = _common([option[::-1] for option in options])[::-1]
        if (len(options) - 1) * seq_length(end) < _SAVED:
            return options
        rests = [option[: len(option) - len(end)] for option in options]
        if () in rests and not all(_apart(rest[0], end[0]) for rest in rests if rest):
            return options  # one could not tell the end from what stands before it
        body = self.normal(rests, level + 1)
        return [self.sequence((*self.times(body, 1, 1), *end))]


def _counted(options: tuple[Seq, ...]) -> tuple[Seq, ...]:
    """`x+ | ""` as `x*`."""
    if len(options) == 2 and len(options[0]) == 1 and not options[1]:  # noqa: PLR2004 - it and none
        found = multiplied(options[0][0], 0, 1)
        if found and found.high != 1:
            return ((found,),)
    return options


def _common(options: list[Seq]) -> Seq:
    """The parts that all begin with."""
    first = min(options, key=len)
    for number, part in enumerate(first):
        if any(option[number] != part for option in options):
            return first[:number]
    return first


def _apart(one: Part, other: Part) -> bool:
    """Whether two parts begin differently, as far as factoring looks."""
    first, second = one.atom, other.atom
    if isinstance(first, Choice) or isinstance(second, Choice):
        return False
    if isinstance(first, Literal) and isinstance(second, Literal):
        return first.codes[0] != second.codes[0]
    return first != second
