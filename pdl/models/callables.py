"""A Python function as a model, and what counts as a model."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pdl.errors import ConfigError, MediaError, TurnError
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models.exchange import Delta, Model, Reply, ReplyBuilder
from pdl.models.faults import Fault, in_words, told_by
from pdl.models.options import is_async
from pdl.models.request import GivenRequest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Ignored
    from pdl.models.payloads.provider_api import DeltaRestorer
    from pdl.models.request import Request

Said: TypeAlias = "str | Reply | Iterator[str | Delta] | AsyncIterator[str | Delta]"
"""What a function returns: the whole reply, or its pieces."""
Function: TypeAlias = "Callable[[GivenRequest], Said | Awaitable[Said]]"
"""Takes a `Request`, which is also the tuple of its messages. It may be asynchronous."""


@dataclass(frozen=True)
class FunctionModel:
    """A Python function as a model.

    The function gets a `Request`, which is also the tuple of its messages. If it takes the body for
    a provider (`request.openai()`), its reply is read as one in that provider's form of the schema.
    What it raises becomes a `Fault`: itself if it is one; by its status if it is an error of an SDK
    or an HTTP client; `timeout` for a TimeoutError, `cut` for a ConnectionError, otherwise
    `failed`, which is not retried. What a provider can't be sent raises the error of its
    `ProviderApi`. A function that is not asynchronous cannot be stopped: `reply` waits for it
    however long it takes, but a result that comes too late is still a `timeout`.
    """

    function: Function

    @property
    def name(self) -> str:
        """`function:` and the name of the function."""
        return f"function:{self._own_name}"

    @property
    def _own_name(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return str(name)

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """Return the whole reply."""
        builder = ReplyBuilder()
        for delta in self.stream(request, timeout=timeout):
            builder.add(delta)
        return builder.reply

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the reply as the function does: in pieces, or as one."""
        call = _Call(request, timeout)
        with _faults(self.function, timeout):
            said = self.function(call.given)
            if inspect.isawaitable(said) or isinstance(said, AsyncIterator):
                from pdl.models import blocking_portal  # noqa: PLC0415 - few functions need it

                yield from blocking_portal.iterate(call.read_async(said))
            else:
                yield from call.read(said)

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """Return the whole reply; a function that is not asynchronous runs in a thread."""
        builder = ReplyBuilder()
        async for delta in self.stream_async(request, timeout=timeout):
            builder.add(delta)
        return builder.reply

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        """Yield the reply as the function does: in pieces, or as one."""
        call = _Call(request, timeout)
        with _faults(self.function, timeout):
            if is_async(self.function):
                said: Any = self.function(call.given)
            else:
                said = await call.within(asyncio.to_thread(self.function, call.given))
            async with aclosing(call.read_async(said)) as deltas:
                async for delta in deltas:
                    yield delta

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """Return the parts that the function didn't read, or what the body that it took lacks.

        Before the function was asked that is unknown, and nothing is returned.
        """
        return () if request.taken is None else request.taken.dropped(request, self._own_name)

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """Return the settings that the function didn't read, or that its provider doesn't have."""
        return () if request.taken is None else request.taken.ignored(request, self._own_name)

    def identity(self, request: Request) -> Json:  # noqa: ARG002 - of the protocol
        """Return None: what a function depends on is unknown."""
        return None


_FUNCTIONS = (FunctionType, MethodType, partial)


def model_of(model: object, limits: Limits = DEFAULT_LIMITS) -> Model:
    """Return a model: itself, the one with a name, or a function as a model.

    Raises TypeError for anything else, and what `connect` raises for a name.
    """
    if isinstance(model, str):
        from pdl.models.connecting import connect  # noqa: PLC0415 - functions need no registry

        return connect(model, limits=limits)
    if isinstance(model, FunctionModel):
        return model
    # A test against a protocol takes longer than most functions.
    is_model = not isinstance(model, _FUNCTIONS) and isinstance(model, Model)
    if is_model and not isinstance(model, type):
        return cast("Model", model)
    if callable(model):
        return FunctionModel(cast("Function", model))
    kind = type(model).__name__
    raise TypeError(f"model must be a model, its name or a function, not {kind}")


