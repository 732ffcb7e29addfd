"""What all grammars over one vocabulary share: their masks, and what tokens do inside lexemes.

This is an adaptive token mask cache (Dong et al., "XGrammar", 2024). A lexeme is known by the rules
that it consists of, so that the strings, numbers and whitespace of one grammar are those of the
next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from pdl.gbnf.matcher import Matcher
from pdl.gbnf.nodes import CharClass, Rule, Sequence
from pdl.gbnf.rtn import compile_rtn
from pdl.gbnf.utf8 import of_class
from pdl.limits import DEFAULT_LIMITS
from pdl.masks.lexeme_tokens import MOST, LexemeTokens, joined, nothing
from pdl.masks.trie_index import ROOT, TrieIndex, children, is_nested, token_rows

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray

    from pdl.gbnf.matcher import Configuration
    from pdl.gbnf.nodes import AnyChar
    from pdl.gbnf.utf8 import Ranges
    from pdl.masks.lexeme_tokens import Rows, SubtrieView
    from pdl.masks.trie_index import Position
    from pdl.masks.vocabulary import Bytes, Counts, Ints, Trie, Vocabulary

    Flags: TypeAlias = NDArray[np.bool_]


_UNKNOWN = -1
_DEAD = -2


class OverlapError(Exception):
    """A repeated rule may end where it may also continue."""


class _Frontier(NamedTuple):
    """Nodes of one depth, each with the state of the lexeme and the rounds that are complete.

    `firsts` are the bytes with which they continue at their positions, which `fresh` ones have not
    done; `ended` says whether a round is complete.
    """

    nodes: Ints
    states: Ints
    rounds: Counts
    firsts: Bytes
    ended: Flags
    fresh: Flags


def _begin(nodes: Ints) -> _Frontier:
    """The frontier at positions."""
    none = np.zeros(len(nodes), np.bool_)
    zeros = np.zeros(len(nodes), np.int32)
    return _Frontier(nodes, zeros, zeros.astype(np.uint16), zeros.astype(np.uint8), none, ~none)


def _joined(one: _Frontier, other: _Frontier) -> _Frontier:
    if not len(one.nodes):
        return other
    pairs: Iterable[tuple[Any, Any]] = zip(one, other, strict=True)
    return _Frontier._make(np.concatenate(pair) for pair in pairs)


def _once(frontier: _Frontier, begun: Counts) -> Ints:
    """The first position of each distinct part of a frontier."""
    numbers = frontier.nodes.astype(np.int64)
    for column in (frontier.states, frontier.rounds, begun, frontier.firsts):
        values, column_numbers = np.unique(column, return_inverse=True)
        numbers = numbers * len(values) + column_numbers
    _, found = np.unique(numbers, return_index=True)
    return np.sort(found).astype(np.int32)


class Scan:
    """The configurations of one lexeme, by numbers, and where each class of bytes leads.

    With `repeated`, the lexeme begins again where it ends. Raises OverlapError if it can go on too.
    """

    def __init__(self, matcher: Matcher, start: Configuration, *, repeated: bool) -> None:
        self._matcher = matcher
        self._repeated = repeated
        classes = matcher.rtn.classes
        self._classes = np.frombuffer(classes, np.uint8)
        self._bytes = [classes.index(number) for number in range(classes[-1] + 1)]
        self._held: list[Configuration] = []
        self._numbers: dict[Configuration, int] = {}
        self._rows = np.full((8, len(self._bytes)), _UNKNOWN, np.int32)
        self._ends = np.zeros(8, np.bool_)
        self._number(start)

    def run(self, index: TrieIndex, nodes: Ints, size: int) -> LexemeTokens:
        """Return what the tokens below some nodes do, in a vocabulary of a size.

        If one of the nodes is below another, equal outcomes at one node are merged.
        """
        trie = index.trie
        starts = np.unique(nodes)
        nested = is_nested(trie, starts)
        at = np.searchsorted(starts, trie.levels)
        tokens: list[Rows] = [nothing()]
        ends: list[Rows] = [nothing()]
        frontier = _begin(starts[:0])
        for depth in range(int(np.searchsorted(at, 0, side="right")) - 1, trie.depth):
            if at[depth] < at[depth + 1]:
                frontier = _joined(frontier, _begin(starts[at[depth] : at[depth + 1]]))
            elif not len(frontier.nodes):
                if at[depth] == len(starts):
                    break
                continue
            frontier, begun = self._following(trie, frontier, nested=nested)
            numbers, rows = token_rows(trie, frontier.nodes)
            tokens.append((numbers, begun[rows], frontier.firsts[rows]))
            ended = frontier.ended.nonzero()[0]
            ends.append((frontier.nodes[ended], frontier.rounds[ended], frontier.firsts[ended]))
        return LexemeTokens(index, joined(tokens), joined(ends), size)

    def _following(
        self, trie: Trie, frontier: _Frontier, *, nested: bool
    ) -> tuple[_Frontier, Counts]:
        """The frontier one level below, and the rounds that are begun at each of its nodes."""
        nodes, above = children(trie, frontier.nodes)
        bytes_ = trie.byte[nodes]
        there = self._stepped(frontier.states[above], self._classes[bytes_])
        alive = (there >= 0).nonzero()[0]
        nodes, above, states = nodes[alive], above[alive], there[alive]
        firsts = np.where(frontier.fresh[above], bytes_[alive], frontier.firsts[above])
        ended = self._ends[states]
        rounds, begun = self._counted(frontier.rounds[above], ended)
        if self._repeated:
            states[ended] = 0
        found = _Frontier(nodes, states, rounds, firsts, ended, np.zeros(len(nodes), np.bool_))
        if not nested:
            return found, begun
        once = _once(found, begun)
        return _Frontier._make(column[once] for column in found), begun[once]

    def _counted(self, rounds: Counts, ended: NDArray[np.bool_]) -> tuple[Counts, Counts]:
        """The rounds that are complete, and those that are begun; none, if none are counted."""
        if not self._repeated:
            return rounds, np.ones_like(rounds)
        begun = np.minimum(rounds, np.uint16(MOST - 1)) + np.uint16(1)
        return np.where(ended, begun, rounds), begun

    def _stepped(self, here: Ints, classes: Bytes) -> Ints:
        there = self._rows[here, classes]
        missing = (there == _UNKNOWN).nonzero()[0]
        if len(missing):
            width = len(self._bytes)
            pairs = np.unique(here[missing] * width + classes[missing])
            for pair in pairs.tolist():
                number, one = divmod(pair, width)
                found = self._matcher.step(self._held[number], self._bytes[one])
                reached = _DEAD if found.dead else self._number(found)
                self._rows[number, one] = reached
            there = self._rows[here, classes]
        return there

    def _number(self, found: Configuration) -> int:
        number = self._numbers.get(found)
        if number is None:
            if self._repeated and found.complete and found.items:
                raise OverlapError
            number = self._numbers[found] = len(self._held)
            self._held.append(found)
            if number == len(self._rows):
                self._rows = np.concatenate([self._rows, np.full_like(self._rows, _UNKNOWN)])
                self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
            self._ends[number] = found.complete
        return number


_ASCII = 0x7F
_NARROW = 4


class ClassBytes:
    """A class of characters that a state takes: its ranges, and the bytes that begin them."""

    def __init__(self, item: CharClass | AnyChar) -> None:
        self.item = item
        self.ranges: Ranges = (
            of_class(item) if isinstance(item, CharClass) else of_class(CharClass((), negated=True))
        )

    @cached_property
    def narrow(self) -> bool:
        """Whether it has so few characters that they are best followed one by one."""
        return sum(high - low + 1 for low, high in self.ranges) < _NARROW

    @cached_property
    def high(self) -> Ranges:
        """The part beyond ASCII."""
        return tuple((max(a, _ASCII + 1), b) for a, b in self.ranges if b > _ASCII)

    @cached_property
    def low(self) -> frozenset[int]:
        """The characters of ASCII."""
        return frozenset(
            code for a, b in self.ranges if a <= _ASCII for code in range(a, min(b, _ASCII) + 1)
        )

    @cached_property
    def firsts(self) -> bytes:
        """For each byte a 1 if it begins one of the characters."""
        high = bool(self.high)
        return bytes(byte in self.low if byte <= _ASCII else high for byte in range(256))

    def is_part(self, other: ClassBytes) -> bool:
        """Whether each byte begins all that it begins in another one, or nothing."""
        return self.low <= other.low and (not self.high or self.high == other.high)


MASKS = 40 << 20
"""The memory of the masks of all grammars, in bytes; then those go that were not asked for."""
LEARNED = 48 << 20
"""The memory for all else that is learned, in bytes; then it is forgotten."""

_SELDOM = 32  # masks between two looks at the memory

Key: TypeAlias = "tuple[Hashable, Position]"


class Learner(ABC):
    """What was learned of one grammar, which counts toward the memory of its vocabulary."""

    @property
    @abstractmethod
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""

    @abstractmethod
    def forget(self) -> None:
        """Drop what was learned; it will be learned again."""


class MaskCache:
    """The caches of one vocabulary. Whoever changes them holds `lock`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.lock = RLock()
        self.tokens = len(vocabulary)
        self.index = TrieIndex(vocabulary)
        self.learners: WeakSet[Learner] = WeakSet()
        self.counted = vocabulary.trie.depth <= MOST
        self._masks: OrderedDict[tuple[int, int], Ints] = OrderedDict()
        self._masks_size = 0
        self._checks = 0
        self.clear()

    def clear(self) -> None:
        """Forget what was learned, masks aside."""
        self._lexemes: dict[Hashable, int] = {}
        self._found: dict[Key, LexemeTokens] = {}
        self._begun: dict[Key, LexemeTokens | SubtrieView | None] = {}
        self._classes_of: dict[CharClass | AnyChar, ClassBytes] = {}
        self._tiny: dict[Ranges, Matcher] = {}
        self.index.forget()
        for learner in list(self.learners):
            learner.forget()

    def check(self) -> None:
        """Keep to the limit, between masks."""
        self._checks += 1
        seldom = not self._checks % _SELDOM  # there may be many learners
        if self.index.spent > LEARNED or (seldom and self.learned > LEARNED):
            self.clear()

    @property
    def learned(self) -> int:
        """The memory of all but the masks, in bytes."""
        return self.index.spent + sum(one.spent for one in list(self.learners))

    @property
    def size(self) -> int:
        """The memory of the caches, in bytes."""
        return self._masks_size + self.learned

    def number(self, lexeme: Hashable) -> int:
        """A number for a lexeme: equal ones have the same."""
        return self._lexemes.setdefault(lexeme, len(self._lexemes))

    def known(self, lexeme: Hashable, position: Position) -> LexemeTokens | None:
        """What was found of a lexeme below a position."""
        return self._found.get((lexeme, position))

    def inside(
        self, lexeme: Hashable, position: Position, matcher: Matcher, start: Configuration
    ) -> LexemeTokens:
        """What the tokens below a position do in a lexeme, which is at `start` in some matcher."""
        scan = Scan(matcher, start, repeated=False)
        found = scan.run(self.index, self.index.nodes(position), self.tokens)
        self._found[lexeme, position] = found
        self.index.spent += found.size
        return found

    def rounds(
        self, lexeme: Hashable, position: Position, matcher: Matcher, start: Configuration
    ) -> LexemeTokens | SubtrieView | None:
        """What the tokens below a position do in rounds of a lexeme; None if rounds overlap.

        `start` is where a round begins in some matcher.
        """
        key = (lexeme, position)
        if key in self._begun:
            return self._begun[key]
        found: LexemeTokens | SubtrieView | None = None
        if self.counted:
            found = self._rounds(lexeme, position, matcher, start)
        self._begun[key] = found
        self.index.spent += found.size if found else 100
        return found

    def _rounds(
        self, lexeme: Hashable, position: Position, matcher: Matcher, start: Configuration
    ) -> LexemeTokens | SubtrieView | None:
        """The same; derived from that of the root where one round ends at the position."""
        nodes = self.index.nodes(position)
        if position != ROOT:
            whole = self.rounds(lexeme, ROOT, matcher, start)
            if not isinstance(whole, LexemeTokens):
                return None
            found = whole.begin(position) if isinstance(position, int) else None
            held = found or whole.below(nodes)
            if held is not None:
                return held
        try:
            scan = Scan(matcher, start, repeated=True)
            return scan.run(self.index, nodes, self.tokens)
        except OverlapError:
            return None

    def class_bytes(self, item: CharClass | AnyChar) -> ClassBytes:
        """What is known of a class of characters."""
        found = self._classes_of.get(item)
        if found is None:
            found = self._classes_of[item] = ClassBytes(item)
        return found

    def tiny(self, chars: ClassBytes) -> Matcher:
        """A matcher for one character of a class."""
        found = self._tiny.get(chars.ranges)
        if found is None:
            rule = Rule(name="root", options=(Sequence((chars.item,)),))
            machine = compile_rtn({"root": rule}, DEFAULT_LIMITS)
            found = self._tiny[chars.ranges] = Matcher(machine, 0)
            self.index.spent += 20_000
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


_CACHES: WeakKeyDictionary[Vocabulary, MaskCache] = WeakKeyDictionary()


def mask_cache(vocabulary: Vocabulary) -> MaskCache:
    """The one cache of a vocabulary."""
    found = _CACHES.get(vocabulary)
    if found is None:
        found = _CACHES.setdefault(vocabulary, MaskCache(vocabulary))
    return found
