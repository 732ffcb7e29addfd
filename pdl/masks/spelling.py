r"""The characters that the tokens of a vocabulary can spell, one by one.

A character is spelled by a token that is just it, or by several that are its bytes in pieces.
Tokens may also end in the middle of a character (`b"x\xc3"`); such an end is a cut, and there
tokens must be able to complete one of the characters that are allowed at the position.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from codecs import utf_8_decode
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pdl.gbnf.nodes import LAST
from pdl.gbnf.utf8 import characters, complement, normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.utf8 import Ranges
    from pdl.masks.vocabulary import Vocabulary

ANY = characters(((0, LAST),))
"""All characters."""
_BYTES = frozenset(range(1, 0xF5)) - {0xC0, 0xC1}
"""Those of which texts are made (RFC 3629, section 4)."""
_ENDING = bytes(range(0x80, 0xC0))  # the bytes that continue a longer character
_BITS = 6  # of the code point in each of them
_LEADS = ((0xC2, 2, 0x80), (0xE0, 3, 0x800), (0xF0, 4, 0x10000))
"""The first of the bytes that begin a character of some length, and the first such character."""
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
        self._ends = pieces.ends
        self._cuts = pieces.cuts()
        self._tails = tuple(_Set(one) for one in _tails(pieces.ends))
        self._from_start = _Set(_whole(pieces, self._tails))
        self._all = self._finished(ANY, self._suspects())
        self._known: dict[Ranges, Ranges] = {}

    def can_spell(self, ranges: Ranges) -> bool:
        """Whether tokens can spell any of some characters."""
        return any(self._from_start.meets(low, high) for low, high in ranges)

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

    def has(self, code: int) -> bool:
        """Whether a character can be alone: spellable, and completed wherever it may be begun."""
        return bool(self._kept(((code, code),)))

    def stuck(self, code: int) -> bytes | None:
        """Return what tokens may begin a character with so that none can complete it."""
        data = chr(code).encode()
        cuts = (data[:size] for size in range(1, len(data)))
        return next((cut for cut in cuts if self._is_stuck(((code, code),), cut)), None)

    def _kept(self, ranges: Ranges) -> Ranges:
        # Where all characters after a cut are allowed, the outcome is as for all characters; so
        # only the cuts before the first or last one of a range remain to be looked at.
        borders = {chr(code).encode() for one in ranges for code in one if code > _LAST_ALONE}
        cuts = {data[:size] for data in borders for size in range(1, len(data))}
        held = ranges if self._all == ANY else both(ranges, self._all)
        found = self._finished(held, cuts)
        return found if self.can_spell(found) else ()

    def _finished(self, ranges: Ranges, cuts: Iterable[bytes]) -> Ranges:
        """Drop characters after some cuts at which tokens can complete none of them."""
        reached = [cut for cut in cuts if self._is_cut(cut)]
        for size in (3, 2, 1):  # what is dropped after a cut completes none from an earlier one on
            longest = [cut for cut in reached if len(cut) == size]
            gone = [_range_of(cut) for cut in longest if self._is_stuck(ranges, cut)]
            if gone:
                ranges = both(ranges, complement(gone))
        return ranges

    def _is_stuck(self, ranges: Ranges, cut: bytes) -> bool:
        """Whether there are characters after a cut, and tokens can complete none of them."""
        if not self._is_cut(cut):
            return False
        base = _base(cut)
        tails = self._tails[_needs(cut)]
        held = list(_within(ranges, *_range_of(cut)))
        return bool(held) and not any(tails.meets(low - base, high - base) for low, high in held)

    def _is_cut(self, data: bytes) -> bool:
        """Whether tokens may end after the first bytes of a character."""
        if data in self._cuts:
            return True
        return any(
            data[at:] in self._ends and self._is_cut(data[:at]) for at in range(1, len(data))
        )

    def _suspects(self) -> Iterator[bytes]:
        """The cuts at which no character at all might be completed.

        After its second byte, a character may continue with any continuation byte. So if one of
        them is a token, only cuts after a first byte have to be looked at.
        """
        alone = any(len(end) == 1 for end in self._ends)
        for cut in self._cuts:
            if len(cut) == 1 or not alone:
                yield cut
            if not alone:
                yield from (cut + end for end in self._ends if len(end) < _needs(cut))


_KNOWN: WeakKeyDictionary[Vocabulary, Spellable] = WeakKeyDictionary()
_LAST_ALONE = 0x7F  # the last character of one byte


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What the tokens of a vocabulary are to characters of several bytes."""

    whole: set[int] = field(default_factory=set)
    """The characters that are tokens."""
    starts: set[bytes] = field(default_factory=set)
    """The tokens that are the beginning of a character."""
    ends: set[bytes] = field(default_factory=set)
    """The tokens that consist of continuation bytes."""
    open: set[bytes] = field(default_factory=set)
    """The incomplete characters at the ends of tokens that begin with a character."""
    bridges: set[tuple[tuple[bytes, int], bytes]] = field(default_factory=set)
    """The same of tokens that begin inside a character, after their first byte and the number of
    its bytes that they have."""

    def add(self, piece: bytes) -> None:
        """Classify a token, unless no text contains it."""
        rest = piece.lstrip(_ENDING)
        lead = len(piece) - len(rest)
        if lead > len(_LEADS):
            return
        if not rest:
            self.ends.add(piece)
            return
        try:
            text, taken = utf_8_decode(rest, "strict", False)  # noqa: FBT003 - has no keywords
        except UnicodeDecodeError:
            return
        cut = rest[taken:]
        if cut and lead:
            self.bridges.add(((piece[:1], lead), cut))
        elif cut:
            self.open.add(cut)
            if not text:
                self.starts.add(cut)
        elif len(text) == 1 and not lead:
            self.whole.add(ord(text))

    def cuts(self) -> set[bytes]:
        """Return the cuts of tokens that are more than the end of a character."""
        ends = {(end[:1], len(end)) for end in self.ends}
        found = set(self.open)
        while True:
            begun = {cut for cut in found if len(cut) == 1}
            needed = {_needs(cut) for cut in found if len(cut) > 1}
            needed |= {_left(cut, *end) for cut in begun for end in ends}
            for _ in _LEADS:  # as many tokens as may end one character
                needed |= {need - size for need in needed for _, size in ends if need > size}
            heads = {head for head, _ in self.bridges}
            fit = {head for head in heads if _fits(head, begun, needed)}
            more = {cut for head, cut in self.bridges if head in fit} - found
            if not more:
                return found
            found |= more


