"""What is wrong with rules that are well written, and what helps against all that is refused.

`refusals` finds names of no rule, left recursion and too many copies; `mended` adds advice to a
problem for which a grammar is refused, wherever it is told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.errors import Problem, did_you_mean
from pdl.gbnf.analysis import arrows, cycles, hidden_recursion
from pdl.gbnf.llama_symbols import Symbols
from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef, items, reachable, references
from pdl.gbnf.read import MOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item
    from pdl.source import Source


HIDDEN = "hidden left recursion"
"""How the message of left recursion begins where llama.cpp does not see it."""

_MENDS = {
    "gbnf/syntax": "write rules as `name ::= item item | item`, each on a line of its own",
    "gbnf/bad-escape": r"a backslash itself is written `\\`",
    "gbnf/min-over-max": "exchange the two numbers; llama.cpp would count down for ever",
    "gbnf/undefined-rule": "define it, or correct the name",
    "gbnf/too-many-repetitions": "repeat a rule that is itself a repetition",
    "gbnf/stray-character": "remove it, or put it in double quotes if it is text",
    "gbnf/unclosed-group": "close it, or put it in double quotes if it is text",
    "gbnf/stray-closer": "remove it, or put it in double quotes if it is text",
    "gbnf/nothing-to-repeat": "put what is repeated in front, or the mark in double quotes",
    "gbnf/token-number": "look up the number in the vocabulary",
    "gbnf/target": "do without it, or use a newer llama.cpp",
    "gbnf/left-recursion": (
        "let the recursion come last: `list ::= item list | item`, or write `item+`"
    ),
}
_UNHIDE = "let what stands in front take a character at least, or let the recursion come last"


def mended(problem: Problem) -> Problem:
    """A problem with advice, if it has none of its own."""
    if problem.hint:
        return problem
    return replace(problem, hint=_mend(problem))


def _mend(problem: Problem) -> str:
    if problem.message.startswith(HIDDEN):
        return f"{_UNHIDE}; llama.cpp would run out of memory"
    return _MENDS.get(problem.code, "write it as llama.cpp reads it")


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
