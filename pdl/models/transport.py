"""One HTTP call, bounded in time and size; its errors become a `Fault`."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.request import getproxies

import httpx

from pdl.models.faults import Fault, in_words
from pdl.models.secret import NO_SECRET, Secret
from pdl.models.statuses import fault_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping

    from pdl.models.payloads import BadPayload


_PIECE = 1 << 18  # bytes that are decompressed before they are counted


class _Decompressor:
    """Undoes a `Content-Encoding`, never by more than a bound in one piece.

    httpx would return a bomb whole, and say nothing of one that is cut off. Raises `Fault` for an
    encoding that was not asked for, and for bytes that don't have it.
    """

    def __init__(self, encoding: str) -> None:
        self._name = encoding.strip().lower()
        if self._name not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            shown = f"{encoding[:40]}…" if len(encoding) > 40 else encoding  # noqa: PLR2004
            message = f"the reply has the content encoding `{shown}`, which was not asked for"
            raise Fault("content_type", message)
        # 32: the header distinguishes gzip and zlib (the manual of zlib, inflateInit2)
        is_plain = self._name in {"", "identity"}
        self._zlib = None if is_plain else zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._has_begun = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        if self._zlib is None:
            yield piece
            return
        while piece:
            self._has_begun = True
            try:
                out = self._zlib.decompress(piece, _PIECE)
            except zlib.error as error:
                raise Fault("cut", f"the reply is not valid {self._name}") from error
            piece = self._zlib.unconsumed_tail
            if out:
                yield out

    def close(self) -> None:
        if self._zlib is not None and self._has_begun and not self._zlib.eof:
            raise Fault("cut", f"the compressed reply ({self._name}) ended before its end")


Format: TypeAlias = Literal["json", "sse", "ndjson", "unsaid", "other"]
"""What a reply is by its content type; `unsaid` if that could be anything."""

_CONNECT = 15.0  # seconds for a connection to be made
_ERROR_BYTES = 65_536  # bytes of an error that are read
_SHOWN = 200  # characters of a message of a library
_ERROR_SECONDS = 5.0  # seconds to wait for the body of an error
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
    """What is sent, and the bounds: seconds for the whole call, bytes of the body of the reply.

    `key` is redacted in faults, even if the server repeats it.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout: float = 60.0
    most: int = 64_000_000
    key: Secret = NO_SECRET


@dataclass(frozen=True)
class Opened:
    """A reply whose head has arrived."""

    format: Format
    content_type: str
    _response: httpx.Response = field(repr=False)
    _call: HttpCall = field(repr=False)
    _deadline: float = 0.0

    async def pieces(self, most: int | None = None) -> AsyncIterator[bytes]:
        """Yield the decompressed body in pieces, at most so many bytes. Raises `Fault`."""
        size, most = 0, self._call.most if most is None else most
        async with aclosing(_decompressed(self._response, self._deadline, self._call)) as pieces:
            async for piece in pieces:
                size += len(piece)
                _check_size(size, most)
                yield piece

    async def body(self, most: int) -> bytes:
        """Return the whole body, at most so many bytes. Raises `Fault`."""
        told = self._response.headers.get("content-length", "")
        _check_size(int(told) if told.isdecimal() else 0, most)
        return b"".join([piece async for piece in self.pieces(most)])


@asynccontextmanager
async def send(call: HttpCall) -> AsyncIterator[Opened]:
    """Send a call and wait for the head of a successful reply.

    Raises `Fault`; BadPayload for an error that contains what the model said.

    Each call has its own connection: none stays open between calls, so none can be stale. Redirects
    are not followed, since the key would go with them.
    """
    deadline = asyncio.get_running_loop().time() + call.timeout
    async with httpx.AsyncClient(verify=_certificates(call.url), timeout=None) as client:  # noqa: S113 - the deadline is ours
        async with _bounded(deadline, call):
            response = await client.send(_request(client, call), stream=True)
        try:
            if not response.is_success:
                raise await _error_of(response, deadline, call)
            content_type = response.headers.get("content-type", "")
            yield Opened(_format(content_type), content_type, response, call, deadline)
        finally:
            await response.aclose()


def _request(client: httpx.AsyncClient, call: HttpCall) -> httpx.Request:
    # Compression saves little on a reply of some kilobytes, and delays what should stream.
    headers = {**call.headers, "content-type": "application/json", "accept-encoding": "identity"}
    timeout = httpx.Timeout(None, connect=min(_CONNECT, max(call.timeout, 0.001)))
    return client.build_request(
        "POST", call.url, headers=headers, content=call.body, timeout=timeout
    )


async def _error_of(
    response: httpx.Response, deadline: float, call: HttpCall
) -> Fault | BadPayload:
    """The fault of a status, with as much of the body as arrives in time."""
    body = bytearray()
    deadline = min(deadline, asyncio.get_running_loop().time() + _ERROR_SECONDS)
    try:
        async with aclosing(_decompressed(response, deadline, call)) as pieces:
            async for piece in pieces:
                body += piece[: _ERROR_BYTES - len(body)]
                if len(body) == _ERROR_BYTES:
                    break
    except Fault:  # the status matters more
        pass
    return fault_of(response.status_code, response.headers, bytes(body), call.key)


async def _decompressed(
    response: httpx.Response, deadline: float, call: HttpCall
) -> AsyncGenerator[bytes]:
    """The decompressed body as it arrives, until the deadline. Raises `Fault`."""
    decompressor = _Decompressor(response.headers.get("content-encoding", ""))
    raw = response.aiter_raw()
    while True:
        async with _bounded(deadline, call):
            piece = await anext(raw, None)
        if piece is None:
            break
        for out in decompressor.feed(piece):
            yield out
    decompressor.close()


@asynccontextmanager
async def _bounded(deadline: float, call: HttpCall) -> AsyncIterator[None]:
    """Enforce the deadline inside, and convert what httpx raises to a `Fault`.

    Those exceptions are not chained: they contain the request with its key.
    """
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except (TimeoutError, httpx.PoolTimeout, httpx.ReadTimeout, httpx.WriteTimeout):
        raise Fault(
            "timeout", f"no complete reply arrived within {in_words(call.timeout)}"
        ) from None
    except httpx.ConnectTimeout:
        waited = in_words(min(_CONNECT, call.timeout))
        message = f"no connection to {_host(call)} within {waited}"
        raise Fault("timeout", message) from None
    except (httpx.ConnectError, httpx.ProxyError) as error:
        raise Fault("connection", f"no connection to {_host(call)}{_because(error)}") from None
    except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
        raise Fault("cut", f"the connection broke{_because(error)}") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise Fault("bad_request", f"the base URL can't be used{_because(error)}") from None
    except (httpx.LocalProtocolError, UnicodeError):
        raise Fault("bad_request", "the key or a header contains what HTTP cannot send") from None
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
    """The certificates for TLS; none without TLS, which saves reading them."""
    if url.lower().startswith("http://") and not getproxies():
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return _trusted()


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    """Read the certificates, once: it takes 20 to 40 ms."""
    return httpx.create_ssl_context()
