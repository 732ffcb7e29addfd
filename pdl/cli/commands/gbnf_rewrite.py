"""`pdl gbnf parse|optimize|export|diagram`: a grammar in another form."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

import click

from pdl.cli.grammars import grammar_options, targeted_options
from pdl.cli.help import Command
from pdl.cli.options import format_option, out_option
from pdl.cli.terminal import Terminal

if TYPE_CHECKING:
    from pdl.cli.grammars import GrammarInput
    from pdl.cli.output import Output
    from pdl.gbnf import Grammar

    Kind = Literal["svg", "html"]

_EXIT_CODES = {0: "Done.", 2: "The grammar or an option is invalid."}


@click.command(
    "parse",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "root": "The root rule.",
        "rules": "Objects with name, text, comments, uses, line, column, end_line, end_column.",
        "comments": "Those after the last rule.",
    },
    exit_codes={0: "The grammar is valid.", 2: "The grammar or an option is invalid."},
    examples=(
        ("validate; prints nothing for a valid grammar", "pdl gbnf parse --check person.gbnf"),
        ("reformat, one rule per line", "pdl gbnf parse person.gbnf -o person.gbnf"),
        ("list the rules", "pdl gbnf parse person.gbnf --format json | jq -r '.rules[].name'"),
        (
            "validate for an older llama.cpp",
            "pdl gbnf parse --check a.gbnf --target 2025-11",
        ),
    ),
    short_help="Validate a grammar and print it in canonical form.",
)
@targeted_options
@click.option("--check", is_flag=True, help="Only validate: do not print the grammar.")
@out_option
@format_option
def parse_command(grammar: GrammarInput, output: Output, form: str, *, check: bool) -> None:
    """Validate a grammar and print it in canonical form: one rule per line, after its comments.

    FILE is a GBNF file; without it, or for `-`, reads standard input. All errors are reported
    together, each with its position.
    """
    if check and output.file is not None:
        raise click.UsageError("--check prints nothing, so --out has no effect")
    read = grammar.read()
    if form == "json" or not check:
        fields = {"root": read.root, "rules": _rules(read), "comments": list(read.comments)}
        output.write_result(str(read).removesuffix("\n"), form, fields)


def _rules(grammar: Grammar) -> list[dict[str, Any]]:
    from pdl.gbnf.nodes import references, rule_text  # noqa: PLC0415 - loaded by parsing anyway

    rules: list[dict[str, Any]] = []
    for rule in grammar.rules:
        line, column = grammar.source.position(rule.start)
        end_line, end_column = grammar.source.position(rule.end)
        rules.append(
            {
                "name": rule.name,
                "text": rule_text(rule),
                "comments": list(rule.comments),
                "uses": list(dict.fromkeys(ref.name for ref in references(rule.options))),
                "line": line,
                "column": column,
                "end_line": end_line,
                "end_column": end_column,
            }
        )
    return rules


@click.command(
    "optimize",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "grammar": "The text of the grammar.",
        "root": "The root rule.",
        "before, after": "Objects with rules, characters, and stacks: the most parse stacks that"
        " are known to be needed.",
    },
    exit_codes={
        0: "Done.",
        2: "The grammar or an option is invalid, or --target does not support the result.",
    },
    examples=(
        ("into another file", "pdl gbnf optimize person.gbnf -o person.fast.gbnf"),
        ("only the sizes", "pdl gbnf optimize person.gbnf >/dev/null"),
        (
            "how many parse stacks llama.cpp needs",
            "pdl gbnf optimize a.gbnf --format json | jq '.before.stacks, .after.stacks'",
        ),
    ),
    short_help="Rewrite a grammar so that llama.cpp is faster.",
)
@targeted_options
@out_option
@format_option
def optimize_command(grammar: GrammarInput, output: Output, form: str) -> None:
    """Rewrite a grammar into an equivalent one that needs fewer parse stacks in llama.cpp.

    FILE is a GBNF file; without it, or for `-`, reads standard input. Factors out what alternatives
    begin and end with, merges character classes, inlines rules that are used once, and removes
    rules that match nothing. Prints the sizes before and after to standard error.
    """
    from pdl.gbnf import parse  # noqa: PLC0415 - loaded by reading the grammar anyway

    read = grammar.read()
    made = parse(str(read.optimize()), name="<optimized>", root=grammar.root, target=grammar.target)
    before, after = _sizes(read), _sizes(made)
    text = str(made)
    fields = {"grammar": text, "root": made.root, "before": before, "after": after}
    output.write_result(text.removesuffix("\n"), form, fields)
    names = {"stacks": "parse stacks"}
    told = (f"{names.get(one, one)} {old:,} -> {after[one]:,}" for one, old in before.items())
    Terminal.stderr().write(", ".join(told))


def _sizes(grammar: Grammar) -> dict[str, int]:
    """How large a grammar is: `stacks` are the most that are known to be needed."""
    from pdl.gbnf.linting.stack_explosion import most_stacks  # noqa: PLC0415 - a search

    stacks = most_stacks(grammar)
    return {"rules": len(grammar.rules), "characters": len(str(grammar)), "stacks": stacks}


@click.command(
    "export",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "to": "The notation.",
        "root": "The root rule.",
        "text": "The grammar in that notation.",
    },
    exit_codes={
        0: "Done.",
        2: "The grammar or an option is invalid, or the notation cannot express the grammar.",
    },
    examples=(
        ("for llguidance", "pdl gbnf export person.gbnf --to lark -o person.lark"),
        ("for xgrammar", "pdl gbnf export person.gbnf --to ebnf"),
        ("as one regular expression", "pdl gbnf export word.gbnf --to regex > word.re"),
    ),
    short_help="Write a grammar for another engine.",
)
@grammar_options
@click.option(
    "--to",
    "notation",
    type=click.Choice(["lark", "ebnf", "regex"]),
    required=True,
    help="lark: for llguidance. ebnf: for xgrammar. regex: one regular expression for Python's re"
    " and for JavaScript with the flag u, if the language is regular.",
)
@out_option
@format_option
def export_command(grammar: GrammarInput, notation: str, output: Output, form: str) -> None:
    """Write an equivalent grammar in the notation of another engine.

    FILE is a GBNF file; without it, or for `-`, reads standard input.
    """
    read = grammar.read()
    text: str = getattr(read, f"to_{notation}")()
    fields = {"to": notation, "root": read.root, "text": text}
    output.write_result(text.removesuffix("\n"), form, fields)


@click.command(
    "diagram",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "to": "svg or html.",
        "root": "The root rule.",
        "rules": "The names of the rules.",
        "text": "The picture or page.",
    },
    exit_codes=_EXIT_CODES,
    examples=(
        ("a page for the browser", "pdl gbnf diagram person.gbnf -o person.html"),
        ("a picture", "pdl gbnf diagram person.gbnf -o person.svg"),
        ("from a pipe", "curl … | pdl gbnf diagram --to html > page.html"),
    ),
    short_help="Draw a grammar as railroad diagrams.",
)
@grammar_options
@click.option(
    "--to",
    "kind",
    type=click.Choice(["svg", "html"]),
    help="svg: one picture. html: a page with a table of the rules. Default: the suffix of --out,"
    " or svg.",
)
@out_option
@format_option
def diagram_command(grammar: GrammarInput, kind: Kind | None, output: Output, form: str) -> None:
    """Draw the rules of a grammar as railroad diagrams.

    FILE is a GBNF file; without it, or for `-`, reads standard input. Rules link to each other. The
    result needs no script and no other file.
    """
    to: Kind = kind or _kind(output.file)
    read = grammar.read()
    drawn = read.diagram(to)
    fields = {"to": to, "root": read.root, "rules": list(read.rule), "text": drawn}
    output.write_result(drawn.removesuffix("\n"), form, fields)


def _kind(file: str | None) -> Kind:
    """The kind for a suffix. Raises UsageError for the suffix of another format."""
    suffix = PurePath(file or "").suffix.lower()
    if suffix in {".html", ".htm"}:
        return "html"
    if suffix not in {"", ".svg"}:
        raise click.UsageError(
            f"--out: expected a file that ends in .svg or .html, found `{suffix}`; choose the"
            " format of another file with --to"
        )
    return "svg"
