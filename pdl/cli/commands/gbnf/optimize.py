"""`pdl gbnf optimize`: the same language with fewer live stacks, and what that has come to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from pdl.cli.grammars import targeted_grammar
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.gbnf import parse
from pdl.gbnf.analysis import Emptiness
from pdl.gbnf.linting.blowup import Search
from pdl.gbnf.linting.rules import reached_rules
from pdl.gbnf.linting.shortest import Shortest

if TYPE_CHECKING:
    from typing import Self

    from pdl.cli.grammars import GrammarOrigin
    from pdl.cli.output import Output
    from pdl.gbnf import Grammar


@dataclass(frozen=True)
class Size:
    """How large a grammar is: `stacks` are the most that are known to live at once."""

    rules: int
    characters: int
    stacks: int

    @classmethod
    def of(cls, grammar: Grammar) -> Self:
        """The size of a grammar; its characters are those of its text in one spelling."""
        return cls(len(grammar.rules), len(str(grammar)), _stacks(grammar))


def _stacks(grammar: Grammar) -> int:
    shortest, empty = Shortest(grammar.rule), Emptiness(grammar.rule)
    most, _ = Search(grammar, reached_rules(grammar), shortest, empty).worst()
    return most.peak.size


def sizes_text(before: Size, after: Size) -> str:
    """One line: `rules 12 -> 8, characters 640 -> 512, live stacks 30 -> 6`."""
    told = (
        ("rules", before.rules, after.rules),
        ("characters", before.characters, after.characters),
        ("live stacks", before.stacks, after.stacks),
    )
    return ", ".join(f"{name} {old:,} -> {new:,}" for name, old, new in told)


def optimized_json(made: Grammar, before: Size, after: Size) -> str:
    """The grammar's text, and both sizes."""
    return json_document(
        {
            "ok": True,
            "grammar": str(made),
            "root": made.root,
            "before": asdict(before),
            "after": asdict(after),
        }
    )


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
