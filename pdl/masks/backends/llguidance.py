"""llguidance behind pdl's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from pdl.masks.backends.engine import EngineMasker, EngineState, unfit
from pdl.masks.forced import cut
from pdl.masks.protocol import WORD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.gbnf.grammar import Grammar
    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]

_OPTIONS = '%llguidance {"no_forcing": true}\n'
"""Without it, forced text could only come in the tokens that a greedy tokenizer makes of it."""


class LlguidanceMasker(EngineMasker):
    """The texts of a schema or grammar, with the masks of llguidance.

    It is given pdl's own grammar (of a schema, that of `Options.generate()`), not the schema: its
    own compiler of JSON Schema refuses or drops other keywords, and takes other texts. `weakened`
    is therefore what pdl's grammar leaves to the checker, and nothing if what is given is a
    grammar.

    Raises ModuleNotFoundError without llguidance, GrammarError for a grammar that it does not take
    and for one that names tokens, and what `pdl.gbnf.compile` raises.
    """

    library = "llguidance"

    def _begun(self, engine: Any, grammar: Grammar) -> LlguidanceState:
        source = engine.LLMatcher.grammar_from_lark(_OPTIONS + grammar.to_lark())
        matcher = engine.LLMatcher(_tokenizer(engine, self.vocabulary), source, log_level=0)
        if matcher.is_error():
            raise unfit("llguidance", matcher.get_error())
        return LlguidanceState(self.vocabulary, matcher)


class LlguidanceState(EngineState):
    """A place in a text: a value, though not one for several threads at once."""

    __slots__ = ()

    @property
    def is_complete(self) -> bool:
        """Whether the text may end here."""
        return bool(self._matcher.is_accepting())

    def _filled(self) -> Ints:
        data = self._matcher.compute_bitmask()
        if self._matcher.is_error():
            raise unfit("llguidance", self._matcher.get_error(), "cannot go on with")
        return np.frombuffer(data, np.int32)[: -(-len(self._vocabulary) // WORD)]

    def _behind(self, token: int) -> Any | None:
        following = self._matcher.deep_copy()
        return following if following.try_consume_tokens([token]) else None

    def _only(self) -> bytes:
        return bytes(self._matcher.compute_ff_bytes())


class _Tokens:
    """What llguidance asks of a tokenizer."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._trie = vocabulary.trie
        self.eos_token_id = min(vocabulary.eos)
        self.bos_token_id = None
        self.tokens = list(vocabulary.tokens)
        self.special_token_ids = sorted(vocabulary.special)

    def __call__(self, text: bytes | str) -> list[int]:
        data = text.encode() if isinstance(text, str) else text
        return cut(data, self._trie)[0]


_TOKENIZERS: WeakKeyDictionary[Vocabulary, Any] = WeakKeyDictionary()


def _tokenizer(engine: Any, vocabulary: Vocabulary) -> Any:
    """The one tokenizer of a vocabulary, which takes long to make for a large one."""
    known = _TOKENIZERS.get(vocabulary)
    if known is None:
        wrapped = engine.TokenizerWrapper(_Tokens(vocabulary))
        known = engine.LLTokenizer(wrapped, len(vocabulary), sorted(vocabulary.eos))
        _TOKENIZERS[vocabulary] = known
    return known
