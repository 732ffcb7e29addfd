"""Who may speak to the server: the page that it serves itself, and that knows the token."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from pdl.errors import PdlError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from pdl._types import Json

BODY_BYTES: Final = 8_000_000
"""The most that a request can send: a prompt, its data and a reply."""

STRANGER: Final = 401
"""The status of an answer to a page that does not know the token, such as one of another run."""

BUG: Final = 500
"""The status of an answer after a bug."""

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self' ws://{host}; img-src 'self' data: blob:; media-src data: blob:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_DEFAULT_PORT = 80  # browsers leave it out
_REFUSED = 1008  # of a WebSocket: a message that violates the policy (RFC 6455)


class RefusedError(Exception):
    """A request that is not answered as it wishes: the status, why, and what else is said."""

    def __init__(self, status: int, message: str, hint: str = "", **more: Json) -> None:
        super().__init__(message)
        self.status = status
        self.hint = hint
        self.more = more

    @property
    def body(self) -> dict[str, Json]:
        """What the page is sent."""
        return {"error": {"message": str(self), "hint": self.hint}, **self.more}


def refusal_of(error: Exception) -> RefusedError:
    """Return what the page is told of an error; it can do nothing about a bug but show its kind."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, PdlError):
        return RefusedError(400, error.problem.message, error.problem.hint)
    return RefusedError(BUG, f"this is a bug in pdl: {type(error).__name__}")


@dataclass(frozen=True)
class Access:
    """The secret of one run of the server, and the port that it listens at."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def hosts(self) -> frozenset[str]:
        """What a browser calls the server; another name that leads here by DNS is not accepted."""
        names = ("127.0.0.1", "localhost")
        ports = (f":{self.port}", "") if self.port == _DEFAULT_PORT else (f":{self.port}",)
        return frozenset(name + port for name in names for port in ports)

    @property
    def address(self) -> str:
        """The address of the page. A browser sends no server what follows the `#`."""
        return f"http://127.0.0.1:{self.port}/#token={self.token}"

    def check(self, scope: Scope) -> None:
        """Raise RefusedError unless a request may be answered."""
        headers = _headers(scope)
        host = headers.get("host", [])
        if len(host) != 1 or host[0] not in self.hosts:
            raise RefusedError(403, "this server answers to 127.0.0.1 and localhost only")
        origins = headers.get("origin", [])
        is_socket = scope["type"] == "websocket"
        if origins != [f"http://{host[0]}"] and (origins or is_socket):
            raise RefusedError(403, "this server answers to its own page only")
        if is_socket:
            query = scope["query_string"].decode("latin-1")
            given = parse_qs(query, keep_blank_values=True).get("token", [])
        elif scope["path"].startswith("/api/"):
            given = headers.get("x-pdl-token", [])
        else:
            return
        if len(given) != 1 or not self._is_token(given[0]):
            hint = "open the address that `pdl play` has printed"
            raise RefusedError(STRANGER, "the token is missing or wrong", hint)

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())

    def headers(self, host: str) -> list[tuple[bytes, bytes]]:
        """Return what every answer says to the browser."""
        policy = _POLICY.format(host=host)
        return [*_HEADERS, (b"content-security-policy", policy.encode())]


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return found


class Guard:
    """An ASGI application before another one: only requests that have access go on to it."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on; answers get the headers."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            self.access.check(scope)
        except RefusedError as refused:
            await self._refuse(refused, scope, send)
            return
        await self.app(scope, receive, self._with_headers(scope, send))

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        host = _headers(scope)["host"][0]

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self.access.headers(host)]
            await send(message)

        return answer

    async def _refuse(self, refused: RefusedError, scope: Scope, send: Send) -> None:
        if scope["type"] == "websocket":  # which answers 403, as it was not accepted
            await send({"type": "websocket.close", "code": _REFUSED, "reason": str(refused)})
            return
        headers = [(b"content-type", b"application/json"), *self.access.headers("127.0.0.1")]
        start: dict[str, Any] = {"type": "http.response.start", "status": refused.status}
        await send({**start, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(refused.body).encode()})


def text_of(params: dict[str, Any], name: str, default: str | None = None) -> str:
    """Return a parameter that is a text. Raises RefusedError."""
    found = params.get(name, default)
    if not isinstance(found, str):
        raise RefusedError(400, f"`{name}` must be a text")
    return found
