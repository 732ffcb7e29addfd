"""What is done to the rows of a batch whose results go to one file, in any process."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.batch.checker import NO_SCHEMA
from pdl.batch.results import Fields, batch_of, verdict_of
from pdl.batch.rows import BadRow, Fault, Line, Reading, Row, read_row
from pdl.cli.inputs import Shipped
from pdl.cli.output import json_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.batch.columns import BatchFunction

NO_CONTEXT = Fault("this row has no `context`, and the schema depends on its values")

Item: TypeAlias = "Line | Row | BadRow"
"""A row, or a line that has one."""


@dataclass(frozen=True)
class Task:
    """How rows are found, and what is done to them.

    `digest` identifies that in results. Rows need values of their own if `needs_values`.
    """

    digest: str
    reading: Reading
    function: BatchFunction
    needs_values: bool = False
    has_types: bool = False

    def __reduce__(self) -> Any:
        values = tuple(getattr(self, one.name) for one in dataclasses.fields(self))
        return _made, (Shipped(values, has_types=self.has_types),)

    def row(self, item: Item) -> Row | BadRow:
        """Return the row of an item."""
        found: Row | Fault | BadRow = item if not isinstance(item, Line) else self._read(item)
        if isinstance(found, Row) and self.needs_values and found.context is None:
            found = NO_CONTEXT
        if isinstance(found, Fault):
            return BadRow(_line_of(item), found)
        return found

    def _read(self, line: Line) -> Row | Fault:
        return read_row(line, self.reading)


def _line_of(item: Item) -> Line:
    if isinstance(item, BadRow):
        return item.line
    return item if isinstance(item, Line) else Line(item.number, b"")


def _made(values: tuple[Any, ...]) -> Task:
    return Task(*values)


class Outcome(NamedTuple):
    """The result of a row; `verdict` is `ok`, the reason of an invalid one, or empty."""

    text: str
    verdict: str
    bad: BadRow | None = None


def do_items(task: Task, items: Sequence[Item]) -> list[Outcome]:
    """Return the outcome of each item, in their order."""
    found = [task.row(item) for item in items]
    results = iter(_results(task, [one for one in found if isinstance(one, Row)]))
    return [
        Outcome("", "", one)
        if isinstance(one, BadRow)
        else _outcome(task, item, one.digest, next(results))
        for item, one in zip(items, found, strict=True)
    ]


def _results(task: Task, rows: Sequence[Row]) -> Iterator[Fields]:
    if rows:
        found = task.function(batch_of(rows, ""))
        for cells in zip(*found.values(), strict=True):
            yield dict(zip(found, cells, strict=True))


def _outcome(task: Task, item: Item, digest: str, fields: Fields) -> Outcome:
    if fields.get("reason") == NO_SCHEMA:
        told = str(fields["summary"]).removeprefix(f"{NO_SCHEMA}: ")
        fault = Fault(f"`context` does not fit the prompt: {told}")
        return Outcome("", "", BadRow(_line_of(item), fault))
    del fields["file"]
    # One for all rows, so that results of something else are noticed.
    if "reply_digest" in fields:
        fields["schema_digest"] = task.digest
    else:
        fields |= {"row_digest": digest, "task_digest": task.digest}
    return Outcome(json_line(fields), verdict_of(fields))
