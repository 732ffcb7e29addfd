"""What the lints of all kinds of files share: their options, their files, how findings are told.

Files are named one by one, or by the folders that hold them. Findings are told for people, for
programs (JSON), and for GitHub's annotations.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, Protocol

import click

from pdl.cli.exits import BAD
from pdl.cli.output import FAILURES, out_option
from pdl.cli.reports.json_text import json_document, problem_fields
from pdl.cli.screen import Screen
from pdl.cli.texts import unreadable
from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdl.cli.output import Output


def files_below(paths: Sequence[str], suffix: str, exclude: Sequence[str] = ()) -> list[str]:
    """The files that the paths mean, each once; of folders those that end in `suffix`.

    Hidden folders are passed over, and what has a path, or is in a folder that has one, whose end
    matches one of the globs `exclude`. Raises FileError that names all paths which lead to no file,
    and for globs that leave no file.
    """
    problems = [problem for path in paths if (problem := _missing(path, suffix)) is not None]
    if problems:
        raise FileError(*problems)
    files = dict.fromkeys(file for path in paths for file in _files(path, suffix))
    left = [file for file in files if not _matches(file, exclude)]
    if not left:
        raise FileError(Problem("file/none", f"{', '.join(exclude)}: this excludes all files"))
    return left


def _matches(file: str, globs: Sequence[str]) -> bool:
    path = PurePath(file)
    return any(one.match(glob) for glob in globs for one in (path, *path.parents))


def _missing(path: str, suffix: str) -> Problem | None:
    if not Path(path).exists():
        return Problem("file/unreadable", f"{path}: there is no such file or folder")
    if next(_files(path, suffix), None) is None:
        return Problem("file/none", f"{path}: there is no {suffix} file in this folder")
    return None


def _files(path: str, suffix: str) -> Iterator[str]:
    if not Path(path).is_dir():
        yield str(Path(path))
        return
    for folder, inner, names in os.walk(path, onerror=_raise_unreadable):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        files = (Path(folder, name) for name in sorted(names) if name.endswith(suffix))
        yield from (str(file) for file in files if not file.is_fifo())  # it might never end


def _raise_unreadable(error: OSError) -> None:
    # Skipped in silence, a folder's files would pass.
    raise unreadable(str(error.filename), error)


class Finding(Protocol):
    """What the lints of all kinds of files find; that of grammars also says `why` it matters."""

    @property
    def problem(self) -> Problem:
        """What is wrong, and where."""

    @property
    def severity(self) -> Literal["error", "warning", "note"]:
        """How bad it is."""


_GITHUB_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def findings_text(findings: Sequence[Finding], screen: Screen) -> str:
    """Each finding with its line, carets, reason and hint."""
    return "\n".join(
        screen.problem(
            finding.problem,
            f"{screen.style(f'{finding.severity}:', finding.severity)} ",
            [("why", why)] if (why := _why(finding)) else [],
        )
        for finding in findings
    )


def _why(finding: Finding) -> str:
    why: str = getattr(finding, "why", "")
    return why


def findings_json(findings: Sequence[Finding], screen: Screen) -> str:  # noqa: ARG001  (REPORTS)
    """A list of objects."""
    return json_document([_fields(finding) for finding in findings])


def _fields(finding: Finding) -> dict[str, Any]:
    fields = {**problem_fields(finding.problem), "severity": finding.severity}
    return {**fields, "why": _why(finding)} if hasattr(finding, "why") else fields


def findings_github(findings: Sequence[Finding], screen: Screen) -> str:  # noqa: ARG001  (REPORTS)
    """Workflow commands, which GitHub Actions turns into annotations of a pull request.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    return "\n".join(map(_command, findings))


def _command(finding: Finding) -> str:
    fields = problem_fields(finding.problem)
    properties = {
        "file": fields["path"],
        "line": fields["line"],
        "col": fields["column"],
        "endColumn": fields["end_column"],
        "title": f"pdl: {fields['code']}",
    }
    listed = ",".join(
        f"{name}={_escaped_property(str(value))}"
        for name, value in properties.items()
        if value is not None
    )
    message = "\n".join(filter(None, (fields["message"], _why(finding), fields["hint"])))
    return f"::{_GITHUB_LEVELS[finding.severity]} {listed}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


REPORTS: dict[str, Callable[[Sequence[Finding], Screen], str]] = {
    "text": findings_text,
    "json": findings_json,
    "github": findings_github,
}


def summary(findings: Sequence[Finding], files: int) -> str:
    """One line that counts: `3 files: 1 error, 2 warnings`."""
    counts = Counter(finding.severity for finding in findings)
    kinds = [_counted(counts[kind], kind) for kind in ("error", "warning", "note") if counts[kind]]
    return f"{_counted(files, 'file')}: {', '.join(kinds) or 'nothing found'}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def findings_options(fields: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--format`, `--out` and `--strict`, taken as `form`, `output` and `strict`.

    `fields` are more ones of JSON.
    """

    def options(function: Callable[..., Any]) -> Callable[..., Any]:
        return _format(fields)(_STRICT(out_option(function)))

    return options


def _format(fields: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--format",
        "form",
        type=click.Choice(list(REPORTS)),
        default="text",
        show_default=True,
        help="text: to read. json: a list of objects with path, line, column, end_column, code,"
        f" message, hint, severity{fields}. {FAILURES} github: annotations of a pull request.",
    )


_STRICT = click.option("--strict", is_flag=True, help="Exit with 1 for warnings as well.")


def report_findings(
    findings: Sequence[Finding], files: int, output: Output, form: str, *, strict: bool
) -> None:
    """Write the findings, and a line that counts them. Raises Exit if there are bad ones."""
    text = REPORTS[form](findings, output.screen)
    if text or output.file is not None:
        output.write_report(text)
    Screen.stderr().write(summary(findings, files))
    bad = {"error", "warning"} if strict else {"error"}
    if any(finding.severity in bad for finding in findings):
        raise click.exceptions.Exit(BAD)
