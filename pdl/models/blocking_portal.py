"""A blocking portal: asynchronous calls from a synchronous program.

The calls run in a separate thread, whether or not the caller's thread has an event loop (that of a
notebook has one). So there is one transport instead of two, and its deadlines apply to whatever it
waits for: a blocking read of a socket has a limit only for each read. anyio's portal is the same
design, at twice the time for a call, and would be needed for asynchronous functions as models too.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Generator
    from concurrent.futures import Future
    from types import TracebackType
    from typing import Any, Self

T = TypeVar("T")


class BlockingPortal:
    """An event loop in a thread, during a `with` block."""

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pdl", daemon=True)
        self._thread.start()
        return self

    def start(self, call: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine, and return the future of its result."""
        return asyncio.run_coroutine_threadsafe(call, self._loop)

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        """Return or raise what a coroutine does. An exception here, such as Ctrl-C, cancels it."""
        future = self.start(call)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.run(_settle())
            self.run(self._loop.shutdown_asyncgens())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


async def _settle() -> None:
    """Let cancelled tasks finish."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


_LASTING: dict[int, BlockingPortal] = {}
_LOCK = threading.Lock()


def lasting() -> BlockingPortal:
    """Return the portal that ends with this process; a forked one has its own."""
    with _LOCK:
        process = os.getpid()
        if process not in _LASTING:
            _LASTING[process] = BlockingPortal().__enter__()
            atexit.register(_end, process)
        return _LASTING[process]


def _end(process: int) -> None:
    """End the portal of a process; what it forked has not got its thread."""
    if process == os.getpid():
        _LASTING.pop(process).__exit__(None, None, None)


def run(call: Coroutine[Any, Any, T]) -> T:
    """Wait for a coroutine, and return or raise what it does."""
    with BlockingPortal() as portal:
        return portal.run(call)


def iterate(items: AsyncIterator[T]) -> Generator[T]:
    """Yield the items of an asynchronous generator; closing closes it too."""
    with BlockingPortal() as portal:
        try:
            while (found := portal.run(_next(items))) is not None:
                yield found[0]
        finally:
            portal.run(_settle())  # what Ctrl-C left waiting for the next item
            portal.run(_close(items))


async def _next(items: AsyncIterator[T]) -> tuple[T] | None:
    async for item in items:
        return (item,)
    return None


async def _close(items: AsyncIterator[T]) -> None:
    close = getattr(items, "aclose", None)
    if close is not None:
        await close()
