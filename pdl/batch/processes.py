"""Work in several processes, evenly from the first second: in order, or as it is done."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from pdl.errors import PdlError, Problem
from pdl.interrupts import interrupts_deferred

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 4  # pieces for each process that are in progress or wait for an earlier one
_work: Callable[[Any], Any]
"""In a worker process, what it does with a piece."""


class WorkerError(PdlError):
    """A worker process ended before its work was done."""


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
    with _pool(work, jobs) as pool:
        yield from _mapped(pool, work, pieces, jobs, most)


def map_as_done(
    work: Callable[[T], R], pieces: Iterable[T], jobs: int
) -> Generator[tuple[T, R], None, None]:
    """Yield each piece with its result as soon as it is done, from `jobs` processes.

    With one job, this process does the work. Raises WorkerError.
    """
    if jobs == 1:
        yield from ((piece, work(piece)) for piece in pieces)
        return
    left = iter(pieces)
    pending: dict[Future[R], T] = {}
    with _pool(work, jobs) as pool:
        while True:
            while len(pending) < 2 * jobs and (piece := next(left, None)) is not None:
                with interrupts_deferred():  # Ctrl-C is for this process, which ends the others
                    pending[pool.submit(_call, piece)] = piece
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), future.result()


@contextmanager
def _pool(work: Callable[[Any], Any], jobs: int) -> Generator[ProcessPoolExecutor, None, None]:
    others = {one.pid for one in multiprocessing.active_children()}
    # A fork of a process with threads might never run.
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_start, initargs=(work,)
    )
    try:
        yield pool
    except BrokenProcessPool as error:
        message = "a worker process ended before its work was done"
        hint = "if memory ran out, use fewer --jobs; results in --out are kept"
        raise WorkerError(Problem("batch/worker", message, None, hint)) from error
    finally:
        for process in multiprocessing.active_children():  # some might still be starting
            if process.pid not in others:
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
