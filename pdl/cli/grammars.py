"""What the commands of `pdl gbnf` share: the grammar, the form of what they say, where it goes."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.exits import USAGE
from pdl.cli.options import FILE
from pdl.cli.reports.json_text import failure_json
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.cli.texts import STDIN, read_text, unwritable
from pdl.errors import PdlError
from pdl.gbnf import TARGETS, parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf import Grammar

    Function = Callable[..., None]


class GrammarCommand(TaughtCommand):
    """A command whose `--format json` holds for errors as well: `ok` (false) and `problems`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PdlError as error:
            if ctx.params.get("form") != "json":
                raise
            Screen.stdout().write(failure_json(error))
            raise click.exceptions.Exit(USAGE) from error


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


@dataclass(frozen=True)
class Output:
    """The standard output, or a file that is written when the result is there."""

    file: str | None = None

    def write(self, text: str) -> None:
        """Write a text and a newline. Raises FileError if that fails."""
        if self.file is None or self.file == STDIN:
            screen = Screen.stdout()
            screen.write(screen.safe(text))
            return
        try:
            with Path(self.file).open("w", encoding="utf-8", newline="") as stream:
                Screen.of(stream).write(text)
        except OSError as error:
            raise unwritable(self.file, error) from error


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


def format_option(json: str) -> Callable[[Function], Function]:
    """`--format`, which a function takes as `form`; `json` tells what that form holds."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help=f"text: to read. json: {json} If the grammar is wrong, an object with ok (false) and"
        " problems: path, line, column, end_column, code, message, hint.",
    )


def out_option(function: Function) -> Function:
    """`--out`, which a function takes as `output`."""

    @functools.wraps(function)
    def bundled(out: str | None, **others: Any) -> None:
        function(output=Output(out), **others)

    return click.option(
        "-o",
        "--out",
        type=FILE,
        metavar="FILE",
        help="Write to FILE, not to the standard output; what it held is gone.",
    )(bundled)


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
