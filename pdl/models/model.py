"""What a model is to the rest of pdl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Delta, Dropped, Ignored, Reply, Request


@runtime_checkable
class Model(Protocol):
    """Something that answers requests: a provider's server, a file of weights, a function.

    `timeout` is in seconds of wall clock, for the call as a whole. What goes wrong on the way
    raises `Fault`; that an answer is bad is for others to find. A model is safe to call from
    several threads, and holds no key that its `repr` would show.
    """

    @property
    def name(self) -> str:
        """The model as a person would write it: `openai:MODEL`."""

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """The whole reply."""

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """The reply piece by piece; closing the iterator stops the call.

        A stream that ended before the reply did raises `Fault` of the kind `cut`.
        """

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - one protocol for both
        """The whole reply."""

    def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:
        """The reply piece by piece; closing the iterator stops the call."""

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """What this model's form of the schema cannot hold, and so leaves to the check."""

    def identity(self, request: Request) -> Json:
        """All that a reply depends on, as JSON without keys; None: never cache them."""


@runtime_checkable
class Choosy(Protocol):
    """A model that has no place for some settings."""

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """The settings of a request that the model is not told."""
