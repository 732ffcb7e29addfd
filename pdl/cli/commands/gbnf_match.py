"""`pdl gbnf match`: whether a grammar matches text, and where it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pdl.cli.grammars import CHOMP, ROOT, GrammarInput, match_text, read_texts
from pdl.cli.help import Command
from pdl.cli.options import FILE, format_option, out_option
from pdl.cli.output import json_document
from pdl.cli.terminal import INVALID, Terminal
from pdl.errors import Problem
from pdl.gbnf.nodes import TokenRef, item_text, items, reachable
from pdl.gbnf.state import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl.cli.grammars import MatchResult
    from pdl.cli.output import Output
    from pdl.gbnf import Grammar


_EXPECTED = 12  # continuations that are shown; JSON has all
_FIRST_RULES, _LAST_RULES = 3, 7
_NAMES = {"\n": "a newline", "\r": "a carriage return", "\t": "a tab", " ": "a space"}


def _report(one: MatchResult, terminal: Terminal) -> str:
    """A line for text that matches; position, character, and what was expected for other text."""
    if one.match.ok:
        name = terminal.style(terminal.safe(one.text.name), "strong")
        return f"{name}: {terminal.safe(_success(one))}"
    message = f"expected {_choice(one.state.expected()) or 'nothing'}, found {_found(one)}"
    problem = Problem("gbnf/no-match", message, one.text.source.span(one.offset), one.hint)
    rules = one.state.rules()
    notes = [("in", _path(rules))] if rules else []
    return terminal.problem(problem, "error", notes, "no match")


def _success(one: MatchResult) -> str:
    """That it matches; of a prefix also what can follow."""
    more = _choice(words for words in one.state.expected() if words != "the end")
    if not one.prefix:
        return "ok"
    if one.state.is_complete:
        return f"ok, can end here{f' or continue with {more}' if more else ''}"
    return f"ok so far, expected next: {more}" if more else "ok so far, but nothing can follow"


def _found(one: MatchResult) -> str:
    if one.found is None:
        return "the end of the text"
    if one.invalid_byte is not None:
        return f"the byte {one.invalid_byte:#04x}, which is not UTF-8"
    if one.found in _NAMES:
        return _NAMES[one.found]
    return f"`{one.found}`" if one.found.isprintable() else f"the character U+{ord(one.found):04X}"


def _choice(words: Iterable[str]) -> str:
    """The first of some words, joined by commas and `or`."""
    known = tuple(words)
    more = len(known) - _EXPECTED
    return listed([*known[:_EXPECTED], f"{more:,} others"] if more > 0 else known)


def _path(rules: Sequence[str]) -> str:
    """The rules from the root on, without those in the middle of a long path."""
    if len(rules) > _FIRST_RULES + _LAST_RULES:
        hidden = len(rules) - _FIRST_RULES - _LAST_RULES
        rules = [*rules[:_FIRST_RULES], f"… {hidden:,} more …", *rules[-_LAST_RULES:]]
    return " > ".join(rules)


def _fields(one: MatchResult) -> dict[str, Any]:
    line, column = one.text.source.position(one.offset)
    return {
        "path": one.text.source.name,
        "ok": one.match.ok,
        "complete": one.state.is_complete,
        "position": one.match.position,
        "character": one.match.character,
        "line": line,
        "column": column,
        "found": one.found,
        "found_byte": one.invalid_byte,
        "expected": list(one.state.expected()),
        "rules": list(one.state.rules()),
    }


def summary(found: Sequence[MatchResult]) -> str:
    """Return the counts on one line: `3 texts: 2 match, 1 does not`."""
    good = sum(one.match.ok for one in found)
    bad = len(found) - good
    counts = f"{len(found):,} texts: {good:,} match{'es' if good == 1 else ''}"
    return f"{counts}, {bad:,} do{'es' if bad == 1 else ''} not" if bad else counts


def _token_note(grammar: Grammar) -> Problem | None:
    """That a grammar requires a token, which text never is; None if it requires none."""
    reached = (grammar.rule[name] for name in reachable(grammar.rule, grammar.root))
    found = (item for rule in reached for item in items(rule.options))
    ref = next((item for item in found if isinstance(item, TokenRef)), None)
    if ref is None:
        return None
    message = f"`{item_text(ref)}` is a token of the model, which plain text never matches"
    hint = "to match what follows it, put that into its own rule and pass --root"
    return Problem("gbnf/token", message, grammar.source.span(ref.start, ref.end), hint)


@click.command(
    "match",
    cls=Command,
    fields={
        "[]": "A list of objects with:",
        "path": "The file.",
        "ok": "Whether the text matches.",
        "complete": "Whether the text can end at the position.",
        "position": "The byte, from 0, that cannot be there, or the length.",
        "character": "The same in code points.",
        "line, column": "The same in the file, from 1.",
        "found": "The character there, or null at the end.",
        "found_byte": "The byte there if it is not UTF-8, or null.",
        "expected": "What could be there.",
        "rules": "The rules that are open there.",
    },
    exit_codes={
        0: "All texts match.",
        1: "A text does not match.",
        2: "The grammar, a file, or an option is invalid.",
    },
    examples=(
        ("a reply", "pdl gbnf match person.gbnf reply.txt"),
        ("text from the command line", "pdl gbnf match person.gbnf --text '{\"age\": 7}'"),
        ("what can come next", "pdl gbnf match person.gbnf --prefix --text '{\"age\": '"),
        ("without the newline that echo adds", "echo '[1]' | pdl gbnf match list.gbnf --chomp"),
        ("a file with one text per line", "pdl gbnf match word.gbnf words.txt --lines"),
        (
            "the files that do not match",
            "pdl gbnf match a.gbnf *.txt --format json | jq -r '.[] | select(.ok | not).path'",
        ),
    ),
    short_help="Show whether text matches, and where it fails.",
)
@click.argument("grammar", type=FILE)
@click.argument("files", type=FILE, nargs=-1, metavar="[TEXT-FILE]...")
@click.option(
    "--text",
    "given",
    multiple=True,
    metavar="TEXT",
    help="Text to match, before any files. Repeatable.",
)
@click.option("--prefix", is_flag=True, help="Accept text that is only the beginning of a match.")
@click.option("--lines", is_flag=True, help="Match each line of a file, without its newline.")
@CHOMP
@ROOT
@out_option
@format_option
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
    """Show whether text matches a grammar, and where it fails.

    Text comes from files, or from standard input if none is named (or for `-`). It is matched byte
    for byte, including newlines. For text that does not match, prints the first character that
    cannot be where it is, what was expected there, and the rules that are open there.

    Token references (`<[7]>`, `<think>`) never match here, because the input is plain text.
    """
    texts = read_texts(grammar, files, given, lines=lines, chomp=chomp)
    read = GrammarInput(grammar, root).read()
    found = [match_text(read, text, prefix=prefix) for text in texts]
    terminal = output.terminal
    if form == "json":
        report = json_document([_fields(one) for one in found])
    else:
        report = "\n".join(_report(one, terminal) for one in found)
    if report or output.file is not None:
        output.write_report(report)
    bad = any(not one.match.ok for one in found)
    aside = Terminal.stderr()
    if bad and (note := _token_note(read)):
        aside.write(aside.problem(note, "note"))
    if len(found) != 1:
        aside.write(summary(found))
    if bad:
        raise click.exceptions.Exit(INVALID)
