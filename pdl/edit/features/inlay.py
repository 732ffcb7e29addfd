"""Types beside names that do not say them: of set names and loops, and of undeclared inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.features.markdown import fenced
from pdl.edit.template.bindings import outline
from pdl.edit.template.inference import Inference
from pdl.edit.template.types import name_of, to_dsl
from pdl.edit.template.usage import inferred, inferred_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Document, Range
    from pdl.edit.workspace import Workspace

__all__ = ["InlayHint", "inferred_inputs", "inlay_hints"]

_LONGEST = 40  # characters of a hint
_PLAIN = frozenset({"string", "number"})


class InlayHint(NamedTuple):
    """A text that an editor shows at an offset; `tooltip` is Markdown."""

    offset: int
    label: str
    tooltip: str = ""


def inlay_hints(workspace: Workspace, document: Document, within: Range) -> list[InlayHint]:
    """Return the hints of a range, in the order of the text.

    A name gets the type of what it is set to or walks; an input that no `input` turn declares gets
    at its first use what the uses need.
    """
    found = [*_bound(workspace, document, within), *_undeclared(workspace, document, within)]
    return sorted(found)


def _bound(workspace: Workspace, document: Document, within: Range) -> Iterator[InlayHint]:
    known = outline(document)
    types = Inference(workspace, document)
    shown: dict[tuple[str, int], tuple[str, str]] = {}  # since many loops walk the same
    for block in (known.root, *known.blocks):
        for bound in block.bindings.values():
            for one in bound:
                if one.kind not in ("set", "for", "with") or not within.holds(one.range.end):
                    continue
                values = known.statement(one.piece).values
                if not values or (one.targets == 1 and values[0].kind in _PLAIN):
                    continue
                given = types.bound(one)
                if not given.is_known:
                    continue
                key = one.name, id(given.schema)
                if key not in shown:
                    tooltip = fenced(f"{one.name}: {to_dsl(given)}")
                    shown[key] = f": {name_of(given, _LONGEST)}", tooltip
                yield InlayHint(one.range.end, *shown[key])


def _undeclared(workspace: Workspace, document: Document, within: Range) -> Iterator[InlayHint]:
    if any(turn.role == "input" for turn in document.turns):
        return
    outer = Inference(workspace, document)
    for name, one in inferred(document).items():
        if not within.holds(one.range.end):
            continue
        known = outer.variable(name, one.range.start)
        if known is not None and known.type.is_known:
            tooltip = fenced(f"{name}: {to_dsl(known.type)}")
            yield InlayHint(one.range.end, f": {name_of(known.type, _LONGEST)}", tooltip)
