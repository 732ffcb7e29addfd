"""What the sections of a case hold: each is parsed, and what is wrong with it is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pdl.decoding import JsonError, parse_json, parse_yaml, strict_json
from pdl.errors import PdlError, Problem
from pdl.models.exchange import Reply
from pdl.schema import Schema
from pdl.source import Anchor, Source
from pdl.testing.cases import Assertion, Expectation, Parts, Recording

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.testing.cases import Case
    from pdl.testing.sections import Range, Section


def parts_of(case: Case) -> Parts:
    """Return what a case holds; problems of one section keep no other from being read."""
    reader = _Reader(case)
    for section in (*case.shared, *case.sections):
        try:
            reader.read(section)
        except PdlError as error:
            reader.problems += error.problems
    return Parts(
        reader.data,
        tuple(reader.recordings),
        reader.expectation,
        tuple(reader.assertions),
        reader.messages,
        problems=tuple(reader.problems),
    )


class _Reader:
    """What was read of a case so far."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.source = case.file.source
        self.data: dict[str, Json] | None = None
        self.recordings: list[Recording] = []
        self.expectation: Expectation | None = None
        self.assertions: list[Assertion] = []
        self.messages: Source | None = None
        self.problems: list[Problem] = []

    def read(self, section: Section) -> None:
        """Read a section. Raises PdlError for what is wrong with it."""
        read = getattr(self, f"_read_{section.name}", None)
        if read is not None:
            read(section)

    def _content(self, section: Section) -> Source:
        """The text of a section: what follows its mark, or the lines below."""
        return self._copied(section.body if section.body[0] < section.body[1] else section.argument)

    def _copied(self, place: Range) -> Source:
        text = self.source.text[slice(*place)]
        anchor = Anchor(0, len(text), self.source, place.start, begins_line=True)
        return Source(text, self.source.name, (anchor,))

    def _read_data(self, section: Section) -> None:
        source = self._content(section)
        begins = source.text.lstrip()[:1]
        value: Any = parse_json(source) if begins == "{" else parse_yaml(source)
        if not isinstance(value, Mapping):
            message = "the data must be an object: a name and a value in each line"
            raise PdlError(Problem("test/data", message, self.source.span(*section.mark)))
        self.data = {**(self.data or {}), **value}

    def _read_reply(self, section: Section) -> None:
        text = self.source.text
        argument, body = text[slice(*section.argument)], text[slice(*section.body)]
        words = argument.removeprefix("refused").strip()
        refused = (words or "any") if argument.startswith("refused") else ""
        reply = Reply(body) if body or not refused else None
        self.recordings.append(Recording(self.source.span(*section.mark), reply, refused))

    def _read_expect(self, section: Section) -> None:
        source = self._content(section)
        try:
            value = strict_json(source.text)
        except JsonError:
            self.expectation = Expectation(source, Schema.parse(source))
        else:
            schema = Schema.from_json_schema({"const": value})
            self.expectation = Expectation(source, schema, (value,))

    def _read_assert(self, section: Section) -> None:
        source = self._content(section)
        start = 0
        for line in source.text.split("\n"):
            if line.strip() and not line.lstrip().startswith("#"):
                anchor = source.span(start).origin()
                text = line.rstrip()
                copied = Anchor(0, len(text), anchor.source, anchor.start, begins_line=True)
                self.assertions.append(Assertion(Source(text, source.name, (copied,))))
            start += len(line) + 1

    def _read_messages(self, section: Section) -> None:
        self.messages = self._copied(section.body)
