"""A grammar as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.cli.reports.json_text import json_document
from pdl.gbnf.walk import references
from pdl.gbnf.write import rule_text

if TYPE_CHECKING:
    from pdl.gbnf import Grammar
    from pdl.gbnf.nodes import Rule
    from pdl.source import Source


def grammar_json(grammar: Grammar) -> str:
    """Its rules with their places, its root, and the comments behind the last rule."""
    return json_document(
        {
            "ok": True,
            "root": grammar.root,
            "rules": [_fields(rule, grammar.source) for rule in grammar.rules],
            "comments": list(grammar.comments),
        }
    )


def _fields(rule: Rule, source: Source) -> dict[str, Any]:
    """A rule; its end is behind its last character."""
    line, column = source.position(rule.start)
    end_line, end_column = source.position(rule.end)
    return {
        "name": rule.name,
        "text": rule_text(rule),
        "comments": list(rule.comments),
        "uses": list(dict.fromkeys(ref.name for ref in references(rule.options))),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }
