"""What the commands of `pdl gbnf` share: the grammar, its target, and texts matched against it.

The target is the llama.cpp that is to take the grammar. The texts for a grammar are read here, and
how they fared is found.
"""

from __future__ import annotations

import functools
import sys
from codecs import getincrementaldecoder
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.options import FILE
from pdl.cli.texts import STDIN, read_bytes, read_text, refuse_two_stdins, shown_name
from pdl.errors import FileError, Problem
from pdl.gbnf import TARGETS, parse
from pdl.gbnf.nodes import TokenRef, item_text, items, reachable
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdl.gbnf import Grammar
    from pdl.source import Span

    Function = Callable[..., None]


@dataclass(frozen=True)
class GrammarOrigin:
    """A grammar as the command line names it."""

    file: str
    root: str
    target: str = TARGETS[-1]

    def read(self) -> Grammar:
        """The grammar. Raises FileError, GrammarError, LimitError."""
        text = read_text(self.file, keep_mark=True)  # llama.cpp refuses it, so it is told
        return parse(text, root=self.root, target=self.target)


def grammar_argument(function: Function) -> Function:
    """`FILE` and `--root`, which a function takes as one `origin`."""

    @functools.wraps(function)
    def bundled(file: str | None, root: str, **others: Any) -> None:
        function(origin=GrammarOrigin(or_stdin(file), root), **others)

    return FILE_ARGUMENT(ROOT(bundled))


def targeted_grammar(function: Function) -> Function:
    """`FILE`, `--root` and `--target`, which a function takes as one `origin`."""

    @functools.wraps(function)
    def bundled(file: str | None, root: str, target: str, **others: Any) -> None:
        function(origin=GrammarOrigin(or_stdin(file), root, target), **others)

    return FILE_ARGUMENT(ROOT(TARGET(bundled)))


def or_stdin(file: str | None, what: str = "a grammar") -> str:
    """A file, or the standard input if none is named. Raises UsageError if that is a terminal."""
    if file is None and is_terminal():
        raise click.UsageError(f"expected a FILE, or {what} on the standard input")
    return STDIN if file is None else file


def is_terminal() -> bool:
    """Whether the standard input is a terminal; it is None if the shell closed it (`<&-`)."""
    return sys.stdin is not None and sys.stdin.isatty()


FILE_ARGUMENT = click.argument("file", type=FILE, required=False, metavar="[FILE]")
ROOT = click.option(
    "--root",
    default="root",
    show_default=True,
    metavar="NAME",
    help="The rule that a whole text must match.",
)
TARGET = click.option(
    "--target",
    type=click.Choice(TARGETS),
    default=TARGETS[-1],
    show_default=True,
    metavar="MONTH",
    help=f"The llama.cpp that is to take the grammar, by its month: {', '.join(TARGETS)}."
    " What it does not know yet is an error.",
)
CHOMP = click.option(
    "--chomp", is_flag=True, help="Leave out the last line end of a file, which editors add."
)


_BAD = "\N{REPLACEMENT CHARACTER}"
_BOM = "\ufeff"
LINE_ENDS = (b"\n", b"\r\n")


@dataclass(frozen=True)
class Text:
    """Some bytes, and where they stand in a source: U+FFFD is there for what is no UTF-8."""

    data: bytes
    source: Source
    start: int = 0
    label: str = ""
    is_file: bool = False
    chomped: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return self.label or self.source.name

    def span(self, start: int, end: int) -> Span:
        """The characters that some of its bytes are of, in its source."""
        first = self._place(start)
        return self.source.span(first, max(first + 1, self._place(end)))

    def _place(self, position: int) -> int:
        """Where the character begins that a byte is of."""
        known = getincrementaldecoder("utf-8")("replace")
        return self.start + len(known.decode(self.data[:position]))


@dataclass(frozen=True)
class Matched:
    """How a text fared: `position` and `character` are those of `Match`.

    `complete` says whether the text may end at that place, `expected` what may follow there.
    """

    text: Text
    prefix: bool
    ok: bool
    complete: bool
    position: int
    character: int
    expected: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def place(self) -> int:
        """The same offset in the text's source."""
        return self.text.start + self.character

    @property
    def found(self) -> str | None:
        """The character there, U+FFFD for what is no UTF-8; None at the end of the text."""
        return self._next.decode("utf-8", "replace")[:1] or None

    @property
    def bad_byte(self) -> int | None:
        """The byte there, if no character of UTF-8 begins with it."""
        is_bad = self.found == _BAD and not self._next.startswith(_BAD.encode())
        return self._next[0] if is_bad else None

    @property
    def hint(self) -> str:
        """What helps, where the file and not the text is to blame."""
        if self.complete and self._next not in LINE_ENDS and self._next.startswith(LINE_ENDS):
            return "--lines takes each line of a file for a text of its own"
        return self.hint_of_file

    @property
    def hint_of_file(self) -> str:
        """The same for a command that takes each file for one text."""
        if self.complete and self._next in LINE_ENDS:
            return line_end_hint(self.text)
        if self.position == 0 and self.found == _BOM:
            return "the file begins with a byte order mark; save it without"
        return ""

    @property
    def _next(self) -> bytes:
        """Enough bytes for a character and more."""
        return self.text.data[self.position : self.position + 5]


def line_end_hint(text: Text) -> str:
    """What helps, where only the line end cannot stand there that a text ends with."""
    if not text.is_file:
        return ""
    if text.chomped:
        return "the file ends in several line ends, of which --chomp leaves out one"
    return "--chomp leaves out the line end that editors add to a file"


def read_texts(
    grammar: str, files: Sequence[str], given: Sequence[str], *, lines: bool, chomp: bool
) -> list[Text]:
    """The texts that a command line names: of files, of its own, or of the standard input.

    Raises FileError with all files that cannot be read, LimitError, UsageError.
    """
    named = list(files) if files or given else [or_stdin(None, "a text")]
    refuse_two_stdins(grammar, *named)
    found = list(_given(given))
    problems: list[Problem] = []
    for file in named:
        try:
            source = _read(file, chomp=chomp)
        except FileError as error:
            problems += error.problems
            continue
        found += _lines(source) if lines else [source]
    if problems:
        raise FileError(*problems)
    return found


def _given(given: Sequence[str]) -> Iterator[Text]:
    """Texts of the command line; bytes that are no UTF-8 come as half surrogates (PEP 383)."""
    for number, text in enumerate(given, 1):
        data = text.encode("utf-8", "surrogateescape")
        name = f"--text {number}" if given[1:] else "--text"
        yield Text(data, Source(data.decode("utf-8", "replace"), name))


def _read(file: str, *, chomp: bool) -> Text:
    data = read_bytes(file)
    chomped = chomp and data.endswith(b"\n")
    if chomped:
        data = data[:-1].removesuffix(b"\r")
    source = Source(data.decode("utf-8", "replace"), shown_name(file))
    return Text(data, source, is_file=True, chomped=chomped)


def _lines(whole: Text) -> Iterator[Text]:
    """The lines of a file; behind the last line end there is none."""
    start = 0
    for number, line in enumerate(whole.data.removesuffix(b"\n").split(b"\n"), 1):
        text = line.removesuffix(b"\r")
        if whole.data:
            yield Text(text, whole.source, start, f"{whole.source.name}:{number}")
        start += len(line.decode("utf-8", "replace")) + 1


def matched(grammar: Grammar, text: Text, *, prefix: bool) -> Matched:
    """How a text fares; with `prefix` it need not be complete."""
    match = grammar.match(text.data, prefix=prefix)
    behind = grammar.start().accept(text.data[: match.position])
    return Matched(
        text=text,
        prefix=prefix,
        ok=match.ok,
        complete=behind.is_complete,
        position=match.position,
        character=match.character,
        expected=behind.expected(),
        rules=behind.rules(),
    )


def token_note(grammar: Grammar) -> Problem | None:
    """That a grammar asks for a token, which no text is; None if it asks for none."""
    reached = (grammar.rule[name] for name in reachable(grammar.rule, grammar.root))
    found = (item for rule in reached for item in items(rule.options))
    ref = next((item for item in found if isinstance(item, TokenRef)), None)
    if ref is None:
        return None
    message = f"`{item_text(ref)}` stands for a token of the model, which no text is"
    hint = "what comes behind it can be matched with --root and a rule of its own"
    return Problem("gbnf/token", message, grammar.source.span(ref.start, ref.end), hint)
