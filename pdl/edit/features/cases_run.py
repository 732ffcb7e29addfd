"""Running one case of a text that need not be saved, with its replies on record and no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from pdl.edit.features.cases_prompt import prompt_of, root_of
from pdl.edit.features.preview import load
from pdl.errors import PdlError
from pdl.testing.reader import parse_cases
from pdl.testing.running import run_case

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.edit.workspace import Workspace
    from pdl.errors import Problem
    from pdl.testing.outcome import Outcome

_MOST = 5  # failures that are told


class Tested(NamedTuple):
    """What came of a case, in one word and in a few lines; `error` says why it could not be run."""

    status: Literal["passed", "failed", "skipped", ""]
    text: str = ""
    error: str = ""


def run(workspace: Workspace, document: Document, name: str) -> Tested:
    """Run the case of a name, of a text and of a prompt as an editor has them."""
    if document.path is None or document.sections is None:
        return Tested("", error="this is not a file of cases")
    root = root_of(workspace, document)
    read = parse_cases(document.source, workspace.canonical(document.path), root=root)
    case = next((one for one in read.cases if one.name == name), None)
    if case is None:
        return Tested("", error=f"there is no case `{name}`")
    prompt = prompt_of(workspace, document)
    try:
        loaded = load(workspace, prompt) if prompt is not None else None
    except PdlError as error:
        return Tested("", error=str(error))
    return _told(document, run_case(case, prompt=loaded))


def _told(document: Document, outcome: Outcome) -> Tested:
    """An outcome in words."""
    lines = [f"`{outcome.case.name}` {outcome.status}"]
    if outcome.skipped and not outcome.failures:
        lines[0] += f": {outcome.skipped}"
    for failure in outcome.failures[:_MOST]:
        lines += _words(document, failure.problem)
    if len(outcome.failures) > _MOST:
        lines.append(f"and {len(outcome.failures) - _MOST} more")
    return Tested(outcome.status, "\n".join([*lines, *outcome.notes]))


def _words(document: Document, problem: Problem) -> list[str]:
    """A problem with its line."""
    span = problem.location
    where = ""
    if span is not None:
        is_here = span.source.name == document.source.name
        where = f"line {span.line}: " if is_here else f"{span.source.name}:{span.line}: "
    return [where + problem.message, *([problem.hint] if problem.hint else [])]
