"""`pdl gbnf parse`: whether a grammar is right, and its rules in one spelling or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pdl.cli.grammars import targeted_grammar
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.teaching import TaughtCommand
from pdl.gbnf.nodes import references, rule_text

if TYPE_CHECKING:
    from pdl.cli.grammars import GrammarOrigin
    from pdl.cli.output import Output
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


_EXAMPLES = (
    ("is it right? silence says yes", "pdl gbnf parse --check person.gbnf"),
    ("write it anew, a rule on a line", "pdl gbnf parse person.gbnf -o person.gbnf"),
    ("the names of its rules", "pdl gbnf parse person.gbnf --format json | jq -r '.rules[].name'"),
    ("does an older llama.cpp take it?", "pdl gbnf parse --check a.gbnf --target 2025-11"),
)


@click.command(
    "parse",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Say whether a grammar is right; write it anew.",
)
@targeted_grammar
@click.option(
    "--check", is_flag=True, help="Do not write the grammar, only say if something is wrong."
)
@out_option
@format_option(
    "an object with ok, root, rules (each with name, text, comments, uses, line, column, end_line,"
    " end_column) and comments (those behind the last rule)."
)
def command(origin: GrammarOrigin, output: Output, form: str, *, check: bool) -> None:
    """Read the grammar FILE and write it in one spelling: a rule on a line, comments above it.

    FILE is a GBNF file; without it or for `-`, the standard input is read. All problems are told at
    once, each with its place. The exit code is 0, or 2 if the grammar or an option is wrong.
    """
    if check and output.file is not None:
        raise click.UsageError("--check writes nothing, so that --out is of no use")
    grammar = origin.read()
    if form == "json":
        output.write(grammar_json(grammar))
    elif not check:
        output.write(str(grammar).removesuffix("\n"))
