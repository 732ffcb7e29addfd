"""The application of the playground: one page, and the methods that it calls."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute

import pdl
from pdl.errors import quoted
from pdl.models.payloads import FAMILIES
from pdl.play.access import BODY_BYTES, BUG, Access, Guard, RefusedError, refusal_of
from pdl.play.choice import Choice
from pdl.play.methods import Methods
from pdl.play.page import html_of
from pdl.play.streams import gone

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

    from pdl._types import Json
    from pdl.play.files import OpenedFiles
    from pdl.play.methods import Answer, Method

PAGE: Final = Path(__file__).parent / "static"
"""The files of the page."""

SOCKETS: Final = 8
"""The most language servers at once."""

_LANGUAGE = "pdl.play.language"  # slow to load, and nothing waits for it but its sockets
_TRY_LATER = 1013  # of a WebSocket (RFC 6455's registry)
_log = logging.getLogger("pdl.play")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
"""The kinds of files of the page; what the system knows of them may be wrong."""


@dataclass(frozen=True)
class Desk:
    """What one run of the playground works with: files, models and tokenizers of its user."""

    access: Access
    files: OpenedFiles | None = None
    """None: a prompt that is not saved."""
    models: Sequence[str] = ()
    base_url: str | None = None
    tokenizers: tuple[Path, ...] = ()
    eos: Sequence[str | int] = ()
    """The tokens that end a text; none: as the tokenizers' files say."""
    page: Path = field(default=PAGE)
    seconds: float = 10.0
    """How long a look may take."""

    @cached_property
    def choice(self) -> Choice:
        """The models that the page may ask."""
        return Choice(self.models, self.base_url, self.files)

    @cached_property
    def labels(self) -> dict[str, Path]:
        """The tokenizers by what the page calls them."""
        names = [path.name for path in self.tokenizers]
        return {
            path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}": path
            for path in self.tokenizers
        }

    def hidden(self, text: str) -> str:
        """Return a text without the places of files."""
        for name in (*self.models, *map(str, self.tokenizers)):
            folder = str(Path(name.partition(":")[2] or name).parent)
            text = text.replace(f"{folder}/", "") if len(folder) > 1 else text
        return text if self.files is None else self.files.hidden(text)

    def hello(self) -> dict[str, Json]:
        """Return what the page can do here."""
        only = None if self.files is None else self.files.only
        models = [*self.choice.named]
        with suppress(RefusedError):  # the file is gone meanwhile
            models += self.choice.of_file(only)
        return {
            "version": pdl.__version__,
            "files": self.files is not None,
            "run": bool(models) or (self.files is not None and only is None),
            "tokenizers": [*self.labels],
            "models": [*dict.fromkeys(models)],
            "families": sorted(FAMILIES),
            "root": "scratch" if self.files is None else self.files.label,
            "opened": only,
            "language": True,
            "notes": [],
        }


def application(desk: Desk) -> ASGIApp:
    """Return the ASGI application of the page, which answers only its own page."""
    served = _Served(desk)
    routes = [
        Route("/api/{method}", served.call, methods=["POST"]),
        WebSocketRoute("/language", served.language),
        Route("/{name:path}", served.page, methods=["GET"]),
    ]
    return Guard(Starlette(routes=routes, lifespan=served.running), desk.access)


class _Served:
    """What answers the requests of a page."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.methods = Methods(desk)
        self.sockets: set[WebSocket] = set()

    async def call(self, request: Request) -> Response:
        try:
            params = await _parameters(request)
            answer = await _unless_gone(request, _method(self.methods, request)(params))
        except Exception as error:  # noqa: BLE001 - the page is told of all
            refused, hidden = refusal_of(error), self.desk.hidden
            if refused.status == BUG:
                _log.exception("a bug in pdl")
            told = {"message": hidden(str(refused)), "hint": hidden(refused.hint)}
            return _json({**refused.more, "error": told}, refused.status)
        return answer if isinstance(answer, Response) else _json(answer)

    async def page(self, request: Request) -> Response:
        return await asyncio.to_thread(_file, self.desk.page, request.path_params["name"])

    async def language(self, socket: WebSocket) -> None:
        if len(self.sockets) >= SOCKETS:
            await socket.close(_TRY_LATER)
            return
        self.sockets.add(socket)
        try:
            speaking = await asyncio.to_thread(import_module, _LANGUAGE)
            await speaking.speak(socket, self.desk.files)
        finally:
            self.sockets.discard(socket)

    @asynccontextmanager
    async def running(self, _: Starlette) -> AsyncIterator[None]:
        self.methods.start()
        loading = asyncio.ensure_future(self._load())
        try:
            yield
        finally:
            loading.cancel()
            await self.methods.close()

    async def _load(self) -> None:
        await self.methods.workers.is_ready.wait()
        await asyncio.to_thread(import_module, _LANGUAGE)


def _method(methods: Methods, request: Request) -> Method:
    name: str = request.path_params["method"]
    method = methods.by_name.get(name)
    if method is None:
        raise RefusedError(404, f"there is no method {quoted(name)}")
    return method


async def _unless_gone(request: Request, work: Awaitable[Answer]) -> Answer:
    """The result of work, which is cancelled if the page does not wait for it any more."""
    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone(request.receive))
    try:
        await asyncio.wait([task, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise RefusedError(499, "the page does not wait for this any more")
        return task.result()
    finally:
        task.cancel()
        leaving.cancel()


async def _parameters(request: Request) -> dict[str, Any]:
    """The JSON object that a request brings. Raises RefusedError."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError(415, "the request must be of the type application/json")
    size, chunks = 0, []
    async for chunk in request.stream():
        size += len(chunk)
        if size > BODY_BYTES:
            raise RefusedError(413, f"the request is larger than {BODY_BYTES:,} bytes")
        chunks.append(chunk)
    try:
        found = json.loads(b"".join(chunks))
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "the request is not JSON") from error
    if not isinstance(found, dict):
        raise RefusedError(400, "the request is not a JSON object")
    return found


def _json(content: Json, status: int = 200) -> Response:
    # As ASCII: a text can have half of a surrogate pair.
    return Response(json.dumps(content), status, media_type="application/json")


def _file(folder: Path, name: str) -> Response:
    """A file of the page; nothing else is there."""
    inside = name.split("/") if name else ["index.html"]
    kind = _TYPES.get(Path(inside[-1]).suffix)
    if kind is None or any(not part or part.startswith(".") or "\\" in part for part in inside):
        return _json({"error": {"message": "not found", "hint": ""}}, 404)
    try:
        is_page = inside == ["index.html"]
        content = html_of(folder) if is_page else folder.joinpath(*inside).read_bytes()
    except (OSError, ValueError):
        return _json({"error": {"message": "not found", "hint": ""}}, 404)
    return Response(content, media_type=kind)
