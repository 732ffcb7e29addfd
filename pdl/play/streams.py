"""A response that streams events, one object of JSON a line, while work puts them."""

from __future__ import annotations

import asyncio
import json
import logging
from itertools import groupby
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from pdl.play.access import refusal_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from starlette.types import Receive, Scope, Send

    from pdl._types import Json

    Work = Callable[[Callable[[dict[str, Json]], None]], Awaitable[None]]

_log = logging.getLogger("pdl.play")


class Events(Response):
    """Does the work when it is sent; the work is cancelled when the page goes away."""

    media_type = "application/x-ndjson"

    def __init__(self, work: Work, ended: Callable[[], None]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self.work = work
        self.ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events as they come."""
        del scope
        queue: asyncio.Queue[dict[str, Json] | None] = asyncio.Queue()
        leaving = asyncio.ensure_future(gone(receive))
        work = asyncio.ensure_future(self._worked(queue))
        try:
            start = {"type": "http.response.start", "status": self.status_code}
            await send({**start, "headers": self.raw_headers})
            await _sent(queue, leaving, send)
        except OSError:  # the page has gone away while it was sent something
            pass
        finally:
            leaving.cancel()
            work.cancel()
            await asyncio.gather(leaving, work, return_exceptions=True)
            self.ended()

    async def _worked(self, queue: asyncio.Queue[dict[str, Json] | None]) -> None:
        try:
            await self.work(queue.put_nowait)
        except Exception as error:  # noqa: BLE001 - the page can do nothing about a bug
            _log.exception("a bug in pdl")
            queue.put_nowait({"event": "error", "message": str(refusal_of(error)), "hint": ""})
        queue.put_nowait(None)


async def _sent(
    queue: asyncio.Queue[dict[str, Json] | None], leaving: asyncio.Future[None], send: Send
) -> None:
    """Send events until the last one, or until the page has gone away."""
    is_over = False
    while not is_over:
        getting = asyncio.ensure_future(queue.get())
        waiting: list[asyncio.Future[Any]] = [getting, leaving]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not getting.done():
            getting.cancel()
            return
        events = [getting.result()]
        while not queue.empty():
            events.append(queue.get_nowait())
        is_over = events[-1] is None
        lines = [json.dumps(one) + "\n" for one in _joined(one for one in events if one)]
        body = "".join(lines).encode()
        await send({"type": "http.response.body", "body": body, "more_body": not is_over})


def _joined(events: Iterable[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    """Events, those that follow each other with pieces of one text as one: there can be thousands.

    The page would spend all its time on them, and come late to what its user does.
    """
    for (name, is_piece), group in groupby(events, lambda one: (one["event"], "delta" in one)):
        if is_piece:
            yield {"event": name, "delta": "".join(str(one["delta"]) for one in group)}
        else:
            yield from group


async def gone(receive: Receive) -> None:
    """Wait until the page does not wait for the answer any more."""
    while (await receive())["type"] != "http.disconnect":
        pass
