"""The error for a grammar of which a vocabulary can say nothing: what is lacking, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem
from pdl.gbnf.alive import Liveness
from pdl.gbnf.nodes import CharClass, Group, Literal, Repeat, RuleRef, TokenRef
from pdl.gbnf.utf8 import of_class
from pdl.masks.spelled import ANY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item, Rule, Sequence
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
