"""Sets of tokens on the way to a mask, and the mask itself: a bit for each token."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.masks.protocol import WORD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.masks.parts import Spot

    Ints: TypeAlias = NDArray[np.int32]

_FEW = 200  # tokens that are faster set one by one
_ARRAYS = 4  # that are added one by one
_LARGE = 2_000  # tokens in one array that may be there twice


class Bag:
    """The union of sets of tokens: numbers, arrays of numbers, and masks.

    `exits` are the places from which more tokens may come, if something waits (`pdl.masks.walk`).
    """

    __slots__ = ("exits", "few", "many", "masks")

    def __init__(self) -> None:
        self.few: list[int] = []
        self.many: list[Ints] = []
        self.masks: list[Ints] = []
        self.exits: list[Spot] = []

    def add(self, other: Kept) -> None:
        """Add all tokens of one that is kept."""
        self.few += other.few
        self.many += other.many
        self.masks += other.masks

    def kept(self) -> Kept:
        """The same, each array and each mask once, and few arrays."""
        few, many, masks = self.few, self.many, self.masks
        if not (few or many or masks or self.exits):
            return _NOTHING
        if len(many) > 1:
            many = list({id(one): one for one in many}.values())
        if len(many) > _ARRAYS or (many and len(few) > _FEW):
            few, many = [], [_once(np.concatenate([np.array(few, np.int32), *many]))]
        if len(masks) > 1:
            masks = list({id(one): one for one in masks}.values())
        return Kept(tuple(set(few)), tuple(many), tuple(masks), tuple(dict.fromkeys(self.exits)))

    def mask(self, tokens: int) -> Ints:
        """The mask of this set, of all `tokens` of a vocabulary; read-only."""
        words = -(-tokens // WORD)
        if self.many or len(self.few) > _FEW:
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


class Kept:
    """A set of tokens that is added to others; tuples are little to the garbage collector."""

    __slots__ = ("exits", "few", "many", "masks")

    def __init__(
        self,
        few: tuple[int, ...],
        many: tuple[Ints, ...],
        masks: tuple[Ints, ...],
        exits: tuple[Spot, ...],
    ) -> None:
        self.few = few
        self.many = many
        self.masks = masks
        self.exits = exits

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes; masks are held by others as well."""
        size = 200 + 8 * len(self.few)
        for one in self.many:
            size += one.nbytes
        return size


_NOTHING = Kept((), (), (), ())


def _once(tokens: Ints) -> Ints:
    """The same tokens, if they are many each of them once."""
    if len(tokens) < _LARGE:
        return tokens
    marks = np.zeros(int(tokens.max()) + 1, np.bool_)
    marks[tokens] = True
    return marks.nonzero()[0].astype(np.int32)


def packed(marks: NDArray[np.bool_]) -> Ints:
    """A mask from marks, a multiple of 32 of them."""
    return np.packbits(marks, bitorder="little").view("<i4")
