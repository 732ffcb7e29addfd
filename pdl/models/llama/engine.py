"""A llama.cpp in this process: loaded once for a file, asked by several threads."""

from __future__ import annotations

import atexit
import importlib
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from pdl.errors import FileError, Problem, missing_package
from pdl.gguf import GgufError, Header
from pdl.gguf import read_header as read
from pdl.prompt.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path
    from types import ModuleType

    from pdl._types import Json

_LOADED = 2
"""Models that are kept in memory though nobody may need them any more."""
_CONTEXT = 16_384
_SMALL = 10_000_000  # bytes
_PATIENCE = 5.0  # seconds that calls have to end when the program does
_NO_LOGS = -1


@dataclass(frozen=True, slots=True)
class Settings:
    """How a file is loaded.

    `context` is how many tokens a conversation may have, 0 for as many as the model knows; by
    default at most 16,384, since each takes memory. `projector` is the file that makes images and
    sounds readable for the model, which llama.cpp calls mmproj. `layers` is how many layers go to
    a GPU, -1 for all that fit. `threads` is how many of the processor compute, -1 for one a core;
    for a model of a few megabytes it is one, since waking others takes longer than they would save.
    """

    context: int = _CONTEXT
    projector: str = ""
    layers: int = -1
    threads: int = -1


class EndError(Exception):
    """The time of a call is over."""


class RefusedError(Exception):
    """What llama.cpp says of a request that it does not take."""


class Call:
    """A request that runs in a thread of its own, since nothing else leaves one in time.

    Its chunks go to `put`, then None; or what was raised goes there. `stop` ends it at its next
    token.
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
        """Let it end; what it has to say is not passed on any more."""
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


_RUNNING: set[Call] = set()


class Engine:
    """A loaded model."""

    def __init__(self, path: Path, settings: Settings) -> None:
        """Load it. Raises FileError for what llama.cpp refuses, and if there is no llama.cpp."""
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
        # Its HTTP server cannot be left out. Nobody else on this machine shall find it open.
        params.api_keys = [secrets.token_hex()]
        params.endpoint_slots = False
        params.n_threads_http = 1
        try:
            self._server = found.Server(params)
        except RuntimeError as error:
            message = f"{path}: llama.cpp cannot load this model"
            hint = "it is damaged, too large for the memory, or newer than the installed xllamacpp"
            raise FileError(Problem("file/gguf", message, hint=hint)) from error

    def call(self, body: dict[str, Json], put: Callable[[Any], None]) -> Call:
        """Begin a chat completion that streams; see Call."""
        return Call(self._server, body, put)

    def chunks(self, body: dict[str, Json], deadline: float) -> Generator[Json, None, None]:
        """The chunks of a chat completion. Closing the iterator stops it.

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
    """The package xllamacpp. Raises ConfigError, which says how to install it, if there is none."""
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
    """The file, its size and when it was changed: another content has another stamp.

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
    """The model of a file, which is loaded only once while its content stays the same."""
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
    """Stop what still runs: a thread that came back to an interpreter that ends would crash it."""
    calls = list(_RUNNING)
    for call in calls:
        call.stop()
    end = time.monotonic() + _PATIENCE
    for call in calls:
        call.join(max(end - time.monotonic(), 0))
    _ENGINES.clear()
