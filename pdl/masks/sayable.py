"""What of a grammar the tokens of a vocabulary can say to its end.

A vocabulary that has each byte as a token can go on wherever a grammar can. One that has not might
begin what it cannot finish; of such texts, masks allow not even the beginning.

There, a text counts as sayable if each of its characters is: as a token of its own or, where some
token ends amid a character, byte by byte. One that only longer tokens could spell (`"xy"` with the
token `xy`, but neither `x` nor `y`) is refused, though it could be said. Whether tokens that are
longer fit together would have to be known at each place of the grammar, which may have any number
of them; and a model must be able to spell what the longer token does not fit (`"xz"`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem
from pdl.gbnf.alive import Liveness
from pdl.gbnf.nodes import LAST, CharClass, Group, Literal, Repeat, RuleRef, Sequence, TokenRef
from pdl.gbnf.utf8 import characters, normal, of_class
from pdl.gbnf.walk import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item, Rule
    from pdl.gbnf.utf8 import Ranges
    from pdl.masks.references import References
    from pdl.masks.vocabulary import Vocabulary

_BYTES = frozenset(range(1, 0xF5)) - {0xC0, 0xC1}
"""Those of which texts are made (RFC 3629, section 4)."""
_IMPOSSIBLE = Literal((0,))  # no text holds it
_ANY = characters(((0, LAST),))
_LAST, _LASTS = 0x80, 0x40  # the first of the bytes that end a longer character, and their number
_BEYOND_ASCII = characters(((_LAST, LAST),))


def sayable(grammar: Grammar, vocabulary: Vocabulary, references: References) -> Mapping[str, Rule]:
    """The rules of a grammar without what the tokens of a vocabulary cannot say, one by one.

    Raises GrammarError if nothing is left, with a character that is lacking.
    """
    rules = {name: grammar.rule[name] for name in reachable(grammar.rule, grammar.root)}
    missing = vocabulary.missing_bytes & _BYTES
    whole = not missing or _is_whole(vocabulary)
    spelled = _spelled(vocabulary, _BYTES - missing, whole=whole) if missing else None
    narrow = _Narrow(spelled, references, keep=whole)
    found = {name: narrow.rule(rule) for name, rule in rules.items()}
    live = Liveness(found)
    if grammar.root not in live.found:
        message = f"the vocabulary can say no text of the grammar's rule `{grammar.root}`"
        raise GrammarError(Problem("gbnf/unsayable", message, None, narrow.hint))
    if not narrow.changed and all(name in live.found for name in found):
        return rules
    return {name: _pruned(rule, live) for name, rule in found.items() if name in live.found}


def _is_whole(vocabulary: Vocabulary) -> bool:
    """Whether each token that is text is made of whole characters."""
    special = vocabulary.special
    for token, piece in enumerate(vocabulary.tokens):
        if token not in special:
            try:
                piece.decode()
            except UnicodeDecodeError:
                return False
    return True


def _spelled(vocabulary: Vocabulary, held: frozenset[int], *, whole: bool) -> Ranges:
    """The characters that tokens can spell one by one, if some bytes are tokens by themselves."""
    if not whole:
        return characters(_of_bytes(held))
    special = vocabulary.special
    pieces = (p.decode() for t, p in enumerate(vocabulary.tokens) if t not in special)
    codes = {ord(piece) for piece in pieces if len(piece) == 1}
    return characters((code, code) for code in codes)


def _of_bytes(held: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The characters all of whose bytes are among some; those that differ in the last at once."""
    yield from ((byte, byte) for byte in held if byte < _LAST)
    lasts = normal((byte - _LAST, byte - _LAST) for byte in held if _LAST <= byte < _LAST + _LASTS)
    for start in chain.from_iterable(range(low, high + 1, _LASTS) for low, high in _BEYOND_ASCII):
        if held.issuperset(chr(start).encode()[:-1]):
            yield from ((start + low, start + high) for low, high in lasts)


