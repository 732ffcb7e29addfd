"""The server of the playground as a process: its socket, and how it ends."""

from __future__ import annotations

import errno
import logging
import signal
import socket
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from pdl.errors import ConfigError, FileError, Problem, missing_package
from pdl.models.payloads import FAMILIES
from pdl.play.access import BODY_BYTES, Access
from pdl.play.files import OpenedFiles
from pdl.play.server import Desk, application

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEEDED = ("websockets", "pygls")  # by uvicorn, which would refuse sockets, and by these
_GRACE = 1  # seconds that answers have left when the server ends


def opened(
    path: str | None,
    port: int = 0,
    *,
    models: Sequence[str] = (),
    tokenizers: Sequence[str] = (),
    **chosen: Any,
) -> tuple[Desk, socket.socket]:
    """Return a desk and the socket that its page is at; the port 0 is any that is free.

    `chosen` are other members of the desk: its `base_url`, `eos`.
    Raises FileError for a file that cannot be read, ConfigError for a port that cannot be used, for
    the name of no model, and for a package that is not installed.
    """
    for package in _NEEDED:
        if find_spec(package) is None:
            raise missing_package("the playground needs", package, "play")
    for model in models:
        _check_model(model)
    files = OpenedFiles.open(path) if path is not None else None
    places = tuple(_tokenizer(one) for one in tokenizers)
    listening = _bound(port)
    access = Access(listening.getsockname()[1])
    return Desk(access, files, models=models, tokenizers=places, **chosen), listening


def _check_model(name: str) -> None:
    """Raise ConfigError for a model that no run could ask."""
    from pdl.models.connecting import scheme_of  # noqa: PLC0415 - most pages ask none

    scheme, _ = scheme_of(name)
    if scheme in FAMILIES and find_spec("httpx") is None:
        raise missing_package(f"`{scheme}:` needs", "httpx", "run")


def _tokenizer(name: str) -> Path:
    if find_spec("numpy") is None:
        raise missing_package("tokenizers need", "numpy", "masks")
    try:
        return Path(name).resolve(strict=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(Problem("file/unreadable", f"{name}: cannot be read: {reason}")) from error


def _bound(port: int) -> socket.socket:
    # asyncio lets answers wait for acknowledgements (Nagle) where the protocol is not named.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # on Windows, another one could take it
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            message, hint = f"the port {port} is in use", "leave out --port to use a free one"
        else:
            message, hint = f"the port {port} cannot be used: {error.strerror}", ""
        raise ConfigError(Problem("config/port", message, None, hint)) from error
    return listening


class Server(uvicorn.Server):
    """Ends silently where it cancels requests, such as runs."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all connections."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def configured(desk: Desk) -> Server:
    """Return the server of a desk, to run on a socket."""
    config = uvicorn.Config(
        application(desk),
        access_log=False,  # addresses of sockets have the token
        lifespan="on",
        log_config=None,
        log_level="warning",
        loop="asyncio",
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        ws_max_size=BODY_BYTES,
    )
    return Server(config)


def serve(desk: Desk, listening: socket.socket) -> None:
    """Answer requests until Ctrl-C, which is raised at the end as KeyboardInterrupt.

    It ends the process: another Ctrl-C does so at once, whatever threads are still at work.
    """
    server = configured(desk)
    signal.signal(signal.SIGINT, server.handle_exit)  # uvicorn's own comes later, and goes earlier
    try:
        server.run([listening])
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt
