"""What all grammars over one vocabulary share: what its tokens do inside lexemes, and the memory.

A lexeme is known by the rules that it is made of, so that the strings, numbers and blanks of one
grammar are those of the next.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

from pdl.gbnf.automaton import automaton
from pdl.gbnf.matcher import Matcher
from pdl.gbnf.nodes import Rule, Sequence
from pdl.limits import DEFAULT_LIMITS
from pdl.masks.found import MOST, Found
from pdl.masks.plans import Wide
from pdl.masks.scan import OverlapError, Scan
from pdl.masks.trie import ROOT, Columns

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pdl.gbnf.matcher import Configuration
    from pdl.gbnf.nodes import AnyChar, CharClass
    from pdl.gbnf.utf8 import Ranges
    from pdl.masks.found import Below
    from pdl.masks.masker import Masker
    from pdl.masks.trie import Ints, Place
    from pdl.masks.vocabulary import Vocabulary

MASKS = 40 << 20
"""The memory of the masks of all grammars, in bytes; then those go that were not asked for."""
LEARNED = 48 << 20
"""The memory for all else that is learned, in bytes; then it is forgotten."""

_SELDOM = 32  # masks between two looks at the memory

Key: TypeAlias = "tuple[Hashable, Place]"


class Lexicon:
    """The caches of one vocabulary. Whoever changes them holds `lock`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.lock = RLock()
        self.tokens = len(vocabulary)
        self.columns = Columns(vocabulary)
        self.maskers: WeakSet[Masker] = WeakSet()
        self.counted = vocabulary.trie.depth <= MOST
        self._masks: OrderedDict[tuple[int, int], Ints] = OrderedDict()
        self._masks_size = 0
        self._checks = 0
        self.clear()

    def clear(self) -> None:
        """Forget what was learned, masks aside."""
        self._lexemes: dict[Hashable, int] = {}
        self._found: dict[Key, Found] = {}
        self._begun: dict[Key, Found | Below | None] = {}
        self._wide: dict[CharClass | AnyChar, Wide] = {}
        self._tiny: dict[Ranges, Matcher] = {}
        self.columns.forget()
        for masker in list(self.maskers):
            masker.forget()

    def check(self) -> None:
        """Keep to the limit; not amid a walk, which holds what it has learned anyway."""
        self._checks += 1
        seldom = not self._checks % _SELDOM  # the maskers may be many
        if self.columns.spent > LEARNED or (seldom and self.learned > LEARNED):
            self.clear()

    @property
    def learned(self) -> int:
        """The memory of all but the masks, in bytes."""
        return self.columns.spent + sum(one.spent for one in list(self.maskers))

    @property
    def size(self) -> int:
        """The memory of the caches, in bytes."""
        return self._masks_size + self.learned

    def number(self, lexeme: Hashable) -> int:
        """A number for a lexeme: equal ones have the same."""
        return self._lexemes.setdefault(lexeme, len(self._lexemes))

    def known(self, lexeme: Hashable, place: Place) -> Found | None:
        """What was found of a lexeme below a place."""
        return self._found.get((lexeme, place))

    def inside(
        self, lexeme: Hashable, place: Place, matcher: Matcher, start: Configuration
    ) -> Found:
        """What the tokens below a place do in a lexeme, which is at `start` in some matcher."""
        scan = Scan(matcher, start, repeated=False)
        found = scan.run(self.columns, self.columns.nodes(place), self.tokens)
        self._found[lexeme, place] = found
        self.columns.spent += found.size
        return found

    def rounds(
        self, lexeme: Hashable, place: Place, matcher: Matcher, start: Configuration
    ) -> Found | Below | None:
        """What the tokens below a place do in rounds of a lexeme; None if a round need not end.

        `start` is where a round begins in some matcher.
        """
        key = (lexeme, place)
        if key in self._begun:
            return self._begun[key]
        found: Found | Below | None = None
        if self.counted:
            found = self._rounds(lexeme, place, matcher, start)
        self._begun[key] = found
        self.columns.spent += found.size if found else 100
        return found

    def _rounds(
        self, lexeme: Hashable, place: Place, matcher: Matcher, start: Configuration
    ) -> Found | Below | None:
        """The same, which is a part of that from the root on where one round ends at the place."""
        nodes = self.columns.nodes(place)
        if place != ROOT:
            whole = self.rounds(lexeme, ROOT, matcher, start)
            if not isinstance(whole, Found):
                return None
            found = whole.begin(place) if isinstance(place, int) else None
            held = found or whole.below(nodes)
            if held is not None:
                return held
        try:
            scan = Scan(matcher, start, repeated=True)
            return scan.run(self.columns, nodes, self.tokens)
        except OverlapError:
            return None

    def wide(self, item: CharClass | AnyChar) -> Wide:
        """What is known of a class of characters."""
        found = self._wide.get(item)
        if found is None:
            found = self._wide[item] = Wide(item)
        return found

    def tiny(self, wide: Wide) -> Matcher:
        """A matcher for one character of a class."""
        found = self._tiny.get(wide.ranges)
        if found is None:
            rule = Rule(name="root", options=(Sequence((wide.item,)),))
            machine = automaton({"root": rule}, DEFAULT_LIMITS)
            found = self._tiny[wide.ranges] = Matcher(machine, 0)
            self.columns.spent += 20_000
        return found

    def mask(self, key: tuple[int, int]) -> Ints | None:
        """A mask that is known."""
        found = self._masks.get(key)
        if found is not None:
            self._masks.move_to_end(key)
        return found

    def keep(self, key: tuple[int, int], mask: Ints) -> None:
        """Know a mask from now on."""
        self._masks[key] = mask
        self._masks_size += mask.nbytes + 200
        while self._masks_size > MASKS:
            _, old = self._masks.popitem(last=False)
            self._masks_size -= old.nbytes + 200


_LEXICONS: WeakKeyDictionary[Vocabulary, Lexicon] = WeakKeyDictionary()


def lexicon(vocabulary: Vocabulary) -> Lexicon:
    """The one lexicon of a vocabulary."""
    found = _LEXICONS.get(vocabulary)
    if found is None:
        found = _LEXICONS.setdefault(vocabulary, Lexicon(vocabulary))
    return found
