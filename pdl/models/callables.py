"""A Python function as a model."""

from __future__ import annotations

import asyncio
import inspect
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.models import portal
from pdl.models.exchange import Delta, Fault, Reply
from pdl.models.retry import in_words
from pdl.models.terms import is_async

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Request
    from pdl.prompt import Message

Function: TypeAlias = "Callable[[tuple[Message, ...]], str | Reply | Awaitable[str | Reply]]"
"""Given the messages, it returns a text or a `Reply`; it may be asynchronous."""


@dataclass(frozen=True)
class FunctionModel:
    """A model that a Python function stands for.

    What the function raises becomes a `Fault`: itself if it is one, `timeout` for a TimeoutError,
    `cut` for a ConnectionError, else `failed`, which is not tried again. A function that is not
    asynchronous cannot be stopped: `reply` waits for it however long it takes, but what comes after
    the time is a `timeout` all the same.
    """

    function: Function

    @property
    def name(self) -> str:
        """`function:` and the function's name."""
        return f"function:{getattr(self.function, '__name__', type(self.function).__name__)}"

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """The whole reply."""
        began = time.monotonic()
        with _faults(self.function, timeout):
            result = self.function(request.messages)
            if inspect.isawaitable(result):
                result = portal.run(_within(result, timeout))
        if time.monotonic() - began > timeout:
            raise _late(timeout)
        return _reply_of(result)

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """The reply as one piece."""
        yield Delta.whole(self.reply(request, timeout=timeout))

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """The whole reply; a function that is not asynchronous runs in a thread."""
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
        """The reply as one piece."""
        yield Delta.whole(await self.reply_async(request, timeout=timeout))

    def dropped(self, request: Request) -> tuple[Dropped, ...]:  # noqa: ARG002 - of the protocol
        """Nothing is known of what a function does with a schema."""
        return ()

    def identity(self, request: Request) -> Json:  # noqa: ARG002 - of the protocol
        """None: what a function depends on is not known."""
        return None


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
        raise Fault("cut", f"the function lost its connection: {_told(error)}") from error
    except Exception as error:
        hint = _AS_GIVEN if isinstance(error, TypeError) and not _takes_one(function) else ""
        raise Fault("failed", f"the function raised {_told(error)}", hint=hint) from error


_AS_GIVEN = "let the function take one argument: it is given the messages alone"


def _takes_one(function: Function) -> bool:
    """Whether a function can be called with one argument, as far as that can be known."""
    try:
        inspect.signature(function).bind(())
    except TypeError:
        return False
    except ValueError:  # some that are written in C do not say what they take
        return True
    return True


def _late(seconds: float) -> Fault:
    return Fault("timeout", f"the function took more than {in_words(seconds)}")


def _told(error: Exception) -> str:
    words = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _reply_of(result: object) -> Reply:
    if isinstance(result, Reply):
        return result
    if isinstance(result, str):
        return Reply(result)
    kind = type(result).__name__
    raise Fault("failed", f"the function must return a str or a pdl Reply, not {kind}")
