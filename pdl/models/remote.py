"""A model behind a provider's HTTP interface."""

from __future__ import annotations

import json
from collections import deque
from contextlib import aclosing, closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models import portal
from pdl.models.exchange import Delta, Reply
from pdl.models.faults import Fault
from pdl.models.payloads import DONE, BadPayload, Family
from pdl.models.secret import NO_SECRET, Secret
from pdl.models.sse import Event, Events, JsonLines, ServerSent
from pdl.models.statuses import fault_told
from pdl.models.transport import Call, Opened, send

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Ignored, Payload, Request

_BYTES_PER_CHAR = 4  # of UTF-8 at most
_STREAMED = 32  # a stream says a word in 50 to 300 bytes: its bound in bytes, as a multiple


@dataclass(frozen=True)
class RemoteModel:
    """A model of a provider, or of any server that has a provider's interface.

    `base_url` is what stands before the interface's own path. `limits.reply_chars` bounds the
    characters of a reply, which is not read on beyond them.
    """

    family: Family
    model: str
    base_url: str
    key: Secret = NO_SECRET
    limits: Limits = field(default=DEFAULT_LIMITS, repr=False)
    _last: deque[tuple[Request, Payload]] = field(
        default_factory=lambda: deque(maxlen=1), init=False, repr=False, compare=False
    )

    @property
    def name(self) -> str:
        """The provider and its name of the model: `openai:gpt-5`."""
        return f"{self.family.name}:{self.model}"

    def reply(self, request: Request, *, timeout: float) -> Reply:
        """The whole reply. Raises `Fault`; MediaError and the like for what cannot be sent."""
        return portal.run(self.reply_async(request, timeout=timeout))

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """The reply piece by piece; closing the iterator stops the call."""
        with closing(portal.iterate(self._batches(request, timeout))) as batches:
            for batch in batches:
                yield from batch

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - handed on
        """The whole reply."""
        payload = self._payload(request, stream=False)
        with self._faults():
            async with send(self._call(payload, timeout, stream=False)) as opened:
                return await self._whole(opened, payload)

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        """The reply piece by piece."""
        async with aclosing(self._batches(request, timeout)) as batches:
            async for batch in batches:
                for delta in batch:
                    yield delta

    async def _batches(self, request: Request, seconds: float) -> AsyncGenerator[list[Delta]]:
        """The deltas of a stream, those together that came together."""
        payload = self._payload(request, stream=True)
        with self._faults():
            async with send(self._call(payload, seconds, stream=True)) as opened:
                if opened.format == "json" and self.family.framing == "sse":
                    # Some servers do not stream, whatever they are asked.
                    yield [Delta.whole(await self._whole(opened, payload))]
                    return
                deltas = _Deltas(self.family, payload, self.limits.reply_chars)
                deltas.check_type(opened)
                async for piece in opened.pieces():
                    for batch in deltas.feed(piece):
                        yield batch
                    if deltas.is_done:
                        return
                for batch in deltas.close():
                    yield batch

    def dropped(self, request: Request) -> tuple[Dropped, ...]:
        """What the provider's form of the schema cannot hold."""
        return self._payload(request, stream=request.stream).dropped

    def ignored(self, request: Request) -> tuple[Ignored, ...]:
        """The settings that the provider has no place for."""
        return self._payload(request, stream=request.stream).ignored

    def identity(self, request: Request) -> Json:
        """The address and the body."""
        body = self._payload(request, stream=False).body
        return {"family": self.family.name, "base_url": self.base_url, "body": body}

    def _payload(self, request: Request, *, stream: bool) -> Payload:
        """The payload of a request; the last one is kept, since a grammar takes time to make."""
        asked = replace(request, stream=stream)
        last = self._last[-1] if self._last else None
        if last is not None and last[0] == asked:
            return last[1]
        payload = self.family.payload(asked, self.model)
        self._last.append((asked, payload))
        return payload

    def _call(self, payload: Payload, timeout: float, *, stream: bool) -> Call:
        accepted = "application/json"
        if stream and self.family.framing == "sse":
            accepted = "text/event-stream"
        most = self.limits.reply_chars * (_STREAMED if stream else _BYTES_PER_CHAR)
        return Call(
            url=self.base_url.rstrip("/") + self.family.path(self.model, stream),
            headers={"accept": accepted, **self.family.headers(self.key.text)},
            body=_written(payload.body),
            timeout=timeout,
            most=most,
        )

    async def _whole(self, opened: Opened, payload: Payload) -> Reply:
        if opened.format not in {"json", "unsaid"}:
            raise _other_type("JSON", opened)
        reply = self.family.reply(payload, _parsed(await opened.body()))
        if len(reply.text) + len(reply.reasoning) > self.limits.reply_chars:
            raise _too_long(self.limits.reply_chars)
        return reply

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Bodies that are no replies become faults, and no fault tells the key."""
        try:
            yield
        except BadPayload as bad:
            raise self._without_key(fault_told(bad)) from None
        except Fault as fault:
            raise self._without_key(fault) from None

    def _without_key(self, fault: Fault) -> Fault:
        """The fault, in which a server may have repeated the key."""
        problem = fault.problem
        told = Fault(
            fault.kind,
            self.key.hidden_in(problem.message),
            status=fault.status,
            retry_after=fault.retry_after,
            hint=self.key.hidden_in(problem.hint),
        )
        return told.with_traceback(fault.__traceback__)


def _written(body: dict[str, Json]) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can say in ASCII only
        return json.dumps(body, separators=(",", ":")).encode()


def _parsed(body: bytes) -> Json:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault("not_utf8", "the reply is not UTF-8") from error
    return _json(text)


def _json(text: str) -> Json:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        if not text.strip():
            raise Fault("not_json", "the reply is empty") from error
        raise Fault("not_json", f"the reply is not JSON: {_excerpt(text)}") from error


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


class _Deltas:
    """From the bytes of a stream to its deltas. An error comes behind the deltas before it."""

    def __init__(self, family: Family, payload: Payload, most: int) -> None:
        longest = most * _BYTES_PER_CHAR
        self._types = {"unsaid", "ndjson", "json"}
        self._events: Events = JsonLines(longest)
        if family.framing == "sse":
            self._types = {"unsaid", "sse"}
            self._events = ServerSent(longest)
        self._reader = family.stream(payload)
        self._most = most
        self._size = 0
        self.is_done = False

    def check_type(self, opened: Opened) -> None:
        """Raise `Fault` for a reply that says it is something else."""
        if opened.format not in self._types:
            raise _other_type("a stream of events", opened)

    def feed(self, piece: bytes) -> Iterator[list[Delta]]:
        """The deltas that end in a piece."""
        yield from _batched(self._read(self._events.feed(piece)))

    def close(self) -> Iterator[list[Delta]]:
        """What is left when the stream has ended."""
        yield from _batched(self._read(self._events.close()))
        if not self.is_done:
            yield from _batched(self._reader.close())

    def _read(self, events: Iterator[Event]) -> Iterator[Delta]:
        for event in events:
            if not event.data.strip():  # sent only so that the connection lives
                continue
            for delta in self._reader.feed(event.name, _data(event)):
                self._size += len(delta.text) + len(delta.reasoning)
                if self._size > self._most:
                    raise _too_long(self._most)
                yield delta
            if event.data == DONE:  # some servers keep the connection
                self.is_done = True
                yield from self._reader.close()
                return


def _batched(deltas: Iterator[Delta]) -> Iterator[list[Delta]]:
    batch: list[Delta] = []
    try:
        for delta in deltas:
            batch.append(delta)  # noqa: PERF402 - what came before an error is to be kept
    except (BadPayload, Fault):
        yield batch
        raise
    yield batch


def _data(event: Event) -> Json:
    if event.data == DONE:
        return DONE
    try:
        return _json(event.data)
    except Fault:
        if event.is_whole:
            raise
        raise Fault("cut", "the stream was cut inside of an event") from None


def _other_type(wanted: str, opened: Opened) -> Fault:
    shown = _excerpt(opened.content_type)
    return Fault("content_type", f"expected {wanted}, the reply says it is {shown}")


def _too_long(most: int) -> Fault:
    return Fault("too_large", f"the reply is longer than {most:,} characters")


def _excerpt(text: str) -> str:
    shown = " ".join(text[:200].split())
    return f"`{shown[:60]}…`" if len(shown) > 60 or len(text) > 200 else f"`{shown}`"  # noqa: PLR2004
