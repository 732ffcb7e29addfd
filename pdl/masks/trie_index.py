"""Positions in a vocabulary's trie, and the sets of tokens that are collected from them.

A position is a node, or a set of nodes that are followed as one. A token that ends one lexeme and
begins the next continues from the position where it leaves the first (`LexemeExit`): the nodes at
which any token leaves it are one position, so that what follows is found once for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pdl.masks.protocol import WORD, packed, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.masks.vocabulary import Bytes, Ints, Trie, Vocabulary


Position: TypeAlias = "int | NodeSet"
"""A node of a trie, by its number, or several."""
ROOT = 0

_SIZE = 300  # of a position of several nodes, in bytes
_FEW = 16  # tokens that are kept as Python's numbers
_MOST = 16  # times all nodes: so many may be below the nodes of one position, which may be nested
_SEVERAL = 4  # nodes that are best made one position


class HighAmbiguityError(Exception):
    """A grammar is so ambiguous that its parses are best followed together."""


class NodeSet:
    """Nodes of a trie, below each of which the same may follow.

    `few` and `many` are the tokens that end here: a tuple if they are few, else an array; `below`
    is how many nodes there are below.
    """

    __slots__ = ("_index", "_kids", "_rows", "below", "few", "many", "nodes")

    def __init__(self, index: TrieIndex, nodes: Ints) -> None:
        self._index = index
        self.nodes = nodes
        self._kids: dict[tuple[int, int], tuple[Position, ...]] = {}
        self._rows: tuple[Bytes, Ints] | None = None
        trie = index.trie
        tokens, _ = token_rows(trie, nodes)
        is_few = len(tokens) <= _FEW
        self.few: tuple[int, ...] = tuple(tokens.tolist()) if is_few else ()
        self.many = None if is_few else tokens
        self.below = int((trie.last[nodes] - trie.first[nodes] - 1).sum(dtype=np.int64))
        if self.below > _MOST * len(trie):
            raise HighAmbiguityError
        index.spent += _SIZE + 4 * len(nodes) + 8 * len(tokens)

    def toward(self, low: int, high: int) -> tuple[Position, ...]:
        """Return the position after one more byte of a range, if there is any."""
        known = self._kids.get((low, high))
        if known is None:
            known = self._kids[low, high] = self._grown(low, high)
            self._index.spent += _SIZE // 4
        return known

    def _grown(self, low: int, high: int) -> tuple[Position, ...]:
        index = self._index
        if self._rows is None:
            kids, _ = children(index.trie, self.nodes)
            bytes_ = index.trie.byte[kids]
            order = bytes_.argsort(kind="stable")
            self._rows = (bytes_[order], kids[order])
            index.spent += 5 * len(kids)
        bytes_, kids = self._rows
        start, end = bytes_.searchsorted((low, high + 1)).tolist()
        return (position_of(index, kids[start:end]),) if start < end else ()


def position_of(index: TrieIndex, nodes: Ints) -> Position:
    """The position of some nodes, each of which may be there several times."""
    if len(nodes) > 1:
        nodes = np.sort(nodes)
        new = nodes[1:] != nodes[:-1]
        if not new.all():
            nodes = nodes[np.append(True, new)]
    return int(nodes[0]) if len(nodes) == 1 else NodeSet(index, nodes)


def is_nested(trie: Trie, nodes: Ints) -> bool:
    """Whether one of some nodes is below another one."""
    order = trie.first[nodes].argsort()
    firsts, lasts = trie.first[nodes][order], trie.last[nodes][order]
    return bool((firsts[1:] < np.maximum.accumulate(lasts)[:-1]).any())


def children(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """The children of some nodes, and the index of the parent of each."""
    return spans(trie.child[nodes], trie.child[nodes + 1])


def spans(starts: NDArray[Any], ends: NDArray[Any]) -> tuple[Ints, Ints]:
    """The numbers of some spans, and the index of the span of each."""
    counts = ends - starts
    rows = np.arange(len(starts), dtype=np.int32).repeat(counts)
    skipped = (starts - (counts.cumsum() - counts)).astype(np.int32)
    return skipped[rows] + np.arange(len(rows), dtype=np.int32), rows


def by_byte(trie: Trie, nodes: Ints) -> list[tuple[int, Ints]]:
    """Some nodes by their last bytes, each part in the order of the numbers."""
    bytes_ = trie.byte[nodes]
    order = bytes_.argsort(kind="stable")
    held = nodes[order]
    values, starts = np.unique(bytes_[order], return_index=True)
    return list(zip(values.tolist(), np.split(held, starts[1:]), strict=True))


def token_rows(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """The tokens that end at some nodes, and the index of the node of each."""
    lows = trie.low[nodes]
    counts = trie.own[nodes] - lows
    rows = counts.nonzero()[0].astype(np.int32)
    lows, counts = lows[rows], counts[rows]
    if len(rows) and counts.max() > 1:
        rows = rows.repeat(counts)
        inner = np.arange(len(rows), dtype=np.int32) - (counts.cumsum() - counts).repeat(counts)
        lows = lows.repeat(counts) + inner
    return trie.order[lows], rows


def view(array: NDArray[Any]) -> memoryview[int]:
    """An array whose items are had as Python's numbers, three times as fast."""
    return memoryview(array)  # type: ignore[arg-type]  # numpy's types do not say that it may be


