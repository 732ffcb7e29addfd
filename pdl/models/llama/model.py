"""`llama:PATH.gguf`: a model in a file, run by llama.cpp, constrained by pdl's own grammar."""

from __future__ import annotations

import asyncio
import atexit
import importlib
import secrets
import threading
import time
from collections import OrderedDict
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from pdl.errors import FileError, Problem, missing_package
from pdl.gguf import GgufError, Header
from pdl.gguf import read_header as read
from pdl.models.exchange import Delta, Dropped, Reply, Usage
from pdl.models.faults import Fault, in_words
from pdl.models.llama.job import Job, ModelFile
from pdl.prompt.files import open_regular

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator
    from types import ModuleType

    from pdl._types import Json
    from pdl.models.exchange import Ignored
    from pdl.models.request import Request


_LOADED = 2
"""Models that stay in memory."""
_CONTEXT = 16_384
_SMALL = 10_000_000  # bytes
_PATIENCE = 5.0  # seconds for calls to end when the program does
_NO_LOGS = -1


@dataclass(frozen=True, slots=True)
class Settings:
    """How a file is loaded.

    `context` is how many tokens a conversation may have, 0 for the model's own limit; by default
    at most 16,384, since each takes memory. `projector` is the file that encodes images and audio
    for the model, which llama.cpp calls mmproj. `layers` is how many layers go to a GPU, -1 for all
    that fit. `threads` is the number of threads, -1 for one per core; a model of a few megabytes
    has one, since waking others takes longer than they would save.
    """

    context: int = _CONTEXT
    projector: str = ""
    layers: int = -1
    threads: int = -1


class EndError(Exception):
    """The time of a call is up."""


class RefusedError(Exception):
    """What llama.cpp says of a request that it rejects."""


