"""Results as text and as JSON, and the stream or file that they are written to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.files import STDIN
from pdl.cli.terminal import Terminal
from pdl.errors import unwritable
from pdl.schema.json_values import json_document, json_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.cli.terminal import Style
    from pdl.errors import PdlError, Problem
    from pdl.reply import Check
    from pdl.schema import Schema

__all__ = [
    "Output",
    "failure_json",
    "json_document",
    "json_line",
    "problem_fields",
    "value_text",
    "workflow_command",
]


@dataclass(frozen=True)
class Output:
    """Standard output, or a file that is written once the result is known."""

    file: str | None = None

    @property
    def terminal(self) -> Terminal:
        """What a report is styled for: a file gets no color."""
        return Terminal(None, is_tty=False, has_color=False) if self._path else Terminal.stdout()

    @property
    def _path(self) -> Path | None:
        return Path(self.file) if self.file is not None and self.file != STDIN else None

    def refuse_inputs(self, files: Iterable[Path]) -> None:
        """Raise UsageError if what is written would take the place of one of the files."""
        if self._path is None or not self._path.exists():
            return
        target = self._path.resolve()
        if any(target == file.resolve() for file in files):
            message = f"--out {self.file} would overwrite a file that this command reads"
            raise click.UsageError(message)

    def write(self, text: str) -> None:
        """Write data and a newline; a terminal gets no control characters. Raises FileError."""
        self.write_report(self.terminal.safe(text))

    def write_result(self, text: str, form: str, fields: Mapping[str, Any]) -> None:
        """Write text, or in JSON an object of `ok`, which is true, and the fields."""
        self.write(json_document({"ok": True, **fields}) if form == "json" else text)

    def write_report(self, text: str) -> None:
        """Write text that was styled for `terminal`, and a newline. Raises FileError."""
        if self._path is None:
            Terminal.stdout().write(text)
            return
        try:
            with self._path.open("w", encoding="utf-8", newline="") as stream:
                Terminal.of(stream).write(text)
        except OSError as error:
            raise unwritable(str(self.file), error) from error


def failure_json(error: PdlError, **fields: Any) -> str:
    """Return an error as an object: ok, which is false, problems, and the fields."""
    problems = list(map(problem_fields, error.problems))
    return json_document({"ok": False, **fields, "problems": problems})


def problem_fields(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON: path, line, column, end_column, code, message, hint.

    Columns start at 1, and `end_column` is after the last character, on the same line. Without a
    position they are null.
    """
    place = problem.location
    path = line = column = end_column = None
    if place is not None:
        path, line, column = place.source.name, place.line, place.column
        length = min(place.end - place.start, len(place.source.line(line)) - column + 1)
        end_column = column + max(length, 1)
    return {
        "path": path,
        "line": line,
        "column": column,
        "end_column": end_column,
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint,
    }


def workflow_command(level: Style, properties: Mapping[str, Any], message: str) -> str:
    """Return a command that GitHub Actions reads; properties that are None are left out.

    `level` is error, warning, or note, which is a notice there.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    listed = ",".join(
        f"{name}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
        if value is not None
    )
    command = "notice" if level == "note" else level
    return f"::{command} {listed}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value_text(schema: Schema | None, check: Check) -> str:
    """Return a value for shells: strings as they are, yes or no, everything else as JSON."""
    form = schema.form if schema is not None else "text"
    if form == "yesno":
        return "yes" if check.data else "no"
    if form == "tasklist" and not isinstance(check.data, str):
        return "\n".join(map(str, check.data))
    is_plain = isinstance(check.data, str) and form != "json"
    return check.data if is_plain else json_line(check.data)
