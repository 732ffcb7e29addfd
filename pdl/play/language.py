"""The language server over a WebSocket: one message of JSON-RPC a frame.

The page knows files by URIs below the name of the opened folder, `file:///prompts/mail.pdl`. Where
that folder is, it is never told, and what is elsewhere it cannot name.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from starlette.websockets import WebSocketDisconnect

from pdl.lsp.documents import uri_of
from pdl.lsp.server import Server
from pdl.play.access import RefusedError
from pdl.play.looking.bounds import PAGE_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.websockets import WebSocket

    from pdl._types import Json
    from pdl.play.files import OpenedFiles

_SCHEME = "file:///"
_HIDDEN = "untitled:elsewhere"
"""What a file that the page may not know is called, in both directions."""
_URIS = frozenset({"uri", "rootUri", "oldUri", "newUri", "targetUri", "baseUri", "scopeUri"})
_OF_PAGES = frozenset({"newText", "insertText", "filterText", "text"})
"""What has the text of a page, which stays as it is."""
_NOT_FOR_PAGES = frozenset({"workspace/executeCommand", "workspace/didChangeWorkspaceFolders"})
"""Commands run models; the folders are those that were opened."""
_NOT_TO_PAGES = frozenset({"window/logMessage", "telemetry/event", "$/logTrace"})
"""Messages with tracebacks, which have paths."""
_MISSING = -32601  # the method is not there (JSON-RPC)
_log = logging.getLogger("pdl.play")


class Places:
    """Translates the URIs of the page to those of files, and back."""

    def __init__(self, files: OpenedFiles | None) -> None:
        self.files = files
        label = "scratch" if files is None else files.label
        self.prefix = f"{_SCHEME}{quote(os.fsencode(label))}"
        self.root = "" if files is None else uri_of(files.root)

    def inward(self, message: Json) -> Json:
        """Return a message of the page with the URIs of files."""
        if isinstance(message, dict):
            return {
                key: self._file(one) if _is_uri(key, one) else self.inward(one)
                for key, one in message.items()
            }
        return [self.inward(one) for one in message] if isinstance(message, list) else message

    def _file(self, uri: str) -> str:
        is_inside = uri.startswith(f"{self.prefix}/")
        rest = unquote(uri.removeprefix(self.prefix), errors="surrogateescape")
        if not is_inside:
            return _HIDDEN
        if self.files is None:
            return f"untitled:{quote(os.fsencode(rest))}"
        try:
            path = self.files.path_of(rest[1:])
        except RefusedError:
            return _HIDDEN
        return uri_of(path)

    def outward(self, message: Json) -> Json:
        """Return a message to the page, without the place of the folder."""
        if isinstance(message, dict):
            return {
                self._shown(key): one if key in _OF_PAGES else self.outward(one)
                for key, one in message.items()
            }
        if isinstance(message, list):
            return [self.outward(one) for one in message]
        return self._shown(message) if isinstance(message, str) else message

    def _shown(self, text: str) -> str:
        if text.startswith("untitled:/"):
            return self.prefix + text.removeprefix("untitled:")
        if text.startswith(_SCHEME) and "\n" not in text:
            inside = self.root and text.startswith(f"{self.root}/")
            return self.prefix + text.removeprefix(self.root) if inside else _HIDDEN
        return text if self.files is None else self.files.hidden(text)

    def initialized(self, params: dict[str, Json]) -> dict[str, Json]:
        """Return the parameters of `initialize` with the folder that was opened, if one was."""
        is_folder = self.files is not None and self.files.only is None
        folders = [{"uri": self.root, "name": "opened"}] if is_folder else None
        uri = self.root if is_folder else None
        return {**params, "rootUri": uri, "rootPath": None, "workspaceFolders": folders}


def _is_uri(key: str, value: Json) -> bool:
    return key in _URIS and isinstance(value, str)


class Writer:
    """What the server writes to: messages go out in their order, when the socket takes them."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def write(self, data: bytes) -> None:
        """Send a message, from any thread."""
        message = json.loads(data)
        if message.get("method") in _NOT_TO_PAGES:
            _log.debug("%s", message)
            return
        text = json.dumps(self.places.outward(message))
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self.messages.put_nowait, text)

    def close(self) -> None:
        """Nothing: the socket ends with the connection."""


async def speak(socket: WebSocket, files: OpenedFiles | None) -> None:
    """Answer a page until it goes away, by a language server of its own."""
    await socket.accept()
    places = Places(files)
    writer, server = Writer(places), Server(longest=PAGE_LIMITS.source_chars)
    server.protocol.set_writer(writer, include_headers=False)
    sending = asyncio.ensure_future(_send(socket, writer))
    try:
        while True:
            _take(await socket.receive_text(), server, writer)
    except (WebSocketDisconnect, KeyError):  # a frame of bytes has no text
        pass
    except SystemExit:  # the page has sent `exit`
        with suppress(RuntimeError):
            await socket.close()
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        server.close()


async def _send(socket: WebSocket, writer: Writer) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_text(await writer.messages.get())


def _take(text: str, server: Server, writer: Writer) -> None:
    """Handle a message of the page. What is no message is ignored."""
    try:
        message = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return
    if not isinstance(message, dict) or "jsonrpc" not in message:
        return
    method, params = message.get("method"), message.get("params")
    if method in _NOT_FOR_PAGES:
        if "id" in message:
            error = {"code": _MISSING, "message": "the page cannot do this"}
            refusal = {"jsonrpc": "2.0", "id": message["id"], "error": error}
            writer.write(json.dumps(refusal).encode())
        return
    handle: Callable[[Any], None] = server.protocol.handle_message
    try:
        message = writer.places.inward(message)
        if method == "initialize" and isinstance(params, dict):
            message["params"] = writer.places.initialized(message["params"])
        handle(json.loads(json.dumps(message), object_hook=server.protocol.structure_message))
    except Exception as error:  # noqa: BLE001 - the page can do nothing about a bug
        _log.debug("a message could not be handled", exc_info=error)