class RunningCompletion:
    """A chat completion in a separate thread, since nothing else can leave one in time.

    Its chunks go to `put`, then None, or an exception. `stop` ends it at its next token.
    """

    def __init__(self, server: Any, body: dict[str, Json], put: Callable[[Any], None]) -> None:
        self._server = server
        self._body = body
        self._put = put
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="pdl-llama", daemon=True)
        _RUNNING.add(self)
        self._thread.start()

    def stop(self) -> None:
        """Let it end; its further output is discarded."""
        self._stopped = True

    def join(self, seconds: float) -> None:
        """Wait for its end."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._server.handle_chat_completions(self._body, self._take)
            self._pass_on(None)
        except (ValueError, RuntimeError) as error:
            self._pass_on(RefusedError(str(error)))
        except BaseException as error:  # noqa: BLE001  (it is raised where the call was made)
            self._pass_on(error)
        finally:
            _RUNNING.discard(self)

    def _take(self, chunk: Json) -> bool:
        """Pass on a chunk; whether llama.cpp should stop. Errors in here would be lost."""
        self._pass_on(chunk)
        return self._stopped

    def _pass_on(self, item: Any) -> None:
        if not self._stopped:
            self._put(item)


_RUNNING: set[RunningCompletion] = set()


class Engine:
    """A loaded model."""

    def __init__(self, path: Path, settings: Settings) -> None:
        """Load it. Raises FileError for what llama.cpp rejects, ConfigError without llama.cpp."""
        found = library()
        params = found.CommonParams()
        params.model.path = str(path)
        params.mmproj.path = settings.projector
        params.n_ctx = settings.context
        params.n_gpu_layers = settings.layers
        is_small = settings.threads < 0 and path.stat().st_size < _SMALL
        params.cpuparams.n_threads = 1 if is_small else settings.threads
        params.warmup = False  # it would cost as much as the first request
        params.verbosity = _NO_LOGS
        # Its HTTP server can't be left out. A random key closes it to others on this machine.
        params.api_keys = [secrets.token_hex()]
        params.endpoint_slots = False
        params.n_threads_http = 1
        try:
            self._server = found.Server(params)
        except RuntimeError as error:
            message = f"{path}: llama.cpp cannot load this model"
            hint = "it is damaged, too large for the memory, or newer than the installed xllamacpp"
            raise FileError(Problem("file/gguf", message, hint=hint)) from error

    def call(self, body: dict[str, Json], put: Callable[[Any], None]) -> RunningCompletion:
        """Begin a streaming chat completion."""
        return RunningCompletion(self._server, body, put)

    def chunks(self, body: dict[str, Json], deadline: float) -> Generator[Json, None, None]:
        """Yield the chunks of a chat completion. Closing the iterator stops it.

        `deadline` is a time of `time.monotonic`. Raises EndError after it, and RefusedError.
        """
        queue: SimpleQueue[Any] = SimpleQueue()
        call = self.call(body, queue.put)
        try:
            while (item := _next(queue, deadline)) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            call.stop()


def _next(queue: SimpleQueue[Any], deadline: float) -> Any:
    try:
        return queue.get(timeout=max(deadline - time.monotonic(), 0))
    except Empty:
        raise EndError from None


def library() -> ModuleType:
    """Return the package xllamacpp. Raises ConfigError if it is not installed."""
    try:
        return importlib.import_module("xllamacpp")
    except ModuleNotFoundError as error:
        if error.name != "xllamacpp":
            raise
        raise missing_package("models in GGUF files need", "xllamacpp", "llama") from error


def read_header(path: Path) -> Header:
    """Return the header of a GGUF file. Raises FileError for what is not one, or not all of one."""
    try:
        with open_regular(path) as file:
            return read(file)
    except GgufError as error:
        raise FileError(_problem(path, str(error), error.hint)) from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> FileError:
    reason = (error.strerror or str(error)).lower()
    return FileError(_problem(path, f"cannot be read: {reason}"))


def _problem(path: Path, message: str, hint: str = "") -> Problem:
    return Problem("file/gguf", f"{path}: {message}", hint=hint)


def stamp(path: Path) -> tuple[str, int, int]:
    """Return the file, its size and modification time: other content has another stamp.

    Raises FileError if it is gone.
    """
    try:
        stat = path.stat()
        return str(path.resolve()), stat.st_size, stat.st_mtime_ns
    except OSError as error:
        raise _unreadable(path, error) from error


_ENGINES: OrderedDict[tuple[object, ...], Engine] = OrderedDict()
_LOADING = threading.Lock()


def engine(path: Path, settings: Settings) -> Engine:
    """Return the model of a file, which is loaded only once while its content stays the same."""
    key = (*stamp(path), settings)
    with _LOADING:
        if key not in _ENGINES:
            while len(_ENGINES) >= _LOADED:
                _ENGINES.popitem(last=False)
            _ENGINES[key] = Engine(path, settings)
        _ENGINES.move_to_end(key)
        return _ENGINES[key]


@atexit.register
def _end() -> None:
    """Stop running calls: a thread that returned to an ending interpreter would crash it."""
    calls = list(_RUNNING)
    for call in calls:
        call.stop()
    end = time.monotonic() + _PATIENCE
    for call in calls:
        call.join(max(end - time.monotonic(), 0))
    _ENGINES.clear()


@dataclass(frozen=True)
class LlamaModel:
    """A model in a GGUF file, run by llama.cpp in this process.

    It is loaded on first use, once for all models with the same file; that time doesn't count for
    the call. `think` lets it reason before an answer that a grammar constrains: whether it does, or
    a template such as `<think>…</think>`. The setting `think` of a request overrides it.
    `tool_format` is how it writes tool calls, by default as its chat template does.

    Raises FileError for an invalid GGUF file, ConfigError if xllamacpp is not installed.
    """

    path: Path
    settings: Settings = field(default_factory=Settings)
    think: str | bool | None = None
    tool_format: str = ""
    header: Header = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the header, which is cheap, so that an invalid file is reported early."""
        object.__setattr__(self, "path", Path(self.path))
        object.__setattr__(self, "header", read_header(self.path))
        library()

    @property
    def name(self) -> str:
        """`llama:` and the path."""
        return f"llama:{self.path}"

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """Return the whole reply. Raises Fault."""
        return _gathered(self.stream(request, timeout=timeout))

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the reply in pieces; closing the iterator stops the model at its next token."""
        job = self.job(request)
        loaded = self._engine()
        chunks = loaded.chunks(job.payload.body, time.monotonic() + timeout)
        with _faults(timeout), closing(chunks):
            for chunk in chunks:
                yield from job.feed(chunk)
        yield from job.close()

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109  (the protocol's)
        """Return the whole reply. Raises Fault."""
        return _gathered([delta async for delta in self.stream_async(request, timeout=timeout)])

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109  (likewise)
        """Yield the reply in pieces; closing the iterator stops the model at its next token."""
        job = self.job(request)
        loaded = await asyncio.to_thread(self._engine)
        queue: asyncio.Queue[Any] = asyncio.Queue()
        call = loaded.call(job.payload.body, _into(queue))
        deadline = time.monotonic() + timeout
        try:
            with _faults(timeout):
                while (item := await _next_async(queue, deadline)) is not None:
                    for delta in job.feed(item):
                        yield delta
        finally:
            call.stop()
        for delta in job.close():
            yield delta

    def job(self, request: Request) -> Job:
        """Return what a request becomes for this model."""
        has_projector = bool(self.settings.projector)
        file = ModelFile(self.path, self.header, has_projector, self.think, self.tool_format)
        return Job(file, request)

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """Return what the grammar can't express, so only the check enforces it."""
        return self.job(request).payload.dropped

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """Return the settings that llama.cpp doesn't have."""
        return self.job(request).payload.ignored

    def identity(self, request: Request) -> Json:
        """Return the current file, how it is loaded, and the request as llama.cpp receives it."""
        file = [*stamp(self.path), repr(self.settings)]
        return {"llama": file, "body": self.job(request).payload.body}

    def _engine(self) -> Engine:
        return engine(self.path, self.settings)


def _into(queue: asyncio.Queue[Any]) -> Callable[[Any], None]:
    """A function that puts items into the queue of this event loop, from any thread."""
    loop = asyncio.get_running_loop()

    def put(item: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nothing waits for it
            loop.call_soon_threadsafe(queue.put_nowait, item)

    return put


async def _next_async(queue: asyncio.Queue[Any], deadline: float) -> Any:
    try:
        item = await asyncio.wait_for(queue.get(), max(deadline - time.monotonic(), 0))
    except TimeoutError:
        raise EndError from None
    if isinstance(item, BaseException):
        raise item
    return item


def _gathered(deltas: Iterable[Delta]) -> Reply:
    """The reply that arrived in pieces."""
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
    """Convert what ends a call before its reply is whole to a `Fault`."""
    try:
        yield
    except EndError as error:
        message = f"the model was not done after {in_words(timeout)}"
        raise Fault("timeout", message) from error
    except RefusedError as error:
        raise Fault("bad_request", f"llama.cpp: {error}") from error
