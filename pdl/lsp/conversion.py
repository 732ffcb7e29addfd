"""Values of `pdl.edit` as those of the protocol: offsets become lines and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from pdl.edit.positions import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl.edit.document import Range
    from pdl.edit.folding import Fold
    from pdl.edit.lenses import Lens
    from pdl.edit.semantic_tokens import SemanticToken
    from pdl.edit.symbols import Found, Symbol
    from pdl.lsp.documents import View
    from pdl.lsp.session import Session
    from pdl.prompt.lint import Finding

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
TOKEN_TYPES = (
    *("keyword", "type", "class", "property", "parameter", "variable", "function", "namespace"),
    *("string", "number", "comment"),
)
TOKEN_MODIFIERS = ("declaration", "readonly", "defaultLibrary")
_SYMBOLS = {
    "turn": types.SymbolKind.Module,
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


def nested(view: View, ranges: Sequence[Range]) -> types.SelectionRange:
    """Return ranges as a chain, innermost first."""
    found: types.SelectionRange | None = None
    for one in reversed(ranges):
        found = types.SelectionRange(range_of(view, *one), found)
    assert found is not None
    return found


def lenses(view: View, found: Iterable[Lens]) -> list[types.CodeLens]:
    """Return what can be done with a prompt, each with its command."""
    return [
        types.CodeLens(
            range_of(view, *one.range), types.Command(one.title, one.command, arguments=[view.uri])
        )
        for one in found
    ]


def tokens(view: View, found: Iterable[SemanticToken]) -> list[int]:
    """Return the five numbers of each token: where it is after the one before, and what it is."""
    data: list[int] = []
    line = character = 0
    for start, end, kind, modifiers in found:
        first, last = view.positions.position(start), view.positions.position(end)
        before = character if first.line == line else 0
        bits = sum(1 << TOKEN_MODIFIERS.index(one) for one in modifiers)
        data += (
            first.line - line,
            first.character - before,
            last.character - first.character,
            TOKEN_TYPES.index(kind),
            bits,
        )
        line, character = first
    return data


def outline(view: View, symbols: Iterable[Symbol]) -> list[types.DocumentSymbol]:
    """Return symbols as an outline."""
    return [
        types.DocumentSymbol(
            name=symbol.name,
            kind=_SYMBOLS[symbol.kind],
            range=range_of(view, *symbol.range),
            selection_range=range_of(view, *symbol.name_range),
            detail=symbol.detail or None,
            children=outline(view, symbol.children) or None,
        )
        for symbol in symbols
    ]


def found_symbols(session: Session, found: Iterable[Found]) -> list[types.WorkspaceSymbol]:
    """Return symbols of several files."""
    views: dict[object, View | None] = {}
    out = []
    for symbol, (path, place), container in found:
        if path not in views:
            document = session.workspace.document(path) if path is not None else None
            views[path] = session.view_of(document) if document is not None else None
        view = views[path]
        if view is not None:
            location = types.Location(view.uri, range_of(view, *place))
            name = f"{symbol.name} {symbol.detail}" if symbol.kind == "turn" else symbol.name
            kind = _SYMBOLS[symbol.kind]
            out.append(
                types.WorkspaceSymbol(location, name, kind, container_name=container or None)
            )
    return out


def diagnostic(view: View, finding: Finding) -> types.Diagnostic:
    """Return a finding of a document; one in another file is at the beginning."""
    problem = finding.problem
    span = problem.location
    start, end = 0, 0
    if span is not None and span.source.name == view.document.source.name:
        start, end = span.start, span.end
    hint = f"\nhint: {problem.hint}" if problem.hint else ""
    unused = [types.DiagnosticTag.Unnecessary] if problem.code == "input/unused" else None
    return types.Diagnostic(
        range=range_of(view, start, end),
        message=problem.message + hint,
        severity=_SEVERITIES[finding.severity],
        code=problem.code,
        source="pdl",
        tags=unused,
        data={"hint": problem.hint} if problem.hint else None,
    )


def folding(view: View, folds: Iterable[Fold]) -> list[types.FoldingRange]:
    """Return what can be folded, by lines."""
    out = []
    for fold in folds:
        first = view.positions.position(fold.range.start).line
        last = view.positions.position(fold.range.end).line - fold.keeps_end
        if last > first:
            kind = types.FoldingRangeKind.Comment if fold.kind == "comment" else None
            out.append(types.FoldingRange(first, last, kind=kind))
    return out