def _fits(head: tuple[bytes, int], begun: set[bytes], needed: set[int]) -> bool:
    """Whether the head of a token completes what is begun, or what lacks as many bytes."""
    return head[1] in needed or any(not _left(cut, *head) for cut in begun)


def _left(start: bytes, following: bytes, size: int) -> int:
    """How many bytes a character lacks after its first one and more; -1 if they don't fit."""
    return _needs(start) - size if characters((_range_of(start + following),)) else -1


def _pieces(vocabulary: Vocabulary) -> _Pieces:
    found = _Pieces()
    special = vocabulary.special
    for token, piece in enumerate(vocabulary.tokens):
        if token in special or 0 in piece:
            continue
        if not piece.isascii():
            found.add(piece)
        elif len(piece) == 1:
            found.whole.add(piece[0])
    return found


def _tails(ends: Iterable[bytes]) -> list[Ranges]:
    """The ends of characters, of no byte to three, that tokens spell, as numbers of 6 bits a byte.

    A token is first, and what others spell follows.
    """
    firsts: list[set[int]] = [set() for _ in range(len(_LEADS) + 1)]
    for end in ends:
        firsts[len(end)].add(_number(end))
    found: list[Ranges] = [((0, 0),)]
    for size in range(1, len(firsts)):
        ways: list[tuple[int, int]] = []
        for own in range(1, size + 1):
            rest = size - own
            for first, (low, high) in product(firsts[own], found[rest]):
                base = first << _BITS * rest
                ways.append((base + low, base + high))
        found.append(normal(ways))
    return found


def _whole(pieces: _Pieces, tails: tuple[_Set, ...]) -> Ranges:
    """The characters that tokens spell from their start on."""
    found = [(code, code) for code in pieces.whole]
    for start in pieces.starts:
        base = _base(start)
        least, most = _range_of(start)
        for low, high in tails[_needs(start)].ranges():
            found.append((max(base + low, least), min(base + high, most)))
    return normal(found)


def _number(end: bytes) -> int:
    number = 0
    for byte in end:
        number = number << _BITS | byte & 0x3F
    return number


def _needs(cut: bytes) -> int:
    """How many bytes an incomplete character lacks."""
    return max(size for lead, size, _ in _LEADS if cut[0] >= lead) - len(cut)


def _base(cut: bytes) -> int:
    """The code point of the beginning of a character, as if all further bits were 0."""
    need = _needs(cut)
    lead = cut[0] & (0x7F >> (len(cut) + need))
    return (lead << _BITS * (len(cut) - 1) | _number(cut[1:])) << _BITS * need


def _range_of(cut: bytes) -> tuple[int, int]:
    """The first and the last character with a beginning; the first is greater if none has it."""
    base = _base(cut)
    least = max(first for lead, _, first in _LEADS if cut[0] >= lead)
    return max(base, least), min(base + (1 << _BITS * _needs(cut)) - 1, LAST)


class _Set:
    """Ranges of numbers, in little memory."""

    __slots__ = ("_highs", "_lows")

    def __init__(self, ranges: Ranges) -> None:
        self._lows = array("i", (low for low, _ in ranges))
        self._highs = array("i", (high for _, high in ranges))

    def ranges(self) -> Iterator[tuple[int, int]]:
        return zip(self._lows, self._highs, strict=True)

    def meets(self, low: int, high: int) -> bool:
        """Whether any number of a range is among them."""
        at = bisect_left(self._highs, low)
        return at < len(self._lows) and self._lows[at] <= high


def _within(ranges: Ranges, low: int, high: int) -> Iterator[tuple[int, int]]:
    """What some ranges have of one."""
    at = max(bisect_left(ranges, (low,)) - 1, 0)
    while at < len(ranges) and ranges[at][0] <= high:
        if ranges[at][1] >= low:
            yield max(ranges[at][0], low), min(ranges[at][1], high)
        at += 1


def both(one: Ranges, other: Ranges) -> Ranges:
    """The characters in both of two sets."""
    return tuple(found for low, high in one for found in _within(other, low, high))
