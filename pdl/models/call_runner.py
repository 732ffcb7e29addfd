"""Run the tool calls of one reply: async functions concurrently, others in order in one thread."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import ExitStack, closing
from contextvars import copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from pdl.models.answer import UNFINISHED
from pdl.models.blocking_portal import BlockingPortal
from pdl.tools.tool import ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Context
    from typing import Self

    from pdl.tools.dispatch import Dispatcher
    from pdl.tools.tool import ToolCall

_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class RunCalls:
    """Run these calls now, within so many seconds, and return their results."""

    calls: tuple[ToolCall, ...]
    seconds: float


class FunctionThread:
    """Calls functions one after another, outside the event loop that waits for them.

    A function that never returns can't be stopped: the thread is a daemon, so that it does not keep
    the program from ending.
    """

    def __init__(self, *, in_caller: bool = False) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._is_served = in_caller  # who calls `serve`

    async def call(self, function: Callable[[], _R]) -> _R:
        """Return or raise what a function does, in the context (`contextvars`) of the caller."""
        future: Future[tuple[Any, BaseException | None]] = Future()
        context = copy_context()
        self._jobs.put(lambda: _do(function, context, future))
        if not self._is_served:
            self._is_served = True
            threading.Thread(target=self.serve, name="pdl tools", daemon=True).start()
        value, error = await asyncio.wrap_future(future)
        if error is not None:
            raise error
        result: _R = value
        return result

    def serve(self) -> None:
        """Call the functions in this thread, until `close`."""
        while (job := self._jobs.get()) is not None:
            job()

    def close(self) -> None:
        """End `serve` after the functions that wait."""
        self._jobs.put(None)


def _do(
    function: Callable[[], Any],
    context: Context,
    future: Future[tuple[Any, BaseException | None]],
) -> None:
    """Call a function, unless its call was cancelled before.

    What it raises is not given to the future as its exception: some kinds end an event loop.
    """
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result((context.run(function), None))
    except BaseException as error:  # noqa: BLE001 - it is raised where the function is awaited
        future.set_result((None, error))


async def run_calls(
    dispatcher: Dispatcher, event: RunCalls, thread: FunctionThread
) -> list[ToolResult | BaseException]:
    """Run calls within their time, and return the result of each, or what it raised.

    A call that is cancelled has a result that says so. What one raises cancels the others.
    """

    async def outcome(call: ToolCall) -> ToolResult | BaseException:
        try:
            return await dispatcher.run_async(call, thread.call)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - some kinds would end the event loop
            for task in {*tasks} - {asyncio.current_task()}:
                task.cancel()
            return error

    tasks = [asyncio.create_task(outcome(call)) for call in event.calls]
    try:
        await asyncio.wait(tasks, timeout=event.seconds)
    finally:
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    return [
        ToolResult(call, UNFINISHED, failed=True)
        if isinstance(one, asyncio.CancelledError)
        else one
        for call, one in zip(event.calls, outcomes, strict=True)
    ]


def results_of(outcomes: list[ToolResult | BaseException]) -> tuple[ToolResult, ...]:
    """Return the results of calls, or raise the first of what they raised."""
    results: list[ToolResult] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        results.append(outcome)
    return tuple(results)


class CallRunner:
    """Runs calls for a synchronous program, during a `with` block.

    `in_caller`: functions that are not async run in the caller's thread, where nothing bounds them.
    """

    def __init__(self, dispatcher: Dispatcher, *, in_caller: bool) -> None:
        self._dispatcher = dispatcher
        self._in_caller = in_caller
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._portal = self._stack.enter_context(BlockingPortal())
        self._thread = self._stack.enter_context(closing(FunctionThread(in_caller=self._in_caller)))
        return self

    def results(self, event: RunCalls) -> tuple[ToolResult, ...]:
        """Run calls within their time, and return their results in order."""
        work = run_calls(self._dispatcher, event, self._thread)
        if not self._in_caller:
            return results_of(self._portal.run(work))
        future = self._portal.start(work)
        future.add_done_callback(lambda _: self._thread.close())
        self._thread.serve()
        return results_of(future.result())

    def __exit__(self, *details: object) -> None:
        self._stack.close()
