"""Places and changes of `pdl.edit` as those of the protocol: offsets become lines and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from pdl.edit.positions import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pdl.edit.document import Edit, Location
    from pdl.lsp.documents import View
    from pdl.lsp.session import Session


def range_of(view: View, start: int, end: int) -> types.Range:
    """Return a range of offsets as the editor counts it."""
    positions = view.positions
    first, last = positions.position(start), positions.position(end)
    return types.Range(types.Position(*first), types.Position(*last))


def offset_of(view: View, position: types.Position) -> int:
    """Return the offset of a position, kept inside of the text."""
    return view.positions.offset(Position(position.line, position.character))


def offsets_of(view: View, given: types.Range) -> tuple[int, int]:
    """Return the offsets of a range, the first of which is not after the second."""
    start, end = offset_of(view, given.start), offset_of(view, given.end)
    return min(start, end), max(start, end)


def locations(session: Session, view: View, found: Sequence[Location]) -> list[types.Location]:
    """Return places in several files; one without a path is in the text that was asked about."""
    views = session.views((one.path for one in found), view)
    return [
        types.Location(views[one.path].uri, range_of(views[one.path], *one.range))
        for one in found
        if one.path in views
    ]


def text_edits(view: View, edits: Iterable[Edit]) -> list[types.TextEdit]:
    """Return changes of a text, with its line ends."""
    newline = view.newline
    return [
        types.TextEdit(range_of(view, start, end), text.replace("\n", newline))
        for start, end, text in edits
    ]


def workspace_edit(
    session: Session, view: View | None, edits: Mapping[Path | None, Sequence[Edit]]
) -> types.WorkspaceEdit:
    """Return the changes of several files; those of None are of the text that was asked about."""
    views = session.views(edits, view)
    changes = {
        views[path].uri: (views[path].version, text_edits(views[path], of_file))
        for path, of_file in edits.items()
        if path in views and of_file
    }
    if not session.edits_versions:
        return types.WorkspaceEdit(changes={uri: made for uri, (_, made) in changes.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri, version), made
            )
            for uri, (version, made) in changes.items()
        ]
    )


def markdown(text: str) -> types.MarkupContent | None:
    """Return Markdown; None for nothing."""
    return types.MarkupContent(types.MarkupKind.Markdown, text) if text else None
