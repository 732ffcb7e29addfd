"""The LALR(1) parse tables of a grammar, as Lark computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.parsers.lalr_analysis import Reduce, Shift

if TYPE_CHECKING:
    from lark.grammar import Rule


def build(grammar: str) -> Lark:
    """Return Lark's parser of a grammar, whose first rule is `start`."""
    return Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=False)


def tables(grammar: str) -> dict[str, Any]:
    """Return what the runner needs to know of a grammar: its lexer, its rules and its states.

    An action is the number of a state to go to, or -1 - n to reduce by rule n. The same grammar has
    the same tables, whatever order Lark finds its states in.
    """
    lark = build(grammar)
    table = lark.parser.parser._parse_table  # noqa: SLF001  (Lark offers them to its own tools only)
    rules = sorted(lark.rules, key=_rule)
    states = _numbered(table.states, table.start_states["start"])
    return {
        "terminals": _terminals(lark),
        "ignore": sorted(lark.ignore_tokens),
        "rules": [_rule(rule) for rule in rules],
        "states": [
            {
                name: states[argument] if action is Shift else -1 - rules.index(argument)
                for name, (action, argument) in sorted(table.states[state].items())
                if action in (Shift, Reduce)
            }
            for state in states
        ],
        "start": states[table.start_states["start"]],
        "end": states[table.end_states["start"]],
    }


def _numbered(actions: dict[Any, dict[str, tuple[Any, Any]]], start: Any) -> dict[Any, int]:
    """The numbers of all states, in the order of a breadth-first search."""
    numbers = {start: 0}
    for state in (order := [start]):
        for _, (action, argument) in sorted(actions[state].items()):
            if action is Shift and argument not in numbers:
                numbers[argument] = len(numbers)
                order.append(argument)
    return numbers


def _terminals(lark: Lark) -> list[list[str]]:
    """Names and patterns, in the order in which Lark's basic lexer tries them."""
    ordered = sorted(
        lark.terminals,
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    return [[terminal.name, terminal.pattern.to_regexp()] for terminal in ordered]


def _rule(rule: Rule) -> list[Any]:
    """Origin, method to call (none for helpers that only collect), and what to do with each part.

    Parts are dropped (`-`), kept (`+`) or spread (`*`); `?` begins the name of the method of a rule
    that passes on a single part as it is.
    """
    origin = str(rule.origin.name)
    parts = "".join(_part(symbol) for symbol in rule.expansion)
    if origin.startswith("_"):
        return [origin, "", parts]
    method = rule.alias or origin
    return [origin, f"?{method}" if rule.options.expand1 and not rule.alias else method, parts]


def _part(symbol: Any) -> str:
    if symbol.is_term:
        return "-" if symbol.filter_out else "+"
    return "*" if symbol.name.startswith("_") else "+"
