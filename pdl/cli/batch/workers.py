"""Work that is done in this process or in several, with results in the order of the work."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pdl.cli.batch import interrupts
from pdl.errors import PdlError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from types import TracebackType
    from typing import Self

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
        with interrupts.held():  # it is for this process, which ends the others
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
