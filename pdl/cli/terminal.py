"""How a command talks to its shell: streams, colors, exit codes, and Ctrl-C (SIGINT)."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TextIO

import click

from pdl.errors import SHOWN, unwritable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from pdl.errors import PdlError, Problem
    from pdl.source import Span

INVALID: Final = 1
"""The command did its work, and what it looked at is invalid: a reply, a linted file."""

FAILED: Final = 2
"""The command could not do its work: a wrong option, an unreadable file, an invalid prompt."""

UNREACHABLE: Final = 3
"""The model could not be asked: its server fails, does not exist, or refuses the request."""

TOOL_CALLS: Final = 4
"""The model requested tool calls, which a command cannot make; the calls are the result."""

INTERRUPTED: Final = 130
"""Ctrl-C was pressed: 128 plus the number of that signal, as shells report it."""

Style = Literal["strong", "error", "warning", "note", "hint", "removed", "inserted"]

_STYLES: dict[Style, dict[str, str | bool]] = {
    "strong": {"bold": True},
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "note": {"fg": "blue", "bold": True},
    "hint": {"fg": "cyan"},
    "removed": {"fg": "red"},
    "inserted": {"fg": "green"},
}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 controls, and characters that change the direction of the text after them (UAX #9)."""


def visible(text: str) -> str:
    """Return text of others without what would control a terminal, whoever shows it at last."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def visible_line(text: str) -> str:
    """Return visible text on one line: a name must not begin one that CI reads."""
    return visible(text.replace("\r", "\\r").replace("\n", "\\n"))


@dataclass(frozen=True)
class Terminal:
    """An output stream, always written as UTF-8.

    A terminal gets color and no control characters; a file gets everything as it is.
    """

    stream: TextIO | None
    is_tty: bool
    has_color: bool
    for_results: bool = False

    @classmethod
    def stdout(cls) -> Self:
        """Standard output, for results."""
        return replace(cls.of(sys.stdout), for_results=True)

    @classmethod
    def stderr(cls) -> Self:
        """Standard error, for messages about results."""
        return cls.of(sys.stderr)

    @classmethod
    def of(cls, stream: TextIO | None) -> Self:
        """A stream; None is one that the shell closed (`>&-`)."""
        is_tty = stream is not None and stream.isatty()
        # https://no-color.org, https://force-color.org: any value but an empty one counts.
        plain = bool(os.environ.get("NO_COLOR"))
        forced = bool(os.environ.get("FORCE_COLOR"))
        able = is_tty and os.environ.get("TERM") != "dumb"
        return cls(stream, is_tty, (able or forced) and not plain)

    def style(self, text: str, style: Style) -> str:
        """Return text in color, if the stream takes color."""
        if not self.has_color:
            return text
        chosen = _STYLES[style]
        return click.style(text, fg=chosen.get("fg"), bold=bool(chosen.get("bold")) or None)

    def safe(self, text: str) -> str:
        """Return data without what would control the terminal that shows it."""
        return visible(text) if self.is_tty else text

    def write(self, text: str) -> None:
        """Write text and a newline.

        As bytes, since click removes escape sequences from text that goes to a file, and the
        locale's encoding may lack characters. A lone surrogate is written as an escape. Without a
        stream, writing results is an error, and other messages are lost.
        """
        if self.stream is None:
            if self.for_results:
                raise unwritable("<stdout>", OSError("it is closed"))
            return
        try:
            click.echo(text.encode("utf-8", "backslashreplace"), file=self.stream)
        except BrokenPipeError:  # the reader of the results has enough; other messages are lost
            if self.for_results:
                raise click.exceptions.Exit(0) from None
        except OSError as error:
            raise unwritable(getattr(self.stream, "name", "output"), error) from error

    def write_error(self, error: PdlError) -> None:
        """Write an error as `str(error)` has it, in color if the stream takes color."""
        lines = [self.problem(problem) for problem in error.problems[:SHOWN]]
        if len(lines) > 1:
            lines.append(error.count)
        self.write("\n".join(lines))

    def problem(
        self,
        problem: Problem,
        severity: Style | None = None,
        notes: Sequence[tuple[str, str]] = (),
        label: str = "",
    ) -> str:
        """Return a problem as `str(problem)` has it, with a label such as `error:`.

        The label is by default the severity. `notes` come before the hint, each after its name.
        """
        place = problem.location
        where = f"{self.style(visible_line(str(place)), 'strong')}: " if place else ""
        said = f"{self.style(f'{label or severity}:', severity)} " if severity else ""
        lines = [f"{where}{said}{visible(problem.message)}"]
        if place:
            lines += self.excerpt(place)
        hints = [("hint", problem.hint)] if problem.hint else []
        for name, text in [*notes, *hints]:
            lines.append(f"  {self.style(f'{name}:', 'hint')} {visible(text)}")
        return "\n".join(lines)

    def excerpt(self, place: Span) -> list[str]:
        """Return the line of a span, and the line with carets under it."""
        excerpt, caret_line = place.excerpt().rsplit("\n", 1)
        margin, caret, more = caret_line.partition("^")
        return [visible(excerpt), f"{margin}{self.style(caret + more, 'error')}"]
