"""Requests about the structure of a text: outline, folding, selection, colors, lenses."""

# ruff: noqa: PLC0415 - features are loaded when they are first asked for
from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from pdl.lsp.conversion import offset_of, offsets_of, range_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.edit.document import Range
    from pdl.edit.features.semantic_tokens import SemanticToken
    from pdl.edit.features.symbols import Symbol
    from pdl.lsp.documents import View
    from pdl.lsp.session import Session

TOKEN_TYPES = (
    *("keyword", "type", "class", "property", "parameter", "variable", "function", "namespace"),
    *("string", "number", "comment"),
)
TOKEN_MODIFIERS = ("declaration", "readonly", "defaultLibrary")
LEGEND = types.SemanticTokensLegend(TOKEN_TYPES, TOKEN_MODIFIERS)
_SYMBOLS = {
    "turn": types.SymbolKind.Module,
    "case": types.SymbolKind.Method,
    "input": types.SymbolKind.Variable,
    "field": types.SymbolKind.Field,
    "definition": types.SymbolKind.Class,
    "tool": types.SymbolKind.Function,
    "parameter": types.SymbolKind.Variable,
    "setting": types.SymbolKind.Property,
    "macro": types.SymbolKind.Function,
    "block": types.SymbolKind.Namespace,
    "variable": types.SymbolKind.Variable,
}


def document_symbols(
    session: Session, view: View, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol]:
    """The outline of a text."""
    from pdl.edit.features.symbols import symbols

    del session, params
    return _outline(view, symbols(view.document))


def _outline(view: View, found: Iterable[Symbol]) -> list[types.DocumentSymbol]:
    return [
        types.DocumentSymbol(
            name=symbol.name,
            kind=_SYMBOLS[symbol.kind],
            range=range_of(view, *symbol.range),
            selection_range=range_of(view, *symbol.name_range),
            detail=symbol.detail or None,
            children=_outline(view, symbol.children) or None,
        )
        for symbol in found
    ]


def workspace_symbols(
    session: Session, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    """The names of all prompts that fit a query."""
    from pdl.edit.features.symbols import search

    found = search(session.workspace, params.query)
    views = session.views(one.location.path for one in found)
    out = []
    for symbol, (path, place), container in found:
        if path in views:
            location = types.Location(views[path].uri, range_of(views[path], *place))
            name = f"{symbol.name} {symbol.detail}" if symbol.kind == "turn" else symbol.name
            out.append(
                types.WorkspaceSymbol(
                    location, name, _SYMBOLS[symbol.kind], container_name=container or None
                )
            )
    return out


def folding_ranges(
    session: Session, view: View, params: types.FoldingRangeParams
) -> list[types.FoldingRange]:
    """What can be folded, by lines."""
    from pdl.edit.features.folding import folds

    del session, params
    out = []
    for fold in folds(view.document):
        first = view.positions.position(fold.range.start).line
        last = view.positions.position(fold.range.end).line - fold.keeps_end
        if last > first:
            kind = types.FoldingRangeKind.Comment if fold.kind == "comment" else None
            out.append(types.FoldingRange(first, last, kind=kind))
    return out


def selection_ranges(
    session: Session, view: View, params: types.SelectionRangeParams
) -> list[types.SelectionRange]:
    """The ranges around each cursor."""
    from pdl.edit.features.selection import selections

    del session
    out = []
    for position in params.positions:
        found: types.SelectionRange | None = None
        for one in reversed(selections(view.document, offset_of(view, position))):
            found = types.SelectionRange(range_of(view, *one), found)
        assert found is not None
        out.append(found)
    return out


def code_lenses(
    session: Session, view: View, params: types.CodeLensParams
) -> list[types.CodeLens] | None:
    """What can be done with a prompt, each with its command."""
    from pdl.edit.features.cases_prompt import cases_of
    from pdl.edit.features.lenses import lenses

    del params
    if not session.settings.code_lens:
        return None
    return [
        types.CodeLens(
            range_of(view, *one.range),
            types.Command(one.title, one.command, arguments=[view.uri, *one.arguments]),
        )
        for one in lenses(view.document, cases_of(session.workspace, view.document))
    ]


def semantic_tokens(
    session: Session, view: View, params: types.SemanticTokensParams
) -> types.SemanticTokens:
    """What each word of a text is."""
    del params
    return session.tokens.full(view.uri, _numbers(session, view))


def semantic_tokens_delta(
    session: Session, view: View, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    """How the words of a text differ from an earlier answer."""
    data = _numbers(session, view)
    return session.tokens.delta(view.uri, data, params.previous_result_id)


def semantic_tokens_range(
    session: Session, view: View, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens:
    """What each word of a part of a text is."""
    from pdl.edit.document import Range

    within = Range(*offsets_of(view, params.range))
    return types.SemanticTokens(_numbers(session, view, within))


_NAMES = frozenset({"parameter", "class", "function", "variable", "namespace"})
"""What a grammar of the editor does not know, since it depends on the rest of the text."""


def _numbers(session: Session, view: View, within: Range | None = None) -> list[int]:
    """The five numbers of each token: where it is after the one before, and what it is."""
    from pdl.edit.features.semantic_tokens import semantic_tokens as find

    found: Iterable[SemanticToken] = find(view.document)
    if session.has_grammar:
        found = [one for one in found if one.kind in _NAMES]
    if within is not None:
        found = [one for one in found if one.end > within.start and one.start < within.end]
    data: list[int] = []
    line = character = 0
    for start, end, kind, modifiers in found:
        first, last = view.positions.position(start), view.positions.position(end)
        before = character if first.line == line else 0
        bits = sum(1 << TOKEN_MODIFIERS.index(one) for one in modifiers)
        length = last.character - first.character
        index = TOKEN_TYPES.index(kind)
        data += (first.line - line, first.character - before, length, index, bits)
        line, character = first
    return data
