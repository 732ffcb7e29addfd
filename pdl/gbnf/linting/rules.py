"""Rules that are there twice, or for nothing, or that no text can match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.graphs import knots, way
from pdl.gbnf.linting.shortest import NEVER, Shortest
from pdl.gbnf.walk import items, reachable, references
from pdl.gbnf.write import item_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.linting.finding import Finding, Reporter
    from pdl.gbnf.nodes import Rule


def duplicates(grammar: Grammar, report: Reporter) -> Iterator[Finding]:
    """Rules that a later one of the same name replaces."""
    for rule in grammar.rules:
        last = grammar.rule[rule.name]
        if last is not rule:
            line = report.source.position(last.start)[0]
            message = f"rule `{rule.name}` is defined again in line {line}, so this one is not used"
            hint = "remove one of them, or join their alternatives with `|`"
            yield report.at(rule, "duplicate-rule", message, hint)


def unused(grammar: Grammar, reached: frozenset[str], report: Reporter) -> Iterator[Finding]:
    """Rules that the root does not lead to."""
    if grammar.root not in grammar.rule:
        return
    named = {ref.name for rule in grammar.rule.values() for ref in references(rule.options)}
    for rule in grammar.rule.values():
        if rule.name not in reached:
            message = f"rule `{rule.name}` is never used"
            if rule.name in named:
                message = f"rule `{rule.name}` is used only by rules that are never used"
            hint = f"remove it, or name it in a rule that `{grammar.root}` leads to"
            yield report.at(rule, "unused-rule", message, hint)


def matching_nothing(
    grammar: Grammar, reached: frozenset[str], shortest: Shortest, report: Reporter
) -> Iterator[Finding]:
    """Rules that have no text: the root, and those that are the cause of it."""
    barren = [name for name in reached if shortest.rule(name) >= NEVER]
    graph = {
        name: [
            ref.name
            for ref in references(grammar.rule[name].options)
            if ref.name in reached and shortest.rule(ref.name) >= NEVER
        ]
        for name in sorted(barren)
    }
    for knot in knots(graph):
        rule = grammar.rule[min(knot)]
        outside = {name for one in knot for name in graph[one]} - set(knot)
        if grammar.root in knot:
            rule = grammar.rule[grammar.root]
            cause = _cause(rule, graph, knot, shortest) if not outside else ""
            cause = cause or f"it cannot do without `{min(outside or knot)}`"
            message = f"the grammar has no text at all: {cause}"
            yield report.at(rule, "no-text", message, _mend(cause))
        elif not outside:
            cause = _cause(rule, graph, knot, shortest)
            message = f"no text matches rule `{rule.name}`: {cause}"
            yield report.at(rule, "matches-nothing", message, _mend(cause))


def _cause(rule: Rule, graph: dict[str, list[str]], knot: list[str], shortest: Shortest) -> str:
    """Why a rule has no text, if it is not for the sake of other rules."""
    if rule.name in graph[rule.name] or len(knot) > 1:
        circle = way({one: graph[one] for one in knot}, rule.name, rule.name)
        return f"it never ends: {' -> '.join(circle)}"
    for item in items(rule.options):
        if shortest.item(item) >= NEVER:
            return f"nothing matches `{item_text(item)[:40]}`"
    return "nothing matches its parts"


def _mend(cause: str) -> str:
    if cause.startswith("it never ends"):
        return "add an alternative that does not come back to the rule"
    return "put characters there that a text can have, or remove it"


def reached_rules(grammar: Grammar) -> frozenset[str]:
    """The names of the rules that the root leads to; of all, if there is no root."""
    if grammar.root not in grammar.rule:
        return frozenset(grammar.rule)
    return frozenset(reachable(grammar.rule, grammar.root))
