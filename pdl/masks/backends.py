"""Other engines with the interface of pdl's own masks, if they are installed.

The engines receive pdl's grammar (for a schema, the one of `Options.generate()`), not the schema:
their own compilers refuse or silently drop other keywords, and accept other texts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from pdl.errors import GrammarError, Problem
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.export import refuse_tokens
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.nodes import reachable
from pdl.masks.forced import cut
from pdl.masks.protocol import (
    WORD,
    Ended,
    TokenState,
    check_vocabulary,
    refusal,
    token_id,
    words_of,
)
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl.gbnf.compiling.options import Entry
    from pdl.masks.vocabulary import Ints, Vocabulary


__all__ = ["LlguidanceMasker", "XgrammarMasker"]

Given: TypeAlias = "Schema | Compiled | Grammar"


class EngineMasker(ABC):
    """The strings of a schema or grammar, with the masks of an engine: `library` is its package.

    `weakened` lists the keywords of a schema that pdl's grammar doesn't enforce. Raises
    ModuleNotFoundError without the package, GrammarError for a grammar that the engine doesn't
    support or that names tokens, TypeError for anything else, and what `pdl.gbnf.compile` raises.
    """

    library: ClassVar[str]

    def __init__(self, given: Given, vocabulary: Vocabulary) -> None:
        check_vocabulary(vocabulary)
        self.vocabulary = vocabulary
        self.weakened: tuple[Entry, ...]
        """Keywords of the schema that the masks don't enforce, or not fully."""
        engine = import_module(self.library)
        grammar, self.weakened = _compiled(given)
        self._refuse_tokens(grammar)
        self._start = self._begun(engine, grammar)

    def start(self) -> TokenState:
        """Return the state before any text."""
        return self._start

    def _refuse_tokens(self, grammar: Grammar) -> None:
        """Raise GrammarError for the tokens that a grammar names.

        llguidance looks either at a token or at its text, never at both; and special tokens, as
        most are that a grammar names, are hidden from xgrammar.
        """
        reached = [grammar.rule[name] for name in reachable(grammar.rule, grammar.root)]
        message = f"`{{}}` names a token, and {self.library} receives only text"
        hint = "use `pdl.masks.Masker` for grammars that name tokens"
        refuse_tokens(reached, grammar.source, message, hint)

    @abstractmethod
    def _begun(self, engine: Any, grammar: Grammar) -> TokenState:
        """Return the first state. Raises GrammarError if the engine refuses the grammar."""


def _compiled(given: Given) -> tuple[Grammar, tuple[Entry, ...]]:
    """The grammar, of a schema the one for a model; and the keywords that it doesn't enforce."""
    if isinstance(given, Schema):
        given = compile_schema(given, Options.generate())
    if isinstance(given, Compiled):
        return given.grammar, given.report.post_hoc
    if isinstance(given, Grammar):
        return given, ()
    raise TypeError(f"this must be a Schema, a Compiled or a Grammar, not {type(given).__name__}")


def _refused(engine: str, reason: object, does: str = "does not support") -> GrammarError:
    """The error for a grammar that an engine doesn't support, or at which it gives up."""
    text = str(reason).strip().partition("\n")[0]
    return GrammarError(Problem("gbnf/engine", f"{engine} {does} this grammar: {text}"))


