"""Ranges around a cursor, each within the next: a word, an expression, a field, a turn."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.features.cases_sections import content, groups, whole
from pdl.edit.features.symbols import ends
from pdl.edit.template.bindings import extents, outline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Document

_WORD = re.compile(r"[\w-]+")
_OPENERS = {"(": ")", "[": "]", "{": "}"}


def selections(document: Document, offset: int) -> list[Range]:
    """Return the ranges that contain an offset, innermost first; the last is the whole text."""
    offset = min(max(offset, 0), len(document.text))
    found = [one for one in _ranges(document, offset) if one.holds(offset)]
    found.sort(key=lambda one: (one.end - one.start, one.start))
    chain: list[Range] = []
    for one in found:
        inner = chain[-1] if chain else Range(offset, offset)
        if one.start <= inner.start and inner.end <= one.end and one != inner:
            chain.append(one)
    whole = Range(0, len(document.text))
    return chain if chain and chain[-1] == whole else [*chain, whole]


def _ranges(document: Document, offset: int) -> Iterator[Range]:
    text = document.text
    begin = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = Range(begin, end if end >= 0 else len(text))
    yield from (Range(*word.span()) for word in _WORD.finditer(text, *line))
    yield _trimmed(text, line)
    yield from _paragraph(text, line)
    yield from _in_tag(document, offset)
    yield from _in_typed(document, offset)
    for mark in document.marks:
        yield Range(mark.start, mark.end)
    for group in groups(document):
        yield whole(*group.sections)
        for section in group.sections:
            yield whole(section)
            yield Range(*section.mark)
            yield content(section)
    for block in outline(document).pairs:
        yield block.range
        for tag, after in pairwise(block.tags):
            yield _trimmed(text, Range(tag.end, after.start))
    for turn, extent in extents(document):
        yield extent
        yield turn.name
        yield _trimmed(text, Range(min(turn.body.start, extent.end), extent.end))
        yield Range(turn.marker.start, turn.body.end)


def _trimmed(text: str, one: Range) -> Range:
    inside = text[one.start : one.end]
    start = one.start + len(inside) - len(inside.lstrip())
    return Range(start, max(start, one.start + len(inside.rstrip())))


def _paragraph(text: str, line: Range) -> Iterator[Range]:
    """The lines around one, up to empty lines."""
    if text[line.start : line.end].strip():
        start = text.rfind("\n\n", 0, line.start)
        end = text.find("\n\n", line.start)
        yield _trimmed(text, Range(max(start, 0), end if end >= 0 else len(text)))


def _in_tag(document: Document, offset: int) -> Iterator[Range]:
    """The words of a tag, its brackets, and the tag without and with its delimiters."""
    piece = document.piece_at(offset)
    if piece is None or piece.kind not in ("statement", "expression", "comment"):
        following = document.piece_at(offset + 1)
        if following is None or following.kind == "text":
            return
        piece = following
    yield Range(piece.start, piece.end)
    tokens = document.tag_tokens(piece)
    opened: list[tuple[str, int]] = []
    for token in tokens:
        yield Range(token.start, token.end)
        word = document.text[token.start : token.end]
        if word in _OPENERS:
            opened.append((_OPENERS[word], token.start))
        elif opened and word == opened[-1][0]:
            start = opened.pop()[1]
            yield Range(start, token.end)
            yield _trimmed(document.text, Range(start + 1, token.end - 1))
    if tokens:
        yield Range(tokens[0].start, tokens[-1].end)


def _in_typed(document: Document, offset: int) -> Iterator[Range]:
    """The tokens of a typed turn, its fields, and its brackets without and with them."""
    typed = document.typed_at(offset)
    if typed is None:
        return
    tokens = typed.notation.tokens
    yield from (Range(token.start, token.end) for token in tokens)
    for index, end in ends(typed.notation):
        yield Range(tokens[index].start, end)
    for frame in typed.notation.frames:
        if frame.opener >= 0 and frame.closer >= 0:
            opener, closer = tokens[frame.opener], tokens[frame.closer]
            yield Range(opener.start, closer.end)
            yield _trimmed(document.text, Range(opener.end, closer.start))
