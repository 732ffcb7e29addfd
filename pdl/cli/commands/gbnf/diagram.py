"""`pdl gbnf diagram`: a picture of a grammar."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

import click

from pdl.cli.grammars import grammar_argument
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.teaching import TaughtCommand

if TYPE_CHECKING:
    from pdl.cli.grammars import GrammarOrigin
    from pdl.cli.output import Output

    Kind = Literal["svg", "html"]

_EXAMPLES = (
    ("a page for the browser", "pdl gbnf diagram person.gbnf -o person.html"),
    ("a picture", "pdl gbnf diagram person.gbnf -o person.svg"),
    ("from a pipe", "curl … | pdl gbnf diagram --to html > page.html"),
)


@click.command(
    "diagram",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Draw a grammar as railroad diagrams.",
)
@grammar_argument
@click.option(
    "--to",
    "kind",
    type=click.Choice(["svg", "html"]),
    help="svg: one picture. html: a page with a table of the rules. Unless said, what the name of"
    " --out ends in, else svg.",
)
@out_option
@format_option("an object with ok, to, root, rules (their names), text (the picture or page).")
def command(origin: GrammarOrigin, kind: Kind | None, output: Output, form: str) -> None:
    """Draw the rules of the grammar FILE as railroad diagrams, one below the other.

    FILE is a GBNF file; without it or for `-`, the standard input is read. Rules link to each
    other; no script and no other file is needed to look at them. The exit code is 0, or 2 if the
    grammar or an option is wrong.
    """
    to: Kind = kind or _kind(output.file)
    grammar = origin.read()
    drawn = grammar.diagram(to)
    if form == "json":
        fields = {"ok": True, "to": to, "root": grammar.root, "rules": list(grammar.rule)}
        drawn = json_document({**fields, "text": drawn})
    output.write(drawn.removesuffix("\n"))


def _kind(file: str | None) -> Kind:
    """What the name of a file ends in. Raises UsageError for the end of another format."""
    suffix = PurePath(file or "").suffix.lower()
    if suffix in {".html", ".htm"}:
        return "html"
    if suffix not in {"", ".svg"}:
        raise click.UsageError(
            f"a diagram is written to a file that ends in .svg or .html, not in {suffix};"
            " --to says which of the two it is to be, whatever the name"
        )
    return "svg"
