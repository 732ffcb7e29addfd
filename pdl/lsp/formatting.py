"""Requests that change a text: formatting it, a part of it, or what was just typed."""

# ruff: noqa: PLC0415 - features are loaded when they are first asked for
from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from pdl.lsp.conversion import offset_of, offsets_of, text_edits

if TYPE_CHECKING:
    from pdl.lsp.documents import View
    from pdl.lsp.session import Session

ON_TYPE = types.DocumentOnTypeFormattingOptions("}", ["]", ")", "\n"])


def formatting(
    session: Session, view: View, params: types.DocumentFormattingParams
) -> list[types.TextEdit]:
    """The changes that format a text."""
    from pdl.edit.formatting.format import format_edits

    del session, params
    return text_edits(view, format_edits(view.document))


def range_formatting(
    session: Session, view: View, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit]:
    """The changes that format a part of a text."""
    from pdl.edit.document import Range
    from pdl.edit.formatting.format import format_range

    del session
    wanted = Range(*offsets_of(view, params.range))
    return text_edits(view, format_range(view.document, wanted))


def on_type_formatting(
    session: Session, view: View, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit]:
    """The changes after a character was typed."""
    from pdl.edit.formatting.format import format_typed_on

    del session
    offset = offset_of(view, params.position)
    return text_edits(view, format_typed_on(view.document, offset, params.ch))
