"""xgrammar behind pdl's interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pdl.masks.backends.engine import EngineMasker, EngineState, unfit
from pdl.masks.protocol import WORD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.gbnf.grammar import Grammar

    Ints: TypeAlias = NDArray[np.int32]


class XgrammarMasker(EngineMasker):
    """The texts of a schema or grammar, with the masks of xgrammar.

    It is given pdl's own grammar (of a schema, that of `Options.generate()`), not the schema: its
    own compiler of JSON Schema drops keywords without a word. `weakened` is therefore what pdl's
    grammar leaves to the checker, and nothing if what is given is a grammar.

    Raises ModuleNotFoundError without xgrammar, GrammarError for a grammar that it does not take
    and for one that names tokens, and what `pdl.gbnf.compile` raises.
    """

    library = "xgrammar"

    def _begun(self, engine: Any, grammar: Grammar) -> XgrammarState:
        vocabulary = self.vocabulary
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
        return XgrammarState(vocabulary, engine.GrammarMatcher(made))


class XgrammarState(EngineState):
    """A place in a text: a value, though not one for several threads at once."""

    __slots__ = ()

    @property
    def is_complete(self) -> bool:
        """Whether the text may end here."""
        return bool(self._matcher.is_completed())

    def _filled(self) -> Ints:
        mask = np.full((1, -(-len(self._vocabulary) // WORD)), -1, np.int32)
        self._matcher.fill_next_token_bitmask(mask)
        over = len(self._vocabulary) % WORD
        mask[0, -1] &= (1 << over) - 1 if over else -1  # no token has the bits behind
        mask.flags.writeable = False
        found: Ints = mask[0]
        return found

    def _behind(self, token: int) -> Any | None:
        if token in self._vocabulary.special:
            return None
        following = self._matcher.fork()
        return following if following.accept_token(token) else None

    def _only(self) -> bytes:
        found: bytes = self._matcher.find_jump_forward_string().encode()
        return found
