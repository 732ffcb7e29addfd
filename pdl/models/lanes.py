"""Lanes: how many calls a provider gets at the same time and in a minute, and pauses of all."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Delta, Dropped, Model, Reply
    from pdl.models.request import Request

MOST_FAULTS = 5
"""Consecutive asks of a model that end by a transport error, after which it is asked no more."""
_IN_ORDER = frozenset({"llama", "replay"})
"""Providers that answer one call at a time."""
_MINUTE = 60.0


def provider_of(model: str) -> str:
    """Return the provider in the name of a model."""
    return model.partition(":")[0]


class Lane:
    """What one provider gets: so many calls at the same time, so many calls and tokens in a minute.

    Calls start evenly: each one puts off the next start by its share of a minute. Its tokens are
    those of the request when it starts, and those that were counted when it ends.
    """

    def __init__(
        self,
        provider: str,
        concurrency: int,
        rate: float | None = None,
        token_rate: float | None = None,
    ) -> None:
        self.provider = provider
        self.width = 1 if provider in _IN_ORDER else concurrency
        if rate is not None:  # who waits longer than a minute might run out of its own time
            self.width = min(self.width, max(1, int(rate)))
        self._pause = 0.0 if rate is None else _MINUTE / rate
        self._token_pause = 0.0 if token_rate is None else _MINUTE / token_rate
        self._next = 0.0
        self._slots = asyncio.Semaphore(self.width)

    @asynccontextmanager
    async def slot(self, tokens: int = 0) -> AsyncIterator[None]:
        """Wait until a call that reads so many tokens may start; others wait while it runs."""
        async with self._slots:
            while (now := time.monotonic()) < self._next:  # noqa: ASYNC110 - it can be put off
                await asyncio.sleep(self._next - now)
            self._next = max(now, self._next) + self._pause + tokens * self._token_pause
            yield

    def charge(self, tokens: int) -> None:
        """Put off the next start for tokens that were not known when their call started."""
        self._next += tokens * self._token_pause

    def hold(self, seconds: float) -> None:
        """Start no call for so many seconds."""
        self._next = max(self._next, time.monotonic() + seconds)


@dataclass
class Lanes:
    """The lanes of all providers that are asked."""

    concurrency: int
    rate: float | None = None
    token_rate: float | None = None
    _lanes: dict[str, Lane] = field(default_factory=dict)

    def lane(self, model: str) -> Lane:
        """Return the lane of a model's provider."""
        provider = provider_of(model)
        if provider not in self._lanes:
            self._lanes[provider] = Lane(provider, self.concurrency, self.rate, self.token_rate)
        return self._lanes[provider]


class Wrapped:
    """A model that passes everything on to another one; a subclass changes how it is asked."""

    def __init__(self, model: Model, name: str) -> None:
        self.name = name
        self._model = model

    def __getattr__(self, name: str) -> Any:
        """What only some models have."""
        return getattr(self._model, name)

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """Return the reply of the model itself."""
        return await self._model.reply_async(request, timeout=timeout)

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """Return the reply of the model itself."""
        return self._model.reply(request, timeout=timeout)

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the reply of the model itself."""
        return self._model.stream(request, timeout=timeout)

    def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:
        """Yield the reply of the model itself."""
        return self._model.stream_async(request, timeout=timeout)

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """Return what the model itself drops."""
        return self._model.dropped(request)

    def identity(self, request: Request) -> Json:
        """Return that of the model itself."""
        return self._model.identity(request)
