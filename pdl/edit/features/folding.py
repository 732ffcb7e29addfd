"""What an editor can fold: turns, blocks of statements, brackets of typed turns, and comments."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from pdl.edit.document import Range
from pdl.edit.features.cases_sections import groups, whole
from pdl.edit.template.bindings import extents, outline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Document, Typed

_COMMENTS = re.compile(r"^[^\S\n]*#.*(?:\n[^\S\n]*#.*)*", re.MULTILINE)
"""Lines of comments before the first mark of a file of cases."""


class Fold(NamedTuple):
    """A range whose first line stays visible, and its last one as well if `keeps_end`."""

    range: Range
    kind: Literal["comment", "region"]
    keeps_end: bool = False


def folds(document: Document) -> list[Fold]:
    """Return what can be folded, in order: one a line, and each two are nested or apart."""
    text = document.text
    found = [one for one in _folds(document) if text.find("\n", *one.range) >= 0]
    found.sort(key=lambda one: (one.range.start, -one.range.end))
    kept: list[Fold] = []
    ends: list[int] = []  # of the folds that are open
    line = -2
    for one in found:
        begin = text.rfind("\n", 0, one.range.start)
        while ends and ends[-1] <= one.range.start:
            ends.pop()
        if begin != line and (not ends or one.range.end <= ends[-1]):
            kept.append(one)
            ends.append(one.range.end)
            line = begin
    return kept


def _folds(document: Document) -> Iterator[Fold]:
    for _, extent in extents(document):
        yield Fold(extent, "region")
    for block in outline(document).pairs:
        for tag, after in pairwise(block.tags):
            yield Fold(Range(tag.start, after.start), "region", keeps_end=True)
    for piece in document.pieces:
        if piece.kind == "comment":
            yield Fold(Range(piece.start, piece.end), "comment")
    if document.sections is not None:
        preamble = document.text[: document.sections.preamble.end]
        yield from (Fold(Range(*one.span()), "comment") for one in _COMMENTS.finditer(preamble))
    for group in groups(document):
        yield Fold(whole(*group.sections), "region")
        for section in group.sections:
            yield Fold(whole(section), "region")
    for typed in document.typed:
        yield from _of_typed(document, typed)


def _of_typed(document: Document, typed: Typed) -> Iterator[Fold]:
    notation = typed.notation
    for frame in notation.frames:
        if frame.opener >= 0 and frame.closer >= 0:
            start, end = notation.tokens[frame.opener].start, notation.tokens[frame.closer].start
            yield Fold(Range(start, end), "region", keeps_end=True)
    run: Range | None = None
    for token in notation.tokens:
        if token.role != "comment" or not _begins_line(document.text, token.start):
            continue
        between = document.text[run.end : token.start] if run is not None else ""
        if run is not None and not between.strip() and between.count("\n") == 1:
            run = Range(run.start, token.end)
            continue
        if run is not None:
            yield Fold(run, "comment")
        run = Range(token.start, token.end)
    if run is not None:
        yield Fold(run, "comment")


def _begins_line(text: str, offset: int) -> bool:
    return not text[text.rfind("\n", 0, offset) + 1 : offset].strip()
