"""What a provider's SDK returns, read back: bodies, streams, and exceptions.

`reply_from` and `deltas_from` read what `ProviderApi` documents, as JSON or as an object of an SDK.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import AsyncIterable, Iterable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, overload

from pdl.models.faults import Fault, told_by
from pdl.models.payloads.provider_api import DONE, DeltaReader
from pdl.models.payloads.reading import BadPayload, DeltaJoiner, reported_error
from pdl.models.request import GivenRequest, Request, family_of
from pdl.models.statuses import fault_of, fault_of_body
from pdl.prompt.rendered import Rendered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Delta, Reply
    from pdl.models.payloads.provider_api import Payload, ProviderApi


def reply_from(body: Any, family: str, asked: Request | Rendered | None = None) -> Reply:
    """Read the reply in the body that a provider returned.

    `body` is a dict, its JSON text, or the object of an SDK (a pydantic model). `family` is the
    name of the interface, such as `openai` or `anthropic`. With `asked`, the request or the
    rendered prompt whose body was sent, the text and the calls are in the form of its schema, as
    `check` needs them; without it, they are as the provider wrote them. A function that pdl asks
    does not need `asked`: pdl knows which body the function took. Of several choices or candidates
    (`n` in the settings) it is the first.

    Raises Fault for a body that reports an error or has another shape, TypeError for another type,
    ValueError for an unknown family.
    """
    api = family_of(family)
    try:
        reply = api.read(_json_of(body))
    except BadPayload as error:
        if error.reply is None:
            raise fault_of_body(error) from error
        reply = error.reply
    payload = _payload_of(asked, api)
    return reply if payload is None else api.restored(payload, reply)


@overload
def deltas_from(
    events: Iterable[Any], family: str, asked: Request | Rendered | None = None
) -> Iterator[Delta]: ...
@overload
def deltas_from(
    events: AsyncIterable[Any], family: str, asked: Request | Rendered | None = None
) -> AsyncIterator[Delta]: ...
def deltas_from(
    events: Iterable[Any] | AsyncIterable[Any],
    family: str,
    asked: Request | Rendered | None = None,
) -> Iterator[Delta] | AsyncIterator[Delta]:
    """Read the events of a provider's stream, each as `reply_from` takes a body.

    Closing the iterator closes the stream. Raises what `reply_from` raises, the Faults while it is
    read; one of the kind `cut` for a stream that ends before its reply does.
    """
    api = family_of(family)
    payload = _payload_of(asked, api)
    reader = _EventReader(api.deltas() if payload is None else api.stream(payload))
    if isinstance(events, AsyncIterable) and (not isinstance(events, Iterable) or _in_loop()):
        return _read_async(events, reader)
    if isinstance(events, str | bytes | Mapping) or not isinstance(events, Iterable):
        raise TypeError(f"events must be an iterable of events, not {type(events).__name__}")
    return _read(events, reader)


def _read(events: Iterable[Any], reader: _EventReader) -> Iterator[Delta]:
    try:
        for event in events:
            yield from reader.feed(event)
            if reader.is_done:
                break
        yield from reader.close()
    finally:
        close = getattr(events, "close", None)
        if close is not None:
            close()


async def _read_async(events: AsyncIterable[Any], reader: _EventReader) -> AsyncIterator[Delta]:
    try:
        async for event in events:
            for delta in reader.feed(event):
                yield delta
            if reader.is_done:
                break
        for delta in reader.close():
            yield delta
    finally:
        close = getattr(events, "aclose", None) or getattr(events, "close", None)
        closing = None if close is None else close()
        if inspect.isawaitable(closing):
            await closing


def _in_loop() -> bool:
    """Whether this is asynchronous code: LiteLLM's streams are iterable in both ways."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _EventReader:
    """A reader of events that an SDK decoded, whose errors are faults."""

    def __init__(self, reader: DeltaReader) -> None:
        self._reader = reader
        self._joiner = DeltaJoiner()

    @property
    def is_done(self) -> bool:
        return self._reader.is_done

    def feed(self, event: Any) -> Iterator[Delta]:
        with _as_faults():
            yield from map(self._joiner.feed, self._reader.feed("", _json_of(event)))

    def close(self) -> Iterator[Delta]:
        with _as_faults():
            yield from map(self._joiner.feed, self._reader.close())
        yield from self._joiner.close()


