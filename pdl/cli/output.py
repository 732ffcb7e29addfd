"""In which form a command says what it found, and where it writes it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.options import FILE
from pdl.cli.screen import Screen
from pdl.cli.teaching import AS_JSON
from pdl.cli.texts import STDIN, unwritable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.cli.options import Function


@dataclass(frozen=True)
class Output:
    """The standard output, or a file that is written when the result is there."""

    file: str | None = None

    @property
    def screen(self) -> Screen:
        """How a text for it is styled: a file gets no colours."""
        return Screen(None, terminal=False, colour=False) if self._path else Screen.stdout()

    @property
    def _path(self) -> Path | None:
        return Path(self.file) if self.file is not None and self.file != STDIN else None

    def write(self, text: str) -> None:
        """Write data and a newline; to a terminal without control characters of it.

        Raises FileError if that fails.
        """
        self.write_report(self.screen.safe(text))

    def write_report(self, text: str) -> None:
        """Write a text that was made for `screen`, and a newline. Raises what `write` raises."""
        if self._path is None:
            Screen.stdout().write(text)
            return
        try:
            with self._path.open("w", encoding="utf-8", newline="") as stream:
                Screen.of(stream).write(text)
        except OSError as error:
            raise unwritable(str(self.file), error) from error


def out_option(function: Function) -> Function:
    """`--out`, which a function takes as `output`."""

    @functools.wraps(function)
    def bundled(out: str | None, **others: Any) -> None:
        function(output=Output(out), **others)

    return click.option(
        "--out",
        "-o",
        type=FILE,
        metavar="FILE",
        help="Write to FILE, not to the standard output; what it held is gone.",
    )(bundled)


def format_option(json: str, *, has_alias: bool = False) -> Callable[[Function], Function]:
    """`--format`, which a function takes as `form`; `json` tells what that form holds.

    `has_alias` is whether `--json`, as the option was called before, is still taken.
    """
    option = click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help=f"text: to read. json: {json} {FAILURES}",
    )
    return (lambda function: option(_json_alias(function))) if has_alias else option


def _json_alias(function: Function) -> Function:
    @functools.wraps(function)
    def bundled(*, form: str, as_json: bool, **others: Any) -> None:
        function(form="json" if as_json else form, **others)

    return click.option("--json", AS_JSON, is_flag=True, hidden=True)(bundled)


FAILURES = (
    "If the command fails, an object with ok (false) and problems: path, line, column, end_column,"
    " code, message, hint."
)
"""What `--format json` holds if an error of pdl ends the command."""