class TrieIndex:
    """A trie as it is followed node by node, and how much was learned of it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.trie = vocabulary.trie
        self.child = view(self.trie.child)
        self.byte = self.trie.byte.tobytes()
        self.first = view(self.trie.first)
        self.last = view(self.trie.last)
        self.low = view(self.trie.low)
        self.own = view(self.trie.own)
        self.order = view(self.trie.order)
        self.high = view(self.trie.high)
        self.levels = view(self.trie.levels)
        self._bytes = vocabulary.tokens.blob
        self._begins = view(vocabulary.tokens.ends)
        self._blob = np.frombuffer(vocabulary.tokens.blob, np.uint8)
        self._starts = vocabulary.tokens.ends
        self.forget()

    def forget(self) -> None:
        """Let go of what was learned."""
        self.spent = 0
        """The memory of what was learned, in bytes."""
        self._kids: dict[tuple[int, int], tuple[Position, ...]] = {}

    def below(self, position: Position) -> int:
        """How many nodes there are below a position."""
        if isinstance(position, NodeSet):
            return position.below
        return self.last[position] - self.first[position] - 1

    def nodes(self, position: Position) -> Ints:
        """The nodes of a position."""
        return position.nodes if isinstance(position, NodeSet) else np.array([position], np.int32)

    def toward(self, position: Position, low: int, high: int) -> tuple[Position, ...]:
        """Return the position after one more byte of a range below a node, if there is any."""
        if isinstance(position, NodeSet):
            return position.toward(low, high)
        start, end = self.child[position], self.child[position + 1]
        if low == high:
            at = self.byte.find(low, start, end)
            return () if at < 0 else (at,)
        first = bisect_left(self.byte, low, start, end)
        last = bisect_right(self.byte, high, first, end)
        if last - first <= _SEVERAL:
            return tuple(range(first, last))
        known = self._kids.get((first, last))
        if known is None:
            nodes = np.arange(first, last, dtype=np.int32)
            known = self._kids[first, last] = (NodeSet(self, nodes),)
        return known

    def one_byte(self, token: int, depth: int) -> int:
        """The byte at some depth of a token that is longer than that."""
        return self._bytes[self._begins[token] + depth]

    def byte_of(self, tokens: Ints, depth: NDArray[Any]) -> Bytes:
        """The byte at some depth of tokens that are longer than that."""
        found: Bytes = self._blob[self._starts[tokens] + depth]
        return found

    @cached_property
    def by_position(self) -> Ints:
        """The nodes in depth-first order."""
        found = np.empty(len(self.trie), np.int32)
        found[self.trie.first] = np.arange(len(self.trie), dtype=np.int32)
        return found

    @cached_property
    def _sorted(self) -> dict[int, Ints]:
        nodes = np.arange(1, len(self.trie), dtype=np.int32)
        return dict(by_byte(self.trie, nodes))

    def ending(self, byte: int) -> Ints:
        """The nodes of a last byte, in the order of their numbers."""
        return self._sorted.get(byte, np.zeros(0, np.int32))


class LexemeExit:
    """The nodes at which tokens leave a lexeme, as one position.

    Tokens that end there are the lexeme's own; what follows of the others depends on the context.
    """

    __slots__ = ("_found", "_high", "_kids", "_low", "_of")

    def __init__(self, found: LexemeView, low: int, high: int, of: bytes | None) -> None:
        self._found = found
        self._low = low
        self._high = high
        self._of = of
        self._kids: dict[tuple[int, int], tuple[Position, ...]] = {}

    def toward(self, low: int, high: int) -> Iterable[Position]:
        """Return the position after one more byte of a range, if any token gets there."""
        known = self._kids.get((low, high))
        if known is None:
            found = self._found.position((low, high), self._low, self._high, self._of)
            known = self._kids[low, high] = () if found is None else (found,)
        return known


class LexemeView(ABC):
    """Tokens in rounds of a lexeme, at most `most`, and the positions at which they leave it."""

    most: int
    _exits: dict[tuple[int, int, bytes | None], LexemeExit]

    def exit(self, low: int, high: int, firsts: bytes | None) -> LexemeExit:
        """Return the position at which tokens leave after some number of rounds, both included."""
        key = (low, min(high, self.most), firsts)
        known = self._exits.get(key)
        if known is None:
            known = self._exits[key] = LexemeExit(self, low, high, firsts)
        return known

    @abstractmethod
    def position(
        self, span: tuple[int, int], low: int, high: int, firsts: bytes | None
    ) -> Position | None:
        """Return the position after one more byte of a range; None if no token gets there."""


AnyPosition: TypeAlias = "Position | LexemeExit"

_FEW_TOKENS = 200  # tokens that are faster set one by one
_ARRAYS = 4  # that are added one by one
_LARGE = 2_000  # tokens in one array that may be there twice


class TokenSetBuilder:
    """The union of sets of tokens: numbers, arrays of numbers, and masks.

    `exits` are the positions from which more tokens may come, if a rule waits.
    """

    __slots__ = ("exits", "few", "many", "masks")

    def __init__(self) -> None:
        self.few: list[int] = []
        self.many: list[Ints] = []
        self.masks: list[Ints] = []
        self.exits: list[AnyPosition] = []

    def add(self, other: TokenSet) -> None:
        """Add all tokens of one that is kept."""
        self.few += other.few
        self.many += other.many
        self.masks += other.masks

    def build(self) -> TokenSet:
        """The same, each array and each mask once, and few arrays."""
        few, many, masks = self.few, self.many, self.masks
        if not (few or many or masks or self.exits):
            return _NOTHING
        if len(many) > 1:
            many = list({id(one): one for one in many}.values())
        if len(many) > _ARRAYS or (many and len(few) > _FEW_TOKENS):
            few, many = [], [_once(np.concatenate([np.array(few, np.int32), *many]))]
        if len(masks) > 1:
            masks = list({id(one): one for one in masks}.values())
        return TokenSet(
            tuple(set(few)), tuple(many), tuple(masks), tuple(dict.fromkeys(self.exits))
        )

    def mask(self, tokens: int) -> Ints:
        """The mask of this set, of all `tokens` of a vocabulary; read-only."""
        words = words_of(tokens)
        if self.many or len(self.few) > _FEW_TOKENS:
            marks = np.zeros(words * WORD, np.bool_)
            for held in self.many:
                marks[held] = True
            if self.few:
                marks[self.few] = True
            found = packed(marks)
        else:
            bits = bytearray(4 * words)
            for token in self.few:
                bits[token >> 3] |= 1 << (token & 7)
            found = np.frombuffer(bits, "<i4")
        for one in self.masks:
            found |= one
        found.flags.writeable = False
        return found


class TokenSet:
    """A set of tokens that is added to others; tuples are little to the garbage collector."""

    __slots__ = ("exits", "few", "many", "masks")

    def __init__(
        self,
        few: tuple[int, ...],
        many: tuple[Ints, ...],
        masks: tuple[Ints, ...],
        exits: tuple[AnyPosition, ...],
    ) -> None:
        self.few = few
        self.many = many
        self.masks = masks
        self.exits = exits

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes; masks are stored elsewhere too."""
        size = 200 + 8 * len(self.few)
        for one in self.many:
            size += one.nbytes
        return size


_NOTHING = TokenSet((), (), (), ())


def _once(tokens: Ints) -> Ints:
    """The same tokens, if they are many each of them once."""
    if len(tokens) < _LARGE:
        return tokens
    marks = np.zeros(int(tokens.max()) + 1, np.bool_)
    marks[tokens] = True
    return marks.nonzero()[0].astype(np.int32)
