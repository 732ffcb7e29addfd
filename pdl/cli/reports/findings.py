"""What a lint found: for people, for programs, for GitHub's annotations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pdl.cli.reports.json_text import json_document, problem_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdl.cli.screen import Screen
    from pdl.errors import Problem


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
