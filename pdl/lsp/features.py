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


def selection_ranges(
    session: Session, params: types.SelectionRangeParams
) -> list[types.SelectionRange] | None:
    """The ranges around each cursor."""
    from pdl.edit.selection import selections

    view = session.view(params.text_document.uri)
    if view is None:
        return None
    offsets = [conversion.offset_of(view, position) for position in params.positions]
    return [conversion.nested(view, selections(view.document, offset)) for offset in offsets]


def code_lenses(session: Session, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """What can be done with a prompt."""
    from pdl.edit.lenses import lenses

    view = session.view(params.text_document.uri)
    if view is None or not session.settings.code_lens:
        return None
    return conversion.lenses(view, lenses(view.document))


def semantic_tokens(
    session: Session, params: types.SemanticTokensParams
) -> types.SemanticTokens | None:
    """What each word of a text is."""
    from pdl.edit.semantic_tokens import semantic_tokens as find

    view = session.view(params.text_document.uri)
    if view is None:
        return None
    return session.tokens.full(view.uri, conversion.tokens(view, find(view.document)))


def semantic_tokens_delta(
    session: Session, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta | None:
    """How the words of a text differ from an earlier answer."""
    from pdl.edit.semantic_tokens import semantic_tokens as find

    view = session.view(params.text_document.uri)
    if view is None:
        return None
    data = conversion.tokens(view, find(view.document))
    return session.tokens.delta(view.uri, data, params.previous_result_id)


def semantic_tokens_range(
    session: Session, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens | None:
    """What each word of a part of a text is."""
    from pdl.edit.semantic_tokens import semantic_tokens as find

    view = session.view(params.text_document.uri)
    if view is None:
        return None
    start, end = conversion.offsets_of(view, params.range)
    within = [one for one in find(view.document) if one.end > start and one.start < end]
    return types.SemanticTokens(conversion.tokens(view, within))


_LEGEND = types.SemanticTokensLegend(conversion.TOKEN_TYPES, conversion.TOKEN_MODIFIERS)
FEATURES: list[tuple[str, Callable[[Session, Any], Any], Any]] = [
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbols, types.DocumentSymbolOptions()),
    (types.WORKSPACE_SYMBOL, workspace_symbols, types.WorkspaceSymbolOptions()),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, folding_ranges, None),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, selection_ranges, None),
    (types.TEXT_DOCUMENT_CODE_LENS, code_lenses, None),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens, _LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, semantic_tokens_delta, _LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens_range, _LEGEND),
]
NOTHING: dict[str, Any] = {}
"""What is answered in the place of a failure, where that is not null."""
