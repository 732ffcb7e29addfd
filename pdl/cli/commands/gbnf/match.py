"""`pdl gbnf match`: whether texts are those of a grammar, and where they stop to be."""

from __future__ import annotations

import click

from pdl.cli.exits import BAD
from pdl.cli.grammars import CHOMP, ROOT, GrammarOrigin
from pdl.cli.matching import matched, read_texts, token_note
from pdl.cli.options import FILE
from pdl.cli.output import Output, format_option, out_option
from pdl.cli.reports.matches import matches_json, matches_text, tally
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand

_EXAMPLES = (
    ("a reply", "pdl gbnf match person.gbnf reply.txt"),
    ("a text from the command line", "pdl gbnf match person.gbnf --text '{\"age\": 7}'"),
    ("what may come next", "pdl gbnf match person.gbnf --prefix --text '{\"age\": '"),
    ("without the line end that echo adds", "echo '[1]' | pdl gbnf match list.gbnf --chomp"),
    ("a file of texts, one on each line", "pdl gbnf match word.gbnf words.txt --lines"),
    (
        "the texts that do not match",
        "pdl gbnf match a.gbnf *.txt --format json | jq -r '.[] | select(.ok | not).path'",
    ),
)


@click.command(
    "match",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Say where a text stops to match, and why.",
)
@click.argument("grammar", type=FILE)
@click.argument("files", type=FILE, nargs=-1, metavar="[TEXT-FILES]...")
@click.option(
    "--text",
    "given",
    multiple=True,
    metavar="TEXT",
    help="A text to match, ahead of files; may be repeated.",
)
@click.option(
    "--prefix", is_flag=True, help="A text need only be the beginning of one that matches."
)
@click.option("--lines", is_flag=True, help="Each line of a file is a text, without its line end.")
@CHOMP
@ROOT
@out_option
@format_option(
    "a list of objects with path, ok, complete (whether the text may end there), position (from 0:"
    " the byte that cannot stand there, or the length), character (the same in code points), line"
    " and column in the file, found (null at the end), found_byte (its number"
    " if it is no UTF-8, else null), expected, rules."
)
def command(  # noqa: PLR0913  (each is an option)
    *,
    grammar: str,
    files: tuple[str, ...],
    given: tuple[str, ...],
    root: str,
    output: Output,
    form: str,
    prefix: bool,
    lines: bool,
    chomp: bool,
) -> None:
    """Say for each text whether the grammar GRAMMAR matches it, and if not, where and why.

    The texts are files, or - for the standard input, which is read if no text is named. They are
    matched byte for byte, line ends and all. Of a text that does not match you see the first
    character that cannot stand where it does, what was expected there, and the rules that the text
    was in.

    The exit code is 0 if all texts match, 1 if any does not, 2 if the grammar or an option is
    wrong. A token of the model (`<[7]>`, `<think>`) is no text: nothing gets past it here.
    """
    texts = read_texts(grammar, files, given, lines=lines, chomp=chomp)
    read = GrammarOrigin(grammar, root).read()
    found = [matched(read, text, prefix=prefix) for text in texts]
    told = matches_json(found) if form == "json" else matches_text(found, output.screen)
    if told or output.file is not None:
        output.write_report(told)
    bad = any(not one.ok for one in found)
    note = token_note(read) if bad else None
    aside = Screen.stderr()
    if note:
        aside.write(aside.problem(note, f"{aside.style('note:', 'note')} "))
    if len(found) != 1:
        aside.write(tally(found))
    if bad:
        raise click.exceptions.Exit(BAD)
