"""The tokens of a model, as bytes and as a trie; which are not text, and which end a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias, cast, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int32]
    Bytes: TypeAlias = NDArray[np.uint8]
    Counts: TypeAlias = NDArray[np.uint16]

_BYTES = 256
_TEXTS = (str, bytes, bytearray, memoryview)  # sequences that are not lists of tokens


class Tokens(Sequence[bytes]):
    """The bytes of each token by its number, kept end to end."""

    __slots__ = ("blob", "ends")

    def __init__(self, blob: bytes, ends: NDArray[np.int64]) -> None:
        self.blob = blob
        """All tokens, concatenated."""
        self.ends = ends
        """Where each of them ends, after a leading 0."""

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"unknown token {index}: the vocabulary has {len(self):,} tokens")
        return self.blob[self.ends.item(at) : self.ends.item(at + 1)]

    def __iter__(self) -> Iterator[bytes]:
        blob = self.blob
        return (blob[start:end] for start, end in pairwise(self.ends.tolist()))


class Vocabulary:
    """The tokens of a model, as bytes.

    `tokens` are the bytes of each token, by ID. `special` are the IDs of tokens that are not text,
    whatever their bytes: a text that matches a grammar never consists of them. A token without
    bytes counts as special. `eos` are those that end a text, at least one; they are special too.
    Immutable, so threads may share it.

    Raises TypeError for tokens that are not bytes and for IDs that are not integers, ValueError for
    unknown IDs and if nothing ends a text.
    """

    def __init__(
        self,
        tokens: Sequence[bytes],
        *,
        special: Iterable[int] = (),
        eos: int | Iterable[int],
    ) -> None:
        held = _checked(tokens)
        self.eos: frozenset[int] = _numbers("eos", eos, len(held))
        """The tokens that end a text."""
        if not self.eos:
            raise ValueError("eos must name a token: nothing else ends a text")
        empty = (token for token, piece in enumerate(held) if not piece)
        marked = _numbers("special", special, len(held))
        self.special: frozenset[int] = marked | self.eos | frozenset(empty)
        """The tokens that are not text, including those that end one and those without bytes."""
        self.tokens = _joined(held)
        """The bytes of each token; also of special ones, which a grammar may name (`<|eot|>`)."""
        kept = [token for token in range(len(held)) if token not in self.special]
        self.trie: Trie = build_trie(held, kept)
        """The tokens that are text, as a trie."""

    @classmethod
    def restored(
        cls, tokens: Tokens, special: frozenset[int], eos: frozenset[int], trie: Trie
    ) -> Vocabulary:
        """Return a vocabulary from the parts of one that was built before, unchecked."""
        made = cls.__new__(cls)
        made.tokens, made.special, made.eos, made.trie = tokens, special, eos, trie
        return made

    def __len__(self) -> int:
        """Return the number of tokens: a mask has a bit for each."""
        return len(self.tokens)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} tokens, {len(self.special):,} of them special>"

    @cached_property
    def digest(self) -> str:
        """A digest, the same for the same tokens; 32 hexadecimal digits."""
        held = blake2b(digest_size=16)
        numbers = (sorted(self.special), sorted(self.eos))
        for part in (self.tokens.ends, *(np.array(one, np.int64) for one in numbers)):
            held.update(len(part).to_bytes(8, "little") + part.astype("<i8").tobytes())
        held.update(self.tokens.blob)
        return held.hexdigest()

    @cached_property
    def missing_bytes(self) -> frozenset[int]:
        """The bytes that are not a token: texts that need one might not be spellable."""
        trie = self.trie
        nodes = range(int(trie.child[0]), int(trie.child[1]))
        alone = {int(trie.byte[node]) for node in nodes if trie.low[node] < trie.own[node]}
        return frozenset(range(_BYTES)) - alone


def _checked(tokens: Sequence[bytes]) -> list[bytes]:
    """The tokens as bytes. Raises TypeError for anything else."""
    if isinstance(tokens, _TEXTS) or not isinstance(tokens, Sequence):
        raise TypeError(f"tokens must be a list of bytes, not {type(tokens).__name__}")
    held = list(tokens)
    for token, piece in enumerate(held):
        if type(piece) is not bytes:
            raise TypeError(f"token {token} must be bytes, not {type(piece).__name__}: {piece!r}")
    return held


def _joined(held: list[bytes]) -> Tokens:
    ends = np.zeros(len(held) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, held), np.int64, len(held)), out=ends[1:])
    ends.flags.writeable = False
    return Tokens(b"".join(held), ends)


def _numbers(
    name: str, numbers: SupportsIndex | Iterable[SupportsIndex], size: int
) -> frozenset[int]:
    """The IDs of some tokens. Raises TypeError for other types, ValueError for unknown IDs."""
    several = isinstance(numbers, Iterable) and not isinstance(numbers, _TEXTS)
    found = set()
    for token in cast("Iterable[object]", numbers if several else (numbers,)):
        if isinstance(token, bool) or not isinstance(token, SupportsIndex):
            kind = type(token).__name__
            raise TypeError(f"{name} must be token IDs, not {kind}: {token!r}")
        if not 0 <= index(token) < size:
            raise ValueError(f"{name} names token {token}, but there are only {size:,} tokens")
        found.add(index(token))
    return frozenset(found)


@dataclass(frozen=True, slots=True, eq=False)
class Trie:
    """A trie over bytes; node 0 is the root, the empty prefix. All arrays are read-only.

    A node's children are `child[node]` to `child[node + 1]`, and `levels[d]` to `levels[d + 1]` are
    the nodes of `d` bytes. Below a node, itself included, are those whose `first` is in the range
    from its own `first` to its `last`; its tokens and theirs are `order[low[node]:high[node]]`, of
    which the first, up to `own[node]`, end at the node itself.
    """

    levels: Ints
    """Where each level begins, and where the last one ends."""
    parent: Ints
    """The node of one byte less; that of the root is -1."""
    byte: Bytes
    """The last byte of a node; that of the root means nothing."""
    child: Ints
    """The first child of each node, and one more: the end of the last node's."""
    first: Ints
    """The number of each node in depth-first order, children in the order of their bytes."""
    last: Ints
    """The number after the last one below a node."""
    order: Ints
    """The numbers of all tokens, in the order of their bytes, then of their numbers."""
    low: Ints
    """Where the tokens of a node, and of all below it, begin in `order`."""
    own: Ints
    """Where those end that end at the node itself."""
    high: Ints
    """Where those end that end at it or below it."""

    def __len__(self) -> int:
        """Return the number of nodes, including the root."""
        return len(self.byte)

    @property
    def depth(self) -> int:
        """The length of the longest token, in bytes."""
        return len(self.levels) - 2

    def find(self, data: bytes) -> int | None:
        """Return the node of some bytes; None if no token begins with them."""
        node: int | None = 0
        for byte in data:
            if node is not None:
                node = self.after(node, byte)
        return node

    def after(self, node: int, byte: int) -> int | None:
        """Return the child of a node that a byte leads to; None if there is none."""
        start, end = int(self.child[node]), int(self.child[node + 1])
        found = self.byte[start:end].tobytes().find(byte)
        return None if found < 0 else start + found


