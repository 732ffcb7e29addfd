"""The values that completion returns, and what all parts of it ask of a place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.edit.template.inference import Inference

if TYPE_CHECKING:
    from pdl.edit.document import Document, Range
    from pdl.edit.workspace import Workspace

OfferKind: TypeAlias = Literal[
    "turn",
    "snippet",
    "keyword",
    "variable",
    "field",
    "filter",
    "test",
    "function",
    "macro",
    "module",
    "block",
    "file",
    "type",  # a word of the schema DSL
    "name",  # a type that the text defines
    "constraint",
    "value",
    "setting",
    "provider",
]


@dataclass(frozen=True)
class Completion:
    """Something that can be typed: `insert` replaces the text of a range.

    `insert` has the syntax of snippets in the Language Server Protocol if `is_snippet`. Lists are
    ordered by `sort`. `documentation` is Markdown.
    """

    label: str
    kind: OfferKind
    insert: str
    is_snippet: bool
    range: Range
    detail: str = ""
    documentation: str = ""
    sort: str = ""


def offer(  # noqa: PLR0913 - they are the fields
    label: str,
    kind: OfferKind,
    where: Range,
    *,
    insert: str = "",
    is_snippet: bool = False,
    detail: str = "",
    documentation: str = "",
    order: int = 0,
) -> Completion:
    """Return a completion that inserts its label, unless it says otherwise; `order` comes first."""
    sort = f"{order:03}{label.lower()}"
    return Completion(label, kind, insert or label, is_snippet, where, detail, documentation, sort)


class Line(NamedTuple):
    """The line of a cursor, before and after it."""

    start: int
    before: str
    after: str


@dataclass(frozen=True)
class Request:
    """A place at which something is completed."""

    workspace: Workspace
    document: Document
    offset: int
    snippets: bool = False

    @cached_property
    def types(self) -> Inference:
        """The types of the document."""
        return Inference(self.workspace, self.document)

    @cached_property
    def line(self) -> Line:
        """The line of the place."""
        text, offset = self.document.text, self.offset
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        return Line(start, text[start:offset], text[offset : end if end >= 0 else len(text)])
