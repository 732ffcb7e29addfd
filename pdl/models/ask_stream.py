"""`stream`: ask a model, and iterate over its answer as it arrives."""

from __future__ import annotations

import weakref
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, overload

from pdl._types import T
from pdl.models.answer import Answer
from pdl.models.arguments import loop_of
from pdl.models.ask_partial import AskPartial
from pdl.models.runner import run, run_async

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
    from typing import Self

    from pdl.models.arguments import Models
    from pdl.models.ask_loop import AskLoop
    from pdl.models.options import AskKwargs
    from pdl.prompt import Rendered
    from pdl.schema import Schema

V = TypeVar("V")


class AskStream(Generic[T]):
    """The partials of one run, the last of which has the answer. Made by `stream`.

    It can be iterated once, with `for` or with `async for`; nothing is sent before. Leaving the
    loop early stops the call and closes its connection: in CPython at once, with `async for` when
    the event loop runs next, which must not end before. `with` and `async with` do so in any case.
    """

    def __init__(self, loop: AskLoop) -> None:
        self._loop = loop
        self._answer: Answer[T] | None = None
        self._has_begun = self._has_context = False
        self._running: Callable[[], Any] = lambda: None

    @property
    def answer(self) -> Answer[T]:
        """The answer, once the last partial has been yielded. Raises ValueError before."""
        if self._answer is None:
            raise ValueError("there is no answer yet: iterate over the whole stream first")
        return self._answer

    def __iter__(self) -> Iterator[AskPartial[T]]:
        """Return the iterator. Raises ValueError the second time, TypeError for async functions."""
        self._loop.options.refuse_async()
        made = self._partials()
        self._begin(made)
        return made

    def __aiter__(self) -> AsyncIterator[AskPartial[T]]:
        """Return the asynchronous iterator. Raises ValueError the second time."""
        made = self._partials_async()
        self._begin(made)
        return made

    def close(self) -> None:
        """Stop the call, if it is being iterated with `for`; nothing more can be iterated."""
        self._has_begun = True
        running = self._running()
        if running is not None:
            running.close()

    async def aclose(self) -> None:
        """Stop the call, if it is being iterated with `async for`; do the same as `close`."""
        self._has_begun = True
        running = self._running()
        if running is not None:
            await running.aclose()

    def __enter__(self) -> Self:
        self._has_context = True
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self._has_context = True
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    def _begin(self, running: object) -> None:
        if self._has_begun:
            raise ValueError("a stream can be iterated once: call pdl.stream again")
        self._has_begun = True
        # A loop that is left ends its iterator, unless the end of a context does.
        self._running = (lambda: running) if self._has_context else weakref.ref(running)

    def _partials(self) -> Generator[AskPartial[T]]:
        with closing(run(self._loop, to_program=True)) as found:
            for one in found:
                yield self._last(one) if isinstance(one, Answer) else one

    async def _partials_async(self) -> AsyncGenerator[AskPartial[T]]:
        async with aclosing(run_async(self._loop, to_program=True)) as found:
            async for one in found:
                yield self._last(one) if isinstance(one, Answer) else one

    def _last(self, answer: Answer[T]) -> AskPartial[T]:
        self._answer = answer
        return AskPartial.last(answer)


@overload
def stream(
    rendered: Rendered,
    model: Models | None,
    schema: Schema[V] | type[V],
    **options: Unpack[AskKwargs],
) -> AskStream[V]: ...
@overload
def stream(
    rendered: Rendered,
    model: Models | None = None,
    *,
    schema: Schema[V] | type[V],
    **options: Unpack[AskKwargs],
) -> AskStream[V]: ...
@overload
def stream(
    rendered: Rendered[T],
    model: Models | None = None,
    schema: None = None,
    **options: Unpack[AskKwargs],
) -> AskStream[T]: ...
@overload
def stream(
    rendered: Rendered,
    model: Models | None = None,
    schema: Any = None,
    **options: Unpack[AskKwargs],
) -> AskStream[Any]: ...
def stream(
    rendered: Rendered,
    model: Models | None = None,
    schema: Any = None,
    **options: Unpack[AskKwargs],
) -> AskStream:
    """Ask a model as `ask` does, and return its answer as an iterable of what is there so far.

    `for partial in pdl.stream(…)` and `async for partial in pdl.stream(…)` yield an `AskPartial`
    whenever the answer so far, what is certain, or its errors have changed. The last one is `final`
    and has the `answer`; the others are of the attempt with the number `attempt`. The reply of a
    model that can't stream is one partial. The options are those of `ask` without `on_partial`;
    asynchronous functions among them need `async for`.

    Raises what `ask` raises before it sends anything; the iteration raises the rest, as AskError at
    its end if no attempt succeeded.
    """
    if "on_partial" in options:
        raise TypeError("stream has no option `on_partial`: it yields the partials")
    options = {**options, "stream": True}
    return AskStream(loop_of(rendered, model, schema, options, is_async=True))
