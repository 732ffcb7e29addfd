"""Which tokens of a vocabulary the references of a grammar are, `<[id]>` and `<text>`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.errors import error_from
from pdl.gbnf.nodes import TokenRef, items
from pdl.gbnf.state import Vocabulary as Pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from pdl.gbnf.automaton import Automaton
    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.matcher import Item
    from pdl.masks.bags import Bag
    from pdl.masks.vocabulary import Vocabulary

    Ints: TypeAlias = NDArray[np.int32]


class References:
    """The tokens that references take.

    A reference takes the tokens that it names, special ones as well. A negated one (`!<text>`)
    takes any other token that is text: one that is special is allowed only where it is named.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._known: dict[TokenRef, frozenset[int]] = {}
        self._texts: dict[bytes, list[int]] | None = None

    def check(self, grammar: Grammar) -> None:
        """Raise GrammarError for the texts in angle brackets that are no token."""
        held = (item for rule in grammar.rules for item in items(rule.options))
        if not any(isinstance(item, TokenRef) and item.id is None for item in held):
            return
        known = Pieces(self._vocabulary.tokens)
        unknown = list(known.unknown(grammar.rules, grammar.source))
        if unknown:
            raise error_from(unknown)

    def named(self, ref: TokenRef) -> frozenset[int]:
        """The tokens that a reference names."""
        found = self._known.get(ref)
        if found is None:
            found = self._known[ref] = frozenset(self._named(ref))
        return found

    def _named(self, ref: TokenRef) -> Iterable[int]:
        if ref.id is not None:
            return (ref.id,) if ref.id < len(self._vocabulary) else ()
        if self._texts is None:
            self._texts = {}
            for token, piece in enumerate(self._vocabulary.tokens):
                if piece[:1] == b"<" and piece[-1:] == b">":
                    self._texts.setdefault(piece, []).append(token)
        return self._texts.get(ref.text.encode(), ())

    def takes(self, ref: TokenRef, token: int) -> bool:
        """Whether a reference takes a token."""
        if ref.negated:
            return token not in self._vocabulary.special and token not in self.named(ref)
        return token in self.named(ref)

    def is_possible(self, ref: TokenRef) -> bool:
        """Whether a reference takes any token."""
        if not ref.negated:
            return bool(self.named(ref))
        return len(self._vocabulary.trie.order) > len(self.named(ref) - self._vocabulary.special)

    def add(self, ref: TokenRef, bag: Bag) -> None:
        """Add the tokens that a reference takes to others."""
        if ref.negated:
            texts = self._vocabulary.trie.order
            bag.many.append(texts[~np.isin(texts, list(self.named(ref)))])
        else:
            bag.few += self.named(ref)

    def targets(self, automaton: Automaton, held: Iterable[Item], token: int) -> Iterator[Item]:
        """The states behind a token, with their nodes, where references take it."""
        for state, node in held:
            if state in automaton.tokens:
                ref, target = automaton.tokens[state]
                if self.takes(ref, token):
                    yield target, node
