"""Requests about names: where they are defined and used, and how they are renamed."""

# ruff: noqa: PLC0415 - features are loaded when they are first asked for
from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from pdl.lsp.conversion import locations, offset_of, range_of, workspace_edit
from pdl.lsp.documents import path_of, uri_of

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.edit.document import Edit
    from pdl.lsp.documents import View
    from pdl.lsp.session import Session

FILES = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), "file")]
)


class RefusedError(JsonRpcException):
    """Something that cannot be done, for a reason that the editor shows."""

    CODE = types.LSPErrorCodes.RequestFailed


def definition(
    session: Session, view: View, params: types.DefinitionParams
) -> list[types.Location]:
    """Where a name is defined."""
    from pdl.edit.features.navigation import definition as find

    offset = offset_of(view, params.position)
    return locations(session, view, find(session.workspace, view.document, offset))


def type_definition(
    session: Session, view: View, params: types.TypeDefinitionParams
) -> list[types.Location]:
    """Where the type of an input is defined."""
    from pdl.edit.features.navigation import type_definition as find

    offset = offset_of(view, params.position)
    return locations(session, view, find(view.document, offset))


def references(session: Session, view: View, params: types.ReferenceParams) -> list[types.Location]:
    """Where a name is used."""
    from pdl.edit.features.navigation import references as find

    offset = offset_of(view, params.position)
    declared = params.context.include_declaration
    found = find(session.workspace, view.document, offset, include_declaration=declared)
    return locations(session, view, found)


def highlights(
    session: Session, view: View, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """Where a name is used in this text."""
    from pdl.edit.features.navigation import highlights as find

    del session
    kinds = {"read": types.DocumentHighlightKind.Read, "write": types.DocumentHighlightKind.Write}
    found = find(view.document, offset_of(view, params.position))
    return [types.DocumentHighlight(range_of(view, *place), kinds[kind]) for place, kind in found]


def prepare_rename(
    session: Session, view: View, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder:
    """The name at a place. Raises RefusedError if it cannot be renamed."""
    from pdl.edit.features.rename import Refusal, prepare

    found = prepare(session.workspace, view.document, offset_of(view, params.position))
    if isinstance(found, Refusal):
        raise RefusedError(found.message)
    name = view.document.text[found.start : found.end]
    return types.PrepareRenamePlaceholder(range_of(view, *found), name)


def rename(session: Session, view: View, params: types.RenameParams) -> types.WorkspaceEdit:
    """The changes that rename a name. Raises RefusedError if it cannot be renamed."""
    from pdl.edit.features.rename import Refusal
    from pdl.edit.features.rename import rename as find

    offset = offset_of(view, params.position)
    found = find(session.workspace, view.document, offset, params.new_name)
    if isinstance(found, Refusal):
        raise RefusedError(found.message)
    return workspace_edit(session, view, found)


def links(
    session: Session, view: View, params: types.DocumentLinkParams
) -> list[types.DocumentLink]:
    """The files and pages that a text names."""
    from pdl.edit.features.navigation import links as find

    del params
    return [
        types.DocumentLink(
            range_of(view, *one.range),
            one.target if isinstance(one.target, str) else uri_of(one.target),
        )
        for one in find(session.workspace, view.document)
    ]


def will_rename_files(
    session: Session, params: types.RenameFilesParams
) -> types.WorkspaceEdit | None:
    """The changes of texts that name files which are about to be renamed."""
    from pdl.edit.features.rename import rename_file

    edits: dict[Path | None, list[Edit]] = {}
    for one in params.files:
        old, new = path_of(one.old_uri), path_of(one.new_uri)
        if old is not None and new is not None:
            for path, found in rename_file(session.workspace, old, new).items():
                edits.setdefault(path, []).extend(found)
    return workspace_edit(session, None, edits) if edits else None
