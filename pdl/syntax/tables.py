"""Parse tables, which Lark computes from the grammars beforehand.

    python -m pdl.syntax.tables

writes them anew, as `NAME.tables.json` beside each `NAME.lark`. Importing Lark and building a
parser takes longer than all else that a command does, so `pdl.syntax.runner` runs the tables alone;
Lark is imported only to explain a text that does not parse.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.parsers.lalr_analysis import Reduce, Shift

if TYPE_CHECKING:
    from lark.grammar import Rule

HERE = Path(__file__).parent


def build(grammar: str) -> Lark:
    """The LALR parser of a grammar, whose first rule is `start`."""
    return Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=False)


def tables(grammar: str) -> dict[str, Any]:
    """What the runner needs to know of a grammar: its lexer, its rules and its states.

    An action is the number of a state to go to, or -1 - n to reduce by rule n.
    """
    lark = build(grammar)
    table = lark.parser.parser._parse_table  # noqa: SLF001  (Lark offers them to its own tools only)
    rules = list(lark.rules)
    numbers = {rule: number for number, rule in enumerate(rules)}
    names = sorted({str(state) for state in table.states})
    states = {state: number for number, state in enumerate(table.states)}
    assert len(names) == len(states)
    return {
        "grammar": fingerprint(grammar),
        "terminals": _terminals(lark),
        "ignore": sorted(lark.ignore_tokens),
        "rules": [_rule(rule) for rule in rules],
        "states": [
            {
                name: states[argument] if action is Shift else -1 - numbers[argument]
                for name, (action, argument) in actions.items()
                if action in (Shift, Reduce)
            }
            for actions in table.states.values()
        ],
        "start": states[table.start_states["start"]],
        "end": states[table.end_states["start"]],
    }


def fingerprint(grammar: str) -> str:
    """Tells one grammar from another, so that tables of an older one are noticed."""
    return hashlib.sha256(grammar.encode()).hexdigest()[:16]


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
    that hands on a single part as it is.
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


def text_of(grammar: str) -> str:
    """The text of a tables file."""
    return json.dumps(tables(grammar), separators=(",", ":"), sort_keys=True) + "\n"


def main() -> None:
    """Write the tables of every grammar of this package."""
    for path in HERE.glob("*.lark"):
        path.with_suffix(".tables.json").write_text(text_of(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
