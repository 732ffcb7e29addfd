"""Formatting files of cases: marks, the blank lines around sections, and expectations in the DSL.

What others wrote (replies, data, messages, assertions) is never touched: reading the file gives the
same cases before and after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.decoding import JsonError, strict_json
from pdl.edit.document import Edit, Range
from pdl.edit.formatting.layout import applied, edit_between, layout_edits
from pdl.errors import PdlError
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.testing.sections import Section, Sections

_BEGINS = frozenset({"case", "cases"})


class Unit(NamedTuple):
    """Edits that belong together, and the range that they are for."""

    range: Range
    edits: list[Edit]


def case_units(text: str, found: Sections) -> Iterator[Unit]:
    """Yield the edits of each section of a file of cases, and the range that they are for."""
    end = len(text[slice(*found.preamble)].rstrip())
    indent = len(text[:end]) - len(text[:end].lstrip())
    start = text.rfind("\n", 0, indent) + 1  # the first comment may be indented
    yield Unit(Range(0, start), list(edit_between(text, 0, start, "")))
    for index, section in enumerate(found.all):
        gap = "" if not end else "\n\n" if section.name in _BEGINS or not index else "\n"
        edits = [*edit_between(text, max(end, start), section.mark.start, gap)]
        edits += _section(text, section)
        has_body = section.body.start < section.body.end
        end = section.body.end if has_body else max(section.mark.end, section.argument.end)
        yield Unit(Range(section.mark.start, end), edits)
    last = max(end, start)
    yield Unit(
        Range(last, len(text)), list(edit_between(text, last, len(text), "\n" if end else ""))
    )


def _section(text: str, section: Section) -> Iterator[Edit]:
    """The mark and the argument on one line, then the body, without blank lines between."""
    (start, marked), argument, body = section.mark, section.argument, section.body
    has_argument, has_body = argument.start < argument.end, body.start < body.end
    yield from edit_between(text, start, marked, f"<|{section.name}|>")
    if has_argument:
        yield from edit_between(text, marked, argument.start, " ")
        if section.name == "expect" and not has_body:
            yield from _expectation(text, argument, is_line=True)
    if has_body:
        after = argument.end if has_argument else marked
        yield from edit_between(text, after, body.start, "\n")
        if section.name == "expect":
            yield from _expectation(text, body)


def _expectation(text: str, place: tuple[int, int], *, is_line: bool = False) -> Iterator[Edit]:
    """The layout of a schema in the DSL without errors; JSON and `@FILE` stay as they are."""
    written = text[slice(*place)]
    edits = layout_edits(written, 0)
    if not edits or not _is_dsl(written):
        return
    if is_line and "\n" in applied(written, edits):
        return
    for start, end, new in edits:
        yield Edit(place[0] + start, place[0] + end, new)


def _is_dsl(text: str) -> bool:
    try:
        strict_json(text)
    except JsonError:
        pass
    else:
        return False
    try:
        Schema.parse(text)
    except PdlError:
        return False
    return True
