"""Masks without any art: each token is tried with the grammar's own matcher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pdl.masks.protocol import Ended, refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.gbnf import Grammar, State
    from pdl.masks import Vocabulary
    from pdl.masks.protocol import TokenState


@dataclass(frozen=True)
class PlainMasker:
    grammar: Grammar
    vocabulary: Vocabulary

    def start(self) -> PlainState:
        return PlainState(self.vocabulary, self.grammar.start())


@dataclass(frozen=True)
class PlainState:
    vocabulary: Vocabulary
    state: State

    @property
    def is_complete(self) -> bool:
        return self.state.is_complete

    def following(self, token: int) -> State | None:
        special = token in self.vocabulary.special
        piece = self.vocabulary.tokens[token]
        found = self.state.accept_token(token, None if special else piece)
        return None if found.is_dead else found

    def allowed(self) -> NDArray[np.int32]:
        tokens = {token for token in range(len(self.vocabulary)) if self.following(token)}
        tokens |= self.vocabulary.eos if self.is_complete else set()
        return np.array(sorted(tokens), np.int32)

    def bitmask(self) -> NDArray[np.int32]:
        bits = np.zeros(-(-len(self.vocabulary) // 32) * 32, np.uint8)
        bits[self.allowed()] = 1
        return np.packbits(bits, bitorder="little").view(np.int32)

    def accept(self, token: int) -> TokenState:
        if token in self.vocabulary.eos and self.is_complete:
            return Ended(self.vocabulary)
        known = 0 <= token < len(self.vocabulary)
        found = self.following(token) if known else None
        if found is None:
            raise refusal(self.vocabulary, token)
        return PlainState(self.vocabulary, found)

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        return b"", ()
