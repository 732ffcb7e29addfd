"""The files that a prompt names, and the prompts that name a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.edit.bindings import outline

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl.edit.document import Document
    from pdl.edit.tags import Statement
    from pdl.edit.workspace import Workspace

_MOST = 2_000  # entries of a folder that are offered
_DEEPEST = 4


def imported(workspace: Workspace, document: Document, statement: Statement) -> Document | None:
    """Return the document that a statement includes, imports or extends, if there is one."""
    path = workspace.find(document, statement.file) if statement.file else None
    return workspace.document(path) if path is not None else None


def extended(workspace: Workspace, document: Document) -> Document | None:
    """Return the document that a document extends."""
    known = outline(document)
    for keyword, piece, _ in known.tags:
        if keyword == "extends":
            return imported(workspace, document, known.statement(piece))
    return None


def includers(workspace: Workspace, document: Document) -> list[tuple[Document, int]]:
    """Return the documents that include or extend one, and where.

    A file that is extended is rendered after all of the one that extends it.
    """
    found: list[tuple[Document, int]] = []
    if document.path is None:
        return found
    path = workspace.canonical(document.path)
    for one in workspace.graph().includers.get(path, ()):
        other = workspace.document(one.includer)
        piece = other.tag_at(one.name.start) if other is not None else None
        if other is None or piece is None or one.includer == path:
            continue
        keyword = outline(other).statement(piece).keyword
        if keyword in ("include", "extends"):
            found.append((other, len(other.text) if keyword == "extends" else piece.start))
    return found


def base_of(workspace: Workspace, document: Document) -> Path | None:
    """Return the folder that the names of files in a document are relative to.

    Of a file that prompts include it is that of the first of them.
    """
    if document.path is None:
        return None
    path = workspace.canonical(document.path)
    known = workspace.graph().bases.get(path)
    return known[0] if known else path.parent


def below(folder: Path, suffixes: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the names of the files below a folder, with slashes; hidden ones are left out."""
    pending = [(folder, "", 0)]
    left = _MOST
    while pending:
        at, prefix, depth = pending.pop()
        try:
            entries = sorted(at.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink() or entry.name == "__pycache__":
                continue
            left -= 1
            if left < 0:
                return
            if entry.is_dir():
                if depth < _DEEPEST:
                    pending.append((entry, f"{prefix}{entry.name}/", depth + 1))
            elif not suffixes or entry.name.lower().endswith(suffixes):
                yield prefix + entry.name
