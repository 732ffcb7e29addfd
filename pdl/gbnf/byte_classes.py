"""The bytes of the classes of a grammar, and which bytes no rule distinguishes."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.analysis import possible
from pdl.gbnf.nodes import CharClass, Group, Literal, Repeat, RuleRef, TokenRef
from pdl.gbnf.utf8 import ANY, encoded, of_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Item, Rule
    from pdl.gbnf.utf8 import ByteRanges, Ranges


def byte_classes(rules: Mapping[str, Rule]) -> bytes:
    """The number of the class of each byte, in the order of the bytes."""
    codes: set[int] = set()
    classes: dict[int, Item] = {}  # by identity: many rules share a node
    pending = [option for rule in rules.values() for option in rule.options]
    for option in pending:  # which grows
        for repeated in option.items:
            item = repeated
            while isinstance(item, Repeat):
                item = item.item
            if isinstance(item, Literal):
                codes.update(item.codes)
            elif isinstance(item, Group):
                pending += item.options
            elif not isinstance(item, RuleRef | TokenRef):
                classes[id(item)] = item
    bytes_ = set("".join(map(chr, filter(possible, codes))).encode())
    cuts = bytes_.union([byte + 1 for byte in bytes_])
    cuts = cuts.union(*[_cuts(bytes_of(item)) for item in classes.values()])
    number, found = 0, bytearray()
    for byte in range(256):
        number += byte in cuts and byte > 0
        found.append(number)
    return bytes(found)


def utf8(codes: tuple[int, ...]) -> bytes:
    """The UTF-8 of a literal, up to a code point that no string can contain."""
    try:
        data = bytes(codes).decode("latin-1").encode()  # the fast way up to U+00FF
    except ValueError:
        data = _encoded(codes)
    if b"\0" in data:
        data = "".join(map(chr, takewhile(possible, codes))).encode()
    return data


def _encoded(codes: tuple[int, ...]) -> bytes:
    try:
        return "".join(map(chr, codes)).encode()
    except (ValueError, OverflowError):  # surrogates; beyond Unicode's last
        return b"\0"


_ASCII = 0x7F  # the last character of one byte
_KNOWN = 2000  # classes, and parts of them, of which the bytes are kept

ByteTree: TypeAlias = "tuple[tuple[int, int, ByteTree], ...]"
"""The ranges of a byte of a character, each with those of the next byte; none after the last."""


@lru_cache(_KNOWN)
def bytes_of(item: Item) -> ByteTree:
    """The bytes of the characters of a class."""
    ranges = of_class(item) if isinstance(item, CharClass) else ANY
    found = tuple([(low, min(high, _ASCII), ()) for low, high in ranges if low <= _ASCII])
    longer = tuple([(max(low, _ASCII + 1), high) for low, high in ranges if high > _ASCII])
    return (*found, *_longer(longer))


@lru_cache(_KNOWN)
def _longer(ranges: Ranges) -> ByteTree:
    """The bytes of characters that have several, which are often the same in many classes."""
    return _tree(tuple(encoded(ranges)))


@lru_cache(_KNOWN)
def _tree(ranges: tuple[ByteRanges, ...]) -> ByteTree:
    first: dict[tuple[int, int], list[ByteRanges]] = {}
    for low, *rest in ranges:
        first.setdefault(low, []).append(tuple(rest))
    return tuple((*low, _tree(tuple(filter(None, rests)))) for low, rests in first.items())


@lru_cache(_KNOWN)
def _cuts(tree: ByteTree) -> frozenset[int]:
    """The bytes at which the ranges of a class begin, and those after which they end."""
    ends = [cut for low, high, _ in tree for cut in (low, high + 1)]
    return frozenset(ends).union(*[_cuts(rest) for _, _, rest in tree if rest])
