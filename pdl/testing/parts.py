"""What a case holds: its sections, or its row, are parsed, and what is wrong with them is told."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.errors import CasesError, PdlError, Problem, did_you_mean
from pdl.models.exchange import Reply
from pdl.source import Source
from pdl.testing import forms
from pdl.testing.assertions import check_assertion
from pdl.testing.cases import Assertion, Expectation, Judge, Parts, Recording
from pdl.testing.content import as_lines, spelled, with_place
from pdl.testing.rows import RowReader

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.testing.cases import Case
    from pdl.testing.sections import Section

_SINGLE = frozenset({"data", "expect", "messages"})
"""The sections that a case has once."""

_REPLY = re.compile(
    r"@(?P<alone>.*)|refused(?!\S)\s*(?P<words>[\w-]*)\s*(?<!\S)@(?P<file>\S.*)"
    r"|refused(?!\S)(?P<said>.*)|",
    re.DOTALL,
)
"""`@FILE`, or `refused`, with a reason or without, and a file, or `refused` and words."""

_JUDGE = re.compile(r"(.+?\.pdl)(?!\S)\s*(.*)", re.DOTALL)


def parts_of(case: Case) -> Parts:
    """Return what a case holds; problems of one section keep no other from being read."""
    reader = SectionReader(case)
    return reader.parts()


class SectionReader:
    """What was read of a case so far: of its sections, each by a method of its name."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.contents = case.file.contents
        self.data: dict[str, Json] | None = None
        self.data_sources: list[Source] = []
        self.recordings: list[Recording] = []
        self.expectation: Expectation | None = None
        self.assertions: list[Assertion] = []
        self.messages: Source | None = None
        self.judges: list[Judge] = []
        self.problems: list[Problem] = []

    def parts(self) -> Parts:
        """Return what all sections hold."""
        for sections in (self.case.shared, self.case.sections):
            seen: set[str] = set()
            for section in sections:
                try:
                    self.read(section, is_second=section.name in seen)
                except PdlError as error:
                    self.problems += with_place(error, self.contents.mark(section))
                seen.add(section.name)
        if self.case.row is not None:
            self._read_row(RowReader(self.case.row, self.case.file, self.contents.folder))
        self._check_refused()
        return Parts(
            self.data,
            tuple(self.recordings),
            self.expectation,
            tuple(self.assertions),
            self.messages,
            tuple(self.judges),
            tuple(self.problems),
            tuple(self.data_sources),
        )

    def _check_refused(self) -> None:
        """Note what examines an answer where there must be none."""
        last = self.recordings[-1] if self.recordings else None
        if last is None or not (last.refused or last.is_refusal):
            return
        if self.expectation is not None:
            message = "nothing can be expected of the value where the reply must be refused"
            self.problems.append(Problem("test/expect", message, last.span))
        if any(one.name == "judge" for one in self.case.sections):
            message = "a judge has no answer to judge where the reply must be refused"
            hint = "remove the judge; one that all cases share is not asked of this case"
            self.problems.append(Problem("test/judge", message, last.span, hint))

    def _read_row(self, row: RowReader) -> None:
        for read in (self._row_data, self._row_replies, self._row_expect, self._row_assert):
            try:
                read(row)
            except PdlError as error:
                self.problems += with_place(error, self.case.span)

    def _row_data(self, row: RowReader) -> None:
        found = row.data()
        if found is not None:
            self.add_data(*found)

    def _row_replies(self, row: RowReader) -> None:
        self.recordings += row.recordings()

    def _row_expect(self, row: RowReader) -> None:
        self.expectation = row.expectation()

    def _row_assert(self, row: RowReader) -> None:
        for one in row.assertions():
            self.add_assertion(one)

    def read(self, section: Section, *, is_second: bool) -> None:
        """Read a section. Raises PdlError for what is wrong with it."""
        if is_second and section.name in _SINGLE:
            message = f"this case has a second `{section.name}`"
            hint = "remove one, or begin another case before it"
            raise CasesError(Problem("test/second", message, self.contents.mark(section), hint))
        getattr(self, f"_read_{section.name}")(section)

    def _read_data(self, section: Section) -> None:
        source = as_lines(self.contents.content(section))
        self.add_data(forms.data_of(source, self.contents.mark(section)), source)

    def add_data(self, data: dict[str, Json], source: Source) -> None:
        """Add data, which override those that are there by their top-level keys."""
        self.data = {**(self.data or {}), **data}
        self.data_sources.append(source)

    def _read_reply(self, section: Section) -> None:
        contents = self.contents
        argument, mark = contents.argument(section), contents.mark(section)
        span = contents.source.span(*section.argument)
        told = _REPLY.fullmatch(argument)
        if told is None:
            message = "after `<|reply|>` comes nothing, `@FILE`, or `refused REASON`"
            hint = did_you_mean(argument.split()[0], ["refused"]) or "write the reply below"
            raise CasesError(Problem("test/argument", message, span, hint))
        words = (told["words"] or told["said"] or "").strip()
        file = told["file"] if told["alone"] is None else told["alone"]
        refused = (words or "any") if argument.startswith("refused") else ""
        if file is not None:
            contents.check_one(section)
            forms.check_reason(refused, span)
            found = [*forms.replies_in(contents.file(file, span), mark)]
            if found and refused:
                found[-1] = replace(found[-1], refused=refused)
            self.recordings += found
            return
        if section.body.start < section.body.end:
            forms.check_reason(refused, span)
            text = contents.copied(*section.body)
            self.recordings.append(Recording(mark, Reply(text.text), refused, text))
        elif refused:
            self.recordings.append(forms.refusal(words, mark, span))
        else:
            raise contents.empty(section)

    def _read_expect(self, section: Section) -> None:
        contents = self.contents
        content = contents.content(section)
        if contents.argument(section).startswith("@"):
            reference = contents.copied(*section.argument)
            self.expectation = forms.expectation_in(content, reference, contents.folder)
        else:
            self.expectation = forms.expectation_of(content, contents.folder)

    def _read_assert(self, section: Section) -> None:
        found = [*forms.expressions(as_lines(self.contents.content(section)))]
        if not found:
            raise self.contents.empty(section)
        for one in found:
            self.add_assertion(one)

    def add_assertion(self, source: Source) -> None:
        """Add an expression; what is wrong with it doesn't keep others from being read."""
        try:
            check_assertion(source)
        except PdlError as error:
            self.problems += error.problems
        else:
            self.assertions.append(Assertion(source))

    def _read_messages(self, section: Section) -> None:
        if (
            section.argument.start == section.argument.end
            and section.body.start == section.body.end
        ):
            # It is to be written yet.
            self.messages = spelled("", self.contents.mark(section))
            return
        source = as_lines(self.contents.content(section))
        text = source.text.strip("\n").rstrip()
        self.messages = Source(text, source.name, source.anchors)

    def _read_judge(self, section: Section) -> None:
        contents = self.contents
        argument, span = contents.argument(section), contents.source.span(*section.argument)
        found = _JUDGE.fullmatch(argument)
        if found is None or argument.startswith("@"):
            message = "after `<|judge|>` come the name of a prompt file and what it must answer"
            hint = "write `<|judge|> NAME.pdl` or `<|judge|> NAME.pdl EXPECTATION`"
            place = span if argument else contents.mark(section)
            raise CasesError(Problem("test/judge", message, place, hint))
        prompt = contents.locate(found[1], span._replace(end=span.start + len(found[1])))
        start = section.argument.start + found.start(2)
        source = contents.copied(start, section.argument.end) if found[2] else Source("true")
        body = contents.copied(*section.body)
        recording = Reply(body.text) if body.text else None
        expectation = forms.expectation_of(source, contents.folder)
        self.judges.append(Judge(contents.mark(section), prompt, expectation, recording))
