"""Left recursion beside the circles for which a grammar is refused already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.gbnf.empty import hidden_recursion
from pdl.gbnf.graphs import knots, way
from pdl.gbnf.left import Edges, arrows, cycles
from pdl.gbnf.linting.finding import explained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.left import Symbol
    from pdl.gbnf.linting.finding import Finding, Reporter


def further_circles(
    grammar: Grammar, reached: frozenset[str], report: Reporter
) -> Iterator[Finding]:
    """A circle for each knot of rules in which none is told: those that llama.cpp sees, and others.

    Where llama.cpp sees none at all, the hidden ones are told already.
    """
    told = {name for circle, _ in cycles(grammar.rule, grammar.rules) for name in circle}
    edges = Edges(grammar.rule, grammar.rules)
    edges.find()
    visible: set[str] = set()
    for knot in knots(edges.left):
        names = [symbol for symbol in knot if isinstance(symbol, str)]
        if not names or (len(knot) == 1 and names[0] not in edges.left[names[0]]):
            continue
        visible.update(names)
        if told.isdisjoint(names):
            yield _finding(grammar, _circle(edges.left, knot, min(names)), "", report)
    hidden = {name: rule for name, rule in grammar.rule.items() if name in reached}
    for circle in hidden_recursion(hidden) if visible else ():
        if visible.isdisjoint(circle):
            yield _finding(grammar, circle, "hidden ", report)


def _circle(left: dict[Symbol, list[Symbol]], knot: list[Symbol], name: str) -> list[str]:
    """The rules on a way from a rule back to itself."""
    inside = set(knot)
    within = {one: [step for step in left[one] if step in inside] for one in knot}
    return [symbol for symbol in way(within, name, name) if isinstance(symbol, str)]


def _finding(grammar: Grammar, circle: list[str], kind: str, report: Reporter) -> Finding:
    rule = grammar.rule[circle[0]]
    message = f"{kind}left recursion: {arrows(circle)}"
    span = report.source.span(rule.start, rule.named)
    return explained(Problem("gbnf/left-recursion", message, span))
