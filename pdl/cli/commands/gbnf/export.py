"""`pdl gbnf export`: a grammar in the notation of another engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.grammars import grammar_argument
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.teaching import TaughtCommand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl.cli.grammars import GrammarOrigin
    from pdl.cli.output import Output
    from pdl.gbnf import Grammar

_EXAMPLES = (
    ("for llguidance", "pdl gbnf export person.gbnf --to lark -o person.lark"),
    ("for xgrammar", "pdl gbnf export person.gbnf --to ebnf"),
    ("as one pattern, if it can be one", "pdl gbnf export word.gbnf --to regex > word.re"),
)

_WRITERS: Mapping[str, Callable[[Grammar], str]] = {
    "lark": lambda grammar: grammar.to_lark(),
    "ebnf": lambda grammar: grammar.to_ebnf(),
    "regex": lambda grammar: grammar.to_regex(),
}


@click.command(
    "export",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Write a grammar for another engine.",
)
@grammar_argument
@click.option(
    "--to",
    "notation",
    type=click.Choice(list(_WRITERS)),
    required=True,
    help="lark: what llguidance reads. ebnf: what xgrammar reads. regex: one regular expression,"
    " for Python's re and for JavaScript with the flag u, if there is one.",
)
@out_option
@format_option("an object with ok, to, root, text.")
def command(origin: GrammarOrigin, notation: str, output: Output, form: str) -> None:
    """Write the grammar FILE in the notation of another engine, for the same texts.

    FILE is a GBNF file; without it or for `-`, the standard input is read. The exit code is 0, or 2
    if the grammar or an option is wrong, also if the notation has no way to write it.
    """
    grammar = origin.read()
    text = _WRITERS[notation](grammar)
    if form == "json":
        text = json_document({"ok": True, "to": notation, "root": grammar.root, "text": text})
    output.write(text.removesuffix("\n"))
