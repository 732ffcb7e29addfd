"""What is wrong with rules that are well written: no such rule, left recursion, too many copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import Problem, did_you_mean
from pdl.gbnf.build import MOST
from pdl.gbnf.empty import hidden_recursion
from pdl.gbnf.left import arrows, cycles
from pdl.gbnf.mends import HIDDEN
from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef
from pdl.gbnf.symbols import Symbols
from pdl.gbnf.walk import items, reachable, references

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item
    from pdl.source import Source

_COMPARED = 100_000
"""Names that are compared to find what may have been meant; each takes about 10 µs."""


def refusals(grammar: Grammar, names: set[str]) -> Iterator[Problem]:
    """The problems of a grammar, by kind; `names` are those of all rules, of broken ones too."""
    source = grammar.source
    if not names:
        hint = 'the least is `root ::= "…"`'
        yield Problem("gbnf/no-root", "the grammar has no rules", source.span(0), hint)
    elif grammar.root not in names:
        hint = _Meant(names).hint(grammar.root) or f"a text must match the rule `{grammar.root}`"
        message = f"there is no rule `{grammar.root}`"
        yield Problem("gbnf/no-root", message, source.span(0), hint)
    symbols = Symbols(grammar.rules)
    for repeat, times in symbols.excessive:
        message = f"repetitions inside this one multiply to {times}, over the {MOST} allowed"
        hint = "put what is repeated into a rule of its own"
        yield _at(source, "too-many-repetitions", message, repeat, hint)
    yield from _undefined(grammar, names, symbols)
    yield from _recursive(grammar)


def _recursive(grammar: Grammar) -> Iterator[Problem]:
    """Left recursion: what llama.cpp sees of it, or else what it overlooks."""
    source = grammar.source
    seen = False
    for circle, node in cycles(grammar.rule, grammar.rules):
        seen = True
        way = arrows([*circle, circle[0]]) if circle else "what it repeats may be empty"
        hint = "" if circle else "repeat something that is never empty"
        yield _at(source, "left-recursion", f"left recursion: {way}", node, hint)
    reached = {name: grammar.rule[name] for name in reachable(grammar.rule, grammar.root)}
    for circle in () if seen else hidden_recursion(reached):
        message = f"{HIDDEN}: {arrows(circle)}"
        yield _at(source, "left-recursion", message, grammar.rule[circle[0]])


def _undefined(grammar: Grammar, names: set[str], symbols: Symbols) -> Iterator[Problem]:
    """Names of no rule; some that llama.cpp does not look at do no harm."""
    meant = _Meant(names)
    for rule in grammar.rules:
        counts = grammar.rule[rule.name] is rule
        unseen = frozenset(map(id, _dropped(rule)))
        for ref in references(rule.options):
            seen = counts and id(ref) not in unseen
            if ref.name not in names and (seen or symbols.ids[ref.name] < symbols.defined):
                message = f"there is no rule `{ref.name}`"
                yield _at(grammar.source, "undefined-rule", message, ref, meant.hint(ref.name))


def _dropped(rule: Rule) -> Iterator[Item]:
    """What is repeated zero times without a rule of its own, which llama.cpp forgets."""
    for item in items(rule.options):
        inner: Item = item
        while isinstance(inner, Repeat) and inner.min == inner.max:
            inner = inner.item
        if isinstance(item, Repeat) and item.max == 0:
            yield inner


class _Meant:
    """Says which name may have been meant, as long as that takes little time."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
        self._left = _COMPARED
        self._known: dict[str, str] = {}

    def hint(self, name: str) -> str:
        """Advice, or an empty string."""
        if name not in self._known and self._left > 0:
            self._left -= len(self._names) + 1
            self._known[name] = did_you_mean(name, self._names[:_COMPARED])
        return self._known.get(name, "")


def _at(
    source: Source, code: str, message: str, node: Rule | Group | Repeat | RuleRef, hint: str = ""
) -> Problem:
    end = node.named if isinstance(node, Rule) else node.end
    return Problem(f"gbnf/{code}", message, source.span(node.start, end), hint)
