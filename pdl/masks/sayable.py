"""What of a grammar the tokens of a vocabulary can say to its end.

A vocabulary that has each byte as a token can go on wherever a grammar can. One that has not might
begin what it cannot finish; of such texts, masks allow not even the beginning.

There, a text counts as sayable if each of its characters is: as a token of its own, or in pieces of
its bytes that are tokens (`pdl.masks.spelled`). Of a class it is enough that one character is, if
tokens that end amid another one can finish one of the class as well. A text that only longer tokens
could spell (`"xy"` with the token `xy`, but neither `x` nor `y`) is refused, though it could be
said. Whether tokens that are longer fit together would have to be known at each place of the
grammar, which may have any number of them; and a model must be able to spell what the longer token
does not fit (`"xz"`).

For a grammar of which a vocabulary can say nothing, the error tells what is lacking, and where
(`Unsayable`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem
from pdl.gbnf.analysis import Liveness
from pdl.gbnf.nodes import CharClass, Group, Literal, Repeat, RuleRef, Sequence, TokenRef, reachable
from pdl.gbnf.utf8 import characters, of_class
from pdl.masks.spelled import ANY, spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item, Rule
    from pdl.masks.references import References
    from pdl.masks.spelled import Spelled
    from pdl.masks.vocabulary import Vocabulary
    from pdl.source import Span


@dataclass(frozen=True, slots=True)
class Unsayable:
    """A grammar, and its rules with what cannot be said in place of which nothing can stand."""

    grammar: Grammar
    found: Mapping[str, Rule]
    vocabulary: Vocabulary
    spelled: Spelled | None

    def error(self, live: Liveness) -> GrammarError:
        """The error, if the grammar's root is not among what is live of those rules."""
        grammar = self.grammar
        rules = {name: grammar.rule[name] for name in self.found}
        alive = Liveness(rules)
        root = grammar.root
        if root in alive.found:
            lacking = next(_lacking(rules, self.found, root, alive, live))
            message = f"the vocabulary can say no text of the grammar's rule `{root}`"
            span = self._span(lacking.start, lacking.end)
            return GrammarError(Problem("gbnf/unsayable", message, span, self._why(lacking)))
        message = f"the rule `{root}` matches no text, so that the vocabulary can say no text of it"
        span = self._span(rules[root].start, rules[root].named)
        hint = "each of its alternatives needs the rule itself, or what no text can hold"
        return GrammarError(Problem("gbnf/unsayable", message, span, hint))

    def _span(self, start: int, end: int) -> Span | None:
        return self.grammar.source.span(start, end) if start >= 0 else None

    def _why(self, item: Item) -> str:
        if isinstance(item, TokenRef):
            return self._no_token(item)
        if self.spelled is None:
            return ""
        if isinstance(item, Literal):
            return _no_character(self.spelled, item)
        ranges = of_class(item) if isinstance(item, CharClass) else ANY
        if self.spelled.is_spelled(ranges):
            return "tokens may begin a character of the class that none can finish"
        return "no character of the class is a token, nor do tokens make one"

    def _no_token(self, item: TokenRef) -> str:
        if item.negated:
            return "no other token is text"
        if item.id is None:
            return f"`{item.text}` is no token"
        return f"there is no token {item.id:,}: the vocabulary has {len(self.vocabulary):,}"


def _no_character(spelled: Spelled, item: Literal) -> str:
    """Why the first character of a literal that cannot stand there cannot."""
    code = next(code for code in item.codes if not spelled.has(code))
    stuck = spelled.stuck(code)
    if stuck is not None and spelled.is_spelled(((code, code),)):
        return f"tokens may begin {chr(code)!r} as {stuck!r}, and none can finish it"
    return f"{chr(code)!r} is no token, nor do tokens make it in pieces: longer ones do not count"


def _lacking(
    rules: Mapping[str, Rule],
    found: Mapping[str, Rule],
    root: str,
    alive: Liveness,
    live: Liveness,
) -> Iterator[Item]:
    """The literals, classes and tokens for lack of which a rule cannot be said."""
    seen = {root}
    pending: list[tuple[tuple[Sequence, ...], tuple[Sequence, ...]]]
    pending = [(rules[root].options, found[root].options)]
    while pending:
        for option, made in zip(*pending.pop(), strict=True):
            if not all(map(alive.item, option.items)):
                continue
            for item, other in zip(option.items, made.items, strict=True):
                if live.item(other):
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


_IMPOSSIBLE = Literal((0,))  # no text holds it


def sayable(grammar: Grammar, vocabulary: Vocabulary, references: References) -> Mapping[str, Rule]:
    """The rules of a grammar without what the tokens of a vocabulary cannot say, one by one.

    Raises GrammarError if nothing is left: with a character or a token that is lacking and its
    place, or because the grammar matches nothing itself.
    """
    rules = {name: grammar.rule[name] for name in reachable(grammar.rule, grammar.root)}
    letters = spelled(vocabulary)
    narrow = _Narrow(letters, references)
    found = {name: narrow.rule(rule) for name, rule in rules.items()}
    live = Liveness(found)
    if grammar.root not in live.found:
        raise Unsayable(grammar, found, vocabulary, letters).error(live)
    if not narrow.changed and all(name in live.found for name in found):
        return rules
    return {name: _pruned(rule, live) for name, rule in found.items() if name in live.found}


class _Narrow:
    """Items that hold what can be said."""

    def __init__(self, letters: Spelled | None, references: References) -> None:
        self._letters = letters
        self._references = references
        self.changed = False

    def rule(self, rule: Rule) -> Rule:
        """A rule of such items."""
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
            return item  # nothing, which is no class
        ranges = of_class(item) if isinstance(item, CharClass) else ANY
        kept = self._letters.kept(ranges) if self._letters else ranges
        if not kept:
            return _IMPOSSIBLE
        return item if kept == ranges else CharClass(kept)

    def _has(self, code: int) -> bool:
        if not characters(((code, code),)):
            return False
        return self._letters is None or self._letters.has(code)


def _pruned(rule: Rule, live: Liveness) -> Rule:
    return replace(rule, options=tuple(_live(rule.options, live)))


def _live(options: Iterable[Sequence], live: Liveness) -> Iterator[Sequence]:
    """The alternatives that match some text, of what does."""
    for option in options:
        if all(map(live.item, option.items)):
            items = (_within(item, live) for item in option.items)
            yield Sequence(tuple(item for item in items if item is not None))


def _within(item: Item, live: Liveness) -> Item | None:
    if isinstance(item, Group):
        return Group(tuple(_live(item.options, live)))
    if not isinstance(item, Repeat):
        return item
    if not live.item(item.item):
        return None  # of which there may be none
    inner = _within(item.item, live)
    return None if inner is None else Repeat(inner, item.min, item.max)
