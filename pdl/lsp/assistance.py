"""Requests of someone who types: completion, hover, signatures, hints in the text."""

# ruff: noqa: PLC0415 - features are loaded when they are first asked for
from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from pdl.lsp.conversion import markdown, offset_of, offsets_of, range_of

if TYPE_CHECKING:
    from pdl.edit.features.offers import Completion
    from pdl.lsp.documents import View
    from pdl.lsp.session import Session

TRIGGERS = ("<", "|", ".", "{", "%", " ", "@", '"', "'", "/", ":", "(", ",", "[")
_KINDS = {
    "turn": types.CompletionItemKind.Module,
    "snippet": types.CompletionItemKind.Snippet,
    "keyword": types.CompletionItemKind.Keyword,
    "variable": types.CompletionItemKind.Variable,
    "field": types.CompletionItemKind.Field,
    "filter": types.CompletionItemKind.Function,
    "test": types.CompletionItemKind.Function,
    "function": types.CompletionItemKind.Function,
    "macro": types.CompletionItemKind.Method,
    "module": types.CompletionItemKind.Module,
    "block": types.CompletionItemKind.Class,
    "file": types.CompletionItemKind.File,
    "type": types.CompletionItemKind.TypeParameter,
    "name": types.CompletionItemKind.Class,
    "constraint": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.Value,
    "setting": types.CompletionItemKind.Property,
    "provider": types.CompletionItemKind.Reference,
}


def completion(
    session: Session, view: View, params: types.CompletionParams
) -> types.CompletionList | None:
    """What can be typed at a place."""
    from pdl.edit.features.completion import complete

    offset = offset_of(view, params.position)
    found = complete(session.workspace, view.document, offset, snippets=session.takes_snippets)
    return types.CompletionList(False, [_item(view, one, offset) for one in found])  # noqa: FBT003 - as the protocol has it


def _item(view: View, one: Completion, offset: int) -> types.CompletionItem:
    typed = view.document.text[one.range.start : offset].lower()
    # An editor compares what is typed with the label, unless it is told otherwise.
    is_told = not one.label.lower().startswith(typed) and one.insert.lower().startswith(typed)
    return types.CompletionItem(
        label=one.label,
        kind=_KINDS.get(one.kind),
        detail=one.detail or None,
        documentation=markdown(one.documentation),
        sort_text=one.sort or None,
        filter_text=one.insert.partition("\n")[0] if is_told else None,
        insert_text_format=types.InsertTextFormat.Snippet if one.is_snippet else None,
        text_edit=types.TextEdit(
            range_of(view, *one.range), one.insert.replace("\n", view.newline)
        ),
    )


def hover(session: Session, view: View, params: types.HoverParams) -> types.Hover | None:
    """What is at a place."""
    from pdl.edit.features.hover import hover as find

    found = find(session.workspace, view.document, offset_of(view, params.position))
    content = markdown(found.markdown) if found is not None else None
    if found is None or content is None:
        return None
    return types.Hover(content, range_of(view, *found.range))


def signature_help(
    session: Session, view: View, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    """How what is called at a place is called."""
    from pdl.edit.features.signature import signature_help as find

    found = find(session.workspace, view.document, offset_of(view, params.position))
    if found is None:
        return None
    parameters = []
    at = found.label.find("(") + 1
    for one in found.parameters:
        start = max(found.label.find(one, at), 0)
        at = start + len(one)
        units = [_units(found.label[:start]), _units(found.label[:at])]
        label = (units[0], units[1]) if session.labels_offsets else one
        parameters.append(types.ParameterInformation(label))
    active = found.active if found.active >= 0 else len(parameters)
    signature = types.SignatureInformation(
        found.label, markdown(found.documentation), parameters, active
    )
    return types.SignatureHelp([signature], 0, active)


def _units(text: str) -> int:
    """UTF-16 code units, which labels count whatever was agreed for positions."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def inlay_hints(
    session: Session, view: View, params: types.InlayHintParams
) -> list[types.InlayHint] | None:
    """The types that a text does not say."""
    from pdl.edit.document import Range
    from pdl.edit.features.inlay import inlay_hints as find

    if not session.settings.inlay_hints:
        return None
    within = Range(*offsets_of(view, params.range))
    return [
        types.InlayHint(
            position=range_of(view, one.offset, one.offset).start,
            label=one.label,
            kind=types.InlayHintKind.Type,
            tooltip=markdown(one.tooltip),
        )
        for one in find(session.workspace, view.document, within)
    ]
