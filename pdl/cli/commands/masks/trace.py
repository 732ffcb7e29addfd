"""`pdl masks trace`: what was allowed at each token of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.exits import BAD
from pdl.cli.grammars import CHOMP, matched, read_texts
from pdl.cli.masking import mask_options, require_numpy
from pdl.cli.options import FILE
from pdl.cli.output import Output, format_option, out_option
from pdl.cli.reports.masks import trace_json, trace_text
from pdl.cli.teaching import TaughtCommand

if TYPE_CHECKING:
    from pdl.cli.masking import MaskOrigin

_EXAMPLES = (
    (
        "a text from the command line",
        "pdl masks trace person.gbnf --vocab tokenizer.json --text '{\"age\": 7}'",
    ),
    ("a reply to a prompt", "pdl masks trace person.pdl reply.txt --vocab model.gguf"),
    (
        "the tokens that a model gave",
        "pdl masks trace person.gbnf --vocab tokenizer.json --tokens '5018 425 794'",
    ),
)


@click.command(
    "trace",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Say what was allowed at each token of a text.",
)
@mask_options
@click.argument("file", type=FILE, required=False, metavar="[TEXT-FILE]")
@click.option("--text", metavar="TEXT", help="The text, instead of a file.")
@CHOMP
@click.option(
    "--tokens", metavar="NUMBERS", help="The numbers of tokens, instead of a text: '15 7 226'."
)
@click.option(
    "--shown",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many of the allowed tokens are named at each place.",
)
@out_option
@format_option(
    "an object with ok, complete (whether the text may end there), forced (the text that must"
    " follow), and steps: a list of objects with token, text, ok (whether it was allowed), allowed"
    " (how many tokens were), examples (some of them), microseconds."
)
def command(  # noqa: PLR0913  (each is an option)
    *,
    origin: MaskOrigin,
    file: str | None,
    text: str | None,
    tokens: str | None,
    shown: int,
    output: Output,
    form: str,
    chomp: bool,
) -> None:
    """Follow a text token by token, and say how many tokens were allowed at each.

    GRAMMAR is a GBNF file, a prompt (.pdl) or a JSON Schema (.json). The text is cut into the
    longest tokens of the vocabulary from its beginning on, which a tokenizer may do otherwise:
    --tokens takes its numbers. It stops at the first token that is not allowed.

    The exit code is 0 if all tokens are allowed, 1 if one is not, 2 if a file or an option is
    wrong.
    """
    given = [one for one in (file, text, tokens) if one is not None]
    if len(given) != 1:
        raise click.UsageError("expected one of TEXT-FILE, --text and --tokens")
    require_numpy()
    from pdl.cli.masking import numbers, spelled, traced  # noqa: PLC0415 - numpy is an extra

    grammar, vocabulary = origin.grammar(), origin.vocabulary()
    hint = ""
    if tokens is not None:
        trace = traced(grammar, vocabulary, numbers(tokens), shown)
    else:
        files, texts = ([] if one is None else [one] for one in (file, text))
        [said] = read_texts(origin.file, files, texts, lines=False, chomp=chomp)
        trace = traced(grammar, vocabulary, spelled(said, vocabulary), shown)
        hint = "" if trace.ok else matched(grammar, said, prefix=False).hint_of_file
    screen = output.screen
    told = trace_json(trace) if form == "json" else trace_text(trace, screen)
    if hint and form == "text":
        told += f"\n  {screen.style('hint:', 'hint')} {hint}"
    output.write_report(told)
    if not trace.ok:
        raise click.exceptions.Exit(BAD)
