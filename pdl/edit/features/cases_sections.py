"""What an editor asks of the sections of a file of cases: where a cursor is, and in which case."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Document, Range
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.testing.sections import Section

_BEGINS = frozenset({"case", "cases"})
_OPEN, _CLOSE = "{{ ", " }}\n"


class Group(NamedTuple):
    """A case, or the sections before the first one: what it is called, and all that it has."""

    name: str
    sections: tuple[Section, ...]


def groups(document: Document) -> list[Group]:
    """Return the sections of each case; those that belong to every case come first, if any."""
    return document.derive(_groups)


def _groups(document: Document) -> list[Group]:
    found: list[Group] = []
    number = 0
    for one in document.sections.all if document.sections is not None else ():
        if one.name in _BEGINS or not found:
            number += one.name in _BEGINS
            words = " ".join(document.text[slice(*one.argument)].split())
            name = words or f"{one.name} {number}" if one.name in _BEGINS else ""
            found.append(Group(name, (one,)))
        else:
            found[-1] = found[-1]._replace(sections=(*found[-1].sections, one))
    return found


def whole(*sections: Section) -> Range:
    """Return the range of sections that follow each other, from the mark of the first."""
    last = sections[-1]
    return Range(sections[0].mark.start, max(last.mark.end, content(last).end))


def content(section: Section) -> Range:
    """Return the lines below a mark or, if there are none, what follows it on its line."""
    has_body = section.body.start < section.body.end
    return Range(*(section.body if has_body else section.argument))


def section_at(document: Document, offset: int) -> Section | None:
    """Return the section that a cursor is in, up to the next mark; None before the first."""
    known = document.sections.all if document.sections is not None else ()
    return next((one for one in reversed(known) if one.mark.start < offset), None)


class Expressions(NamedTuple):
    """The expressions of assertions as a template that prints each, and where each is from.

    So that an editor says of them what it says of a template.
    """

    document: Document
    places: tuple[tuple[int, Range], ...]
    """Where an expression begins in the template, and its range in the file of cases."""

    def to(self, offset: int) -> int:
        """Return the offset in the template; -1 for one that is in no expression."""
        found = (start + offset - own.start for start, own in self.places if own.holds(offset))
        return next(found, -1)

    def of(self, one: Range) -> Range | None:
        """Return the range in the file of cases; None for one that is in no expression."""
        at = bisect_right(self.places, one.start, key=lambda place: place[0]) - 1
        if at < 0:
            return None
        start, own = self.places[at]
        found = Range(one.start - start + own.start, one.end - start + own.start)
        return found if found.end <= own.end else None


def expressions_of(document: Document, head: str = "", only: Section | None = None) -> Expressions:
    """Return all assertions of a file, or of a section, as a template that begins with `head`."""
    known = document.sections.all if document.sections is not None else ()
    known = known if only is None else (only,)
    places = [place for one in known if one.name == "assert" for place in ranges_of(document, one)]
    return as_template(document, places, head)


def ranges_of(document: Document, section: Section) -> Iterator[Range]:
    """Yield where the expressions of a section are; none for those in another file."""
    from pdl.testing.forms import expressions  # noqa: PLC0415 - prompts need it not

    start, end = content(section)
    if document.text.startswith("@", start):
        return
    for one in expressions(Source(document.text[start:end])):
        at = start + one.anchors[0].offset
        yield Range(at, at + len(one.text))


def as_template(document: Document, places: list[Range], head: str = "") -> Expressions:
    """Return the expressions at some places as a template that begins with `head`."""
    out, at = [head], len(head)
    found = []
    for place in places:
        written = document.text[slice(*place)]
        text = "\n".join(
            " " * len(line) if line.lstrip().startswith("#") else line
            for line in written.split("\n")
        )
        out += (_OPEN, text, _CLOSE)
        found.append((at + len(_OPEN), place))
        at += len(_OPEN) + len(text) + len(_CLOSE)
    return Expressions(Document("".join(out)), tuple(found))
