"""`pdl gbnf match`: whether texts are those of a grammar, and where they stop being so.

How the texts fared is told for people, and as JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pdl.cli.exits import BAD
from pdl.cli.grammars import CHOMP, ROOT, GrammarOrigin, matched, read_texts, token_note
from pdl.cli.options import FILE
from pdl.cli.output import Output, format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.errors import Problem
from pdl.gbnf.state import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl.cli.grammars import Matched


_EXPECTED = 12  # ways to go on that are told; JSON has them all
_FIRST_RULES, _LAST_RULES = 3, 7
_NAMED = {"\n": "a line end", "\r": "a carriage return", "\t": "a tab", " ": "a blank"}


def matches_text(found: Sequence[Matched], screen: Screen) -> str:
    """A line for each text that is ok; place, character and what was expected for another."""
    return "\n".join(_told(one, screen) for one in found)


def _told(one: Matched, screen: Screen) -> str:
    if one.ok:
        name = screen.style(screen.safe(one.text.name), "strong")
        return f"{name}: {screen.safe(_fine(one))}"
    message = f"found {_found(one)}, expected {_either(one.expected) or 'nothing'}"
    problem = Problem("gbnf/no-match", message, one.text.source.span(one.place), one.hint)
    label = f"{screen.style('no match:', 'error')} "
    return screen.problem(problem, label, [("in", _path(one.rules))] if one.rules else [])


def _fine(one: Matched) -> str:
    """That it is ok; of a beginning also what may follow."""
    further = _either(words for words in one.expected if words != "the end")
    if not one.prefix:
        return "ok"
    if one.complete:
        return f"ok, the text may end here{f' or go on with {further}' if further else ''}"
    return f"ok so far, next comes {further}" if further else "ok so far, but nothing can follow"


def _found(one: Matched) -> str:
    """The character that cannot stand there, or the end of the text."""
    if one.found is None:
        return "the end of the text"
    if one.bad_byte is not None:
        return f"the byte {one.bad_byte:#04x}, which is no UTF-8"
    if one.found in _NAMED:
        return _NAMED[one.found]
    return f"`{one.found}`" if one.found.isprintable() else f"the character U+{ord(one.found):04X}"


def _either(words: Iterable[str]) -> str:
    """The first of some words, joined by commas and `or`."""
    known = tuple(words)
    more = len(known) - _EXPECTED
    return listed([*known[:_EXPECTED], f"{more:,} other ways"] if more > 0 else known)


def _path(rules: Sequence[str]) -> str:
    """The rules from the root on; amid many, those that are far from both ends are left out."""
    if len(rules) > _FIRST_RULES + _LAST_RULES:
        hidden = len(rules) - _FIRST_RULES - _LAST_RULES
        rules = [*rules[:_FIRST_RULES], f"… {hidden:,} more …", *rules[-_LAST_RULES:]]
    return " > ".join(rules)


def matches_json(found: Sequence[Matched]) -> str:
    """A list of objects, one for each text."""
    return json_document([_fields(one) for one in found])


def _fields(one: Matched) -> dict[str, Any]:
    line, column = one.text.source.position(one.place)
    return {
        "path": one.text.source.name,
        "ok": one.ok,
        "complete": one.complete,
        "position": one.position,
        "character": one.character,
        "line": line,
        "column": column,
        "found": one.found,
        "found_byte": one.bad_byte,
        "expected": list(one.expected),
        "rules": list(one.rules),
    }


def tally(found: Sequence[Matched]) -> str:
    """One line that counts: `3 texts: 2 match, 1 does not`."""
    good = sum(one.ok for one in found)
    bad = len(found) - good
    said = f"{len(found):,} texts: {good:,} match{'es' if good == 1 else ''}"
    return f"{said}, {bad:,} do{'es' if bad == 1 else ''} not" if bad else said


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
