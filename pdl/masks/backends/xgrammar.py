"""xgrammar behind pdl's interface."""

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


class XgrammarMasker:
    """The texts of a schema or grammar, with the masks of xgrammar.

    It is given pdl's own grammar, not the schema: its own compiler of JSON Schema drops keywords
    without a word. `weakened` is therefore what pdl's grammar leaves to the checker, and nothing if
    what is given is a grammar.

    Raises ModuleNotFoundError without xgrammar, GrammarError for a grammar that it does not take,
    and what `pdl.gbnf.compile` raises.
    """

    def __init__(self, given: Given, vocabulary: Vocabulary) -> None:
        check_vocabulary(vocabulary)
        self.vocabulary = vocabulary
        self.weakened: tuple[Entry, ...]
        """Keywords of the schema that the masks do not hold, or not quite."""
        engine: Any = import_module("xgrammar")
        grammar, self.weakened = compiled(given)
        special = vocabulary.special
        tokens = [b"" if at in special else one for at, one in enumerate(vocabulary.tokens)]
        info = engine.TokenizerInfo(
            tokens, engine.VocabType.RAW, stop_token_ids=list(vocabulary.eos)
        )
        compiler = engine.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        try:
            made = compiler.compile_grammar(grammar.to_ebnf())
        except RuntimeError as error:
            raise unfit("xgrammar", error) from error
        self._start = XgrammarState(vocabulary, engine.GrammarMatcher(made))

    def start(self) -> XgrammarState:
        """The beginning of all texts."""
        return self._start


class XgrammarState:
    """A place in a text: a value, though not one for several threads at once."""

    __slots__ = ("_mask", "_matcher", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, matcher: Any) -> None:
        self._vocabulary = vocabulary
        self._matcher = matcher
        self._mask: Ints | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the text may end here."""
        return bool(self._matcher.is_completed())

    def bitmask(self) -> Ints:
        """Which tokens may come next, one bit a token; read-only."""
        if self._mask is None:
            mask = np.full((1, -(-len(self._vocabulary) // 32)), -1, np.int32)
            self._matcher.fill_next_token_bitmask(mask)
            over = len(self._vocabulary) % 32
            mask[0, -1] &= (1 << over) - 1 if over else -1  # no token has the bits behind
            mask.flags.writeable = False
            self._mask = mask[0]
        return self._mask

    def allowed(self) -> Ints:
        """The numbers of those tokens, in order."""
        return numbers_of(self.bitmask())

    def accept(self, token: int) -> TokenState:
        """The place behind one more token. Raises TokenError if it cannot stand here."""
        token = token_number(token)
        if token in self._vocabulary.eos and self.is_complete:
            return Ended(self._vocabulary)
        text = 0 <= token < len(self._vocabulary) and token not in self._vocabulary.special
        following = self._matcher.fork()
        if not text or not following.accept_token(token):
            raise refusal(self._vocabulary, token)
        return XgrammarState(self._vocabulary, following)

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        """The bytes that must come next, and the longest tokens that make them."""
        data = self._matcher.find_jump_forward_string().encode()
        return data, greedy(self._vocabulary, data)
