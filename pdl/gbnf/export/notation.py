"""Rules in a notation that differs from GBNF in how names and single items are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.errors import Problem, error_from
from pdl.gbnf.deep import each, run
from pdl.gbnf.export.plain import ANY
from pdl.gbnf.nodes import AnyChar, CharClass, Group, Item, Literal, Repeat, RuleRef, TokenRef
from pdl.gbnf.walk import items
from pdl.gbnf.write import item_text, suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl.gbnf.deep import Steps
    from pdl.gbnf.nodes import Rule, Sequence
    from pdl.gbnf.utf8 import Ranges
    from pdl.source import Source

NOTHING = '""'
"""The empty text."""


@dataclass(frozen=True)
class Notation:
    """How each kind of item is written."""

    names: Mapping[str, str]
    define: str
    comment: str
    literal: Callable[[tuple[int, ...]], str]
    char_class: Callable[[Ranges], str]
    token: Callable[[TokenRef], str] = item_text

    def rules(self, rules: Iterable[Rule]) -> str:
        """A line for each rule, its comments above it."""
        return "".join(f"{line}\n" for rule in rules for line in self._rule(rule))

    def _rule(self, rule: Rule) -> Iterator[str]:
        for comment in rule.comments:
            shown = "".join(char if char.isprintable() else " " for char in comment)
            yield f"{self.comment} {shown}".rstrip()
        yield f"{self.names[rule.name]}{self.define} {run(self._options(rule.options))}"

    def _options(self, options: Iterable[Sequence]) -> Steps[str]:
        written: list[str] = []
        for option in options:
            items: list[str] = yield each(map(self._item, option.items))
            written.append(" ".join(items) or NOTHING)
        return " | ".join(written)

    def _item(self, item: Item) -> Steps[str]:
        if isinstance(item, Group):
            inner: str = yield self._options(item.options)
            return f"({inner})"
        if isinstance(item, Repeat):
            repeated: str = yield self._item(item.item)
            return (repeated if _is_one(item.item) else f"({repeated})") + suffix(
                item.min, item.max
            )
        return self._leaf(item)

    def _leaf(self, item: Literal | CharClass | AnyChar | RuleRef | TokenRef) -> str:
        if isinstance(item, RuleRef):
            return self.names[item.name]
        if isinstance(item, Literal):
            return self.literal(item.codes)
        if isinstance(item, TokenRef):
            return self.token(item)
        return self.char_class(item.ranges if isinstance(item, CharClass) else ANY)


def _is_one(item: Item) -> bool:
    """Whether what is written for an item can be repeated as it stands."""
    if isinstance(item, Literal):
        return len(item.codes) == 1
    return not isinstance(item, Repeat)


def refuse_tokens(
    rules: Mapping[str, Rule], source: Source, target: str, known: Callable[[TokenRef], bool]
) -> None:
    """Raise GrammarError for the references to tokens that a notation has not."""
    problems = [
        Problem(
            "gbnf/token-reference",
            f"{target} cannot say `{item_text(item)}`",
            source.span(item.start, item.end) if item.start >= 0 else None,
            "only texts can be exported, and for xgrammar tokens by number",
        )
        for rule in rules.values()
        for item in items(rule.options)
        if isinstance(item, TokenRef) and not known(item)
    ]
    if problems:
        raise error_from(problems)
