"""Files of cases: `NAME.tests.pdl` beside `NAME.pdl`.

Reading a file finds its cases and their names; what a case holds is parsed when it is asked for
(`parts.parts_of`), so that collecting ten thousand of them takes a moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.errors import PdlError
from pdl.prompt import load
from pdl.testing.content import Contents

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.models.exchange import Reply
    from pdl.prompt import Prompt
    from pdl.schema import Schema
    from pdl.source import Source, Span
    from pdl.testing.sections import Section

    Load: TypeAlias = Callable[[Path], Prompt]
    """Returns the prompt at a path, or raises PdlError."""


@dataclass(frozen=True)
class Recording:
    """One reply on record.

    `reply` is what the model said; None if it refused to answer, in the words `refused`. With a
    reply, `refused` is the reason for which the check must refuse it (a `pdl.reply.result.Reason`,
    or `any`); empty if it must be accepted. `text` knows where the reply's text is recorded. It is
    the reply to a request whose last message contains `match`.
    """

    span: Span
    reply: Reply | None
    refused: str = ""
    text: Source | None = field(default=None, repr=False)
    match: str = ""

    @property
    def is_refusal(self) -> bool:
        """Whether the model refuses."""
        return self.reply is None


@dataclass(frozen=True)
class Expectation:
    """The schema that a value matches; `exact` is the value itself, in a tuple, if known."""

    source: Source = field(repr=False)
    schema: Schema
    exact: tuple[Json] | None = None


@dataclass(frozen=True)
class Assertion:
    """A Jinja expression that must be true; its source knows the place in the file."""

    source: Source = field(repr=False)


@dataclass(frozen=True)
class Judge:
    """A prompt that is asked about the answer, what it must answer, and its reply on record."""

    span: Span
    prompt: Path
    expectation: Expectation
    recording: Reply | None = None


@dataclass(frozen=True)
class Parts:
    """What the sections of a case hold, and `problems`: what is wrong with them.

    `data` is None if the case has no data of its own and none is shared; `data_sources` are the
    texts that they are from, its own last. `messages` is the golden rendering, with its place. A
    case with problems is never run, and fails with them.
    """

    data: Mapping[str, Json] | None = None
    recordings: tuple[Recording, ...] = ()
    expectation: Expectation | None = None
    assertions: tuple[Assertion, ...] = ()
    messages: Source | None = None
    judges: tuple[Judge, ...] = ()
    problems: tuple[Problem, ...] = ()
    data_sources: tuple[Source, ...] = field(default=(), repr=False)

    @property
    def must_refuse(self) -> bool:
        """Whether the model must refuse to answer, at the last attempt."""
        return bool(self.recordings) and self.recordings[-1].is_refusal

    @property
    def must_be_refused(self) -> bool:
        """Whether the last reply on record is one that the check must refuse."""
        return bool(self.recordings) and bool(self.recordings[-1].refused) and not self.must_refuse


@dataclass(frozen=True)
class Row:
    """A row of a table of cases: its values by column, and where it stands."""

    span: Span
    values: Mapping[str, Json] = field(repr=False)
    file: Path


@dataclass(frozen=True)
class Case:
    """One case of a file: from its sections, or from a row of a table.

    `name` is unique in the file. `span` is where the case begins. `shared` are the sections that
    belong to every case of the file.
    """

    name: str
    span: Span
    file: CaseFile = field(repr=False, compare=False)
    sections: tuple[Section, ...] = field(default=(), repr=False)
    shared: tuple[Section, ...] = field(default=(), repr=False)
    row: Row | None = None


@dataclass(frozen=True)
class CaseFile:
    """A file of cases, and the prompt that they are of.

    `problems` are what is wrong with the file rather than with one case: an unknown mark, two cases
    of one name (the second is left out), a table that can't be read. Files that it names are read
    below `root`, and prompts by `read`.
    """

    source: Source = field(repr=False)
    path: Path
    prompt: Path
    root: Path
    cases: tuple[Case, ...] = ()
    problems: tuple[Problem, ...] = ()
    read: Load = field(default=load, repr=False, compare=False)

    @cached_property
    def contents(self) -> Contents:
        """What reads the sections: where the file is, is found out once for all cases."""
        return Contents(self)

    @cached_property
    def _loaded(self) -> dict[Path, Prompt | PdlError]:
        return {}

    def load(self, path: Path | None = None) -> Prompt:
        """Return the prompt of the cases, or the one at a path, which is read once.

        Raises PdlError if it can't be read, or is invalid.
        """
        file = self.prompt if path is None else path
        if file not in self._loaded:
            try:
                self._loaded[file] = self.read(file)
            except PdlError as error:
                self._loaded[file] = error
        found = self._loaded[file]
        if isinstance(found, PdlError):
            raise found.with_traceback(None)
        return found
