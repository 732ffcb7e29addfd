"""`pdl gbnf optimize`: the same language with fewer live stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.grammars import targeted_grammar
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.optimized import Size, optimized_json, sizes_text
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.gbnf import parse

if TYPE_CHECKING:
    from pdl.cli.grammars import GrammarOrigin
    from pdl.cli.output import Output

_EXAMPLES = (
    ("into a file of its own", "pdl gbnf optimize person.gbnf -o person.fast.gbnf"),
    ("only the figures", "pdl gbnf optimize person.gbnf >/dev/null"),
    (
        "how many stacks llama.cpp would have to follow",
        "pdl gbnf optimize a.gbnf --format json | jq '.before.stacks, .after.stacks'",
    ),
)


@click.command(
    "optimize",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Rewrite a grammar so that llama.cpp is faster.",
)
@targeted_grammar
@out_option
@format_option(
    "an object with ok, grammar (the text), root, before and after (each with rules, characters"
    " and stacks, the most that are known to live at once)."
)
def command(origin: GrammarOrigin, output: Output, form: str) -> None:
    """Write the grammar FILE anew, for the same texts but with fewer stacks alive at once.

    FILE is a GBNF file; without it or for `-`, the standard input is read. Alternatives share what
    they begin and end with, classes are merged, rules that are used once are inlined, and what
    leads nowhere is left out. One line on the standard error says what it has come to.

    The exit code is 0, or 2 if the grammar or an option is wrong, also if the --target does not
    know what the new grammar needs.
    """
    grammar = origin.read()
    made = parse(
        str(grammar.optimize()), name="<optimized>", root=origin.root, target=origin.target
    )
    before, after = Size.of(grammar), Size.of(made)
    if form == "json":
        output.write(optimized_json(made, before, after))
    else:
        output.write(str(made).removesuffix("\n"))
    Screen.stderr().write(sizes_text(before, after))
