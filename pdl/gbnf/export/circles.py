"""Rules that lead back to themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.graphs import knots
from pdl.gbnf.walk import references

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Rule


def groups(rules: Mapping[str, Rule]) -> list[tuple[list[str], bool]]:
    """Rules that lead to each other, in the order of the grammar, each group behind those it needs.

    The second value tells whether a rule of the group leads back to itself.
    """
    graph = {name: [ref.name for ref in references(rule.options)] for name, rule in rules.items()}
    place = {name: number for number, name in enumerate(rules)}
    return [
        (sorted(knot, key=place.__getitem__), bool(knot[1:]) or knot[0] in graph[knot[0]])
        for knot in knots(graph)
    ]


def circles(rules: Mapping[str, Rule]) -> list[list[str]]:
    """The groups of rules that lead back to themselves."""
    return [names for names, recursive in groups(rules) if recursive]
