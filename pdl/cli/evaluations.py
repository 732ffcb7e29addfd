"""What `pdl eval` shows while it asks, and how Ctrl-C ends it."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.models.faults import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.cli.terminal import Terminal
    from pdl.evaluation.engine import Engine, Progress

_REDRAWN_AFTER = 0.1  # seconds
_ERASE_LINE = "\r\x1b[K"


class ProgressLine:
    """The progress of an evaluation, on one line of a terminal; nothing elsewhere."""

    def __init__(self, terminal: Terminal, *, has_prices: bool) -> None:
        self._terminal = terminal
        self._has_prices = has_prices
        self._began = time.monotonic()
        self._drawn = 0.0

    def show(self, progress: Progress) -> None:
        """Draw the line, rarely enough that this costs nothing."""
        now = time.monotonic()
        if self._terminal.is_tty and now - self._drawn > _REDRAWN_AFTER:
            self._drawn = now
            width = shutil.get_terminal_size().columns - 1
            text = progress_text(progress, now - self._began, has_prices=self._has_prices)
            self._put(f"{_ERASE_LINE}{text[:width]}")

    def end(self) -> None:
        """Erase the line."""
        if self._terminal.is_tty and self._drawn:
            self._put(_ERASE_LINE)

    def _put(self, text: str) -> None:
        stream = self._terminal.stream
        if stream is not None:
            with suppress(OSError):
                stream.write(text)
                stream.flush()


def progress_text(progress: Progress, seconds: float, *, has_prices: bool) -> str:
    """Return the progress in one line: trials, outcomes, cost, and the time that is left."""
    parts = [f"{progress.ended:,}/{progress.planned:,} trials", f"{progress.valid:,} valid"]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if has_prices:
        parts.append(f"cost {progress.cost:.4f}")
    made = progress.ended - progress.earlier
    if progress.is_stopped:
        parts.append("waiting for the last calls")
    elif made and progress.ended < progress.planned:
        left = seconds / made * (progress.planned - progress.ended)
        parts.append(f"{in_words(max(1, round(left)))} left")
    return ", ".join(parts)


def summary(progress: Progress, seconds: float, *, has_prices: bool) -> str:
    """Return in one line what came of an evaluation."""
    parts = [f"{progress.ended:,} of {count(progress.planned, 'trial')} ended"]
    if progress.earlier:
        parts[0] += f", {progress.earlier:,} of them earlier"
    parts.append(f"{progress.valid:,} valid, {progress.failed:,} failed")
    made = f"{count(progress.calls, 'call')} in {in_words(round(seconds, 1))}"
    parts.append(made + (f", cost {progress.cost:.6f}" if has_prices else ""))
    return "; ".join(parts)


def run_engine(engine: Engine, terminal: Terminal) -> bool:
    """Run an evaluation; whether Ctrl-C, or the signal to terminate, ended it early.

    The first one waits for the calls in flight, a second one does not.
    """
    try:
        return asyncio.run(_run(engine, terminal))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return True


def _signals() -> Iterator[signal.Signals]:
    """The signals that ask to stop; that of a closed terminal unless it is to be outlived."""
    yield from (signal.SIGINT, signal.SIGTERM)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        yield signal.SIGHUP


async def _run(engine: Engine, terminal: Terminal) -> bool:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    stopped: list[bool] = []

    def stop() -> None:
        if stopped and task is not None:
            task.cancel()
            return
        stopped.append(True)
        engine.stop()
        if engine.in_flight:
            calls = count(engine.in_flight, "call")
            mark = _ERASE_LINE if terminal.is_tty else ""
            terminal.write(f"{mark}waiting for {calls} in flight; Ctrl-C again to drop them")

    for number in _signals():
        with suppress(NotImplementedError, RuntimeError):  # on Windows, and beside the main thread
            loop.add_signal_handler(number, stop)
    await engine.run()
    return bool(stopped)
