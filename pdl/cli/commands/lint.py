"""`pdl lint` and `pdl gbnf lint`: their files, and findings for people, programs, and GitHub."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pdl._types import CASES_SUFFIX
from pdl.cli.files import STDIN, file_or_stdin, files_below, read_text
from pdl.cli.grammars import ROOT as ROOT_RULE
from pdl.cli.grammars import TARGET
from pdl.cli.help import Command
from pdl.cli.inputs import check_root, importing
from pdl.cli.options import EXCLUDE, ROOT, TYPES, combine, formats_option, out_option
from pdl.cli.output import json_document, problem_fields, workflow_command
from pdl.cli.terminal import INVALID, Terminal
from pdl.errors import FileError, LimitError, count

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from typing import TypeAlias

    from pdl.cli.output import Output
    from pdl.gbnf import Finding as GrammarFinding
    from pdl.prompt import Prompt
    from pdl.prompt.lint import Finding as PromptFinding

    Finding: TypeAlias = GrammarFinding | PromptFinding


def _text(findings: Sequence[Finding], terminal: Terminal) -> str:
    return "\n".join(
        terminal.problem(
            finding.problem,
            finding.severity,
            [("why", why)] if (why := getattr(finding, "why", "")) else [],
        )
        for finding in findings
    )


def _json(findings: Sequence[Finding], terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    return json_document([_fields(finding) for finding in findings])


def _fields(finding: Finding) -> dict[str, Any]:
    why = {"why": finding.why} if hasattr(finding, "why") else {}
    return {**problem_fields(finding.problem), "severity": finding.severity, **why}


def _github(findings: Sequence[Finding], terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    """Workflow commands, which GitHub Actions turns into annotations of a pull request."""
    return "\n".join(map(_workflow_command, findings))


def _workflow_command(finding: Finding) -> str:
    fields = _fields(finding)
    properties = {
        "file": fields["path"],
        "line": fields["line"],
        "col": fields["column"],
        "endColumn": fields["end_column"],
        "title": f"pdl: {fields['code']}",
    }
    message = "\n".join(filter(None, (fields["message"], fields.get("why"), fields["hint"])))
    return workflow_command(finding.severity, properties, message)


FORMATS: dict[str, Callable[[Sequence[Finding], Terminal], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
}


def summary(findings: Sequence[Finding], files: int) -> str:
    """Return the counts on one line: `3 files: 1 error, 2 warnings`."""
    counts = Counter(finding.severity for finding in findings)
    kinds = [count(counts[kind], kind) for kind in ("error", "warning", "note") if counts[kind]]
    return f"{count(files, 'file')}: {', '.join(kinds) or 'no findings'}"


_options = combine(
    formats_option(
        FORMATS,
        "text to read, JSON with the fields below, or annotations of a GitHub pull request.",
    ),
    click.option("--strict", is_flag=True, help="Exit with 1 for warnings too."),
    out_option,
)
_FIELDS = {
    "path, line, column, end_column": "The position, or nulls.",
    "code, message, hint": "The mistake, and how to fix it.",
    "severity": "error, warning, or note.",
}
_EXIT_CODES = {
    0: "No errors.",
    1: "There are errors, or warnings with --strict.",
    2: "A path does not exist, or an option is invalid.",
}


def _report(
    findings: Sequence[Finding], files: int, output: Output, form: str, *, strict: bool
) -> None:
    """Write the findings, and their counts to standard error. Raises Exit if any is bad."""
    text = FORMATS[form](findings, output.terminal)
    if text or output.file is not None:
        output.write_report(text)
    Terminal.stderr().write(summary(findings, files))
    bad = {"error", "warning"} if strict else {"error"}
    if any(finding.severity in bad for finding in findings):
        raise click.exceptions.Exit(INVALID)


@click.command(
    "lint",
    cls=Command,
    fields={"[]": "A list of objects with:", **_FIELDS},
    exit_codes=_EXIT_CODES,
    examples=(
        ("all prompts in a directory", "pdl lint prompts/"),
        ("except for some", "pdl lint prompts/ --exclude drafts --exclude '*-old.pdl'"),
        ("with parts that all of them include", "pdl lint prompts/ --root prompts"),
        ("annotations in GitHub Actions", "pdl lint prompts/ --format github"),
        ("only the codes", "pdl lint prompts/ --format json | jq -r '.[].code' | sort | uniq -c"),
    ),
    short_help="Find mistakes in prompt files.",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FILE|DIR...")
@EXCLUDE
@ROOT
@TYPES
@_options
def command(  # noqa: PLR0913  (each is an option)
    *,
    paths: tuple[str, ...],
    exclude: tuple[str, ...],
    root: str | None,
    types: bool,
    output: Output,
    form: str,
    strict: bool,
) -> None:
    """Find mistakes in prompt files, without values and without a model.

    Searches directories recursively for *.pdl files, skipping hidden files and directories. Files
    of cases, NAME.tests.pdl, are compared with the prompt beside them; nothing is run. A file
    that another one includes, imports, or extends, or whose name begins with `_`, is part of a
    prompt and needs no turn of its own; the paths in it are relative to that prompt. Findings go
    to standard output, and their counts to standard error.
    """
    check_root(root)
    files = files_below(paths, ".pdl", exclude, cases=True)
    prompts = [file for file in files if not file.endswith(CASES_SUFFIX)]
    with importing(types):
        findings = _prompt_findings(prompts, root, types=types)
        for file in files:
            if file.endswith(CASES_SUFFIX):
                findings += _case_findings(file, root, types=types)
    _report(findings, len(files), output, form, strict=strict)


def parts_of(files: Sequence[str], root: str | None) -> set[str]:
    """Return the files that are parts of prompts: others include them, or they begin with `_`."""
    from pdl.prompt.includes import part_folders  # noqa: PLC0415 - grammars need no Jinja

    parts = part_folders(files, root)
    return {file for file in files if _is_part(file, parts)}


def _is_part(file: str, parts: Container[Path]) -> bool:
    return Path(file).name.startswith("_") or Path(file).resolve() in parts


def prompts_of(files: Sequence[str], paths: Sequence[str], root: str | None) -> list[str]:
    """Return the files without parts of prompts, except for those that are among the paths."""
    named = {str(Path(path)) for path in paths}
    parts = parts_of(files, root) - named
    return [file for file in files if file not in parts]


def _prompt_findings(files: Sequence[str], root: str | None, *, types: bool) -> list[PromptFinding]:
    """The findings of all files, each once: one in a part is found in all that include it.

    The names in a part are relative to the folders of the prompts that include it.
    """
    from pdl.prompt.includes import part_folders  # noqa: PLC0415 - grammars need no Jinja
    from pdl.prompt.lint import lint_file  # noqa: PLC0415 - grammars need no Jinja

    parts = part_folders(files, root)
    found: dict[tuple[str, str, str], PromptFinding] = {}
    for file in files:
        is_part = _is_part(file, parts)
        for folder in parts.get(Path(file).resolve(), [root]):
            for finding in lint_file(file, media_root=folder, partial=is_part, types=types):
                problem = finding.problem
                place = str(problem.location or file)
                found.setdefault((place, problem.code, problem.message), finding)
    return list(found.values())


def _case_findings(file: str, root: str | None, *, types: bool) -> tuple[PromptFinding, ...]:
    """The findings of a file of cases, whose prompts are read as those that are linted."""
    from pdl.prompt import load  # noqa: PLC0415 - grammars need no Jinja
    from pdl.testing.lint import lint_cases  # noqa: PLC0415 - nor these
    from pdl.testing.reader import root_of  # noqa: PLC0415 - nor these

    def prompt(path: Path) -> Prompt:
        return load(path, media_root=root, types=types)

    return lint_cases(file, root=root_of(Path(file), Path()), load=prompt)


@click.command(
    "lint",
    cls=Command,
    fields={"[]": "A list of objects with:", **_FIELDS, "why": "Why it matters."},
    exit_codes=_EXIT_CODES,
    examples=(
        ("all grammars in a directory", "pdl gbnf lint grammars/"),
        ("one whose strings are read as JSON", "pdl gbnf lint reply.gbnf --must-be-json"),
        ("for an older llama.cpp", "pdl gbnf lint reply.gbnf --target 2025-11"),
        ("annotations in GitHub Actions", "pdl gbnf lint grammars/ --format github --strict"),
        (
            "only the codes",
            "pdl gbnf lint a.gbnf --format json | jq -r '.[].code' | sort | uniq -c",
        ),
    ),
    short_help="Find mistakes, and what makes a grammar slow.",
)
@click.argument("paths", nargs=-1, type=click.Path(allow_dash=True), metavar="[FILE|DIR]...")
@ROOT_RULE
@TARGET
@click.option(
    "--must-be-json",
    is_flag=True,
    help="Also find strings that the grammar matches and no JSON parser accepts.",
)
@_options
def grammars_command(  # noqa: PLR0913  (each is an option)
    *,
    paths: tuple[str, ...],
    root: str,
    target: str,
    must_be_json: bool,
    output: Output,
    form: str,
    strict: bool,
) -> None:
    """Find mistakes in grammars, and what makes them slow.

    Searches directories recursively for *.gbnf files, skipping hidden files and directories.
    Without paths, or for `-`, reads standard input. Findings go to standard output, and their
    counts to standard error. Errors are what llama.cpp refuses, hangs on, or crashes on, and
    grammars that match nothing. Warnings are slow or misleading rules. Notes are worth a look.
    """
    files = _grammar_files(paths)
    findings = [
        finding
        for file in files
        for finding in _grammar_findings(file, root=root, target=target, json=must_be_json)
    ]
    _report(findings, len(files), output, form, strict=strict)


def _grammar_files(paths: Sequence[str]) -> list[str]:
    named = [path for path in paths if path != STDIN]
    if len(named) < len(paths) or not paths:
        return [file_or_stdin(STDIN if paths else None), *files_below(named, ".gbnf")]
    return files_below(named, ".gbnf")


def _grammar_findings(
    file: str, *, root: str, target: str, json: bool
) -> tuple[GrammarFinding, ...]:
    from pdl.gbnf import Finding, lint  # noqa: PLC0415 - prompts need no grammars

    try:
        source = read_text(file, keep_mark=True)
    except (FileError, LimitError) as error:
        return tuple(map(Finding, error.problems))
    return lint(source, root=root, target=target, json=json)
