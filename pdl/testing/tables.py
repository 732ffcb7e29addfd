"""Tables of cases: `<|cases|> @FILE.jsonl` or `@FILE.csv`, a case in each row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pdl.decoding import JsonError, strict_json
from pdl.errors import CasesError, PdlError, Problem, count, quoted
from pdl.schema.keywords import pointer
from pdl.schema.parts import spans
from pdl.testing.cases import Case, Row
from pdl.testing.content import JSON_LINES, Contents, as_lines, with_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.source import Source, Span
    from pdl.testing.cases import CaseFile
    from pdl.testing.sections import Section

_CELL = re.compile(r'"([^"]*+(?>(?:""[^"]*+)*))"(?=[,\n]|\Z)|([^,\n]*+)')


class Cell(NamedTuple):
    """A cell of a table: its text, where it is with its quotes, and whether one is missing."""

    text: str
    start: int
    end: int
    is_unclosed: bool = False


def rows_of(
    file: CaseFile, section: Section, shared: tuple[Section, ...], problems: list[Problem]
) -> Iterator[Case]:
    """Yield the cases of the table that a section names; adds what is wrong to `problems`.

    A row that can't be read leaves the others.
    """
    contents, known, is_empty = Contents(file), len(problems), True
    try:
        source = _table(contents, section)
        rows = _json_rows(source, problems) if is_json_lines(source) else _csv(source, problems)
        for span, line, values in rows:
            is_empty = False
            name = values.get("name") or f"{Path(source.name).name}:{line}"
            if not isinstance(name, str):
                message = "the name of a case must be a string"
                problems.append(Problem("test/cases", message, span))
                continue
            row = Row(span, values, Path(source.name))
            yield Case(" ".join(name.split()), span, file, (), shared, row)
        if is_empty and len(problems) == known:
            message = "there is no case in this table: it has only the names of its columns"
            span = source.span(0, len(source.text.rstrip()))
            problems.append(Problem("test/cases", message, span))
    except PdlError as error:
        problems += with_place(error, contents.mark(section))


def is_json_lines(source: Source) -> bool:
    """Return whether a table, by its name, has an object in each line."""
    return source.name.lower().endswith(JSON_LINES)


def _table(contents: Contents, section: Section) -> Source:
    """The text of a table. Raises PdlError."""
    argument, span = contents.argument(section), contents.source.span(*section.argument)
    hint = "write `<|cases|> @FILE.jsonl` or `<|cases|> @FILE.csv`"
    if not argument.startswith("@"):
        message = "after `<|cases|>` comes the file with the table"
        place = span if argument else contents.mark(section)
        raise CasesError(Problem("test/cases", message, place, hint))
    if not argument.lower().endswith((*JSON_LINES, ".csv")):
        message = "a table of cases is a file of JSON Lines or CSV"
        raise CasesError(Problem("test/cases", message, span, hint))
    source = as_lines(contents.file(argument[1:], span))
    if not source.text.strip():
        message = f"there is no case in {quoted(argument[1:])}: it is empty"
        raise CasesError(Problem("test/cases", message, span))
    return source


def _json_rows(
    source: Source, problems: list[Problem]
) -> Iterator[tuple[Span, int, dict[str, Json]]]:
    start = 0
    for number, line in enumerate(source.text.split("\n"), 1):
        if line.strip():
            span = source.span(start, start + len(line.rstrip()))
            try:
                values = strict_json(line)
            except JsonError as error:
                at = span if error.at is None else source.span(start + error.at)
                is_whole = line.rstrip().endswith("}")
                hint = "" if is_whole else _cut_off(source, start + len(line))
                problems.append(Problem("test/cases", f"this row {error}", at, hint))
            else:
                if isinstance(values, dict):
                    yield span, number, values
                else:
                    message = "a row must be a JSON object"
                    problems.append(Problem("test/cases", message, span))
        start += len(line) + 1


def _cut_off(source: Source, end: int) -> str:
    """A hint for an error in what ends at an offset, which may be because the file is cut off."""
    return "the file may be cut off here" if not source.text[end:].strip() else ""


def _csv(source: Source, problems: list[Problem]) -> Iterator[tuple[Span, int, dict[str, Json]]]:
    header: list[str] | None = None
    start, line = 0, 1
    while start < len(source.text):
        cells = cells_at(source.text, start)
        end = cells[-1].end
        span = source.span(start, end)
        unclosed = next((one for one in cells if one.is_unclosed), None)
        if unclosed is not None:
            message = "this quoted cell has no end: a quote, and a comma or the end of the line"
            hint = 'write a quote in it twice: `""`'
            problems.append(Problem("test/cases", message, source.span(unclosed.start), hint))
        elif span.text.strip():
            texts = [one.text for one in cells]
            if header is None:
                header = _header(texts, span)
            elif len(texts) == len(header):
                yield span, line, dict(zip(header, texts, strict=True))
            else:
                message = f"this row has {count(len(texts), 'cell')}, the header {len(header)}"
                hint = _cut_off(source, end) if len(texts) < len(header) else ""
                problems.append(Problem("test/cases", message, span, hint))
        line += source.text.count("\n", start, end + 1)
        start = end + 1


def _header(names: list[str], span: Span) -> list[str]:
    """The names of the columns. Raises CasesError."""
    found = [name.strip() for name in names]
    message = hint = ""
    if not all(found):
        message = "a column has no name"
    elif len({*found}) < len(found):
        message = f"two columns have the name {quoted(max(found, key=found.count))}"
    elif len(found) == 1 and ";" in found[0]:
        message, hint = "the columns must be separated by commas", "save the table with commas"
    if message:
        raise CasesError(Problem("test/cases", message, span, hint))
    return found


def cells_at(text: str, start: int) -> list[Cell]:
    """Return the cells of the row that begins at an offset (RFC 4180)."""
    cells = []
    while True:
        found = _CELL.match(text, start)
        assert found is not None  # a cell may be empty
        quoted_text, plain = found[1], found[2] or ""
        told = plain if quoted_text is None else quoted_text.replace('""', '"')
        cells.append(Cell(told, found.start(), found.end(), plain.startswith('"')))
        if not text.startswith(",", found.end()):
            return cells
        start = found.end() + 1


def place_of(row: Row, column: str) -> Span:
    """Return where a row has the value of a column."""
    source, start = row.span.source, row.span.start
    if is_json_lines(source):
        where = pointer((column,))
        return spans(source, {where}, start).get(where, row.span)
    cell = cells_at(source.text, start)[list(row.values).index(column)]
    return source.span(cell.start, cell.end)
