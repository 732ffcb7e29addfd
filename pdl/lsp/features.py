"""The functions that answer requests about a text, each with what the server says about it.

They load what they need when they are first asked, so that the server starts at once.
"""

# ruff: noqa: PLC0415 - as the docstring says
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pdl.lsp import conversion

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.lsp.session import Session


def document_symbols(
    session: Session, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    """The outline of a text."""
    from pdl.edit.symbols import symbols

    view = session.view(params.text_document.uri)
    return None if view is None else conversion.outline(view, symbols(view.document))


def workspace_symbols(
    session: Session, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    """The names of all prompts that fit a query."""
    from pdl.edit.symbols import search

    return conversion.found_symbols(session, search(session.workspace, params.query))


def folding_ranges(
    session: Session, params: types.FoldingRangeParams
) -> list[types.FoldingRange] | None:
    """What can be folded."""
    from pdl.edit.folding import folds

    view = session.view(params.text_document.uri)
    return None if view is None else conversion.folding(view, folds(view.document))


FEATURES: list[tuple[str, Callable[[Session, Any], Any], Any]] = [
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbols, types.DocumentSymbolOptions()),
    (types.WORKSPACE_SYMBOL, workspace_symbols, types.WorkspaceSymbolOptions()),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, folding_ranges, None),
]
NOTHING: dict[str, Any] = {}
"""What is answered in the place of a failure, where that is not null."""
