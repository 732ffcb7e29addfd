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

For a grammar of which nothing remains, the error tells what is missing, and where (`Unspellable`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pdl.errors import GrammarError, Problem, error_from
from pdl.gbnf.analysis import Shortest
from pdl.gbnf.nodes import (
    CharClass,
    Group,
    Literal,
    Repeat,
    RuleRef,
    Sequence,
    TokenRef,
    items,
    reachable,
)
from pdl.gbnf.state import Vocabulary as Pieces
from pdl.gbnf.utf8 import characters, of_class
from pdl.masks.spelling import ANY, spellable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item, Rule
    from pdl.masks.spelling import Spellable
    from pdl.masks.vocabulary import Vocabulary
    from pdl.source import Span


class References:
    """The tokens that references take.

    A reference takes the tokens that it names, special ones too. A negated one (`!<text>`)
    takes any other token that is text: one that is special is allowed only where it is named.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._known: dict[TokenRef, frozenset[int]] = {}
        self._texts: dict[bytes, list[int]] | None = None

    def check(self, grammar: Grammar) -> None:
        """Raise GrammarError for the texts in angle brackets that are not a token."""
        held = (item for rule in grammar.rules for item in items(rule.options))
        if not any(isinstance(item, TokenRef) and item.id is None for item in held):
            return
        known = Pieces(self._vocabulary.tokens)
        unknown = list(known.unknown(grammar.rules, grammar.source))
        if unknown:
            raise error_from(unknown)

    def named(self, ref: TokenRef) -> frozenset[int]:
        """Return the tokens that a reference names."""
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

    def tokens(self, ref: TokenRef) -> Iterable[int]:
        """The tokens that a reference takes."""
        if not ref.negated:
            return self.named(ref)
        texts = self._vocabulary.trie.order
        found: list[int] = texts[~np.isin(texts, list(self.named(ref)))].tolist()
        return found


@dataclass(frozen=True, slots=True)
class Unspellable:
    """A grammar, and its rules with nothing in the place of what can't be spelled."""

    grammar: Grammar
    found: Mapping[str, Rule]
    vocabulary: Vocabulary
    spellable: Spellable | None

    def error(self, live: Shortest) -> GrammarError:
        """Return the error, if the grammar's root is not productive in those rules."""
        grammar = self.grammar
        rules = {name: grammar.rule[name] for name in self.found}
        alive = Shortest(rules)
        root = grammar.root
        if root in alive.best:
            lacking = next(_lacking(rules, self.found, root, alive, live))
            message = f"the vocabulary cannot spell any string of the rule `{root}`"
            span = self._span(lacking.start, lacking.end)
            return GrammarError(Problem("gbnf/unsayable", message, span, self._why(lacking)))
        message = f"the rule `{root}` matches no string"
        span = self._span(rules[root].start, rules[root].named)
        hint = "each alternative refers to the rule itself, or to something that matches nothing"
        return GrammarError(Problem("gbnf/unsayable", message, span, hint))

    def _span(self, start: int, end: int) -> Span | None:
        return self.grammar.source.span(start, end) if start >= 0 else None

    def _why(self, item: Item) -> str:
        if isinstance(item, TokenRef):
            return self._no_token(item)
        spellable = self.spellable
        if spellable is None:
            return ""
        if isinstance(item, Literal):
            return _no_character(spellable, item)
        ranges = of_class(item) if isinstance(item, CharClass) else ANY
        if spellable.can_spell(ranges):
            return "tokens can begin a character of the class, but none can complete it"
        return "no character of the class is a token or a sequence of tokens"

    def _no_token(self, item: TokenRef) -> str:
        if item.negated:
            return "no other token is text"
        if item.id is None:
            return f"`{item.text}` is not a token"
        return f"unknown token {item.id:,}: the vocabulary has {len(self.vocabulary):,} tokens"


def _no_character(spellable: Spellable, item: Literal) -> str:
    """Why the first character of a literal that can't be spelled can't."""
    code = next(code for code in item.codes if not spellable.has(code))
    stuck = spellable.stuck(code)
    if stuck is not None and spellable.can_spell(((code, code),)):
        return f"tokens can begin {chr(code)!r} as {stuck!r}, but none can complete it"
    return f"{chr(code)!r} is not a token or a sequence of tokens; longer ones do not count"


def _lacking(
    rules: Mapping[str, Rule],
    found: Mapping[str, Rule],
    root: str,
    alive: Shortest,
    live: Shortest,
) -> Iterator[Item]:
    """The literals, classes and tokens for lack of which a rule can't be spelled."""
    seen = {root}
    pending: list[tuple[tuple[Sequence, ...], tuple[Sequence, ...]]]
    pending = [(rules[root].options, found[root].options)]
    while pending:
        for option, made in zip(*pending.pop(), strict=True):
            if not all(map(alive.productive, option.items)):
                continue
            for item, other in zip(option.items, made.items, strict=True):
                if live.productive(other):
                    continue
                before, after = _bare(item), _bare(other)
                if isinstance(before, Group) and isinstance(after, Group):
                    pending.append((before.options, after.options))
                elif not isinstance(before, RuleRef):
                    yield before
                elif before.name not in seen:
                    seen.add(before.name)
                    pending.append((rules[before.name].options, found[before.name].options))


def _bare(item: Item) -> Item:
    """An item without its repetitions."""
    while isinstance(item, Repeat):
        item = item.item
    return item


_IMPOSSIBLE = Literal((0,))  # no text contains it


def prune_to_vocabulary(
    grammar: Grammar, vocabulary: Vocabulary, references: References
) -> Mapping[str, Rule]:
    """Return the rules of a grammar that the tokens of a vocabulary can spell.

    Raises GrammarError if nothing remains: with a character or a token that is missing and its
    position, or because the grammar itself matches nothing; and for a `<text>` that is not one of
    its tokens.
    """
    letters = spellable(vocabulary)
    if letters is None and grammar.is_productive:
        return grammar.rule
    references.check(grammar)
    rules = {name: grammar.rule[name] for name in reachable(grammar.rule, grammar.root)}
    narrow = _Narrow(letters, references)
    found = {name: narrow.rule(rule) for name, rule in rules.items()}
    live = Shortest(found)
    if grammar.root not in live.best:
        raise Unspellable(grammar, found, vocabulary, letters).error(live)
    if not narrow.changed and all(name in live.best for name in found):
        return rules
    return {name: _pruned(rule, live) for name, rule in found.items() if name in live.best}


class _Narrow:
    """Narrows items to what can be spelled."""

    def __init__(self, letters: Spellable | None, references: References) -> None:
        self._letters = letters
        self._references = references
        self.changed = False

    def rule(self, rule: Rule) -> Rule:
        """Return a rule with narrowed items."""
        options = self._options(rule.options)
        return rule if options is rule.options else replace(rule, options=options)

    def _options(self, options: tuple[Sequence, ...]) -> tuple[Sequence, ...]:
        found = tuple(tuple(map(self._item, option.items)) for option in options)
        pairs = zip(found, options, strict=True)
        same = all(a is b for new, old in pairs for a, b in zip(new, old.items, strict=True))
        return options if same else tuple(map(Sequence, found))

    def _item(self, item: Item) -> Item:
        if isinstance(item, Group):
            options = self._options(item.options)
            return item if options is item.options else Group(options)
        if isinstance(item, Repeat):
            inner = self._item(item.item)
            return item if inner is item.item else Repeat(inner, item.min, item.max)
        if isinstance(item, RuleRef):
            return item
        found = self._leaf(item)
        self.changed |= found is not item
        return found

    def _leaf(self, item: Item) -> Item:
        if isinstance(item, TokenRef):
            return item if self._references.is_possible(item) else _IMPOSSIBLE
        if isinstance(item, Literal):
            return item if all(map(self._has, item.codes)) else _IMPOSSIBLE
        if isinstance(item, CharClass) and not item.ranges:
            return item  # nothing, which is not a class
        ranges = of_class(item) if isinstance(item, CharClass) else ANY
        kept = self._letters.kept(ranges) if self._letters else ranges
        if not kept:
            return _IMPOSSIBLE
        return item if kept == ranges else CharClass(kept)

    def _has(self, code: int) -> bool:
        if not characters(((code, code),)):
            return False
        return self._letters is None or self._letters.has(code)


def _pruned(rule: Rule, live: Shortest) -> Rule:
    return replace(rule, options=tuple(_live(rule.options, live)))


def _live(options: Iterable[Sequence], live: Shortest) -> Iterator[Sequence]:
    """The productive alternatives, pruned."""
    for option in options:
        if all(map(live.productive, option.items)):
            items = (_within(item, live) for item in option.items)
            yield Sequence(tuple(item for item in items if item is not None))


def _within(item: Item, live: Shortest) -> Item | None:
    if isinstance(item, Group):
        return Group(tuple(_live(item.options, live)))
    if not isinstance(item, Repeat):
        return item
    if not live.productive(item.item):
        return None  # which can be left out
    inner = _within(item.item, live)
    return None if inner is None else Repeat(inner, item.min, item.max)
