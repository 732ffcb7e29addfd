r"""The characters that the tokens of a vocabulary can spell, one by one.

A character is spelled by a token that is just it, or by several that are its bytes in pieces.
Tokens may also end in the middle of a character (`b"x\xc3"`); such an end is a cut, and there
tokens must be able to complete one of the characters that are allowed at the position.

Sets of characters are arrays of booleans, in the order of the code points, and with gaps between
characters of one or two bytes, of three, and of four. Each byte of UTF-8 but the first has six bits
of the code point. So the characters that begin with the same bytes and lack `n` more are a row of
the array, if it has rows of `64 ** n`: a cut is a row, and what completes it a set of columns.
"""

from __future__ import annotations

from codecs import utf_8_decode
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from pdl.gbnf.nodes import LAST
from pdl.gbnf.utf8 import ANY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.gbnf.utf8 import Ranges
    from pdl.masks.vocabulary import Vocabulary

    Flags: TypeAlias = NDArray[np.bool_]
    Cut: TypeAlias = tuple[int, int]
    """How many bytes the beginning of a character lacks, and its row."""

_BYTES = frozenset(range(1, 0xF5)) - {0xC0, 0xC1}
"""Those of which texts are made (RFC 3629, section 4)."""
_ENDING = bytes(range(0x80, 0xC0))  # the bytes that continue a longer character
_BITS = 6  # of the code point in each of them
_LACKING = (1, 2, 3)  # as many bytes as a cut may lack
_GAPS = ((0, 0x800, 0), (0x800, 0x10000, 1 << 2 * _BITS), (0x10000, LAST + 1, 1 << 3 * _BITS))
"""From the first character of a length to the end, and how far they are moved in arrays."""
_SIZE = 6 << 3 * _BITS
_LEADS = (0, 0, 0xC0, 0xDF, 0xEF)
"""The first byte of a character of one byte, of two, of three, of four, as if its row was 0."""
_MOST = 1_000  # classes of which the outcome is kept


def spellable(vocabulary: Vocabulary) -> Spellable | None:
    """Return what tokens can spell, cached for each vocabulary; None if that is every character."""
    if not vocabulary.missing_bytes & _BYTES:
        return None
    found = _KNOWN.get(vocabulary)
    if found is None:
        found = _KNOWN.setdefault(vocabulary, Spellable(_pieces(vocabulary)))
    return found


class Spellable:
    """The characters that tokens can spell, and where tokens may end inside one."""

    def __init__(self, pieces: _Pieces) -> None:
        self._tails = pieces.tails()
        self._cuts = pieces.cuts()
        spelled = np.zeros(_SIZE, np.bool_)
        for lacking, row in pieces.starts:
            _rows(spelled, lacking)[row] |= self._tails[lacking]
        self._whole = spelled & _members(ANY)
        self._alone = self._whole.copy()
        for lacking in _LACKING:
            _rows(self._alone, lacking)[self._cuts[lacking]] &= self._tails[lacking]
        self._known: dict[Ranges, Ranges] = {}

    def can_spell(self, ranges: Ranges) -> bool:
        """Whether tokens can spell any of some characters."""
        return bool((_members(ranges) & self._whole).any())

    def has(self, code: int) -> bool:
        """Whether a character can be alone: spellable, and completed wherever it may be begun."""
        return bool(self._alone[_cut(chr(code).encode())[1]])

    def kept(self, ranges: Ranges) -> Ranges:
        """Return the characters that can remain of some; none if none can be spelled.

        It is enough that one of them can be spelled, at the start and at each possible cut. Those
        after a cut at which none can be completed are dropped.
        """
        found = self._known.get(ranges)
        if found is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            found = self._known[ranges] = self._kept(ranges)
        return found

    def _kept(self, ranges: Ranges) -> Ranges:
        held = _members(ranges)
        for lacking in _LACKING:  # what is dropped after a cut completes none from an earlier one
            rows, cuts = _rows(held, lacking), self._cuts[lacking]
            completed = (rows[cuts] & self._tails[lacking]).any(axis=1)
            rows[cuts[~completed]] = False
        return _ranges(held) if (held & self._whole).any() else ()

    def stuck(self, code: int) -> bytes | None:
        """Return what tokens that can spell a character may begin, but then can't complete."""
        data = chr(code).encode() if self.can_spell(((code, code),)) else b""
        for size in range(1, len(data)):
            lacking, row = _cut(data[:size])
            if row in self._cuts[lacking] and not self._tails[lacking][_bits(data[size:])]:
                return data[:size]
        return None


