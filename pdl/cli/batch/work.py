"""What is done with a line of replies, in this process or in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import pdl
from pdl.cli.batch.lines import Fault, Line, read_record
from pdl.cli.batch.results import result_text, unchecked_text
from pdl.cli.batch.tally import GOOD, UNCHECKED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply import Coercions
    from pdl.schema import Schema


@dataclass(frozen=True)
class Task:
    """How replies are found and checked; `digest` stands for the schema and the coercions."""

    digest: str
    field: str
    schema: Schema | None
    coercions: Coercions


class Outcome(NamedTuple):
    """A line's result; `verdict` is `ok`, the reason of a bad reply, or empty for a fault."""

    text: str
    verdict: str
    fault: Fault | None = None


def outcomes(task: Task, lines: Sequence[Line]) -> list[Outcome]:
    """What becomes of each line, in their order."""
    return [_outcome(task, line) for line in lines]


def _outcome(task: Task, line: Line) -> Outcome:
    record = read_record(line, task.field)
    if isinstance(record, Fault):
        return Outcome("", "", record)
    try:
        check = pdl.check(task.schema, record.reply, coercions=task.coercions)
    except Exception as error:  # noqa: BLE001  (a bug of pdl's costs one line, not the batch)
        return Outcome(unchecked_text(line.number, record, error, task.digest), UNCHECKED)
    text = result_text(line.number, record, check, task.digest)
    return Outcome(text, check.reason or GOOD)
