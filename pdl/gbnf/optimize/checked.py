"""The optimized rules, if llama.cpp takes them; where it would not, rules stay as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.budget import DEEPEST, Clock
from pdl.gbnf.empty import hidden_recursion
from pdl.gbnf.left import cycles
from pdl.gbnf.optimize.rules import Rules
from pdl.gbnf.optimize.trees import depth
from pdl.gbnf.symbols import Symbols
from pdl.gbnf.walk import items, references

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.gbnf.nodes import Item, Rule
    from pdl.limits import Limits

_ATTEMPTS = 8


def optimized(rules: Mapping[str, Rule], root: str, limits: Limits) -> tuple[Rule, ...]:
    """The rules for the same language as some others, which llama.cpp takes.

    Its rule of left recursion looks at the spelling of a grammar, and its bound on repetitions at
    the order of names. A rule that is refused after all is left as it was, together with those that
    it names, then with those that they name; at last all rules are.
    """
    known = tuple(rules.values())
    if any(ref.name not in rules for rule in known for ref in references(rule.options)):
        return known
    kept: set[str] = set()
    clock = Clock(limits, "rewriting the grammar")
    for _ in range(_ATTEMPTS):
        found = Rules(rules, root, kept, clock)
        found.run()
        made = found.made()
        blamed = set(_refused(made, limits))
        if not blamed:
            return made
        for name in [*kept, *blamed]:
            kept.update((name, *(ref.name for ref in references(rules[name].options))))
    return known


def _refused(rules: tuple[Rule, ...], limits: Limits) -> Iterator[str]:
    """The names of rules that would be refused."""
    by_name = {rule.name: rule for rule in rules}
    nodes: list[Item | Rule] = [repeat for repeat, _ in Symbols(rules).excessive]
    seen = False
    for circle, node in cycles(by_name, rules):
        seen = True
        yield from circle
        nodes += [] if circle else [node]
    for circle in () if seen else hidden_recursion(by_name):
        yield from circle
    if nodes:
        wrong = set(map(id, nodes))
        yield from (
            rule.name for rule in rules if any(id(item) in wrong for item in items(rule.options))
        )
    yield from (rule.name for rule in rules if depth(rule) > min(limits.grammar_depth, DEEPEST))
