"""Waiting from a program that is not asynchronous, and not waiting any longer."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from models import hostile
from models.conftest import Serve, remote

from pdl.models import Request, ask_async, blocking_portal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pdl


async def numbers(over: list[bool]) -> AsyncIterator[int]:
    try:
        for number in range(1000):
            await asyncio.sleep(0)
            yield number
    finally:
        over.append(True)


def test_run() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    before = threading.active_count()
    assert blocking_portal.run(work()) == 7
    assert threading.active_count() == before


def test_iterate() -> None:
    over: list[bool] = []
    assert list(blocking_portal.iterate(numbers(over))) == list(range(1000))
    assert over == [True]


def test_closed_early() -> None:
    over: list[bool] = []
    items = blocking_portal.iterate(numbers(over))
    assert next(items) == 0
    items.close()
    assert over == [True]


@pytest.mark.skipif(os.name == "nt", reason="signals to oneself are POSIX's")
def test_ctrl_c(serve: Serve, rendered: pdl.Rendered) -> None:
    """Ctrl-C ends a call that waits, at once and with nothing left behind."""
    model = remote(serve(hostile.silence))
    before = threading.active_count()
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.reply(Request(rendered.messages), timeout=20)
    assert time.monotonic() - began < 5
    assert threading.active_count() <= before + 1  # the server's own


def test_cancelled(serve: Serve, rendered: pdl.Rendered) -> None:
    """A task that is cancelled stops its call."""

    async def work() -> None:
        asking = asyncio.create_task(ask_async(rendered, remote(serve(hostile.silence))))
        await asyncio.sleep(0.1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    began = time.monotonic()
    asyncio.run(work())
    assert time.monotonic() - began < 5


def test_many_at_once(serve: Serve, rendered: pdl.Rendered) -> None:
    """One model answers several threads."""
    model = remote(serve(hostile.good()))
    request = Request(rendered.messages)
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda: texts.append(model.reply(request, timeout=10).text))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [hostile.GOOD] * 8


_LASTING = """
import asyncio, os, sys
from pdl.models.blocking_portal import lasting

async def number():
    await asyncio.sleep(0)
    return 7

assert lasting() is lasting()
assert lasting().run(number()) == 7
if hasattr(os, "fork"):
    child = os.fork()
    if not child:
        sys.exit(lasting().run(number()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def test_one_that_lasts_ends_with_its_process() -> None:
    """A forked process has its own, and does not wait for that of its parent."""
    command = [sys.executable, "-c", _LASTING]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)  # noqa: S603 - ours
    assert (done.returncode, done.stderr) == (0, b"")
