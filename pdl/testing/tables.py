"""Tables of cases: `<|cases|> @FILE.jsonl` or `@FILE.csv`, a case in each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.testing.cases import Case, CaseFile
    from pdl.testing.sections import Section


def rows_of(
    file: CaseFile,
    section: Section,
    shared: tuple[Section, ...],  # noqa: ARG001
    problems: list[Problem],
) -> Iterator[Case]:
    """Yield the cases of the table that a section names; adds what is wrong to `problems`."""
    message = "tables are not read yet"
    problems.append(Problem("test/cases", message, file.source.span(*section.mark)))
    yield from ()
