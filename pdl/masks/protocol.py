"""What all that constrains a text by tokens has in common: maskers, triggers, other engines."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, NoReturn, Protocol, SupportsIndex, TypeAlias

import numpy as np

from pdl.errors import Problem, TokenError
from pdl.gbnf.nodes import frozen_value
from pdl.masks.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int32]

WORD = 32
"""Tokens of which a number of a mask says whether they are allowed."""


class TokenState(Protocol):
    """A place in a text: a value, so that keeping one is enough to come back to it."""

    @property
    def is_complete(self) -> bool:
        """Whether the text may end here."""

    def bitmask(self) -> Ints:
        """Which tokens may come next: bit `n % 32` of number `n // 32` is that of token `n`.

        Read-only. The tokens that end a text are among them where it may end.
        """

    def allowed(self) -> Ints:
        """The numbers of those tokens, in order."""

    def accept(self, token: int) -> TokenState:
        """The place behind one more token. Raises TokenError if it cannot stand here."""

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """The bytes that must come next, and tokens that make them."""


class TokenMasker(Protocol):
    """What all texts are that may be said."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens of which they are made."""

    def start(self) -> TokenState:
        """Where they begin."""


def check_masker(masker: object) -> None:
    """Raise TypeError for what is no masker."""
    if not (hasattr(masker, "vocabulary") and callable(getattr(masker, "start", None))):
        message = f"masker must be a pdl.masks.Masker or a Triggered, not {type(masker).__name__}"
        raise TypeError(message)


def check_vocabulary(vocabulary: object) -> None:
    """Raise TypeError for what is no vocabulary."""
    if not isinstance(vocabulary, Vocabulary):
        kind = type(vocabulary).__name__
        raise TypeError(f"vocabulary must be a pdl.masks.Vocabulary, not {kind}")


def token_id(token: object) -> int:
    """A token as a number, of Python, numpy or torch. Raises TypeError for what is no integer."""
    if type(token) is int:
        return token
    if not isinstance(token, bool) and isinstance(token, SupportsIndex):
        with suppress(TypeError):  # arrays of several numbers, tensors of others
            return index(token)
    raise TypeError(f"token must be an int, not {type(token).__name__}")


def refusal(vocabulary: Vocabulary, token: object, why: str = "cannot stand here") -> TokenError:
    """The error for a token that cannot come next, or that there is not."""
    if isinstance(token, int) and 0 <= token < len(vocabulary):
        message = f"token {token}, {vocabulary.tokens[token]!r}, {why}"
        return TokenError(Problem("token/refused", message))
    message = f"there is no token {token!r}: the vocabulary has {len(vocabulary):,}"
    return TokenError(Problem("token/unknown", message))


@frozen_value
@dataclass(frozen=True, slots=True)
class Ended:
    """The place behind a token that ended a text: nothing comes there."""

    vocabulary: Vocabulary

    @property
    def is_complete(self) -> bool:
        """The text is."""
        return True

    def bitmask(self) -> Ints:
        """No token."""
        return np.zeros(-(-len(self.vocabulary) // WORD), np.int32)

    def allowed(self) -> Ints:
        """No token."""
        return np.zeros(0, np.int32)

    def accept(self, token: int) -> NoReturn:
        """Raises TokenError; TypeError for what is no number."""
        raise refusal(self.vocabulary, token_id(token), "cannot stand behind the end of the text")

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """Nothing."""
        return b"", ()


def allows(bitmask: Ints, token: int) -> bool:
    """Whether a mask allows a token."""
    return bool(bitmask[token // WORD] >> (token % WORD) & 1)


def token_ids(bitmask: Ints) -> Ints:
    """The tokens of a mask, in order."""
    data = np.ascontiguousarray(bitmask, "<i4").view(np.uint8)
    return np.flatnonzero(np.unpackbits(data, bitorder="little")).astype(np.int32)


def packed(marks: NDArray[np.bool_]) -> Ints:
    """A mask from marks, a multiple of 32 of them."""
    return np.packbits(marks, bitorder="little").view("<i4")
