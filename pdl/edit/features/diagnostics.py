"""The findings of `pdl lint` for documents that need not be saved, each in the file it is about.

A file that others include shows what its includers find in it, too. A finding stays until the text
of its prompt, or of a file that the prompt includes, is another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pdl.edit.document import Document, Location, Range
from pdl.edit.features.cases_findings import case_findings, files_named
from pdl.edit.workspace import SUFFIX, is_file
from pdl.prompt.lint import Finding, OpenFolder, lint_text
from pdl.prompt.prompt import in_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.edit.workspace import Include, Workspace
    from pdl.prompt import Prompt
    from pdl.source import Span

_WORD = re.compile(r"[^\W\d]\w*")
_INCLUDERS = 50  # prompts that a file is checked in
_BASES = 3  # folders that the names in a file are looked for in


@dataclass(frozen=True)
class Diagnostic:
    """A finding in a document: `related` are the places that explain it.

    `is_unnecessary` says that the range could be removed. `file` is the one that the finding is
    about, where that is another: no change of the range mends it.
    """

    code: str
    message: str
    hint: str
    severity: Literal["error", "warning", "note"]
    range: Range
    related: tuple[tuple[Location, str], ...] = ()
    is_unnecessary: bool = False
    file: Path | None = None


def diagnostics(workspace: Workspace, document: Document) -> list[Diagnostic]:
    """Return what is wrong in a document, in its order, each once.

    A document that is open has what is wrong in the files that it names and that are not open, too:
    where it names them.
    """
    found = [
        one
        for main in _mains(workspace, document)
        for finding in _findings(workspace, main)
        for one in _shown(workspace, document, main, finding)
    ]
    return sorted(dict.fromkeys(found), key=lambda one: one.range)


def _mains(workspace: Workspace, document: Document) -> Iterator[Document]:
    """The document, if it is a prompt or open, and those that include it, however indirectly."""
    if document.path is None:
        yield document
        return
    if document.path.name.endswith(SUFFIX) or workspace.is_open(document.path):
        yield document
    includers = workspace.graph().includers
    left = [workspace.canonical(document.path)]
    seen = set(left)
    for path in left:
        for one in includers.get(path, ()):
            if one.includer not in seen and len(seen) <= _INCLUDERS:
                seen.add(one.includer)
                left.append(one.includer)
                main = workspace.document(one.includer)
                if main is not None:
                    yield main


class _Kept(NamedTuple):
    """Findings, and the documents that they are of."""

    documents: tuple[Document | None, ...]
    bases: tuple[Path, ...]
    is_partial: bool
    refreshed: int
    """That of the workspace: media and schemas in files are not among the documents."""
    findings: tuple[Finding, ...]


def _memory(_: Document) -> list[_Kept]:
    """What was found last in a document; nothing at first."""
    return []


def _findings(workspace: Workspace, main: Document) -> tuple[Finding, ...]:
    """The findings of a prompt with the files that it includes, as editors have them.

    Of a part of several prompts they are those in the folder where it is most right.
    """
    if main.sections is not None:
        return case_findings(workspace, main, lambda one: _prompt(workspace, one))
    path = main.path and workspace.canonical(main.path)
    included = list(_included(workspace, path)) if path is not None else []
    documents = tuple(workspace.document(one) for one in included)
    is_partial = path is not None and _is_partial(workspace, path)
    bases = _bases(workspace, main)
    key = documents, bases, is_partial, workspace.refreshed
    memory = main.derive(_memory)
    if memory and memory[0][:4] == key:
        return memory[0].findings
    least: tuple[Finding, ...] | None = None
    for base in bases or (None,):
        texts = _texts(workspace, base, included) if base is not None else {}
        found = lint_text(main.raw, main.source.name, base=base, partial=is_partial, files=texts)
        if least is None or _errors(found) < _errors(least):
            least = found
        if not _errors(least):
            break
    assert least is not None
    memory[:] = [_Kept(*key, least)]
    return least


def _prompt(workspace: Workspace, document: Document) -> tuple[Prompt, tuple[Path, ...]]:
    """A prompt as editors have it, and the files that it includes. Raises PdlError."""
    assert document.path is not None
    base = document.path.parent
    included = tuple(_included(workspace, workspace.canonical(document.path)))
    folder = OpenFolder.of(base, _texts(workspace, base, included))
    return in_folder(document.raw, document.source.name, folder), included


def _errors(findings: Iterable[Finding]) -> int:
    return sum(one.severity == "error" for one in findings)


def _bases(workspace: Workspace, main: Document) -> tuple[Path, ...]:
    """The folders that the names in a document are relative to: first those of what includes it."""
    if main.path is None:
        return ()
    path, graph = workspace.canonical(main.path), workspace.graph()
    if path not in graph.includers:
        return (main.path.parent,)
    return tuple(graph.bases.get(path, [path.parent])[:_BASES])


def open_folder(workspace: Workspace, document: Document) -> OpenFolder | None:
    """Return the folder that the names in a document are relative to, with the texts of editors."""
    bases = _bases(workspace, document)
    if document.path is None or not bases:
        return None
    included = _included(workspace, workspace.canonical(document.path))
    return OpenFolder.of(bases[0], _texts(workspace, bases[0], included))


def _texts(workspace: Workspace, base: Path, included: Iterable[Path]) -> dict[str, str]:
    folder = workspace.canonical(base)
    found = {one: workspace.document(one) for one in included if workspace.is_open(one)}
    return {
        one.relative_to(folder).as_posix(): document.raw
        for one, document in found.items()
        if document is not None and one.is_relative_to(folder)
    }


def _is_partial(workspace: Workspace, path: Path) -> bool:
    """Whether a file is part of prompts: others include it, or its name says so."""
    graph = workspace.graph()
    is_named = path in graph.includers or str(path).startswith(tuple(graph.begun))
    return is_named or path.name.startswith("_")


def _included(workspace: Workspace, path: Path) -> Iterable[Path]:
    """The files that a prompt includes, however indirectly."""
    targets = workspace.graph().targets
    left = [path]
    seen = {path}
    for one in left:
        for include in targets.get(one, ()):
            if include.target not in seen:
                seen.add(include.target)
                left.append(include.target)
    return left[1:]


def _shown(
    workspace: Workspace, document: Document, main: Document, finding: Finding
) -> Iterator[Diagnostic]:
    """A finding of a prompt, if it is about a document or else shown where that names a file."""
    location = finding.problem.location
    if location is None or location.source.name == main.source.name:
        if main is document:
            yield _diagnostic(workspace, document, finding)
        return
    path = _file(workspace, main, location)
    if document.path is not None and workspace.canonical(document.path) == path:
        yield _diagnostic(workspace, document, finding)
    elif main is document and not workspace.is_open(path):
        is_open = document.path is None or workspace.is_open(document.path)
        if is_open or path not in workspace.graph().bases:
            yield _elsewhere(workspace, document, finding, path)


def _file(workspace: Workspace, main: Document, span: Span) -> Path:
    """The file of a span: that of a schema is named as the prompt does."""
    path = Path(span.source.name)
    for base in _bases(workspace, main):
        if not path.is_relative_to(base) and is_file(base / path):
            return workspace.canonical(base / path)
    return workspace.canonical(path)


def _diagnostic(workspace: Workspace, document: Document, finding: Finding) -> Diagnostic:
    problem = finding.problem
    location = problem.location
    return Diagnostic(
        problem.code,
        problem.message,
        problem.hint,
        finding.severity,
        _range(document.text, location) if location is not None else Range(0, 0),
        tuple((_location(workspace, document, span), words) for span, words in finding.related),
        is_unnecessary=finding.unnecessary,
    )


def _elsewhere(
    workspace: Workspace, document: Document, finding: Finding, path: Path
) -> Diagnostic:
    """A finding in a file that is not open, where a document names the file."""
    one = _diagnostic(workspace, document, finding)
    span = finding.problem.location
    assert span is not None
    name = span.source.name
    base = workspace.base(document)
    if base is not None and path.is_relative_to(base):
        name = path.relative_to(base).as_posix()
    return replace(
        one,
        message=f"in `{name}`, line {span.line}: {one.message}",
        range=_naming(workspace, document, path, span.source.name),
        related=((_location(workspace, document, span), "it is here"), *one.related),
        is_unnecessary=False,
        file=path,
    )


def _naming(workspace: Workspace, document: Document, path: Path, name: str) -> Range:
    """Where a document names a file, or else one that includes that; or where it begins."""
    includes: Iterable[Include] = ()
    if document.path is not None:
        includes = workspace.graph().targets.get(workspace.canonical(document.path), ())
    for one in includes:
        if path == one.target or path in _included(workspace, one.target):
            return Range(one.name.start, one.name.end)
    for written, place in files_named(document):
        assert document.path is not None
        if workspace.canonical(document.path.parent / written) == path:
            return Range(*place)
    for typed in document.typed:
        at = document.text.find(f"@{name}", *typed.turn.body)
        if at >= 0:
            return Range(at, at + len(name) + 1)
    return Range(0, 0)


def _location(workspace: Workspace, document: Document, span: Span) -> Location:
    """The file and the range of a span."""
    if document.path is None or span.source.name == document.source.name:
        return Location(document.path, _range(document.text, span))
    path = _file(workspace, document, span)
    other = workspace.document(path)
    return Location(path, _range(other.text if other is not None else "", span))


def _range(text: str, span: Span) -> Range:
    """The range of a span; where that is one letter of a word, the rest of the word too."""
    start, end = min(span.start, len(text)), min(span.end, len(text))
    word = _WORD.match(text, start)
    return Range(start, word.end() if word and end - start == 1 else end)
