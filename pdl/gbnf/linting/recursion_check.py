"""How long llama.cpp looks for left recursion.

It goes into the rules at the left edge of a rule anew each time, without remembering those that it
has seen, so that `r1 ::= r2 | r2 "x"`, `r2 ::= r3 | r3 "x"` and so on double the work with each
rule. Source: `llama_grammar_detect_left_recursion` in its `src/llama-grammar.cpp`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.graphs import knots
from pdl.gbnf.left import Edges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.left import Symbol
    from pdl.gbnf.linting.finding import Finding, Reporter
    from pdl.gbnf.linting.reasons import Severity

_STEPS = 1_000_000
"""As many rules are gone into in some hundredths of a second."""
_ENDLESS = 10**8
"""So many take minutes."""
_MANY = 10**18


def slow_check(grammar: Grammar, report: Reporter) -> Iterator[Finding]:
    """The rule from which the check takes longest, if it takes long."""
    edges = Edges(grammar.rule, grammar.rules)
    edges.find()
    counts = _counts(edges.left)
    most = max((counts.get(name, 0) for name in grammar.rule), default=0)
    if most < _STEPS:
        return
    name = next(name for name in grammar.rule if counts[name] == most)
    rule = grammar.rule[name]
    said = f"{most:,}" if most < _MANY else "more than 10^18"
    message = f"llama.cpp's check of rule `{name}` for left recursion goes into {said} rules"
    hint = (
        "name a rule once at the beginning of alternatives, and put what differs behind it:"
        ' `r "x"?` for `r | r "x"`'
    )
    severity: Severity = "error" if most >= _ENDLESS else "warning"
    yield report.at(rule, "recursion-check", message, hint, severity)


def _counts(left: dict[Symbol, list[Symbol]]) -> dict[Symbol, int]:
    """How many rules the check goes into from each symbol, itself included."""
    counts: dict[Symbol, int] = {}
    for knot in knots(left):
        for symbol in knot:
            inner = sum(counts.get(one, 0) for one in left[symbol])
            counts[symbol] = min(1 + inner, _MANY)
    return counts
