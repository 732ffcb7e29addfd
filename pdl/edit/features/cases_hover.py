"""What is at a place of a file of cases that is not an assertion, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.features.cases_keys import key_at
from pdl.edit.features.cases_prompt import answer_type, data_type, followed, prompt_of
from pdl.edit.features.hover_typed import hover_typed, in_words
from pdl.edit.features.markdown import described, shown_type
from pdl.testing.sections import MARKS

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.edit.workspace import Workspace


def hover_section(
    workspace: Workspace, document: Document, offset: int
) -> tuple[Range, str] | None:
    """Return a range and what is said of it: a mark, a key, or a word of an expectation."""
    for section in document.sections.all if document.sections is not None else ():
        if section.mark.start <= offset <= section.mark.end:
            said = MARKS[section.name]
            return Range(*section.mark), f"**{section.name}**\n\n{said[:1].upper()}{said[1:]}."
    key, prompt = key_at(document, offset), prompt_of(workspace, document)
    if key is not None and key.path and prompt is not None:
        of = data_type(prompt) if key.role == "input" else answer_type(workspace, prompt)
        found = followed(of, key.path)
        if found is not None and found.is_known:
            kind = "input" if key.role == "input" else "answer"
            parts = [f"*{kind}*", shown_type(key.path[-1], found), described(found)]
            return key.range, "\n\n".join(one for one in (*parts, in_words(found)) if one)
    typed = document.typed_at(offset)
    return hover_typed(document, typed, offset) if typed is not None else None
