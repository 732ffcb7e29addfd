"""Findings about a grammar: every check in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import LimitError
from pdl.gbnf.analysis import NEVER, TOKEN, Shortest
from pdl.gbnf.limits_errors import Clock
from pdl.gbnf.linting import alternatives
from pdl.gbnf.linting.ambiguity import exponential
from pdl.gbnf.linting.finding import Finding, Reporter, explained
from pdl.gbnf.linting.json_proof import JsonProof
from pdl.gbnf.linting.json_texts import JsonTexts
from pdl.gbnf.linting.rules import (
    Repeats,
    duplicates,
    further_cycles,
    matching_nothing,
    reached_rules,
    slow_check,
    unused,
)
from pdl.gbnf.linting.stack_explosion import Search, stack_explosions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.errors import Problem
    from pdl.gbnf.nodes import GrammarRules

_SAME = {
    "gbnf/trailing-bar": "gbnf/open-end",
    "gbnf/maximum-dropped": "gbnf/too-many-repetitions",
}
"""Findings that are dropped where the grammar is refused for the same reason."""


def findings(
    grammar: GrammarRules, problems: Iterable[Problem], *, json: bool = False
) -> tuple[Finding, ...]:
    """Return all findings of what could be read of a grammar, in the order of their positions.

    `problems` are those for which it would be refused.
    """
    refused = list(problems)
    said = {(problem.code, _start(problem)) for problem in refused}
    found = [
        one
        for one in _within_time(_Checks(grammar, refused, json=json), grammar)
        if (_SAME.get(one.problem.code), _start(one.problem)) not in said
    ]
    found = [*map(explained, refused), *_once(found)]
    return tuple(sorted(found, key=lambda one: _start(one.problem)))


def _once(found: list[Finding]) -> list[Finding]:
    """Findings without many stacks where the alternatives that cause them are reported."""
    flat = {_start(one.problem) for one in found if one.problem.code == "gbnf/flat-alternatives"}
    return [
        one
        for one in found
        if one.problem.code != "gbnf/many-stacks"
        or one.severity == "error"
        or _start(one.problem) not in flat
    ]


def _within_time(checks: _Checks, grammar: GrammarRules) -> Iterator[Finding]:
    """What checks find; if a bound is reached that is the last thing."""
    clock = Clock(grammar.limits, "looking for what is odd")
    try:
        for one in checks.all():
            yield one
            clock.check()
    except LimitError as error:
        yield from map(explained, error.problems)


def _start(problem: Problem) -> int:
    return problem.span.start if problem.span else 0


class _Checks:
    def __init__(self, grammar: GrammarRules, refused: list[Problem], *, json: bool) -> None:
        self._grammar = grammar
        self._report = Reporter(grammar.source)
        self._reached = reached_rules(grammar)
        self._shortest = Shortest(grammar.rule, undefined=TOKEN)
        self._codes = {problem.code for problem in refused}
        self._json = json
        self._has_root = grammar.root in grammar.rule

    def all(self) -> Iterator[Finding]:
        """Every check."""
        grammar, report = self._grammar, self._report
        yield from duplicates(grammar, report)
        yield from unused(grammar, self._reached, report)
        yield from self._trees()
        if "gbnf/left-recursion" in self._codes:
            yield from further_cycles(grammar, self._reached, report)
        if self._has_root:
            yield from matching_nothing(grammar, self._reached, self._shortest, report)
        if self._has_root and not self._codes & {
            "gbnf/left-recursion",
            "gbnf/too-many-repetitions",
        }:
            yield from self._runs()

    def _trees(self) -> Iterator[Finding]:
        """What each rule shows by itself."""
        report = self._report
        repeats = Repeats(self._grammar.rule, self._shortest, report)
        for rule in self._grammar.rules:
            yield from alternatives.check_characters(rule.options, report)
            yield from repeats.in_options(rule.options)
            yield from alternatives.trailing(rule, report)
            place = (rule.start, rule.named)
            yield from alternatives.check_alternatives(rule.options, place, report)

    def _runs(self) -> Iterator[Finding]:
        """What following strings shows; nothing in the grammar is left-recursive."""
        grammar, report = self._grammar, self._report
        yield from slow_check(grammar, report)
        search = Search(grammar, self._reached, self._shortest)
        yield from stack_explosions(grammar, search, report)
        used = {name: rule for name, rule in grammar.rule.items() if name in self._reached}
        yield from exponential(used, self._shortest, report)
        if self._json and self._shortest.rule(grammar.root) < NEVER:
            yield from self._json_texts()

    def _json_texts(self) -> Iterator[Finding]:
        """Strings that are not JSON, where it is not proved that all are."""
        if not JsonProof(self._grammar.rule, self._grammar.root).holds():
            tried = JsonTexts(self._grammar, self._reached, self._shortest)
            yield from tried.findings(self._report)
