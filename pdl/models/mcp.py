"""The tools of a server of the Model Context Protocol, as a `ToolSet`.

The official package, `mcp`, speaks the protocol (https://modelcontextprotocol.io/specification).
Each connection has an event loop in a thread, so its tools can be called from any thread and any
event loop.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pdl._types import format_path
from pdl.errors import ConfigError, Problem, ToolError, did_you_mean, missing_package
from pdl.models.blocking_portal import BlockingPortal
from pdl.models.faults import in_words
from pdl.models.options import check_seconds
from pdl.tools.dispatch import error_text
from pdl.tools.tool import ToolCall, ToolResult
from pdl.tools.toolset import ToolSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from mcp import Client


def mcp_tools(  # noqa: PLR0913 - what the server is, and how its tools are used
    *,
    command: Sequence[str] | None = None,
    url: str | None = None,
    env: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    only: Iterable[str] | None = None,
    prefix: str = "",
    timeout: float = 30.0,
    call_timeout: float = 60.0,
) -> McpTools:
    """Return the tools of an MCP server, for the time of a `with` or `async with` block.

    `with mcp_tools(command=["python", "server.py"]) as kit:` starts a server, talks to it over
    standard input and output, and stops it at the end of the block; `mcp_tools(url=…)` connects to
    one over HTTP ("Streamable HTTP"). `kit` is a `ToolSet`. In an `async with` block its functions
    are async, so calls run concurrently.

    - `env`: environment variables of the command; of the program's own it only gets `PATH`, `HOME`,
      and a few others.
    - `headers`: sent with each request to the URL, such as `{"Authorization": "Bearer …"}`.
    - `only`: names of the tools to use, as the server has them; by default all.
    - `prefix`: the beginning of each tool's name, for several servers with tools of one name.
    - `timeout`: seconds to connect and to list the tools.
    - `call_timeout`: seconds for one call.

    Raises TypeError and ValueError for invalid arguments, ConfigError without the package `mcp`.
    The block raises ToolError if the server can't be started or reached or does not answer in time,
    and for tools that no provider accepts; SchemaError for arguments that have no valid schema.
    """
    check_seconds("timeout", timeout)
    check_seconds("call_timeout", call_timeout)
    if isinstance(only, str):
        raise TypeError("only must be several names, not a str: write [name]")
    server = Server.of(command, url, env, headers)
    _check_package()
    names = None if only is None else tuple(only)
    return McpTools(server, names, prefix, timeout, call_timeout)


@dataclass(frozen=True)
class Server:
    """A server that is started by a command or reached at a URL; its `repr` has no secrets."""

    command: tuple[str, ...] = ()
    url: str = ""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        command: object,
        url: object,
        env: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
    ) -> Self:
        """Check the arguments of `mcp_tools`. Raises TypeError and ValueError."""
        if (command is None) == (url is None):
            raise TypeError("mcp_tools takes a command or a url, and not both")
        if url is not None:
            if env is not None:
                raise TypeError("env is for a command, not for a url")
            if not isinstance(url, str):
                raise TypeError(f"url must be a str, not {type(url).__name__}")
            if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
                raise ValueError("url must begin with http:// or https:// and name a server")
            return cls(url=url, headers={} if headers is None else dict(headers))
        if headers is not None:
            raise TypeError("headers are for a url, not for a command")
        words = command if isinstance(command, Sequence) and not isinstance(command, str) else ()
        if not words or not all(isinstance(word, str) for word in words):
            raise TypeError('command must be a list of str, such as ["python", "server.py"]')
        return cls(tuple(words), env={} if env is None else dict(env))

    @property
    def name(self) -> str:
        """What errors call it: without options, user, and query, which can be secrets."""
        if self.url:
            parts = urlsplit(self.url)
            host = parts.netloc.rpartition("@")[2]
            return f"{parts.scheme}://{host}{parts.path}"
        return " ".join(Path(word).name for word in self.command[:2] if not word.startswith("-"))

    def words(self, error: BaseException) -> str:
        """Return what an error says, in one line, without secrets."""
        error = _single(error)
        said = str(error) if type(error).__name__ == "MCPError" else error_text(error)
        if _is_invalid(error):
            said = f"its answer is invalid: {_first_of(error)}"
        return said.replace(self.url or "\0", self.name)

    async def transport(self, stack: AsyncExitStack) -> Any:
        """Return what a client of the package `mcp` connects to."""
        import httpx2  # noqa: PLC0415 - the package `mcp` has it
        from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

        if self.command:
            command, *rest = self.command
            return stdio_client(
                StdioServerParameters(command=command, args=rest, env=dict(self.env))
            )
        # Each request has its own bound; a stream may stay open longer than that.
        client = httpx2.AsyncClient(headers=dict(self.headers), timeout=None)
        return streamable_http_client(self.url, http_client=await stack.enter_async_context(client))


class McpTools:
    """The tools of a server during a block, `with` or `async with`; `mcp_tools` returns it."""

    def __init__(
        self,
        server: Server,
        only: tuple[str, ...] | None,
        prefix: str,
        timeout: float,
        call_timeout: float,
    ) -> None:
        self._server = server
        self._only = only
        self._prefix = prefix
        self._timeout = timeout
        self._call_timeout = call_timeout
        self._portal: BlockingPortal | None = None
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None

    def __repr__(self) -> str:
        return f"<tools of the MCP server {self._server.name}>"

    def __enter__(self) -> ToolSet:
        portal = self._started()
        try:
            return self._kit(portal.run(self._open()), self._function)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *details: object) -> None:
        portal, self._portal, self._client = self._portal, None, None
        if portal is not None:
            try:
                portal.run(self._close())
            finally:
                portal.__exit__(None, None, None)

    async def __aenter__(self) -> ToolSet:
        portal = self._started()
        try:
            listed = await asyncio.wrap_future(portal.start(self._open()))
            return self._kit(listed, self._async_function)
        except BaseException:
            await self.__aexit__()
            raise

    async def __aexit__(self, *details: object) -> None:
        await asyncio.shield(asyncio.to_thread(self.__exit__))

    def _started(self) -> BlockingPortal:
        if self._portal is not None:
            raise RuntimeError("this block has begun already: call mcp_tools again")
        self._portal = BlockingPortal().__enter__()
        return self._portal

    async def _open(self) -> list[Any]:
        """Connect, and return the tools of the server."""
        listed: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._task = asyncio.create_task(self._connect(listed))
        await asyncio.wait([listed], timeout=self._timeout)
        if not listed.done():
            self._task.cancel()
            raise self._unusable(f"did not answer within {in_words(self._timeout)}")
        error = listed.exception()
        if error is not None:
            why = f"cannot be used: {self._server.words(error)}"
            cure = "the server must follow the protocol" if _is_invalid(_single(error)) else ""
            raise self._unusable(why, cure) from error
        return listed.result()

    def _unusable(self, why: str, cure: str = "") -> ToolError:
        known = "see what it wrote to standard error" if self._server.command else "check the url"
        hint = cure or known
        message = f"the MCP server `{self._server.name}` {why}"
        return ToolError(Problem("tool/mcp", message, hint=hint))

    async def _connect(self, listed: asyncio.Future[list[Any]]) -> None:
        """Keep the connection open; the task that opened it must also close it."""
        from mcp import Client  # noqa: PLC0415 - slow

        try:
            async with AsyncExitStack() as stack:
                transport = await self._server.transport(stack)
                self._client = await stack.enter_async_context(Client(transport))
                listed.set_result(await _listed(self._client))
                await self._closing.wait()
        except Exception as error:  # noqa: BLE001 - of whatever kind; `_open` raises it
            if not listed.done():  # else the block has ended, and nothing depends on the connection
                listed.set_exception(error)

    async def _close(self) -> None:
        """End the connection, and stop the server if it was started here."""
        if self._task is not None:
            self._closing.set()
            await asyncio.wait([self._task], timeout=_PATIENCE)

    def _kit(self, listed: list[Any], function_of: Callable[[str], Callable[..., Any]]) -> ToolSet:
        given = [one["name"] for one in listed]
        unknown = [name for name in self._only or () if name not in given]
        if unknown:
            raise ToolError(*(self._no_tool(name, given) for name in unknown))
        used = [one for one in listed if self._only is None or one["name"] in self._only]
        named = [{**one, "name": self._prefix + _ODD.sub("_", one["name"])} for one in used]
        tools = ToolSet.from_mcp(named)
        return ToolSet(
            tuple(
                replace(tool, function=function_of(one["name"]))
                for tool, one in zip(tools, used, strict=True)
            )
        )

    def _no_tool(self, name: str, given: Iterable[str]) -> Problem:
        message = f"the MCP server `{self._server.name}` has no tool `{name}`"
        return Problem("tool/mcp", message, hint=did_you_mean(name, given))

    def _function(self, name: str) -> Callable[..., ToolResult]:
        def call(**arguments: Any) -> ToolResult:
            return self._running().run(self._call(name, arguments))

        return call

    def _async_function(self, name: str) -> Callable[..., Any]:
        async def call(**arguments: Any) -> ToolResult:
            started = self._running().start(self._call(name, arguments))
            return await asyncio.wrap_future(started)

        return call

    def _running(self) -> BlockingPortal:
        if self._portal is None:
            message = f"the connection to the MCP server `{self._server.name}` is closed"
            raise ToolError(Problem("tool/mcp", message, hint="call its tools inside the block"))
        return self._portal

    async def _call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        from mcp import MCPError  # noqa: PLC0415 - slow
        from mcp.types import CONNECTION_CLOSED  # noqa: PLC0415 - slow

        assert self._client is not None
        who = f"the MCP server `{self._server.name}`"
        try:
            async with asyncio.timeout(self._call_timeout):
                result = await self._client.call_tool(name, arguments)
        except TimeoutError as error:
            spent = in_words(self._call_timeout)
            raise TimeoutError(f"{who} did not answer within {spent}") from error
        except Exception as error:
            lost = getattr(error, "code", CONNECTION_CLOSED) == CONNECTION_CLOSED
            if isinstance(error, MCPError) and not (lost and error.message.startswith(_CLOSED)):
                text = f"{who} reports an error: {error.message}"
                return ToolResult(ToolCall(name, arguments), text, failed=True)
            raise ConnectionError(f"{who} failed: {self._server.words(error)}") from error
        return ToolResult(ToolCall(name, arguments), _text(result), failed=result.is_error)


_CLOSED = ("Connection closed", "SSE stream ")
"""How the package begins what it says of a connection; servers use the same code for other errors.
"""
_PATIENCE = 10.0  # seconds for a server to stop; the package kills it after four
_ODD = re.compile(r"[^a-zA-Z0-9_-]")
"""Characters that MCP allows in names, and providers don't."""


