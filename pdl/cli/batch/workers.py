"""A pool of workers: work done in this process or in several, its results in the order of the work.

`Task` and `Outcome` say what is done with a line of replies, in this process or in another.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections import OrderedDict, deque
from dataclasses import dataclass
from dataclasses import field as kept
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import pdl
from pdl.cli import exits
from pdl.cli.batch.lines import Fault, Line, read_record
from pdl.cli.batch.results import GOOD, UNCHECKED, result_text, unchecked_text
from pdl.cli.texts import kind_of
from pdl.errors import PdlError, Problem, PromptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from types import TracebackType
    from typing import Self

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


T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 4  # pieces of work for each process that are under way or wait for an earlier one


class WorkerError(PdlError):
    """A process that did a part of the work is gone."""


class _Piece(Generic[T, R]):
    """A piece of work and, once it is done, its result."""

    def __init__(self, work: T, size: int) -> None:
        self.work = work
        self.size = size
        self.is_done = False
        self.result: R

    def finish(self, result: R) -> None:
        self.result = result
        self.is_done = True


class _Worker(Generic[T, R]):
    """A process that does one piece of work at a time, and ends when nobody can send it more."""

    def __init__(self, work: Callable[[T], R]) -> None:
        # Started anew on every system: a copy of a process that has threads may never run.
        fresh = multiprocessing.get_context("spawn")
        self.connection, theirs = fresh.Pipe()
        self.process = fresh.Process(target=_serve, args=(theirs, work), daemon=True)
        # The first process brings this one along, which lets Ctrl-C through once it runs.
        resource_tracker.ensure_running()
        with exits.held():  # it is for this process, which ends the others
            self.process.start()
        # As long as nobody else holds this end, its being closed is seen by both.
        theirs.close()
        self._piece: _Piece[T, R] | None = None
        self._is_ready = False

    @property
    def is_idle(self) -> bool:
        return self._piece is None and self.is_ready

    @property
    def is_ready(self) -> bool:
        """Whether it runs, which takes it as long as a command takes to start."""
        if not self._is_ready and self.connection.poll():
            self._receive()
            self._is_ready = True
        return self._is_ready

    @property
    def is_busy(self) -> bool:
        return self._piece is not None

    def begin(self, piece: _Piece[T, R]) -> None:
        self._piece = piece
        try:
            self.connection.send(piece.work)
        except OSError as error:
            raise _gone() from error

    def finish(self) -> None:
        """Wait for the result of the piece that it works on."""
        assert self._piece is not None
        self._piece.finish(self._receive())
        self._piece = None

    def _receive(self) -> Any:
        try:
            return self.connection.recv()
        except (EOFError, OSError) as error:
            raise _gone() from error


class Workers(Generic[T, R]):
    """Up to `jobs` processes that call one function; with one job there are none but this one.

    While they start, this process does their work.

    `most` bounds the sizes of the pieces of work that are held at once.
    """

    def __init__(self, work: Callable[[T], R], jobs: int, most: int) -> None:
        self._work = work
        self._jobs = jobs
        self._most = most
        self._workers: list[_Worker[T, R]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the processes end; at once if something went wrong or somebody stopped the work."""
        for worker in self._workers:
            worker.connection.close()
            if kind is not None:
                worker.process.kill()
        for worker in self._workers:
            worker.process.join()

    def in_order(self, pieces: Iterable[tuple[T, int]]) -> Iterator[tuple[T, R]]:
        """Each piece of work beside its result; it comes with its size.

        Raises WorkerError if a process ends before its work is done.
        """
        if self._jobs == 1:
            return ((work, self._work(work)) for work, _ in pieces)
        return self._in_processes(pieces)

    def _in_processes(self, pieces: Iterable[tuple[T, int]]) -> Iterator[tuple[T, R]]:
        held: deque[_Piece[T, R]] = deque()
        size = 0
        for work, added in pieces:
            piece: _Piece[T, R] = _Piece(work, added)
            held.append(piece)
            size += added
            worker = self._idle()
            if worker is None:
                piece.finish(self._work(work))
            else:
                worker.begin(piece)
            while held and (
                held[0].is_done or len(held) > _AHEAD * self._jobs or size > self._most
            ):
                size -= held[0].size
                yield self._finished(held.popleft())
        for piece in held:
            yield self._finished(piece)

    def _finished(self, piece: _Piece[T, R]) -> tuple[T, R]:
        while not piece.is_done:
            self._collect()
        return piece.work, piece.result

    def _idle(self) -> _Worker[T, R] | None:
        """A worker that has nothing to do; None while one starts, for this process to work."""
        while True:
            for worker in self._workers:
                if worker.is_idle:
                    return worker
            if len(self._workers) < self._jobs:
                self._workers.append(_Worker(self._work))
            if not all(worker.is_ready for worker in self._workers):
                return None
            self._collect()

    def _collect(self) -> None:
        """Wait until at least one piece is done."""
        busy: dict[Any, _Worker[T, R]] = {w.connection: w for w in self._workers if w.is_busy}
        for connection in wait(list(busy)):
            busy[connection].finish()


def _gone() -> WorkerError:
    message = "a worker process ended before its work was done"
    hint = "if it was killed for lack of memory, fewer --jobs need less; what is in --out is kept"
    return WorkerError(Problem("batch/worker", message, None, hint))


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """In a worker: do what comes, until the process that sends it closes the connection or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    result: Any = None  # that it runs
    while True:
        try:
            connection.send(result)
            piece = connection.recv()
        except (EOFError, OSError):
            return
        result = work(piece)
