"""What is done with a line of replies, in this process or in another."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from dataclasses import field as kept
from typing import TYPE_CHECKING, Any, NamedTuple

import pdl
from pdl.cli.batch.lines import Fault, Line, read_record
from pdl.cli.batch.results import result_text, unchecked_text
from pdl.cli.batch.tally import GOOD, UNCHECKED
from pdl.cli.texts import kind_of
from pdl.errors import PromptError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json
    from pdl.cli.origin import Schemas
    from pdl.reply import Coercions
    from pdl.schema import Schema

_KEPT = 1000  # schemas of rows that bring data
NO_DATA = Fault("this row has no `context`, without whose data there is no schema")


@dataclass(frozen=True)
class Task:
    """How replies are found and checked; `digest` stands for the schemas and the coercions."""

    digest: str
    field: str
    schemas: Schemas
    coercions: Coercions
    _known: OrderedDict[str, Schema | Fault | None] = kept(default_factory=OrderedDict)

    def schema(self, context: Json) -> Schema | Fault | None:
        """The schema of a row with such data, or why there is none. Those of late are kept."""
        if not self.schemas.depend_on_data or (context is None and self.schemas.error is None):
            return self.schemas.alone
        if context is None:
            return NO_DATA
        if not isinstance(context, dict):
            return Fault(f"`context` is {kind_of(context)}; expected an object")
        key = json.dumps(context, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._made(context)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[key]

    def _made(self, context: dict[str, Any]) -> Schema | Fault | None:
        try:
            return self.schemas.of(context)
        except PromptError as error:
            first = error.problem
            return Fault(f"`context` does not fit the prompt: {first.message}", 0, first.hint)


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
    schema = task.schema(record.context)
    if isinstance(schema, Fault):
        return Outcome("", "", schema)
    try:
        check = pdl.check(schema, record.reply, coercions=task.coercions)
    except Exception as error:  # noqa: BLE001  (a bug of pdl's costs one line, not the batch)
        return Outcome(unchecked_text(line.number, record, error, task.digest), UNCHECKED)
    text = result_text(line.number, record, check, task.digest)
    return Outcome(text, check.reason or GOOD)
