"""One HTTP call: sent, bounded in time and size, and its faults told in our words.

The compression of a reply is undone never by more than a bound at once (`Inflate`).
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias
from urllib.request import getproxies

import httpx

from pdl.models.exchange import Fault
from pdl.models.retry import in_words
from pdl.models.secret import NO_SECRET, Secret
from pdl.models.statuses import fault_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping

    from pdl.models.payloads import BadPayload


_AT_ONCE = 1 << 18  # bytes that are unpacked before anybody counts them


class Inflate(Protocol):
    """Unpacks bytes as they come. Raises `Fault` for what is not packed as it says."""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """What a piece unpacks to."""

    def close(self) -> None:
        """Raise `Fault` if the packed bytes are not all there."""


def inflate_of(encoding: str) -> Inflate:
    """Undoes a `Content-Encoding`. Raises `Fault` for one that was not asked for."""
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip" | "deflate" as name:
            return _Zlib(name)
    shown = f"{encoding[:40]}…" if len(encoding) > 40 else encoding  # noqa: PLR2004 - more helps nobody
    raise Fault("content_type", f"the reply is packed as `{shown}`, which was not asked for")


class _Plain:
    def feed(self, piece: bytes) -> Iterator[bytes]:
        yield piece

    def close(self) -> None:
        """Nothing can lack."""


class _Zlib:
    def __init__(self, name: str) -> None:
        self._name = name
        # 32: the head tells gzip from zlib (the manual of zlib, inflateInit2)
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._is_begun = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        while piece:
            self._is_begun = True
            try:
                out = self._inner.decompress(piece, _AT_ONCE)
            except zlib.error as error:
                raise Fault("cut", f"the reply is not packed as {self._name} should be") from error
            piece = self._inner.unconsumed_tail
            if out:
                yield out

    def close(self) -> None:
        if self._is_begun and not self._inner.eof:
            raise Fault("cut", f"the packed reply ({self._name}) ended before its end")


Format: TypeAlias = Literal["json", "sse", "ndjson", "unsaid", "other"]
"""What a reply is by its content type; `unsaid` if that could be anything."""

_CONNECT = 15.0  # seconds for a connection to be made; nobody waits longer for a server that lives
_ERROR_BYTES = 65_536  # bytes of a refusal that are read
_SHOWN = 200  # characters of what a library says
_ERROR_SECONDS = 5.0  # seconds that are waited for it
_FORMATS: dict[str, Format] = {
    "application/json": "json",
    "text/json": "json",
    "text/event-stream": "sse",
    "application/x-ndjson": "ndjson",
    "application/ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "": "unsaid",
    "text/plain": "unsaid",
    "application/octet-stream": "unsaid",
}


@dataclass(frozen=True)
class HttpCall:
    """What is sent, and the bounds: seconds for the whole, bytes of the body that comes back.

    `key` is what no fault tells, though the server says it.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout: float = 60.0
    most: int = 64_000_000
    key: Secret = NO_SECRET


@dataclass(frozen=True)
class Opened:
    """A reply whose head has come."""

    format: Format
    content_type: str
    _response: httpx.Response = field(repr=False)
    _call: HttpCall = field(repr=False)
    _deadline: float = 0.0

    async def pieces(self, most: int | None = None) -> AsyncIterator[bytes]:
        """The body, unpacked, piece by piece, of at most so many bytes. Raises `Fault`."""
        size, most = 0, self._call.most if most is None else most
        async with aclosing(_unpacked(self._response, self._deadline, self._call)) as pieces:
            async for piece in pieces:
                size += len(piece)
                _check_size(size, most)
                yield piece

    async def body(self, most: int) -> bytes:
        """The whole body, of at most so many bytes. Raises `Fault`."""
        told = self._response.headers.get("content-length", "")
        _check_size(int(told) if told.isdecimal() else 0, most)
        return b"".join([piece async for piece in self.pieces(most)])


