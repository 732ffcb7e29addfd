"""Processes that work for the page, so that nothing that takes long holds up the server.

A process that takes too long, or whose answer nobody waits for any more, is killed and replaced.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from asyncio import IncompleteReadError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pdl.play.access import RefusedError
from pdl.play.frames import DONE, LENGTH, READY

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Coroutine
    from pathlib import Path

_WAITING = 32  # calls that wait for a process
_PATIENCE = 2.0  # seconds that a process has left when nobody waits: a new one takes as long
_BUFFER = 4_000_000  # bytes of an answer that are read at once
_ENDED = (IncompleteReadError, BrokenPipeError, ConnectionResetError)


class Workers:
    """Up to `size` processes in a folder; a call that takes more than `seconds` is given up."""

    def __init__(self, size: int, folder: Path | None, seconds: float) -> None:
        self.size = size
        self.folder = folder
        self.seconds = seconds
        self._idle: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        self._all: set[_Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._is_started = False
        self._is_closed = False
        self.is_ready = asyncio.Event()
        """Set when the first process is ready."""

    @property
    def ids(self) -> list[int]:
        """The processes that there are now."""
        return [one.process.pid for one in self._all]

    def start(self) -> None:
        """Start the processes, unless they are there; calls wait until one of them is ready."""
        if not self._is_started:
            self._is_started = True
            self._do(self._add_all())

    async def _add_all(self) -> None:
        for _ in range(self.size):  # one after the other, so that the first one is ready early
            await self._add()
            self.is_ready.set()

    async def _add(self) -> None:
        worker = _Worker(await _started(self.folder))
        self._all.add(worker)
        await worker.ready()
        self._idle.put_nowait(worker)

    async def close(self) -> None:
        """Kill the processes; calls that end meanwhile start no others."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        while self._all:
            await self._all.pop().kill()

    async def call(self, method: str, params: dict[str, Any]) -> bytes:
        """Return the answer of a process, as JSON. Raises RefusedError.

        Cancelling the call frees the process for others.
        """
        if self._waiting >= _WAITING:
            raise RefusedError(429, "the server is busy", "wait a moment")
        self._waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self._waiting -= 1
        request = json.dumps([method, params]).encode()
        answer = asyncio.ensure_future(worker.answer(request))
        answer.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        try:
            done, _ = await asyncio.wait([answer], timeout=self.seconds)
        except asyncio.CancelledError:
            self._later(worker, answer)
            raise
        if not done:
            answer.cancel()
            self._replace(worker)
            message = f"this took longer than {self.seconds:g} seconds"
            raise RefusedError(422, message, "make the prompt, the data or the reply smaller")
        return self._told(worker, answer)

    def _told(self, worker: _Worker, answer: asyncio.Future[tuple[bytes, bytes]]) -> bytes:
        try:
            kind, data = answer.result()
        except _ENDED as error:
            self._replace(worker)
            message = "the process that worked on this has ended"
            raise RefusedError(422, message, "its memory may have run out") from error
        self._idle.put_nowait(worker)
        if kind != DONE:
            raise RefusedError(400, **json.loads(data))
        return data

    def _later(self, worker: _Worker, answer: asyncio.Future[tuple[bytes, bytes]]) -> None:
        """Take a process back from a call that was cancelled: once it is done, or a new one."""

        async def take_back() -> None:
            await asyncio.wait([answer], timeout=_PATIENCE)
            if answer.done() and answer.exception() is None:
                self._idle.put_nowait(worker)
            else:
                answer.cancel()
                await self._exchange(worker)

        self._do(take_back())

    def _replace(self, worker: _Worker) -> None:
        self._do(self._exchange(worker))

    async def _exchange(self, worker: _Worker) -> None:
        await worker.kill()
        self._all.discard(worker)
        await self._add()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        if self._is_closed:
            work.close()
            return
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Worker:
    """A process that answers one request at a time."""

    def __init__(self, process: Process) -> None:
        self.process = process

    async def ready(self) -> None:
        """Wait until it has loaded what it needs, or has failed to, which the next call tells."""
        assert self.process.stdout is not None
        with suppress(*_ENDED):
            await self.process.stdout.readexactly(len(READY))

    async def answer(self, request: bytes) -> tuple[bytes, bytes]:
        """Return what an answer is, and its JSON. Raises one of `_ENDED`."""
        requests, answers = self.process.stdin, self.process.stdout
        assert requests is not None
        assert answers is not None
        requests.write(LENGTH.pack(len(request)) + request)
        await requests.drain()
        head = await answers.readexactly(1 + LENGTH.size)
        return head[:1], await answers.readexactly(LENGTH.unpack(head[1:])[0])

    async def kill(self) -> None:
        """End the process, whatever it does."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()


async def _started(folder: Path | None) -> Process:
    # `-P`: the folder is that of prompts, not of modules. It is the current one, so that paths in
    # it are relative, and errors do not tell where it is.
    command = [sys.executable, "-P", "-m", "pdl.play.worker"]
    here = os.getcwd() if folder is not None else ""  # noqa: PTH109 - it is joined below
    places = [os.path.join(here, one) for one in sys.path]  # noqa: PTH118 - an empty one is `here`
    new_group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        start_new_session=True,
        creationflags=new_group,
        limit=_BUFFER,
    )