def _single(error: BaseException) -> BaseException:
    """The first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _is_invalid(error: BaseException) -> bool:
    """Whether it is pydantic's, about an answer of another shape than the protocol's."""
    return type(error).__name__ == "ValidationError" and hasattr(error, "errors")


def _first_of(error: Any) -> str:
    """The first thing that pydantic says, with its path."""
    first = error.errors(include_url=False)[0]
    return f"{format_path(first['loc'])}: {first['msg']}"


def _check_package() -> None:
    """Raise ConfigError if the package is not installed, or too old."""
    try:
        import mcp  # noqa: PLC0415 - slow, and an extra
    except ImportError as error:
        raise missing_package("MCP servers need", "mcp", "mcp") from error
    if not hasattr(mcp, "Client"):
        hint = "pip install --upgrade 'pdl-prompts[mcp]'"
        raise ConfigError(Problem("config/package", "MCP servers need mcp 2 or later", hint=hint))


async def _listed(client: Client) -> list[Any]:
    """The tools of a server, page by page."""
    found: list[Any] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        found += [
            tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools
        ]
        cursor = page.next_cursor
        if cursor is None:
            return found


def _text(result: Any) -> str:
    """The content of a result; values without any text are written as JSON."""
    parts = [_part(block) for block in result.content]
    values = result.structured_content
    if values is not None and not any(block.type == "text" for block in result.content):
        parts.append(json.dumps(values, ensure_ascii=False))
    return "\n".join(parts)


def _part(block: Any) -> str:
    """A part as text; media, which a result can't contain, in words."""
    if block.type == "text":
        return str(block.text)
    if block.type in {"image", "audio"}:
        return f"[{block.type}, {block.mime_type}, {_size(block.data)}]"
    if block.type == "resource_link":
        return f"[resource {block.uri}]"
    if block.type != "resource":
        return f"[{block.type}]"
    inner = block.resource
    return str(inner.text) if hasattr(inner, "text") else f"[{inner.uri}, {_size(inner.blob)}]"


def _size(base64: str) -> str:
    return f"{len(base64.rstrip('=')) * 3 // 4:,} bytes"
