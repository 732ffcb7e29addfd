"""The part of a grammar that a vocabulary can spell: the productive rules over its tokens.

A vocabulary that has each byte as a token can continue wherever a grammar can. Any other might
begin what it can't finish; masks don't allow even the beginning of such texts.

There, a text counts as spellable if each of its characters is: as its own token, or in pieces of
its bytes that are tokens (`pdl.masks.spelling`). For a class, one such character is enough, if
tokens that end in the middle of another one can complete one of the class too. A text that only
longer tokens could spell (`"xy"` with the token `xy`, but neither `x` nor `y`) is refused, although
it could be produced. Whether longer tokens fit together would have to be known at each position of
the grammar, which can have any number of them; and a model must be able to spell what the longer
token doesn't fit (`"xz"`).

For a grammar of which nothing remains, the error tells what is missing, and where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdl.errors import GrammarError, Problem, error_from
from pdl.gbnf.analysis import Shortest, possible, takes, unrepeated
from pdl.gbnf.nodes import (
    CharClass,
    Group,
    Literal,
    Repeat,
    RuleRef,
    TokenRef,
    is_nothing,
    items,
    reachable,
)
from pdl.gbnf.state import Vocabulary as Pieces
from pdl.masks.spelling import spellable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item, Rule
    from pdl.masks.vocabulary import Ints, Vocabulary


class References:
    """The tokens that references take.

    A reference takes the tokens that it names, special ones too. A negated one (`!<text>`)
    takes any other token that is text: one that is special is allowed only where it is named.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._texts: Mapping[str, list[int]] = {}

    def check(self, grammar: Grammar) -> None:
        """Find the tokens that a grammar names by texts. Raises GrammarError for other texts."""
        held = (item for rule in grammar.rules for item in items(rule.options))
        if any(isinstance(item, TokenRef) and item.id is None for item in held):
            known = Pieces(self._vocabulary.tokens)
            unknown = list(known.unknown(grammar.rules, grammar.source))
            if unknown:
                raise error_from(unknown)
            self._texts = known.named

    def named(self, ref: TokenRef) -> frozenset[int]:
        """Return the tokens that a reference names."""
        if ref.id is None:
            return frozenset(self._texts[ref.text])
        return frozenset([ref.id] if ref.id < len(self._vocabulary) else [])

    def takes(self, ref: TokenRef, token: int) -> bool:
        """Whether a reference takes a token."""
        if ref.negated:
            return token not in self._vocabulary.special and token not in self.named(ref)
        return token in self.named(ref)

    def tokens(self, ref: TokenRef) -> Ints:
        """The tokens that a reference takes."""
        named = np.array(list(self.named(ref)), np.int32)
        texts = self._vocabulary.trie.order
        return texts[~np.isin(texts, named)] if ref.negated else named


def prune_to_vocabulary(
    grammar: Grammar, vocabulary: Vocabulary, references: References
) -> Mapping[str, Rule]:
    """Return the rules of a grammar that the tokens of a vocabulary can spell.

    Raises GrammarError if nothing remains: with a character or a token that is missing and its
    position, or because the grammar itself matches nothing; and for a `<text>` that is not one of
    its tokens.
    """
    spelled = _Spelled(vocabulary, references)
    if spelled.everything and grammar.is_productive:
        return grammar.rule
    references.check(grammar)
    rules = {name: grammar.rule[name] for name in reachable(grammar.rule, grammar.root)}
    live = Shortest(rules, narrow=spelled.part)
    if grammar.root not in live.best:
        raise _unspellable(grammar, rules, live, spelled)
    held = (item for rule in rules.values() for item in items(rule.options))
    if all(live.productive(item) and spelled.part(item) is item for item in held):
        return rules
    return live.productive_part()


class _Spelled:
    """What remains of literals, classes and tokens, and why nothing does."""

    def __init__(self, vocabulary: Vocabulary, references: References) -> None:
        self._vocabulary = vocabulary
        self._references = references
        self._letters = spellable(vocabulary)
        self.everything = self._letters is None

    def part(self, item: Item) -> Item | None:
        """Return the part of an item that can be spelled; itself if it consists of others."""
        if isinstance(item, TokenRef):
            return item if len(self._references.tokens(item)) else None
        if isinstance(item, Literal):
            return item if all(map(self._has, item.codes)) else None
        if isinstance(item, RuleRef | Group | Repeat) or is_nothing(item):
            return item
        ranges = takes(item)
        kept = self._letters.kept(ranges) if self._letters else ranges
        if kept == ranges:
            return item if kept else None
        return CharClass(kept) if kept else None

    def _has(self, code: int) -> bool:
        return possible(code) and (self._letters is None or self._letters.has(code))

    def why_not(self, item: Item) -> str:
        """Why nothing remains of an item."""
        if isinstance(item, TokenRef):
            if item.negated:
                return "no other token is text"
            size = len(self._vocabulary)
            return f"unknown token {item.id:,}: the vocabulary has {size:,} tokens"
        letters = self._letters
        assert letters is not None
        if isinstance(item, Literal):
            code = next(code for code in item.codes if not letters.has(code))
            cut = letters.stuck(code)
            if cut:
                return f"tokens can begin {chr(code)!r} as {cut!r}, but none can complete it"
            return f"{chr(code)!r} is not a token or a sequence of tokens; longer ones do not count"
        if letters.can_spell(takes(item)):
            return "tokens can begin a character of the class, but none can complete it"
        return "no character of the class is a token or a sequence of tokens"


def _unspellable(
    grammar: Grammar, rules: Mapping[str, Rule], live: Shortest, spelled: _Spelled
) -> GrammarError:
    """The error for a grammar whose root is not productive."""
    root = grammar.root
    alive = Shortest(rules)
    if root in alive.best:
        item = _lacking(root, alive, live)
        message = f"the vocabulary cannot spell any string of the rule `{root}`"
        start, end, hint = item.start, item.end, spelled.why_not(item)
    else:
        message = f"the rule `{root}` matches no string"
        start, end = rules[root].start, rules[root].named
        hint = "each alternative refers to the rule itself, or to something that matches nothing"
    span = grammar.source.span(start, end) if start >= 0 else None
    return GrammarError(Problem("gbnf/unsayable", message, span, hint))


def _lacking(root: str, alive: Shortest, live: Shortest) -> Item:
    """The first item for lack of which the shortest string of a rule can't be spelled."""
    item: Item = RuleRef(root)
    while isinstance(item, RuleRef | Group):
        _, option = alive.best[item.name if isinstance(item, RuleRef) else id(item)]
        item, _ = unrepeated(next(one for one in option.items if not live.productive(one)))
    return item
