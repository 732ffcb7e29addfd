"""Where text goes: a terminal gets colour and no control characters, a file all as it is."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TextIO

import click

from pdl.cli.texts import unwritable
from pdl.errors import SHOWN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from pdl.errors import PdlError, Problem

Style = Literal["strong", "error", "warning", "note", "hint"]

_STYLES: dict[Style, dict[str, str | bool]] = {
    "strong": {"bold": True},
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "blue", "bold": True},
    "hint": {"fg": "cyan"},
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""C0 and C1, and what turns the direction of the text behind it (UAX #9)."""


@dataclass(frozen=True)
class Screen:
    """A stream that text is written to, always as UTF-8."""

    stream: TextIO | None
    terminal: bool
    colour: bool
    for_results: bool = False

    @classmethod
    def stdout(cls) -> Self:
        """The standard output, for results."""
        return replace(cls.of(sys.stdout), for_results=True)

    @classmethod
    def stderr(cls) -> Self:
        """The standard error, for what is said about results."""
        return cls.of(sys.stderr)

    @classmethod
    def of(cls, stream: TextIO | None) -> Self:
        """A stream; it is None if the shell closed it (`>&-`)."""
        terminal = stream is not None and stream.isatty()
        # https://no-color.org, https://force-color.org: any value but an empty one counts.
        plain = bool(os.environ.get("NO_COLOR"))
        forced = bool(os.environ.get("FORCE_COLOR"))
        able = terminal and os.environ.get("TERM") != "dumb"
        return cls(stream, terminal, (able or forced) and not plain)

    def style(self, text: str, style: Style) -> str:
        """The text in colour, if this is a place for colour."""
        if not self.colour:
            return text
        chosen = _STYLES[style]
        return click.style(text, fg=chosen.get("fg"), bold=bool(chosen.get("bold")) or None)

    def safe(self, text: str) -> str:
        """Data that may be shown: a model's words must not steer the terminal that shows them."""
        return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text) if self.terminal else text

    def write(self, text: str) -> None:
        """Write a text and a newline.

        As bytes, since click removes escape sequences from text that goes to a file, and the
        encoding of the locale may not know each character. A lone surrogate is written as an
        escape. Where there is no stream, results are an error, and other words are lost.
        """
        if self.stream is None:
            if self.for_results:
                raise unwritable("<stdout>", OSError("it is closed"))
            return
        try:
            click.echo(text.encode("utf-8", "backslashreplace"), file=self.stream)
        except BrokenPipeError:
            raise  # the reader has enough; click ends the command in silence
        except OSError as error:
            raise unwritable(getattr(self.stream, "name", "output"), error) from error

    def write_error(self, error: PdlError) -> None:
        """Write an error as `str(error)` has it, in colour where there is colour."""
        if not self.colour:
            self.write(self.safe(str(error)))
            return
        lines = [self.problem(problem) for problem in error.problems[:SHOWN]]
        if len(lines) > 1:
            lines.append(error.count)
        self.write("\n".join(lines))

    def problem(
        self, problem: Problem, label: str = "", notes: Sequence[tuple[str, str]] = ()
    ) -> str:
        """A problem as `str(problem)` has it, with a word such as `error: ` before its message.

        `notes` stand above the hint, each with a word such as `why` in front.
        """
        place = problem.location
        where = f"{self.style(self.safe(str(place)), 'strong')}: " if place else ""
        lines = [f"{where}{label}{self.safe(problem.message)}"]
        if place:
            excerpt, caret_line = place.excerpt().rsplit("\n", 1)
            margin, caret, more = caret_line.partition("^")
            lines += [self.safe(excerpt), f"{margin}{self.style(caret + more, 'error')}"]
        hints = [("hint", problem.hint)] if problem.hint else []
        for name, text in [*notes, *hints]:
            lines.append(f"  {self.style(f'{name}:', 'hint')} {self.safe(text)}")
        return "\n".join(lines)