class _EngineState(TokenState):
    """A position in a text: an immutable value, but not for several threads at once."""

    __slots__ = ("_mask", "_matcher", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, matcher: Any) -> None:
        self._vocabulary = vocabulary
        self._matcher = matcher
        self._mask: Ints | None = None

    def bitmask(self) -> Ints:
        """Return which tokens may come next, one bit a token; read-only.

        Raises GrammarError if the engine gives up (at its own limit).
        """
        if self._mask is None:
            self._mask = self._filled()
        return self._mask

    def accept(self, token: int) -> TokenState:
        token = token_id(token)
        if token in self._vocabulary.eos and self.is_complete:
            return Ended(self._vocabulary)
        known = 0 <= token < len(self._vocabulary)
        following = self._after(token) if known else None
        if following is None:
            raise refusal(self._vocabulary, token)
        return type(self)(self._vocabulary, following)

    def forced(self) -> tuple[bytes, tuple[int, ...]]:
        data = self._only()
        return data, tuple(cut(data, self._vocabulary.trie)[0])

    @abstractmethod
    def _filled(self) -> Ints:
        """The engine's mask."""

    @abstractmethod
    def _after(self, token: int) -> Any | None:
        """Another matcher of the engine, after a token of the vocabulary; None if it refuses."""

    @abstractmethod
    def _only(self) -> bytes:
        """The bytes that must come next, as far as the engine knows."""


_OPTIONS = '%llguidance {"no_forcing": true}\n'
"""Without it, forced text would only be allowed in the tokens of a greedy tokenizer."""


class LlguidanceMasker(EngineMasker):
    """The strings of a schema or grammar, with the masks of llguidance; see `EngineMasker`."""

    library = "llguidance"

    def _begun(self, engine: Any, grammar: Grammar) -> _LlguidanceState:
        source = engine.LLMatcher.grammar_from_lark(_OPTIONS + grammar.to_lark())
        matcher = engine.LLMatcher(_tokenizer(engine, self.vocabulary), source, log_level=0)
        if matcher.is_error():
            raise _refused("llguidance", matcher.get_error())
        return _LlguidanceState(self.vocabulary, matcher)


class _LlguidanceState(_EngineState):
    __slots__ = ()

    @property
    def is_complete(self) -> bool:
        return bool(self._matcher.is_accepting())

    def _filled(self) -> Ints:
        data = self._matcher.compute_bitmask()
        if self._matcher.is_error():
            raise _refused("llguidance", self._matcher.get_error(), "cannot continue with")
        return np.frombuffer(data, np.int32)[: words_of(len(self._vocabulary))]

    def _after(self, token: int) -> Any | None:
        following = self._matcher.deep_copy()
        return following if following.try_consume_tokens([token]) else None

    def _only(self) -> bytes:
        return bytes(self._matcher.compute_ff_bytes())


class _Tokens:
    """A tokenizer as llguidance requires it."""

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
    """The one tokenizer of a vocabulary, which takes long to build for a large one."""
    known = _TOKENIZERS.get(vocabulary)
    if known is None:
        wrapped = engine.TokenizerWrapper(_Tokens(vocabulary))
        known = engine.LLTokenizer(wrapped, len(vocabulary), sorted(vocabulary.eos))
        _TOKENIZERS[vocabulary] = known
    return known


class XgrammarMasker(EngineMasker):
    """The strings of a schema or grammar, with the masks of xgrammar; see `EngineMasker`."""

    library = "xgrammar"

    def _begun(self, engine: Any, grammar: Grammar) -> _XgrammarState:
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
            raise _refused("xgrammar", error) from error
        return _XgrammarState(vocabulary, engine.GrammarMatcher(made))


class _XgrammarState(_EngineState):
    __slots__ = ()

    @property
    def is_complete(self) -> bool:
        return bool(self._matcher.is_completed())

    def _filled(self) -> Ints:
        mask = np.full((1, words_of(len(self._vocabulary))), -1, np.int32)
        self._matcher.fill_next_token_bitmask(mask)
        over = len(self._vocabulary) % WORD
        mask[0, -1] &= (1 << over) - 1 if over else -1  # the bits after the last token
        mask.flags.writeable = False
        found: Ints = mask[0]
        return found

    def _after(self, token: int) -> Any | None:
        if token in self._vocabulary.special:
            return None
        following = self._matcher.fork()
        return following if following.accept_token(token) else None

    def _only(self) -> bytes:
        found: bytes = self._matcher.find_jump_forward_string().encode()
        return found
