"""llguidance behind pdl's interface."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pdl.masks.backends.given import compiled, greedy, unfit
from pdl.masks.protocol import Ended, check_vocabulary, numbers_of, refusal, token_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.gbnf.compiling.report import Entry
    from pdl.masks.backends.given import Given
    from pdl.masks.protocol import TokenState
    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]

_OPTIONS = '%llguidance {"no_forcing": true}\n'
"""Without it, forced text could only come in the tokens that a greedy tokenizer makes of it."""


class LlguidanceMasker:
    """The texts of a schema or grammar, with the masks of llguidance.

    It is given pdl's own grammar, not the schema: its own compiler of JSON Schema refuses or drops
    other keywords, and takes other texts. `weakened` is therefore what pdl's grammar leaves to the
    checker, and nothing if what is given is a grammar.

    Raises ModuleNotFoundError without llguidance, GrammarError for a grammar that it does not take
    (references to tokens among them), and what `pdl.gbnf.compile` raises.
    """

    def __init__(self, given: Given, vocabulary: Vocabulary) -> None:
        check_vocabulary(vocabulary)
        self.vocabulary = vocabulary
        self.weakened: tuple[Entry, ...]
        """Keywords of the schema that the masks do not hold, or not quite."""
        engine: Any = import_module("llguidance")
        grammar, self.weakened = compiled(given)
        source = engine.LLMatcher.grammar_from_lark(_OPTIONS + grammar.to_lark())
        matcher = engine.LLMatcher(_tokenizer(engine, vocabulary), source, log_level=0)
        if matcher.is_error():
            raise unfit("llguidance", matcher.get_error())
        self._start = LlguidanceState(vocabulary, matcher)

    def start(self) -> LlguidanceState:
        """The beginning of all texts."""
        return self._start


class LlguidanceState:
    """A place in a text: a value, though not one for several threads at once."""

    __slots__ = ("_mask", "_matcher", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, matcher: Any) -> None:
        self._vocabulary = vocabulary
        self._matcher = matcher
        self._mask: Ints | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the text may end here."""
        return bool(self._matcher.is_accepting())

    def bitmask(self) -> Ints:
        """Which tokens may come next, one bit a token; read-only.

        Raises GrammarError where llguidance gives up (at a bound of its own).
        """
        if self._mask is None:
            data = self._matcher.compute_bitmask()
            if self._matcher.is_error():
                raise unfit("llguidance", self._matcher.get_error())
            self._mask = np.frombuffer(data, np.int32)[: -(-len(self._vocabulary) // 32)]
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
        following = self._matcher.deep_copy()
        if not known or not following.try_consume_tokens([token]):
            raise refusal(self._vocabulary, token)
        return LlguidanceState(self._vocabulary, following)

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """The bytes that must come next, and the longest tokens that make them."""
        data = bytes(self._matcher.compute_ff_bytes())
        return data, greedy(self._vocabulary, data)


class _Tokens:
    """What llguidance asks of a tokenizer."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.eos_token_id = min(vocabulary.eos)
        self.bos_token_id = None
        self.tokens = list(vocabulary.tokens)
        self.special_token_ids = sorted(vocabulary.special)

    def __call__(self, text: bytes | str) -> list[int]:
        data = text.encode() if isinstance(text, str) else text
        return list(greedy(self._vocabulary, data))


def _tokenizer(engine: Any, vocabulary: Vocabulary) -> Any:
    wrapped = engine.TokenizerWrapper(_Tokens(vocabulary))
    return engine.LLTokenizer(wrapped, len(vocabulary), sorted(vocabulary.eos))
