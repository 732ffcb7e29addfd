"""The work on a batch: how a line is checked, in this process or in several."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections import OrderedDict, deque
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pdl
from pdl.cli.batch.lines import Fault, Line, read_record
from pdl.cli.batch.results import UNCHECKED, VALID, Against, result_text, unchecked_text
from pdl.cli.files import kind_of
from pdl.cli.terminal import interrupts_deferred
from pdl.errors import PdlError, Problem, PromptError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from pdl._types import Json
    from pdl.cli.inputs import RowSchemas
    from pdl.reply import Coercions
    from pdl.schema import Schema

T = TypeVar("T")
R = TypeVar("R")

_SCHEMAS_KEPT = 1000  # of rows that bring values
NO_CONTEXT = Fault("this row has no `context`, and the schema depends on its values")


@dataclass(frozen=True)
class Task:
    """How replies are found and checked; `digest` identifies the schemas and the coercions."""

    digest: str
    path: str
    schemas: RowSchemas
    coercions: Coercions
    _known: OrderedDict[str, Schema | Fault | None] = field(default_factory=OrderedDict)

    @property
    def against(self) -> Against:
        """What each result says it was checked against."""
        return Against(self.digest, self.schemas.fingerprint)

    def schema(self, context: Json) -> Schema | Fault | None:
        """Return the schema of a row with such values, or why there isn't one."""
        if self.schemas.prompt is None or (context is None and self.schemas.error is None):
            return self.schemas.default
        if context is None:
            return NO_CONTEXT
        if not isinstance(context, dict):
            return Fault(f"`context`: expected an object, found {kind_of(context)}")
        key = json.dumps(context, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._rendered(context)
            if len(self._known) > _SCHEMAS_KEPT:
                self._known.popitem(last=False)
        return self._known[key]

    def _rendered(self, context: dict[str, Any]) -> Schema | Fault | None:
        try:
            return self.schemas.render(context)
        except PromptError as error:
            first = error.problem
            return Fault(f"`context` does not fit the prompt: {first.message}", 0, first.hint)


class Outcome(NamedTuple):
    """The result of a line; `verdict` is `ok`, the reason of an invalid reply, or empty."""

    text: str
    verdict: str
    fault: Fault | None = None


def check_lines(task: Task, lines: Sequence[Line]) -> list[Outcome]:
    """Return the outcome of each line, in their order."""
    return [_checked(task, line) for line in lines]


def _checked(task: Task, line: Line) -> Outcome:
    record = read_record(line, task.path)
    if isinstance(record, Fault):
        return Outcome("", "", record)
    schema = task.schema(record.context)
    if isinstance(schema, Fault):
        return Outcome("", "", schema)
    try:
        check = pdl.check(schema, record.reply, coercions=task.coercions)
    except Exception as error:  # noqa: BLE001  (a bug in pdl costs one line, not the batch)
        return Outcome(unchecked_text(line.number, record, error, task.against), UNCHECKED)
    text = result_text(line.number, record, check, task.against)
    return Outcome(text, check.reason or VALID)


class WorkerError(PdlError):
    """A worker process ended before its work was done."""


_AHEAD = 4  # pieces for each process that are in progress or wait for an earlier one
_work: Callable[[Any], Any]
"""In a worker process, what it does with a piece."""


def map_in_order(
    work: Callable[[T], R], pieces: Iterable[tuple[T, int]], jobs: int, most: int
) -> Generator[tuple[T, R], None, None]:
    """Yield each piece with its result, from up to `jobs` processes, in the order of the pieces.

    Each piece comes with its size, of which at most about `most` are in memory. With one job, and
    until the first process has started, this process does the work. Raises WorkerError.
    """
    if jobs == 1:
        yield from ((piece, work(piece)) for piece, _ in pieces)
        return
    # A fork of a process with threads might never run.
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_start, initargs=(work,)
    )
    try:
        yield from _mapped(pool, work, pieces, jobs, most)
    except BrokenProcessPool as error:
        message = "a worker process ended before its work was done"
        hint = "if memory ran out, use fewer --jobs; results in --out are kept"
        raise WorkerError(Problem("batch/worker", message, None, hint)) from error
    finally:
        for process in multiprocessing.active_children():  # some might still be starting
            process.kill()
        pool.shutdown(cancel_futures=True)


def _mapped(
    pool: ProcessPoolExecutor,
    work: Callable[[T], R],
    pieces: Iterable[tuple[T, int]],
    jobs: int,
    most: int,
) -> Iterator[tuple[T, R]]:
    with interrupts_deferred():  # Ctrl-C is for this process, which ends the others
        starting = [pool.submit(os.getpid) for _ in range(jobs)]
    pending: deque[tuple[T, int, Future[R]]] = deque()
    size = 0
    for piece, added in pieces:
        if not any(one.done() for one in starting):
            yield piece, work(piece)
            continue
        with interrupts_deferred():
            pending.append((piece, added, pool.submit(_call, piece)))
        size += added
        while pending and (pending[0][2].done() or len(pending) > _AHEAD * jobs or size > most):
            first, taken, result = pending.popleft()
            size -= taken
            yield first, result.result()
    for piece, _, result in pending:
        yield piece, result.result()


def _start(work: Callable[[Any], Any]) -> None:
    """Prepare a worker process: it leaves Ctrl-C to its parent, and ends with it."""
    global _work  # noqa: PLW0603  (so that it is sent once)
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _call(piece: Any) -> Any:
    return _work(piece)
