"""What can be done with a prompt, above the lines that it is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from pdl.edit.document import Document, Range, Turn

_MODEL = re.compile(r"^[^\S\n]*model[^\S\n]*:[^\S\n]*\S", re.MULTILINE)


class Lens(NamedTuple):
    """A command of the server, its words, and the marker that it is above."""

    range: Range
    title: str
    command: Literal["pdl.render", "pdl.run", "pdl.grammar", "pdl.schema"]


def lenses(document: Document) -> list[Lens]:
    """Return what to offer: rendering at the first turn, the answer's forms at the schema turn."""
    found: list[Lens] = []
    if any(turn.is_message or not turn.role for turn in document.turns):
        first = document.turns[0].marker
        found.append(Lens(first, "render", "pdl.render"))
        if any(_names_model(document, turn) for turn in document.turns):
            found.append(Lens(first, "run", "pdl.run"))
    for turn in document.turns:
        if turn.role == "schema":
            found.append(Lens(turn.marker, "grammar", "pdl.grammar"))
            found.append(Lens(turn.marker, "JSON Schema", "pdl.schema"))
    return found


def _names_model(document: Document, turn: Turn) -> bool:
    body = document.text[turn.body.start : turn.body.end]
    return turn.role == "config" and _MODEL.search(body) is not None