_KNOWN: WeakKeyDictionary[Vocabulary, Spellable] = WeakKeyDictionary()


def _members(ranges: Ranges) -> Flags:
    codes, found = np.zeros(LAST + 1, np.bool_), np.zeros(_SIZE, np.bool_)
    for low, high in ranges:
        codes[low : high + 1] = True
    for start, end, gap in _GAPS:
        found[start + gap : end + gap] = codes[start:end]
    return found


def _ranges(members: Flags) -> Ranges:
    codes = np.concatenate([members[start + gap : end + gap] for start, end, gap in _GAPS])
    edges = np.flatnonzero(np.diff(codes, prepend=False, append=False))
    return tuple((low, end - 1) for low, end in edges.reshape(-1, 2).tolist())


def _rows(members: Flags, lacking: int) -> Flags:
    return members.reshape(-1, 1 << _BITS * lacking)


class _Pieces:
    """What the tokens of a vocabulary are to characters."""

    def __init__(self) -> None:
        self.starts: set[Cut] = set()
        """The tokens that are the beginning of a character, or a whole one, which lacks 0 bytes."""
        self.ends = {size: np.zeros(1 << _BITS * size, np.bool_) for size in _LACKING}
        """The columns of the tokens that are so many bytes inside a character."""
        self.bridges: set[tuple[int, int, Cut]] = set()
        """The incomplete characters at the ends of tokens, after what these are to another one."""

    def add(self, piece: bytes) -> None:
        """Classify a token, unless no text contains it."""
        rest = piece.lstrip(_ENDING)
        size = len(piece) - len(rest)
        if size > len(_LACKING):
            return
        column = _bits(piece[:size])
        if not rest:
            self.ends[size][column] = True
            return
        try:
            text, taken = utf_8_decode(rest, "strict", False)  # noqa: FBT003 - has no keywords
        except UnicodeDecodeError:
            return
        begun = rest[taken:]
        if begun:
            self.bridges.add((size, column, _cut(begun)))
        if not size and len(text) + bool(begun) == 1:
            self.starts.add(_cut(begun or text.encode()))

    def tails(self) -> list[Flags]:
        """The columns that tokens spell, by the number of their bytes: a token, then others."""
        found = [np.ones(1, np.bool_)]
        for size in _LACKING:
            ways = [np.outer(self.ends[own], found[size - own]) for own in range(1, size + 1)]
            found.append(np.logical_or.reduce([way.ravel() for way in ways]))
        return found

    def cuts(self) -> dict[int, NDArray[np.intp]]:
        """The rows of all cuts, by the number of bytes that they lack."""
        every = _members(ANY)
        found = {lacking: np.zeros(_SIZE >> _BITS * lacking, np.bool_) for lacking in _LACKING}
        fits = {0: np.ones(1, np.bool_)}  # the columns that complete a cut
        fits |= {size: np.zeros(1 << _BITS * size, np.bool_) for size in _LACKING}
        while True:
            reached = {cut for size, column, cut in self.bridges if fits[size][column]}
            more = [(lacking, row) for lacking, row in reached if not found[lacking][row]]
            if not more:
                return {lacking: np.flatnonzero(cuts) for lacking, cuts in found.items()}
            for lacking, row in more:
                found[lacking][row] = True
            for lacking, size in ((3, 1), (3, 2), (2, 1)):  # tokens that end in the same character
                valid = _rows(every, lacking - size).any(axis=1)
                longer = np.outer(found[lacking], self.ends[size]).ravel()
                found[lacking - size] |= longer & valid
            for size, cuts in found.items():
                fits[size] = np.any(_rows(every, size)[cuts], axis=0)


def _pieces(vocabulary: Vocabulary) -> _Pieces:
    found = _Pieces()
    special = vocabulary.special
    for token, piece in enumerate(vocabulary.tokens):
        if token not in special and 0 not in piece and not (len(piece) > 1 and piece.isascii()):
            found.add(piece)
    return found


def _cut(data: bytes) -> Cut:
    size = 1 + sum(data[0] >= first for first in (0xC0, 0xE0, 0xF0))
    return size - len(data), _bits(data[1:], data[0] - _LEADS[size])


def _bits(ending: bytes, found: int = 0) -> int:
    for byte in ending:
        found = found << _BITS | byte & 0x3F
    return found