@contextmanager
def _as_faults() -> Iterator[None]:
    try:
        yield
    except BadPayload as error:
        raise fault_of_body(error) from error


def _payload_of(asked: Request | Rendered | None, api: ProviderApi) -> Payload | None:
    """The payload that was sent, or, without a note of it, the one that would be."""
    if asked is None:
        return None
    if isinstance(asked, GivenRequest):
        asked.taken.is_restored = True
        if api.name in asked.taken.bodies:
            return asked.taken.bodies[api.name].payload
    request: object = Request.of(asked) if isinstance(asked, Rendered) else asked
    if not isinstance(request, Request):
        kind = type(asked).__name__
        raise TypeError(f"asked must be a pdl.Request or a pdl.Rendered, not {kind}")
    return request.payload(api.name)[1]


def _json_of(given: Any) -> Json:
    """A body or an event as JSON. Raises TypeError, and Fault for text that is not JSON."""
    if isinstance(given, str | bytes | bytearray):
        if given == DONE:
            return DONE
        try:
            return json.loads(given)
        except (ValueError, RecursionError) as error:
            raise Fault("not_json", f"the body is not JSON: {error}") from error
    dump = getattr(given, "model_dump", None)
    if callable(dump) and not isinstance(given, type):
        return dump(mode="json", by_alias=True, warnings=False)
    if isinstance(given, Mapping):
        return dict(given)
    kind = type(given).__name__
    advice = ""
    if isinstance(given, Iterable | AsyncIterable):
        advice = "; read a stream with pdl.models.deltas_from"
    raise TypeError(f"expected a dict, its JSON text, or the object of an SDK, not {kind}{advice}")


_LEAST, _MOST = 400, 600  # statuses of errors (RFC 9110, section 15)


def fault_of_error(error: BaseException) -> Fault | None:
    """Return the fault that an exception of an SDK or an HTTP client reports; None for another.

    It is read from the status and the body of the response (httpx, requests, botocore, and the SDKs
    on them), from an error inside a stream, or from the names of its classes and of its causes.
    """
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore
        told = response.get("ResponseMetadata", {})
        status, headers = told.get("HTTPStatusCode"), told.get("HTTPHeaders", {})
        content = _reported(response.get("Error", {}))
    else:
        named = (getattr(error, "status_code", None), getattr(error, "code", None))
        status = next(filter(_is_status, (*named, getattr(response, "status_code", None))), None)
        headers = getattr(response, "headers", {})
        content = _content(response) or _reported({"message": str(error)})
    if _is_status(status):
        found = fault_of(status, headers, content)
        return found if isinstance(found, Fault) else fault_of_body(found)
    inside = reported_error({"error": getattr(error, "body", None)})
    return _of_connection(error) if inside is None else fault_of_body(inside)


def _is_status(value: object) -> bool:
    return isinstance(value, int) and _LEAST <= value < _MOST


def _content(response: Any) -> bytes:
    try:
        content = getattr(response, "content", b"")
    except RuntimeError:  # httpx: the body of a stream was not read
        return b""
    return content if isinstance(content, bytes) else b""


def _reported(error: Mapping[str, Any]) -> bytes:
    """An error in botocore's shape, or of its message alone, as providers write it."""
    told = {key.lower(): str(value) for key, value in error.items() if value}
    return json.dumps({"error": told}).encode()


def _of_connection(error: BaseException) -> Fault | None:
    """The fault of an exception that is named for a timeout or a connection, or caused by one."""
    cause: BaseException | None = error
    while cause is not None:
        names = " ".join(one.__name__ for one in type(cause).__mro__)
        if "Timeout" in names:
            return Fault("timeout", "the provider took too long")
        if re.search(r"Connect(?:ion)?Error", names):
            return Fault("cut", f"the function lost its connection: {told_by(error)}")
        cause = cause.__cause__
    return None
