"""What commands for grammars share: the grammar, the strings to match, and how they match."""

from __future__ import annotations

from codecs import getincrementaldecoder
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from pdl.cli.files import (
    display_name,
    file_or_stdin,
    read_bytes,
    read_text,
    refuse_two_stdins,
)
from pdl.cli.options import FILE, bundle
from pdl.errors import FileError, Problem
from pdl.gbnf import TARGETS
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.gbnf import Grammar, Match, State
    from pdl.source import Span


@dataclass(frozen=True)
class GrammarInput:
    """A grammar as the command line names it."""

    file: str
    root: str
    target: str = TARGETS[-1]

    def read(self) -> Grammar:
        """Return the grammar. Raises FileError, GrammarError, LimitError."""
        from pdl.gbnf import parse  # noqa: PLC0415 - the lint of prompts needs no grammars

        text = read_text(self.file, keep_mark=True)  # llama.cpp refuses it, so it is reported
        return parse(text, root=self.root, target=self.target)


FILE_ARGUMENT = click.argument("file", type=FILE, required=False, metavar="[FILE]")
ROOT = click.option(
    "--root",
    default="root",
    show_default=True,
    metavar="NAME",
    help="The root rule, which must match the whole input.",
)
TARGET = click.option(
    "--target",
    type=click.Choice(TARGETS),
    default=TARGETS[-1],
    show_default=True,
    metavar="YYYY-MM",
    help=f"The llama.cpp release to target: {', '.join(TARGETS)}. Syntax that it does not support"
    " is an error.",
)
CHOMP = click.option(
    "--chomp", is_flag=True, help="Remove the last newline of a file, which editors add."
)

grammar_options = bundle(
    "grammar",
    lambda file, root: GrammarInput(file_or_stdin(file), root),
    FILE_ARGUMENT,
    ROOT,
)
"""`FILE` and `--root`, passed as one `grammar`."""

targeted_options = bundle(
    "grammar",
    lambda file, root, target: GrammarInput(file_or_stdin(file), root, target),
    FILE_ARGUMENT,
    ROOT,
    TARGET,
)
"""`FILE`, `--root`, and `--target`, passed as one `grammar`."""


_INVALID = "\N{REPLACEMENT CHARACTER}"
_BOM = "\ufeff"
_NEWLINES = (b"\n", b"\r\n")


@dataclass(frozen=True)
class Text:
    """Bytes to match, and where they are in a source, which has U+FFFD for invalid UTF-8."""

    data: bytes
    source: Source
    start: int = 0
    label: str = ""
    is_file: bool = False
    chomped: bool = False

    @property
    def name(self) -> str:
        """The name in messages."""
        return self.label or self.source.name

    def span(self, start: int, end: int) -> Span:
        """Return the span, in the source, of the characters of some bytes."""
        first = self._offset(start)
        return self.source.span(first, max(first + 1, self._offset(end)))

    def _offset(self, position: int) -> int:
        """The offset, in the source, of the character that a byte belongs to."""
        known = getincrementaldecoder("utf-8")("replace")
        return self.start + len(known.decode(self.data[:position]))

    def newline_hint(self, position: int) -> str:
        """Return what helps if only the newline at the end of a file cannot be where it is."""
        if not self.is_file or self.data[position:] not in _NEWLINES:
            return ""
        if self.chomped:
            return "the file ends with several newlines, and --chomp removes one"
        return "--chomp removes the newline that editors add to a file"


@dataclass(frozen=True)
class MatchResult:
    """How text matches, and the state at the position where it fails or ends."""

    text: Text
    prefix: bool
    match: Match
    state: State

    @property
    def offset(self) -> int:
        """The position as an offset in the source."""
        return self.text.start + self.match.character

    @property
    def found(self) -> str | None:
        """The character there, U+FFFD for invalid UTF-8; None at the end of the text."""
        return self._next.decode("utf-8", "replace")[:1] or None

    @property
    def invalid_byte(self) -> int | None:
        """The byte there, if no UTF-8 character begins with it."""
        is_invalid = self.found == _INVALID and not self._next.startswith(_INVALID.encode())
        return self._next[0] if is_invalid else None

    @property
    def hint(self) -> str:
        """What helps if the file is the problem, and not its text."""
        if (
            self.state.is_complete
            and self._next not in _NEWLINES
            and self._next.startswith(_NEWLINES)
        ):
            return "--lines matches each line of a file separately"
        return self.hint_of_file

    @property
    def hint_of_file(self) -> str:
        """The same for a command that does not take a file line by line."""
        position = self.match.position
        if self.state.is_complete and (hint := self.text.newline_hint(position)):
            return hint
        if position == 0 and self.found == _BOM:
            return "the file begins with a byte order mark; save it without"
        return ""

    @property
    def _next(self) -> bytes:
        """Enough bytes for a character and more."""
        return self.text.data[self.match.position : self.match.position + 5]


def match_text(grammar: Grammar, text: Text, *, prefix: bool = False) -> MatchResult:
    """Match text; with `prefix` it can be incomplete."""
    match = grammar.match(text.data, prefix=prefix)
    state = grammar.start().accept(text.data[: match.position])
    return MatchResult(text, prefix, match, state)


def read_texts(
    grammar: str, files: Sequence[str], given: Sequence[str], *, lines: bool, chomp: bool
) -> list[Text]:
    """Return the texts of options, of files, or else of standard input.

    Raises FileError with all files that cannot be read, LimitError, UsageError.
    """
    named = list(files) if files or given else [file_or_stdin(None, "text")]
    refuse_two_stdins(grammar, *named)
    found = list(_given(given))
    problems: list[Problem] = []
    for file in named:
        try:
            text = _read(file, chomp=chomp)
        except FileError as error:
            problems += error.problems
            continue
        found += _lines(text) if lines else [text]
    if problems:
        raise FileError(*problems)
    return found


def _given(given: Sequence[str]) -> Iterator[Text]:
    """Texts of `--text`, where invalid UTF-8 comes as lone surrogates (PEP 383)."""
    for number, text in enumerate(given, 1):
        data = text.encode("utf-8", "surrogateescape")
        name = f"--text {number}" if given[1:] else "--text"
        yield Text(data, Source(data.decode("utf-8", "replace"), name))


def _read(file: str, *, chomp: bool) -> Text:
    data = read_bytes(file)
    chomped = chomp and data.endswith(b"\n")
    if chomped:
        data = data[:-1].removesuffix(b"\r")
    source = Source(data.decode("utf-8", "replace"), display_name(file))
    return Text(data, source, is_file=True, chomped=chomped)


def _lines(whole: Text) -> Iterator[Text]:
    """The lines of a file; none comes after its last newline."""
    start = 0
    for number, line in enumerate(whole.data.removesuffix(b"\n").split(b"\n"), 1):
        if whole.data:
            label = f"{whole.source.name}:{number}"
            yield Text(line.removesuffix(b"\r"), whole.source, start, label)
        start += len(line.decode("utf-8", "replace")) + 1
