"""Which function answers which request about a text, and what the server says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pdl.lsp import assistance, formatting, names, structure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.lsp.documents import View
    from pdl.lsp.session import Session

OF_TEXTS: list[tuple[str, Callable[[Session, View, Any], Any], Any]] = [
    (
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
        structure.document_symbols,
        types.DocumentSymbolOptions(),
    ),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, structure.folding_ranges, None),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, structure.selection_ranges, None),
    (types.TEXT_DOCUMENT_CODE_LENS, structure.code_lenses, None),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, structure.semantic_tokens, structure.LEGEND),
    (
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA,
        structure.semantic_tokens_delta,
        structure.LEGEND,
    ),
    (
        types.TEXT_DOCUMENT_COMPLETION,
        assistance.completion,
        types.CompletionOptions(assistance.TRIGGERS),
    ),
    (types.TEXT_DOCUMENT_HOVER, assistance.hover, None),
    (
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        assistance.signature_help,
        types.SignatureHelpOptions(["(", ","], [")"]),
    ),
    (types.TEXT_DOCUMENT_DEFINITION, names.definition, None),
    (types.TEXT_DOCUMENT_TYPE_DEFINITION, names.type_definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, names.references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, names.highlights, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, names.prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, names.rename, None),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, names.links, types.DocumentLinkOptions()),
    (types.TEXT_DOCUMENT_FORMATTING, formatting.formatting, None),
    (types.TEXT_DOCUMENT_RANGE_FORMATTING, formatting.range_formatting, None),
    (
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        formatting.on_type_formatting,
        formatting.ON_TYPE,
    ),
    (types.TEXT_DOCUMENT_INLAY_HINT, assistance.inlay_hints, types.InlayHintOptions()),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, structure.semantic_tokens_range, structure.LEGEND),
]
"""Requests that name a text, which has nothing if it cannot be read."""

OF_WORKSPACE: list[tuple[str, Callable[[Session, Any], Any], Any]] = [
    (types.WORKSPACE_SYMBOL, structure.workspace_symbols, types.WorkspaceSymbolOptions()),
    (types.WORKSPACE_WILL_RENAME_FILES, names.will_rename_files, names.FILES),
]
"""Requests about all files."""