@asynccontextmanager
async def send(call: HttpCall) -> AsyncIterator[Opened]:
    """Send a call and wait for the head of a reply that is a success.

    Raises `Fault`; BadPayload for an error that tells what the model said.

    Each call has a connection of its own: none is left open between calls, and none that has gone
    stale is met. Redirects are not followed, since the key would go with them.
    """
    deadline = asyncio.get_running_loop().time() + call.timeout
    async with httpx.AsyncClient(verify=_certificates(call.url), timeout=None) as client:  # noqa: S113 - the deadline is ours
        async with _bounded(deadline, call):
            response = await client.send(_request(client, call), stream=True)
        try:
            if not response.is_success:
                raise await _refusal(response, deadline, call)
            content_type = response.headers.get("content-type", "")
            yield Opened(_format(content_type), content_type, response, call, deadline)
        finally:
            await response.aclose()


def _request(client: httpx.AsyncClient, call: HttpCall) -> httpx.Request:
    # Packing saves little on a reply of some kilobytes, and holds back what should stream.
    headers = {**call.headers, "content-type": "application/json", "accept-encoding": "identity"}
    timeout = httpx.Timeout(None, connect=min(_CONNECT, max(call.timeout, 0.001)))
    return client.build_request(
        "POST", call.url, headers=headers, content=call.body, timeout=timeout
    )


async def _refusal(response: httpx.Response, deadline: float, call: HttpCall) -> Fault | BadPayload:
    """The fault that a status stands for, with as much of the body as comes in time."""
    body = bytearray()
    deadline = min(deadline, asyncio.get_running_loop().time() + _ERROR_SECONDS)
    try:
        async with aclosing(_unpacked(response, deadline, call)) as pieces:
            async for piece in pieces:
                body += piece[: _ERROR_BYTES - len(body)]
                if len(body) == _ERROR_BYTES:
                    break
    except Fault:  # the status is what counts
        pass
    return fault_of(response.status_code, response.headers, bytes(body), call.key)


async def _unpacked(
    response: httpx.Response, deadline: float, call: HttpCall
) -> AsyncGenerator[bytes]:
    """What a body unpacks to, as it comes, until the deadline. Raises `Fault`."""
    inflate = inflate_of(response.headers.get("content-encoding", ""))
    raw = response.aiter_raw()
    while True:
        async with _bounded(deadline, call):
            piece = await anext(raw, None)
        if piece is None:
            break
        for out in inflate.feed(piece):
            yield out
    inflate.close()


@asynccontextmanager
async def _bounded(deadline: float, call: HttpCall) -> AsyncIterator[None]:
    """Within it there is time until the deadline; what httpx raises becomes a `Fault`.

    Their exceptions are not chained: they hold the request with its key.
    """
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except (TimeoutError, httpx.PoolTimeout, httpx.ReadTimeout, httpx.WriteTimeout):
        raise Fault("timeout", f"no whole reply came within {in_words(call.timeout)}") from None
    except httpx.ConnectTimeout:
        waited = in_words(min(_CONNECT, call.timeout))
        message = f"no connection to {_host(call)} within {waited}"
        raise Fault("timeout", message) from None
    except (httpx.ConnectError, httpx.ProxyError) as error:
        raise Fault("connection", f"no connection to {_host(call)}{_because(error)}") from None
    except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
        raise Fault("cut", f"the connection broke{_because(error)}") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise Fault("bad_request", f"the base URL is of no use{_because(error)}") from None
    except (httpx.LocalProtocolError, UnicodeError):
        raise Fault("bad_request", "the key or a header holds what HTTP cannot send") from None
    except (httpx.HTTPError, ssl.SSLError, OSError) as error:
        raise Fault("cut", f"the connection broke{_because(error)}") from None


def _host(call: HttpCall) -> str:
    return httpx.URL(call.url).netloc.decode("ascii")


def _because(error: Exception) -> str:
    words = " ".join(str(error).split())
    words = f"{words[:_SHOWN]}…" if len(words) > _SHOWN else words
    return f": {words}" if words else ""


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise Fault("too_large", f"the reply is longer than {most:,} bytes")


def _format(content_type: str) -> Format:
    kind = content_type.partition(";")[0].strip().lower()
    return "json" if kind.endswith("+json") else _FORMATS.get(kind, "other")


def _certificates(url: str) -> ssl.SSLContext:
    """What TLS trusts; nothing where there is none, which saves the reading of all certificates."""
    if url.lower().startswith("http://") and not getproxies():
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return _trusted()


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    """Reading the certificates takes 20 to 40 ms, once."""
    return httpx.create_ssl_context()
