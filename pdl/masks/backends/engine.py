"""What the adapters of all other engines have in common: pdl's interface over masks of an engine.

The engines are given pdl's own grammar, so that they hold what pdl holds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from pdl.errors import GrammarError, Problem
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.nodes import TokenRef, item_text, items, reachable
from pdl.masks.forced import cut
from pdl.masks.protocol import Ended, check_vocabulary, refusal, token_id, token_ids
from pdl.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pdl.gbnf.compiling.options import Entry
    from pdl.masks.protocol import TokenState
    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]


Given: TypeAlias = "Schema | Compiled | Grammar"

_FOR_MODELS = Options.generate()


def compiled(given: Given) -> tuple[Grammar, tuple[Entry, ...]]:
    """The grammar, and what it leaves to the checker; of a schema, the one that is for a model.

    Raises TypeError for anything else.
    """
    if isinstance(given, Schema):
        given = compile_schema(given, _FOR_MODELS)
    if isinstance(given, Compiled):
        return given.grammar, given.report.post_hoc
    if isinstance(given, Grammar):
        return given, ()
    raise TypeError(f"this must be a Schema, a Compiled or a Grammar, not {type(given).__name__}")


def refuse_tokens(engine: str, grammar: Grammar) -> None:
    """Raise GrammarError for the tokens that a grammar names.

    llguidance looks either at a token or at its text, never at both; and what is special, as most
    tokens are that a grammar names, is kept from xgrammar.
    """
    reached = (grammar.rule[name] for name in reachable(grammar.rule, grammar.root))
    problems = [
        Problem(
            "gbnf/token-reference",
            f"`{item_text(item)}` stands for a token, and {engine} is given texts only",
            grammar.source.span(item.start, item.end) if item.start >= 0 else None,
            "pdl.masks.Masker takes grammars that name tokens",
        )
        for rule in reached
        for item in items(rule.options)
        if isinstance(item, TokenRef)
    ]
    if problems:
        raise GrammarError(*problems)


def unfit(engine: str, reason: object, does: str = "does not take") -> GrammarError:
    """The error for a grammar that an engine does not take, or gives up amid a text."""
    text = str(reason).strip().partition("\n")[0]
    return GrammarError(Problem("gbnf/engine", f"{engine} {does} this grammar: {text}"))


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
        return token_ids(self.bitmask())

    def accept(self, token: int) -> TokenState:
        """The place behind one more token. Raises TokenError if it cannot stand here."""
        token = token_id(token)
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