def build_trie(tokens: Sequence[bytes], kept: Sequence[int]) -> Trie:
    """Return the trie of the tokens whose IDs are `kept`, except those without bytes."""
    held = [token for token in kept if tokens[token]]
    held.sort(key=tokens.__getitem__)  # stable, so that equal ones stay in order
    texts = [tokens[token] for token in held]
    sizes = np.fromiter(map(len, texts), np.int32, len(texts))
    levels, parent, byte, low, own, high = _levels(np.frombuffer(b"".join(texts), np.uint8), sizes)
    nodes = np.arange(len(parent), dtype=np.int32)
    child = np.searchsorted(parent, np.arange(len(parent) + 1)).astype(np.int32)
    depth_first = np.argsort(low, kind="stable")  # a level after the other, where it is the same
    first = np.empty_like(nodes)
    first[depth_first] = nodes
    last = np.searchsorted(low[depth_first], np.maximum(high, 1)).astype(np.int32)
    order = np.array(held, np.int32)
    arrays = (levels, parent, byte, child, first, last, order, low, own, high)
    for array in arrays:
        array.flags.writeable = False
    return Trie(*arrays)


def _levels(blob: Bytes, sizes: Ints) -> tuple[Ints, Ints, Bytes, Ints, Ints, Ints]:
    """Levels, parents and bytes of the nodes; where their tokens begin, and where they end.

    One look at each byte: on a level, a node begins where the node above or the byte changes.
    """
    starts = np.cumsum(sizes, dtype=np.int64) - sizes
    node = np.zeros(len(sizes), np.int32)
    longer = np.arange(len(sizes), dtype=np.int32)
    root = np.zeros(1, np.int32)
    rows = [(root - 1, root.astype(np.uint8), root, root + np.int32(len(sizes)))]
    levels = [0, 1]
    for depth in range(int(sizes.max(initial=0))):
        longer = longer[sizes[longer] > depth]
        above, byte = node[longer], blob[starts[longer] + depth]
        new = np.ones(len(longer) + 1, np.bool_)
        new[1:-1] = (above[1:] != above[:-1]) | (byte[1:] != byte[:-1])
        node[longer] = np.cumsum(new[:-1], dtype=np.int32) + np.int32(levels[-1] - 1)
        begins, ends = new[:-1], new[1:]
        rows.append((above[begins], byte[begins], longer[begins], longer[ends] + np.int32(1)))
        levels.append(levels[-1] + len(rows[-1][0]))
    parent, bytes_, low, high = map(np.concatenate, zip(*rows, strict=True))
    own = low + np.bincount(node, minlength=len(low)).astype(np.int32)
    return np.array(levels, np.int32), parent, bytes_, low, own, high