class _Call:
    """One call of a function: what it was given, how long it may take, and how it is read."""

    def __init__(self, request: Request, seconds: float) -> None:
        self.given = GivenRequest.given(request)
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._restorer: DeltaRestorer | None = None
        self._has_begun = False

    def read(self, said: object) -> Generator[Delta]:
        """Yield what a function returned. Raises Fault for another type, and if time is up."""
        self._left()
        if isinstance(said, str | Reply):
            yield self._whole(said)
            return
        if not isinstance(said, Iterator):
            raise _no_reply(said)
        try:
            for piece in said:
                self._left()
                yield self._delta(piece)
            yield from self._rest()
        finally:
            close = getattr(said, "close", None)
            if close is not None:
                close()

    async def read_async(self, said: object) -> AsyncGenerator[Delta]:
        """Do the same for what is awaited, or iterated over asynchronously."""
        if inspect.isawaitable(said):
            said = await self.within(said)
        self._left()
        if isinstance(said, str | Reply):
            yield self._whole(said)
            return
        if not isinstance(said, Iterator | AsyncIterator):
            raise _no_reply(said)
        pieces = said if isinstance(said, AsyncIterator) else _in_threads(said)
        try:
            while (piece := await self.within(anext(pieces, _END))) is not _END:
                yield self._delta(piece)
            for delta in self._rest():
                yield delta
        finally:
            close = getattr(pieces, "aclose", None)
            if close is not None:
                await close()

    async def within(self, result: Awaitable[Any]) -> Any:
        """Wait for a result, for as long as the call may take."""
        async with asyncio.timeout(self._left()):
            return await result

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise _late(self._seconds)
        return left

    def _whole(self, said: str | Reply) -> Delta:
        reply = Reply(said) if isinstance(said, str) else said
        form = self.given.taken.form()
        return Delta.whole(reply if form is None else form.api.restored(form.payload, reply))

    def _delta(self, piece: object) -> Delta:
        delta = Delta(piece) if isinstance(piece, str) else piece
        if not isinstance(delta, Delta):
            kind = type(delta).__name__
            message = f"the function must yield str or pdl Deltas, not {kind}"
            raise Fault("failed", message, hint="yield from pdl.models.deltas_from(events, FAMILY)")
        if not self._has_begun:
            self._has_begun = True
            form = self.given.taken.form()
            self._restorer = None if form is None else form.api.restorer(form.payload)
        return delta if self._restorer is None else self._restorer.feed(delta)

    def _rest(self) -> Iterator[Delta]:
        yield from () if self._restorer is None else self._restorer.close()


_END: Any = object()


async def _in_threads(pieces: Iterator[Any]) -> AsyncGenerator[Any]:
    """The pieces of a function that is not asynchronous, each awaited in a thread."""
    try:
        while (piece := await asyncio.to_thread(next, pieces, _END)) is not _END:
            yield piece
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            with suppress(ValueError):  # a generator that still runs, after its time was up
                close()


@contextmanager
def _faults(function: Function, seconds: float) -> Iterator[None]:
    try:
        yield
    except (Fault, ConfigError, MediaError, TurnError):
        raise
    except TimeoutError as error:
        raise _late(seconds) from error
    except ConnectionError as error:
        raise Fault("cut", f"the function lost its connection: {told_by(error)}") from error
    except Exception as error:
        raise _fault(function, error) from error


_AS_GIVEN = "let the function take one argument: the request, which is the tuple of its messages"


def _fault(function: Function, error: Exception) -> Fault:
    from pdl.models.sdk_objects import fault_of_error  # noqa: PLC0415 - most functions succeed

    known = fault_of_error(error)
    if known is not None:
        return known
    hint = _AS_GIVEN if isinstance(error, TypeError) and not _takes_one(function) else ""
    return Fault("failed", f"the function raised {told_by(error)}", hint=hint)


def _takes_one(function: Function) -> bool:
    """Whether a function can be called with one argument, or might be."""
    try:
        inspect.signature(function).bind(())
    except TypeError:
        return False
    except ValueError:  # some that are written in C have no signature
        return True
    return True


def _late(seconds: float) -> Fault:
    return Fault("timeout", f"the function took more than {in_words(seconds)}")


def _no_reply(result: object) -> Fault:
    kind = type(result).__name__
    message = f"the function must return a str, a pdl Reply, or an iterator of pieces, not {kind}"
    is_body = hasattr(result, "keys") or hasattr(result, "model_dump")
    hint = "return pdl.reply_from(body, FAMILY)" if is_body else ""
    return Fault("failed", message, hint=hint)
