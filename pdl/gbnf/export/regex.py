"""A grammar as one regular expression, where its rules lead back to themselves at their ends only.

Such rules are equations, each the alternatives of what stands before another rule; they are solved
one after the other with Arden's lemma (Delayed reducibility, 1961): `x = a x | b` is `a* b`.
Source of the condition: Mohri and Nederhof, Regular approximation of context-free grammars, 2001.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem
from pdl.gbnf.budget import Clock
from pdl.gbnf.deep import each, run
from pdl.gbnf.export.circles import groups
from pdl.gbnf.export.equations import Equation, solved
from pdl.gbnf.export.notation import refuse_tokens
from pdl.gbnf.export.pattern import (
    EMPTY,
    Pattern,
    char_class,
    character,
    options,
    repeat,
    row,
    written,
)
from pdl.gbnf.export.plain import named, plain
from pdl.gbnf.nodes import CharClass, Group, Item, Literal, Repeat, Rule, RuleRef, Sequence
from pdl.gbnf.walk import references

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.deep import Steps
    from pdl.limits import Limits
    from pdl.source import Source

_DEEPEST = 80
"""Groups inside groups; Python's `re` needs about ten levels of its stack for each."""
_NAMED = 8  # rules that a message names


class _NotRegularError(Exception):
    """A rule of the group at hand stands where something is behind it."""


def regex(rules: Mapping[str, Rule], root: str, source: Source, most: int, limits: Limits) -> str:
    """The regular expression for whole texts.

    Raises GrammarError for rules that lead back to themselves before their end, for tokens, for a
    grammar that matches nothing, and for more than `most` characters or 80 groups in each other.
    """
    found = plain(rules, root, source)
    refuse_tokens(found, source, "a regular expression", lambda _: False)
    pattern = _Patterns(found, source, Clock(limits, "the export")).of(root)
    if pattern.size > most:
        message = f"the regular expression would have more than {most:,} characters"
        raise GrammarError(Problem("gbnf/regex-too-long", message))
    if pattern.depth > _DEEPEST:
        message = f"the regular expression would nest {pattern.depth:,} groups, over {_DEEPEST}"
        raise GrammarError(Problem("gbnf/regex-too-deep", message))
    return rf"^(?:{written(pattern)})(?![\s\S])"


class _Patterns:
    """The patterns of all rules, each made when those that it needs are there."""

    def __init__(self, rules: Mapping[str, Rule], source: Source, clock: Clock) -> None:
        self._made: dict[str, Pattern] = {}
        self._knot: frozenset[str] = frozenset()
        bad: list[Problem] = []
        for names, recursive in groups(rules):
            clock.check()
            self._knot = frozenset(names) if recursive else frozenset()
            try:
                found = {name: run(self._rule(rules[name])) for name in names}
            except _NotRegularError:
                bad.append(_not_regular(names, rules, source))
                self._made.update(dict.fromkeys(names, EMPTY))
                continue
            self._made.update(solved(found))
        if bad:
            bad.sort(key=lambda problem: problem.span.start if problem.span else 0)
            raise GrammarError(*bad)

    def of(self, name: str) -> Pattern:
        return self._made[name]

    def _rule(self, rule: Rule) -> Steps[Equation]:
        if self._knot:
            return self._tail(rule.options)
        return self._end(Group(rule.options))

    def _tail(self, alternatives: Iterable[Sequence]) -> Steps[Equation]:
        """Alternatives at the end of a rule, which may lead into a rule of its group."""
        found = Equation()
        for option in alternatives:
            ends = Equation({"": [EMPTY]})
            parts: list[Pattern] = yield each(map(self._whole, option.items[:-1]))
            for item in option.items[-1:]:
                ends = yield self._end(item)
            for name, pattern in ends.terms():
                found.add(row([*parts, pattern]), name)
        return found

    def _end(self, item: Item) -> Steps[Equation]:
        """An item behind which its rule ends."""
        if isinstance(item, RuleRef) and item.name in self._knot:
            return Equation({item.name: [EMPTY]})
        if self._leads_back(item):
            if isinstance(item, Group):
                inside: Equation = yield self._tail(item.options)
                return inside
            if isinstance(item, Repeat) and item.max == 1:
                once: Equation = yield self._end(item.item)
                if not item.min:
                    once.add(EMPTY, "")
                return once
        whole: Pattern = yield self._whole(item)
        return Equation({"": [whole]})

    def _leads_back(self, item: Item) -> bool:
        """Whether a rule of the group at hand is in an item."""
        if not self._knot:
            return False
        return any(ref.name in self._knot for ref in references((Sequence((item,)),)))

    def _whole(self, item: Item) -> Steps[Pattern]:
        """An item that has no rule of the group in it."""
        if isinstance(item, RuleRef):
            if item.name in self._knot:
                raise _NotRegularError
            return self._made[item.name]
        if isinstance(item, Literal):
            return row(map(character, item.codes))
        if isinstance(item, CharClass):
            return char_class(item.ranges)
        if isinstance(item, Repeat):
            inner: Pattern = yield self._whole(item.item)
            return repeat(inner, item.min, item.max)
        assert isinstance(item, Group)
        parts: list[Pattern] = []
        for option in item.options:
            items: list[Pattern] = yield each(map(self._whole, option.items))
            parts.append(row(items))
        return options(parts)


def _not_regular(names: list[str], rules: Mapping[str, Rule], source: Source) -> Problem:
    shown = ", ".join(f"`{name}`" for name in names[:_NAMED])
    if names[_NAMED:]:
        shown += f" and {len(names) - _NAMED:,} more"
    rule = rules[names[0]]
    what = (
        f"the rules {shown} lead back to themselves"
        if names[1:]
        else f"the rule {shown} leads back to itself"
    )
    return Problem(
        "gbnf/not-regular",
        f"{what} before the end: no regular expression is found for that",
        named(rule, source),
        "a regular expression can only repeat: let the recursion come last, or write `*`",
    )
