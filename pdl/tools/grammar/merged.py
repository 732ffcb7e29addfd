"""Two grammars as one: the rules of an answer beside those of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.compiling.renaming import free_name, renamed
from pdl.gbnf.walk import reachable

if TYPE_CHECKING:
    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Rule


def merged(rules: tuple[Rule, ...], stand_in: str, other: Grammar) -> tuple[Rule, ...]:
    """The rules, in which the root of another grammar takes the place of the rule `stand_in`.

    Rules that are the same in both, with all that they lead to, are written once; the others get
    names that no other has.
    """
    ours = {rule.name: rule for rule in rules if rule.name != stand_in}
    shared = _shared(ours, other)
    taken = set(ours)
    names = {other.root: free_name("answer", taken)}
    for name in other.rule:
        if name not in shared and name != other.root:
            names[name] = free_name(name, taken)
    kept = (renamed(rule, {stand_in: names[other.root]}) for rule in ours.values())
    added = (renamed(rule, names) for name, rule in other.rule.items() if name not in shared)
    return (*kept, *added)


def _shared(ours: dict[str, Rule], other: Grammar) -> set[str]:
    same = {name for name, rule in other.rule.items() if ours.get(name) == rule}
    same.discard(other.root)
    return {name for name in same if same.issuperset(reachable(other.rule, name))}
