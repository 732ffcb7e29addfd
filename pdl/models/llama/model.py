"""`llama:PATH.gguf`: a model in a file, held to the schema by pdl's own grammar."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Delta, Dropped, Fault, Reply, Usage
from pdl.models.llama.engine import (
    EndError,
    Engine,
    RefusedError,
    Settings,
    engine,
    library,
    read_header,
    stamp,
)
from pdl.models.llama.job import Job
from pdl.models.retry import in_words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from pdl._types import Json
    from pdl.gguf import Header
    from pdl.models.exchange import Ignored, Request


@dataclass(frozen=True)
class LlamaModel:
    """A model in a GGUF file, run by a llama.cpp in this process.

    It is loaded when it is first asked, once for all that name the same file; that time is not the
    call's. `think` lets it reason before an answer that a grammar holds: whether it does, or a
    template such as `<think>…</think>`. The key `think` of a request's configuration goes over it.
    `tool_format` is how it writes calls of tools, by default as its chat template has it.

    Raises FileError for what is no whole GGUF file, ConfigError if xllamacpp is not installed.
    """

    path: Path
    settings: Settings = field(default_factory=Settings)
    think: str | bool | None = None
    tool_format: str = ""
    header: Header = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look into the file, which is cheap, so that a wrong one is told early."""
        object.__setattr__(self, "path", Path(self.path))
        object.__setattr__(self, "header", read_header(self.path))
        library()

    @property
    def name(self) -> str:
        """`llama:` and the path."""
        return f"llama:{self.path}"

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """The whole reply. Raises Fault."""
        return _gathered(self.stream(request, timeout=timeout))

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """The reply piece by piece; closing the iterator stops the model at its next token."""
        job = Job(self, request)
        loaded = self._engine()
        chunks = loaded.chunks(job.payload.body, time.monotonic() + timeout)
        with _faults(timeout), closing(chunks):
            for chunk in chunks:
                yield from job.feed(chunk)
        yield from job.close()

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109  (the protocol's)
        """The whole reply. Raises Fault."""
        return _gathered([delta async for delta in self.stream_async(request, timeout=timeout)])

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109  (likewise)
        """The reply piece by piece; closing the iterator stops the model at its next token."""
        job = Job(self, request)
        loaded = await asyncio.to_thread(self._engine)
        queue: asyncio.Queue[Any] = asyncio.Queue()
        call = loaded.call(job.payload.body, _into(queue))
        deadline = time.monotonic() + timeout
        try:
            with _faults(timeout):
                while (item := await _next(queue, deadline)) is not None:
                    for delta in job.feed(item):
                        yield delta
        finally:
            call.stop()
        for delta in job.close():
            yield delta

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """What the grammar leaves to the check."""
        return Job(self, request).payload.dropped

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """The settings that llama.cpp does not have."""
        return Job(self, request).payload.ignored

    def identity(self, request: Request) -> Json:
        """The file as it is now, how it is loaded, and the request as llama.cpp gets it."""
        file = [*stamp(self.path), repr(self.settings)]
        return {"llama": file, "body": Job(self, request).payload.body}

    def _engine(self) -> Engine:
        return engine(self.path, self.settings)


def _into(queue: asyncio.Queue[Any]) -> Callable[[Any], None]:
    """A function that puts items into the queue of this event loop, from any thread."""
    loop = asyncio.get_running_loop()

    def put(item: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            loop.call_soon_threadsafe(queue.put_nowait, item)

    return put


async def _next(queue: asyncio.Queue[Any], deadline: float) -> Any:
    try:
        item = await asyncio.wait_for(queue.get(), max(deadline - time.monotonic(), 0))
    except TimeoutError:
        raise EndError from None
    if isinstance(item, BaseException):
        raise item
    return item


def _gathered(deltas: Iterable[Delta]) -> Reply:
    """The reply that came in pieces."""
    found = list(deltas)
    return Reply(
        text="".join(delta.text for delta in found),
        reasoning="".join(delta.reasoning for delta in found),
        finish=next((delta.finish for delta in found if delta.finish), "other"),
        usage=sum((delta.usage for delta in found if delta.usage), Usage()),
        model=next((delta.model for delta in found if delta.model), ""),
    )


@contextmanager
def _faults(timeout: float) -> Iterator[None]:
    """Within it, what ends a call before its reply is whole becomes a `Fault`."""
    try:
        yield
    except EndError as error:
        message = f"the model was not done after {in_words(timeout)}"
        raise Fault("timeout", message) from error
    except RefusedError as error:
        raise Fault("bad_request", f"llama.cpp: {error}") from error
