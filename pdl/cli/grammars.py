"""What the commands of `pdl gbnf` share: the grammar, and which llama.cpp is to take it."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.options import FILE
from pdl.cli.texts import STDIN, read_text
from pdl.gbnf import TARGETS, parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf import Grammar

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
