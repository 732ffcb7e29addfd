"""A server of the Model Context Protocol: over standard input and output, or HTTP on a port."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import AudioContent, EmbeddedResource, ImageContent, TextResourceContents


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def read(path: str) -> str:
    """Read a file."""
    raise ToolError(f"there is no {path}\nat all")


async def meet(number: int) -> int:
    """Wait until three have come."""
    meeting.append(number)
    if len(meeting) == 3:
        all_here.set()
    await all_here.wait()
    return number


meeting: list[int] = []
all_here = asyncio.Event()


async def hang() -> str:
    """Never answer."""
    await asyncio.sleep(600)
    return ""


def die() -> str:
    """End the server."""
    os._exit(3)


def environment() -> list[str]:
    """Which variables there are."""
    return sorted(os.environ)


def media() -> list[Any]:
    """Several kinds of content."""
    text = TextResourceContents(uri="file:///a.txt", text="of a file")
    return [
        ImageContent(type="image", data="AAAA", mime_type="image/png"),
        AudioContent(type="audio", data="AAA=", mime_type="audio/wav"),
        EmbeddedResource(type="resource", resource=text),
        "text",
    ]


if __name__ == "__main__":
    server = MCPServer("tests", log_level="CRITICAL")
    server.add_tool(add)
    server.add_tool(read, name="files.read")
    for function in (meet, hang, die, environment):
        server.add_tool(function)
    server.add_tool(media, structured_output=False)
    if sys.argv[1:]:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
