"""The interface of what constrains a text by tokens: maskers, triggers, other engines."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, NoReturn, Protocol, SupportsIndex

import numpy as np

from pdl.errors import Problem, TokenError
from pdl.gbnf.nodes import frozen_value
from pdl.masks.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.masks.vocabulary import Ints


WORD = 32
"""How many tokens one number of a mask is about."""


class TokenState(Protocol):
    """A position in a text: an immutable value, so keep one to backtrack to it."""

    __slots__ = ()

    @property
    def is_complete(self) -> bool:
        """Whether the text may end here."""

    def bitmask(self) -> Ints:
        """Return which tokens may come next: bit `n % 32` of number `n // 32` is that of token `n`.

        Read-only. The tokens that end a text are among them where it may end.
        """

    def allowed(self) -> Ints:
        """Return the IDs of the tokens that may come next, in order."""
        return token_ids(self.bitmask())

    def accept(self, token: int) -> TokenState:
        """Return the state after one more token. Raises TokenError if it is not allowed."""

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """Return the bytes that must come next, if any, and tokens that spell them."""
        return b"", ()


class TokenMasker(Protocol):
    """A set of texts over a vocabulary."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens that the texts consist of."""

    def start(self) -> TokenState:
        """Return the state before any text."""


def check_masker(masker: object) -> None:
    """Raise TypeError for anything but a masker."""
    if not (hasattr(masker, "vocabulary") and callable(getattr(masker, "start", None))):
        message = f"masker must be a pdl.masks.Masker or a Triggered, not {type(masker).__name__}"
        raise TypeError(message)


def check_vocabulary(vocabulary: object) -> None:
    """Raise TypeError for anything but a vocabulary."""
    if not isinstance(vocabulary, Vocabulary):
        kind = type(vocabulary).__name__
        raise TypeError(f"vocabulary must be a pdl.masks.Vocabulary, not {kind}")


def token_id(token: object) -> int:
    """Return a token ID of Python, numpy or torch. Raises TypeError for anything but an integer."""
    if type(token) is int:
        return token
    if not isinstance(token, bool) and isinstance(token, SupportsIndex):
        with suppress(TypeError):  # arrays of several numbers, tensors of others
            return index(token)
    raise TypeError(f"token must be an int, not {type(token).__name__}")


def refusal(vocabulary: Vocabulary, token: object, why: str = "is not allowed here") -> TokenError:
    """Return the error for a token that is not allowed, or does not exist."""
    if isinstance(token, int) and 0 <= token < len(vocabulary):
        message = f"token {token}, {vocabulary.tokens[token]!r}, {why}"
        return TokenError(Problem("token/refused", message))
    message = f"unknown token {token!r}: the vocabulary has {len(vocabulary):,} tokens"
    return TokenError(Problem("token/unknown", message))


@frozen_value
@dataclass(frozen=True, slots=True)
class Ended(TokenState):
    """The state after a token that ended a text: no token is allowed."""

    vocabulary: Vocabulary

    @property
    def is_complete(self) -> bool:
        """Whether the text may end: it has."""
        return True

    def bitmask(self) -> Ints:
        """Return no token."""
        return np.zeros(words_of(len(self.vocabulary)), np.int32)

    def accept(self, token: int) -> NoReturn:
        """Raise TokenError, or TypeError for anything but an integer."""
        raise refusal(self.vocabulary, token_id(token), "is not allowed after the end of the text")


def words_of(tokens: int) -> int:
    """Return the length of a mask of so many tokens."""
    return -(-tokens // WORD)


def allows(bitmask: Ints, token: int) -> bool:
    """Whether a mask allows a token."""
    return bool(bitmask[token // WORD] >> (token % WORD) & 1)


def token_ids(bitmask: Ints) -> Ints:
    """Return the IDs of the tokens of a mask, in order."""
    data = np.ascontiguousarray(bitmask, "<i4").view(np.uint8)
    return np.flatnonzero(np.unpackbits(data, bitorder="little")).astype(np.int32)


def packed(marks: NDArray[np.bool_]) -> Ints:
    """Return a mask of booleans, a multiple of 32 of them."""
    return np.packbits(marks, bitorder="little").view("<i4")
