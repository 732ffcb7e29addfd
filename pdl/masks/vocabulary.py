"""The tokens of a model, as bytes, with those that are no text and those that end it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, overload

import numpy as np

from pdl.masks.trie import Trie, build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_BYTES = 256
_TEXTS = (str, bytes, bytearray, memoryview)  # sequences that are no list of tokens


class Tokens(Sequence[bytes]):
    """The bytes of each token by its number, kept end to end."""

    __slots__ = ("blob", "ends")

    def __init__(self, blob: bytes, ends: NDArray[np.int64]) -> None:
        self.blob = blob
        """All tokens, one behind the other."""
        self.ends = ends
        """Where each of them ends; one more stands in front, and is 0."""

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
            raise IndexError(f"there is no token {index}: the vocabulary has {len(self):,}")
        return self.blob[self.ends[at] : self.ends[at + 1]]

    def __iter__(self) -> Iterator[bytes]:
        blob = self.blob
        return (blob[start:end] for start, end in pairwise(self.ends.tolist()))


class Vocabulary:
    """What each token of a model stands for.

    `tokens` are the bytes of each token, by its number. `special` are the numbers of tokens that
    are no text, whatever bytes they are given: a text that a grammar takes is never made of them. A
    token without bytes counts as such. `eos` are those that end a text, at least one; they are
    special as well. Built once: a value that nobody changes, and that threads may share.

    Raises TypeError for tokens that are not bytes and for numbers that are none, ValueError for
    numbers of no token and where nothing ends a text.
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
        """The tokens that are no text, those that end one and those without bytes among them."""
        self.tokens = _joined(held)
        """The bytes of each token; also of special ones, which a grammar may name (`<|eot|>`)."""
        kept = [token for token in range(len(held)) if token not in self.special]
        self.trie: Trie = build(held, kept)
        """The tokens that are text, as a trie."""

    @classmethod
    def restored(
        cls, tokens: Tokens, special: frozenset[int], eos: frozenset[int], trie: Trie
    ) -> Vocabulary:
        """A vocabulary from the parts of one that was built before, which are not looked at."""
        made = cls.__new__(cls)
        made.tokens, made.special, made.eos, made.trie = tokens, special, eos, trie
        return made

    def __len__(self) -> int:
        """How many tokens there are: a mask has a bit for each."""
        return len(self.tokens)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} tokens, {len(self.special):,} of them special>"

    @cached_property
    def digest(self) -> str:
        """A name for what this holds, the same for the same tokens; 32 hexadecimal digits."""
        held = blake2b(digest_size=16)
        numbers = (sorted(self.special), sorted(self.eos))
        for part in (self.tokens.ends, *(np.array(one, np.int64) for one in numbers)):
            held.update(len(part).to_bytes(8, "little") + part.astype("<i8").tobytes())
        held.update(self.tokens.blob)
        return held.hexdigest()

    @cached_property
    def missing_bytes(self) -> frozenset[int]:
        """The bytes that no token is alone: texts that need one may not be sayable."""
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
    """The numbers of some tokens. Raises TypeError for what is no number, ValueError for others."""
    given: Iterable[object] = (numbers,)
    if isinstance(numbers, Iterable) and not isinstance(numbers, _TEXTS):
        given = numbers
    found = frozenset(_number(name, one) for one in given)
    for token in sorted(found):
        if not 0 <= token < size:
            raise ValueError(f"{name} names token {token}, but there are only {size:,} tokens")
    return found


def _number(name: str, token: object) -> int:
    if isinstance(token, bool) or not isinstance(token, SupportsIndex):
        kind = type(token).__name__
        raise TypeError(f"{name} must be the numbers of tokens, not {kind}: {token!r}")
    return index(token)
