"""What all other engines have in common behind pdl's interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from pdl.masks.backends.given import compiled, refuse_tokens
from pdl.masks.forced import cut
from pdl.masks.protocol import Ended, check_vocabulary, numbers_of, refusal, token_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pdl.gbnf.compiling.report import Entry
    from pdl.gbnf.grammar import Grammar
    from pdl.masks.backends.given import Given
    from pdl.masks.protocol import TokenState
    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]


class EngineMasker(ABC):
    """The texts of a schema or grammar, with the masks of an engine: `library` is its package."""

    library: ClassVar[str]

    def __init__(self, given: Given, vocabulary: Vocabulary) -> None:
        check_vocabulary(vocabulary)
        self.vocabulary = vocabulary
        self.weakened: tuple[Entry, ...]
        """Keywords of the schema that the masks do not hold, or not quite."""
        engine = import_module(self.library)
        grammar, self.weakened = compiled(given)
        refuse_tokens(self.library, grammar)
        self._start = self._begun(engine, grammar)

    def start(self) -> TokenState:
        """The beginning of all texts."""
        return self._start

    @abstractmethod
    def _begun(self, engine: Any, grammar: Grammar) -> TokenState:
        """The state in front of all texts. Raises GrammarError where the engine refuses them."""


class EngineState(ABC):
    """A place in a text: a value, though not one for several threads at once."""

    __slots__ = ("_mask", "_matcher", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, matcher: Any) -> None:
        self._vocabulary = vocabulary
        self._matcher = matcher
        self._mask: Ints | None = None

    @property
    @abstractmethod
    def is_complete(self) -> bool:
        """Whether the text may end here."""

    def bitmask(self) -> Ints:
        """Which tokens may come next, one bit a token; read-only.

        Raises GrammarError where the engine gives up (at a bound of its own).
        """
        if self._mask is None:
            self._mask = self._filled()
        return self._mask

    def allowed(self) -> Ints:
        """The numbers of those tokens, in order."""
        return numbers_of(self.bitmask())

    def accept(self, token: int) -> TokenState:
        """The place behind one more token. Raises TokenError if it cannot stand here."""
        token = token_number(token)
        if token in self._vocabulary.eos and self.is_complete:
            return Ended(self._vocabulary)
        known = 0 <= token < len(self._vocabulary)
        following = self._behind(token) if known else None
        if following is None:
            raise refusal(self._vocabulary, token)
        return type(self)(self._vocabulary, following)

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """The bytes that must come next, and the longest tokens that make them."""
        data = self._only()
        return data, tuple(cut(data, self._vocabulary.trie)[0])

    @abstractmethod
    def _filled(self) -> Ints:
        """The engine's mask."""

    @abstractmethod
    def _behind(self, token: int) -> Any | None:
        """Another matcher of the engine, behind a token of the vocabulary; None if it refuses."""

    @abstractmethod
    def _only(self) -> bytes:
        """The bytes of which the engine says that they must come next."""
