"""What type checkers infer of a run with tools."""

from dataclasses import dataclass

import pdl
from pdl.models import mcp_tools
from pdl.tools import ToolSet


@dataclass
class Point:
    x: int


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


bare = pdl.loads("<|user|>\nHi.\n").render()
typed = pdl.loads("<|user|>\nHi.\n").render(schema=Point)
kit = ToolSet.from_functions(add)


async def later() -> None:
    """The asynchronous version has the same types."""
    reveal_type(await pdl.run_tools_async(bare, "openai:x", [add], Point))  # ToolRun[Point]
    reveal_type((await pdl.run_tools_async(typed, "openai:x", kit)).value)  # Point
    async with mcp_tools(command=["server"]) as tools:
        reveal_type(tools)  # ToolSet


reveal_type(pdl.run_tools(bare, "openai:x", [add], Point, steps=3))  # ToolRun[Point]
reveal_type(pdl.run_tools(bare, "openai:x", [add, *kit], list[int]).value)  # list[int]
reveal_type(pdl.run_tools(bare, schema=Point, functions=[add]).value)  # Point
reveal_type(pdl.run_tools(typed, ["openai:x", "anthropic:y"], kit).value)  # Point
reveal_type(pdl.run_tools(bare, "openai:x", kit).value)  # Any
reveal_type(pdl.run_tools(typed, "openai:x", kit).steps)  # tuple[ToolStep, ...]
with mcp_tools(url="http://127.0.0.1/mcp") as found:
    reveal_type(found)  # ToolSet
