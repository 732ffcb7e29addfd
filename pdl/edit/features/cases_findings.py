"""The findings of `pdl lint` for a file of cases that need not be saved, nor its prompt."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.features.cases_prompt import root_of
from pdl.errors import PdlError
from pdl.prompt import load
from pdl.prompt.lint import Finding
from pdl.testing.lint import lint_read
from pdl.testing.reader import parse_cases
from pdl.testing.sections import SUFFIX, is_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from pdl.edit.document import Document
    from pdl.edit.workspace import Workspace
    from pdl.prompt import Prompt

    Read: TypeAlias = Callable[[Document], tuple[Prompt, tuple[Path, ...]]]


class _Kept(NamedTuple):
    """Findings, and what they depend on: texts, and what the workspace knows of other files."""

    root: Path | None
    refreshed: int
    documents: tuple[tuple[Path, Document | None], ...]
    findings: tuple[Finding, ...]


def _memory(_: Document) -> list[_Kept]:
    """What was found last in a document; nothing at first."""
    return []


def case_findings(workspace: Workspace, document: Document, read: Read) -> tuple[Finding, ...]:
    """Return the findings of a file of cases, as `pdl lint` has them.

    `read` returns the prompt of a document, as editors have it, and the files that this includes;
    it may raise PdlError. Paths in messages are relative to the folder of the cases.
    """
    memory, root = document.derive(_memory), root_of(workspace, document)
    for kept in memory:
        is_same = all(workspace.document(path) is one for path, one in kept.documents)
        if is_same and kept[:2] == (root, workspace.refreshed):
            return kept.findings
    seen: dict[Path, Document | None] = {}

    def prompt(path: Path) -> Prompt:
        found = seen[path] = workspace.document(path)
        if found is None or is_cases(path):
            return load(path)
        made, included = read(found)
        seen.update((one, workspace.document(one)) for one in included)
        return made

    assert document.path is not None
    try:
        cases = parse_cases(document.source, document.path, root=root, load=prompt)
        findings = lint_read(cases)
    except PdlError as error:
        findings = tuple(map(Finding, error.problems))
    folder = f"{document.path.parent}{os.sep}"
    found = tuple(_relative(one, folder) for one in findings)
    memory[:] = [_Kept(root, workspace.refreshed, tuple(seen.items()), found)]
    return found


def _relative(finding: Finding, folder: str) -> Finding:
    problem = finding.problem
    if folder not in problem.message:
        return finding
    return replace(finding, problem=replace(problem, message=problem.message.replace(folder, "")))


def prompts_named(document: Document) -> Iterator[Path]:
    """Yield the prompt that a file of cases is of, and those of its judges."""
    path = document.path
    if path is None or document.sections is None:
        return
    yield path.with_name(path.name.removesuffix(SUFFIX) + ".pdl")
    for one in document.sections.all:
        if one.name == "judge" and (words := document.text[slice(*one.argument)].split()):
            yield path.parent / words[0]


def files_named(document: Document) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the files that the sections of a file of cases name (`@FILE`), and where."""
    for one in document.sections.all if document.sections is not None else ():
        argument = document.text[slice(*one.argument)]
        if argument.startswith("@"):
            yield argument[1:].strip(), one.argument
