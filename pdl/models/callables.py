"""A Python function as a model, and what counts as a model."""

from __future__ import annotations

import asyncio
import inspect
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models.exchange import Delta, Model, Reply
from pdl.models.faults import Fault, in_words
from pdl.models.options import is_async

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Request
    from pdl.prompt import Message

Function: TypeAlias = "Callable[[tuple[Message, ...]], str | Reply | Awaitable[str | Reply]]"
"""Takes the messages and returns a string or a `Reply`; it may be asynchronous."""


@dataclass(frozen=True)
class FunctionModel:
    """A Python function as a model.

    What the function raises becomes a `Fault`: itself if it is one, `timeout` for a TimeoutError,
    `cut` for a ConnectionError, otherwise `failed`, which is not retried. A function that is not
    asynchronous cannot be stopped: `reply` waits for it however long it takes, but a result that
    comes too late is still a `timeout`.
    """

    function: Function

    @property
    def name(self) -> str:
        """`function:` and the name of the function."""
        return f"function:{getattr(self.function, '__name__', type(self.function).__name__)}"

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """Return the whole reply."""
        began = time.monotonic()
        with _faults(self.function, timeout):
            result = self.function(request.messages)
            if inspect.isawaitable(result):
                from pdl.models import blocking_portal  # noqa: PLC0415 - few functions need it

                result = blocking_portal.run(_within(result, timeout))
        if time.monotonic() - began > timeout:
            raise _late(timeout)
        return _reply_of(result)

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the reply as one piece."""
        yield Delta.whole(self.reply(request, timeout=timeout))

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """Return the whole reply; a function that is not asynchronous runs in a thread."""
        with _faults(self.function, timeout):
            if is_async(self.function):
                result: Any = self.function(request.messages)
            else:
                result = asyncio.to_thread(self.function, request.messages)
            result = await _within(result, timeout)
            if inspect.isawaitable(result):
                result = await _within(result, timeout)
        return _reply_of(result)

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        """Yield the reply as one piece."""
        yield Delta.whole(await self.reply_async(request, timeout=timeout))

    def dropped(self, request: Request) -> tuple[Dropped, ...]:  # noqa: ARG002 - of the protocol
        """Return nothing: what a function does with a schema is unknown."""
        return ()

    def identity(self, request: Request) -> Json:  # noqa: ARG002 - of the protocol
        """Return None: what a function depends on is unknown."""
        return None


def model_of(model: object, limits: Limits = DEFAULT_LIMITS) -> Model:
    """Return a model: itself, the one with a name, or a function as a model.

    Raises TypeError for anything else, and what `connect` raises for a name.
    """
    if isinstance(model, str):
        from pdl.models.connecting import connect  # noqa: PLC0415 - functions need no registry

        return connect(model, limits=limits)
    if isinstance(model, Model) and not isinstance(model, type):
        return model
    if inspect.isasyncgenfunction(model) or inspect.isgeneratorfunction(model):
        raise TypeError(
            "a generator function is not a model: return the whole text, or give an object that has"
            " the methods of pdl.models.Model, whose `stream` and `stream_async` yield pieces"
        )
    if callable(model):
        return FunctionModel(cast("Function", model))
    kind = type(model).__name__
    raise TypeError(f"model must be a model, its name or a function, not {kind}")


async def _within(result: Awaitable[Any], seconds: float) -> Any:
    async with asyncio.timeout(seconds):
        return await result


@contextmanager
def _faults(function: Function, seconds: float) -> Iterator[None]:
    try:
        yield
    except Fault:
        raise
    except TimeoutError as error:
        raise _late(seconds) from error
    except ConnectionError as error:
        raise Fault("cut", f"the function lost its connection: {_shown(error)}") from error
    except Exception as error:
        hint = _AS_GIVEN if isinstance(error, TypeError) and not _takes_one(function) else ""
        raise Fault("failed", f"the function raised {_shown(error)}", hint=hint) from error


_AS_GIVEN = "let the function take one argument: the messages"


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


def _shown(error: Exception) -> str:
    words = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _reply_of(result: object) -> Reply:
    if isinstance(result, Reply):
        return result
    if isinstance(result, str):
        return Reply(result)
    kind = type(result).__name__
    raise Fault("failed", f"the function must return a str or a pdl Reply, not {kind}")
