"""What can be done with a prompt, above the lines that it is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from pdl.edit.document import Range
from pdl.edit.features.cases_sections import groups

if TYPE_CHECKING:
    from pdl.edit.document import Document, Turn

_MODEL = re.compile(r"^[^\S\n]*model[^\S\n]*:[^\S\n]*\S", re.MULTILINE)


class Lens(NamedTuple):
    """A command of the server, its words, the marker that it is above, and arguments."""

    range: Range
    title: str
    command: Literal["pdl.render", "pdl.run", "pdl.grammar", "pdl.schema", "pdl.test", "pdl.cases"]
    arguments: tuple[str, ...] = ()


def lenses(document: Document, cases: Document | None = None) -> list[Lens]:
    """Return what to offer: rendering at the first turn, the answer's forms at the schema turn.

    In a file of cases, running each of them; `cases` is the one that is beside a prompt.
    """
    found = [
        Lens(Range(*group.sections[0].mark), "run", "pdl.test", (group.name,))
        for group in groups(document)
        if group.sections[0].name == "case"
    ]
    if cases is not None and document.turns:
        found.append(Lens(document.turns[0].marker, _counted(cases), "pdl.cases"))
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


def _counted(cases: Document) -> str:
    """How many cases a file has, and how many tables of cases."""
    names = [one.sections[0].name for one in groups(cases)]
    counts = [("case", names.count("case")), ("table", names.count("cases"))]
    words = [f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts if count]
    return ", ".join(words) or "0 cases"


def _names_model(document: Document, turn: Turn) -> bool:
    body = document.text[turn.body.start : turn.body.end]
    return turn.role == "config" and _MODEL.search(body) is not None
