"""Checks of rules and repetitions: duplicates, useless symbols, and left recursion.

Rules are reported that are defined twice, never used, or match no string; and repetitions of
nothing, whose maximum is ignored, or that are ambiguous with their neighbors.

Left recursion is reported in addition to the cycles for which a grammar is refused already, and how
long llama.cpp searches for it: it enters the rules at the left edge of a rule again each time,
without a record of those that it has seen, so that `r1 ::= r2 | r2 "x"`, `r2 ::= r3 | r3 "x"` and
so on double the work with each rule. Source: `llama_grammar_detect_left_recursion` in its
`src/llama-grammar.cpp`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.gbnf.analysis import NEVER, Shortest
from pdl.gbnf.left_recursion import Edges, cycles, format_cycle, hidden_recursion
from pdl.gbnf.linting.finding import explained
from pdl.gbnf.linting.llama_stacks import EMPTY, Elements, SpentError, Stacks
from pdl.gbnf.nodes import (
    MOST,
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    RuleRef,
    bounded,
    item_text,
    items,
    reachable,
    references,
)
from pdl.gbnf.utf8 import ANY, Ranges, characters, of_class, overlap
from pdl.gbnf.validation import HIDDEN
from pdl.graphs import shortest_path, strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.gbnf.analysis import Symbol
    from pdl.gbnf.linting.finding import Finding, Reporter, Severity
    from pdl.gbnf.nodes import GrammarRules, Rule, Sequence


_STEPS = 20
"""Rules that are looked through to find what a name represents."""
_SHOWN = 40
_ROW_WORK = 2_000
_WORK = 30_000


class Repeats:
    """Looks at the repetitions of some rules."""

    def __init__(self, rules: Mapping[str, Rule], shortest: Shortest, report: Reporter) -> None:
        self._rules = rules
        self._shortest = shortest
        self._report = report
        self._elements = Elements(rules)
        self._work = _WORK

    def in_options(self, options: tuple[Sequence, ...]) -> Iterator[Finding]:
        """Find odd repetitions in some alternatives."""
        for option in options:
            yield from self._rows(option)
            for item in option.items:
                yield from self._item(item)

    def _item(self, item: Item) -> Iterator[Finding]:
        if isinstance(item, Group):
            yield from self.in_options(item.options)
        elif isinstance(item, Repeat):
            yield from self._counts(item)
            yield from self._empty_inside(item)
            yield from self._item(item.item)

    def _counts(self, item: Repeat) -> Iterator[Finding]:
        if item.max is not None and item.max > MOST:
            message = f"maximum {item.max} exceeds {MOST} and is ignored"
            hint = (
                "split the repetition: `a ::= c{2000} b | c{0,1999}` matches up to 1999, and leaves"
                " the rest of longer strings to a rule `b`"
            )
            yield self._report.at(item, "maximum-dropped", message, hint)
        if item.max == 0:
            message = f"`{_cut(item)}` matches only the empty string"
            hint = "remove it, or raise the maximum"
            yield self._report.at(item, "repeat-zero", message, hint)

    def _empty_inside(self, item: Repeat) -> Iterator[Finding]:
        if item.max == 0 or not self._shortest.nullable(item.item):
            return
        shown = _cut(item.item)
        if bounded(item) == 1:
            if not item.min:
                message = f"`{shown}` can be empty anyway"
                hint = (
                    "remove the `?`" if item.end - item.item.end == 1 else "remove the repetition"
                )
                yield self._report.at(item, "needless-optional", message, hint)
            return
        message = f"the repeated item can be empty: `{shown}`"
        hint = "make each round match at least one character, and the whole optional"
        yield self._report.at(item, "empty-repeat", message, hint)

    def _rows(self, option: Sequence) -> Iterator[Finding]:
        """Consecutive items that repeat the same a variable number of times."""
        row: list[tuple[Item, Repeat]] = []
        for item in option.items:
            repeat = self._open(item)
            if row and (repeat is None or not self._same(row[-1][1], repeat)):
                yield from self._row(row)
                yield from self._handed_on(row[-1], item) if repeat is None else ()
                row = []
            if repeat is not None:
                row.append((item, repeat))
        yield from self._row(row)

    def _row(self, row: list[tuple[Item, Repeat]]) -> Iterator[Finding]:
        if len(row) < 2:  # noqa: PLR2004 - two are a row
            return
        one = row[0][1]
        equal = all(repeat.item == one.item for _, repeat in row)
        optional = all(bounded(repeat) == 1 for _, repeat in row)
        what = "optional parts" if optional else "repetitions"
        whose = "each can match the same string" if equal else "neighbors can match the same"
        message = f"{len(row)} consecutive {what}: {whose}{self._alive(row)}"
        hint = self._joined(row) if equal else "make each begin with a different character"
        start, end = row[0][0].start, row[-1][0].end
        yield self._report.at((start, end), "ambiguous-repeats", message, hint)

    def _alive(self, row: list[tuple[Item, Repeat]]) -> str:
        """How many stacks consecutive items need, if that is counted soon."""
        stacks = Stacks(min(_ROW_WORK, self._work))
        first = self._elements.sequence(tuple(item for item, _ in row))
        try:
            live = stacks.closed(stacks.pushed(EMPTY, first))
        except SpentError:
            return ""
        finally:
            self._work -= min(_ROW_WORK, self._work) - max(stacks.left, 0)
        return f", {len(live)} parse stacks"

    def _joined(self, row: list[tuple[Item, Repeat]]) -> str:
        least = sum(repeat.min for _, repeat in row)
        counts = [bounded(repeat) for _, repeat in row]
        most = None if None in counts else sum(count or 0 for count in counts)
        if most is not None and most > MOST:
            return "fill the first before the next begins: `a ::= c{100} b | c{0,99}`"
        return f"write `{_cut(Repeat(row[0][1].item, least, most))}`"

    def _handed_on(self, last: tuple[Item, Repeat], item: Item) -> Iterator[Finding]:
        """A repetition and a rule after it that begins with the same one."""
        pending, seen = [item], set[str]()
        while pending and len(seen) < _STEPS:
            one = pending.pop()
            if isinstance(one, RuleRef) and one.name not in seen and one.name in self._rules:
                seen.add(one.name)
                pending += self._heads(self._rules[one.name].options)
            elif isinstance(one, Group):
                pending += self._heads(one.options)
            repeat = self._open(one)
            if repeat is not None and self._same(last[1], repeat):
                shown = item_text(item)[:_SHOWN]
                message = f"`{_cut(last[0])}` precedes `{shown}`, which begins with the same"
                hint = "fill the first before the next begins: `a ::= c{100} b | c{0,99}`"
                start, end = last[0].start, item.end
                yield self._report.at((start, end), "ambiguous-repeats", message, hint)
                return

    def _heads(self, options: tuple[Sequence, ...]) -> list[Item]:
        return [option.items[0] for option in options[:_STEPS] if option.items]

    def _open(self, item: Item) -> Repeat | None:
        """The repetition that an item is or represents, if its count is variable."""
        found = self._plain(item)
        if not isinstance(found, Repeat) or bounded(found) == found.min:
            return None
        return found

    def _plain(self, item: Item) -> Item:
        """What a name or a group represents, if that is one item."""
        for _ in range(_STEPS):
            options: tuple[Sequence, ...] = ()
            if isinstance(item, RuleRef) and item.name in self._rules:
                options = self._rules[item.name].options
            elif isinstance(item, Group):
                options = item.options
            if len(options) != 1 or len(options[0].items) != 1:
                break
            item = options[0].items[0]
        return item

    def _same(self, one: Repeat, other: Repeat) -> bool:
        """Whether two repetitions can match the same string."""
        first, second = self._plain(one.item), self._plain(other.item)
        return first == second or overlap(_single(first), _single(second))


def _single(item: Item) -> Ranges:
    """The characters of an item that takes exactly one."""
    if isinstance(item, CharClass):
        return of_class(item) if item.ranges else ()
    if isinstance(item, Literal):
        return characters((code, code) for code in item.codes) if len(item.codes) == 1 else ()
    return ANY if isinstance(item, AnyChar) else ()


def _cut(item: Item) -> str:
    text = item_text(item)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def duplicates(grammar: GrammarRules, report: Reporter) -> Iterator[Finding]:
    """Find rules that a later one of the same name replaces."""
    for rule in grammar.rules:
        last = grammar.rule[rule.name]
        if last is not rule:
            line = report.source.position(last.start)[0]
            message = (
                f"rule `{rule.name}` is redefined in line {line}, so this definition is ignored"
            )
            hint = "remove one of them, or join their alternatives with `|`"
            yield report.at(rule, "duplicate-rule", message, hint)


def unused(grammar: GrammarRules, reached: frozenset[str], report: Reporter) -> Iterator[Finding]:
    """Find rules that the root does not reach."""
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
    grammar: GrammarRules, reached: frozenset[str], shortest: Shortest, report: Reporter
) -> Iterator[Finding]:
    """Find rules that match no string: the root, and those that are the cause of it."""
    barren = [name for name in reached if shortest.rule(name) >= NEVER]
    graph = {
        name: [
            ref.name
            for ref in references(grammar.rule[name].options)
            if ref.name in reached and shortest.rule(ref.name) >= NEVER
        ]
        for name in sorted(barren)
    }
    for component in strongly_connected_components(graph):
        rule = grammar.rule[min(component)]
        outside = {name for one in component for name in graph[one]} - set(component)
        if grammar.root in component:
            rule = grammar.rule[grammar.root]
            cause = _cause(rule, graph, component, shortest) if not outside else ""
            cause = cause or f"it requires `{min(outside or component)}`"
            message = f"the grammar matches no string: {cause}"
            yield report.at(rule, "no-text", message, _mend(cause))
        elif not outside:
            cause = _cause(rule, graph, component, shortest)
            message = f"rule `{rule.name}` matches no string: {cause}"
            yield report.at(rule, "matches-nothing", message, _mend(cause))


def _cause(
    rule: Rule, graph: dict[str, list[str]], component: list[str], shortest: Shortest
) -> str:
    """Why a rule matches no string, if not because of other rules."""
    if rule.name in graph[rule.name] or len(component) > 1:
        cycle = shortest_path({one: graph[one] for one in component}, rule.name, rule.name)
        return f"it never ends: {' -> '.join(cycle)}"
    for item in items(rule.options):
        if shortest.item(item) >= NEVER:
            return f"nothing matches `{item_text(item)[:40]}`"
    return "nothing matches its parts"


def _mend(cause: str) -> str:
    if cause.startswith("it never ends"):
        return "add an alternative that does not lead back to the rule"
    return "write characters that a string can contain, or remove it"


def reached_rules(grammar: GrammarRules) -> frozenset[str]:
    """Return the names of the rules that the root reaches; of all, if there is no root."""
    if grammar.root not in grammar.rule:
        return frozenset(grammar.rule)
    return frozenset(reachable(grammar.rule, grammar.root))


def further_cycles(
    grammar: GrammarRules, reached: frozenset[str], report: Reporter
) -> Iterator[Finding]:
    """Find a cycle for each component of rules in which none is reported yet.

    Where llama.cpp notices none at all, the hidden ones are reported already.
    """
    reported = {name for cycle, _ in cycles(grammar.rule, grammar.rules) for name in cycle}
    edges = Edges(grammar.rule, grammar.rules)
    edges.find()
    visible: set[str] = set()
    for component in strongly_connected_components(edges.left):
        names = [symbol for symbol in component if isinstance(symbol, str)]
        if not names or (len(component) == 1 and names[0] not in edges.left[names[0]]):
            continue
        visible.update(names)
        if reported.isdisjoint(names):
            yield _finding(grammar, _cycle(edges.left, component, min(names)), report, hidden=False)
    hidden = {name: rule for name, rule in grammar.rule.items() if name in reached}
    for cycle in hidden_recursion(hidden) if visible else ():
        if visible.isdisjoint(cycle):
            yield _finding(grammar, cycle, report, hidden=True)


def _cycle(left: dict[Symbol, list[Symbol]], component: list[Symbol], name: str) -> list[str]:
    """The rules on a path from a rule back to itself."""
    inside = set(component)
    within = {one: [step for step in left[one] if step in inside] for one in component}
    return [symbol for symbol in shortest_path(within, name, name) if isinstance(symbol, str)]


def _finding(grammar: GrammarRules, cycle: list[str], report: Reporter, *, hidden: bool) -> Finding:
    rule = grammar.rule[cycle[0]]
    kind = HIDDEN if hidden else "left-recursive rule"
    message = f"{kind}: {format_cycle(cycle)}"
    span = report.source.span(rule.start, rule.named)
    return explained(Problem("gbnf/left-recursion", message, span))


_MOST_STEPS = 1_000_000
"""As many rules are entered in some hundredths of a second."""
_ENDLESS = 10**8
"""So many take minutes."""
_MANY = 10**18


def slow_check(grammar: GrammarRules, report: Reporter) -> Iterator[Finding]:
    """Find the rule from which the check takes longest, if it takes long."""
    edges = Edges(grammar.rule, grammar.rules)
    edges.find()
    counts = _counts(edges.left)
    most = max((counts.get(name, 0) for name in grammar.rule), default=0)
    if most < _MOST_STEPS:
        return
    name = next(name for name in grammar.rule if counts[name] == most)
    rule = grammar.rule[name]
    said = f"{most:,}" if most < _MANY else "more than 10^18"
    message = f"llama.cpp's check of rule `{name}` for left recursion enters {said} rules"
    hint = (
        "name a rule once at the beginning of alternatives, and put what differs after it:"
        ' `r "x"?` for `r | r "x"`'
    )
    severity: Severity = "error" if most >= _ENDLESS else "warning"
    yield report.at(rule, "recursion-check", message, hint, severity)


def _counts(left: dict[Symbol, list[Symbol]]) -> dict[Symbol, int]:
    """How many rules the check enters from each symbol, itself included."""
    counts: dict[Symbol, int] = {}
    for component in strongly_connected_components(left):
        for symbol in component:
            inner = sum(counts.get(one, 0) for one in left[symbol])
            counts[symbol] = min(1 + inner, _MANY)
    return counts