class _Narrow:
    """Items that hold what can be spelled alone; `keep`: other characters may be in longer tokens.

    They may where no token ends amid a character, if one of the class can be spelled.
    """

    def __init__(self, spelled: Ranges | None, references: References, *, keep: bool) -> None:
        self._spelled = spelled
        self._references = references
        self._keep = keep
        self.changed = False
        self.hint = ""
        """What to say where nothing can be said: a character that cannot."""

    def rule(self, rule: Rule) -> Rule:
        """A rule of such items."""
        options = self._options(rule.options)
        return rule if options is rule.options else replace(rule, options=options)

    def _options(self, options: tuple[Sequence, ...]) -> tuple[Sequence, ...]:
        found = tuple(tuple(map(self._item, option.items)) for option in options)
        pairs = zip(found, options, strict=True)
        same = all(a is b for new, old in pairs for a, b in zip(new, old.items, strict=True))
        return options if same else tuple(map(Sequence, found))

    def _item(self, item: Item) -> Item:
        if isinstance(item, Group):
            options = self._options(item.options)
            return item if options is item.options else Group(options)
        if isinstance(item, Repeat):
            inner = self._item(item.item)
            return item if inner is item.item else Repeat(inner, item.min, item.max)
        if isinstance(item, RuleRef):
            return item
        found = self._leaf(item)
        self.changed |= found is not item
        return found

    def _leaf(self, item: Item) -> Item:
        if isinstance(item, TokenRef):
            return item if self._references.is_possible(item) else _IMPOSSIBLE
        ranges = _ranges(item)
        if isinstance(item, Literal):
            fits = len(ranges) == len(item.codes) and all(map(self._has, ranges))
            return item if fits else self._lacking(ranges)
        if isinstance(item, CharClass) and not item.ranges:
            return item  # nothing, which is no class
        kept = _both(ranges, self._spelled)
        if not kept:
            return _IMPOSSIBLE
        return item if self._keep or kept == ranges else CharClass(kept)

    def _lacking(self, ranges: Ranges) -> Item:
        """What stands for a literal that has a character which is no token."""
        lacking = next((low for low, high in ranges if not self._has((low, high))), None)
        if lacking is not None and not self.hint:
            self.hint = (
                f"{chr(lacking)!r} is no token, nor are its bytes: each character must be one,"
                " longer tokens that have it do not count"
            )
        return _IMPOSSIBLE

    def _has(self, one: tuple[int, int]) -> bool:
        return bool(_both((one,), self._spelled))


def _ranges(item: Item) -> Ranges:
    if isinstance(item, Literal):
        return tuple(one for code in item.codes for one in characters(((code, code),)))
    return of_class(item) if isinstance(item, CharClass) else _ANY


def _both(one: Ranges, other: Ranges | None) -> Ranges:
    """The characters in both of two sets; None is that of all."""
    if other is None:
        return one
    found = []
    at = 0
    for low, high in one:
        while at < len(other) and other[at][1] < low:
            at += 1
        index = at
        while index < len(other) and other[index][0] <= high:
            found.append((max(low, other[index][0]), min(high, other[index][1])))
            index += 1
    return tuple(found)


def _pruned(rule: Rule, live: Liveness) -> Rule:
    return replace(rule, options=tuple(_live(rule.options, live)))


def _live(options: Iterable[Sequence], live: Liveness) -> Iterator[Sequence]:
    """The alternatives that match some text, of what does."""
    for option in options:
        if all(map(live.item, option.items)):
            items = (_within(item, live) for item in option.items)
            yield Sequence(tuple(item for item in items if item is not None))


def _within(item: Item, live: Liveness) -> Item | None:
    if isinstance(item, Group):
        return Group(tuple(_live(item.options, live)))
    if not isinstance(item, Repeat):
        return item
    if not live.item(item.item):
        return None  # of which there may be none
    inner = _within(item.item, live)
    return None if inner is None else Repeat(inner, item.min, item.max)
