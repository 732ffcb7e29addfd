"""Models: connect to one, ask it, and get back an answer that was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.models.answer import Answer, AskError, Attempt, ToolStep
    from pdl.models.ask_partial import AskPartial
    from pdl.models.ask_stream import AskStream, stream
    from pdl.models.budget import Budget, Price
    from pdl.models.cache import Cache
    from pdl.models.connecting import connect
    from pdl.models.exchange import Delta, Dropped, Model, Reply, Usage
    from pdl.models.faults import Backoff, Fault
    from pdl.models.mcp import mcp_tools
    from pdl.models.options import AskOptions, CacheWarning, Hook
    from pdl.models.request import Request
    from pdl.models.runner import ask, ask_async
    from pdl.models.sdk_objects import deltas_from, reply_from
    from pdl.models.tool_loop import ToolRun, run_tools, run_tools_async

_HOMES = {
    "Answer": "pdl.models.answer",
    "AskError": "pdl.models.answer",
    "Attempt": "pdl.models.answer",
    "Backoff": "pdl.models.faults",
    "Budget": "pdl.models.budget",
    "Cache": "pdl.models.cache",
    "CacheWarning": "pdl.models.options",
    "Delta": "pdl.models.exchange",
    "Dropped": "pdl.models.exchange",
    "Fault": "pdl.models.faults",
    "Hook": "pdl.models.options",
    "Model": "pdl.models.exchange",
    "Price": "pdl.models.budget",
    "Reply": "pdl.models.exchange",
    "Request": "pdl.models.request",
    "AskOptions": "pdl.models.options",
    "ToolRun": "pdl.models.tool_loop",
    "ToolStep": "pdl.models.answer",
    "Usage": "pdl.models.exchange",
    "ask": "pdl.models.runner",
    "ask_async": "pdl.models.runner",
    "stream": "pdl.models.ask_stream",
    "AskPartial": "pdl.models.ask_partial",
    "AskStream": "pdl.models.ask_stream",
    "connect": "pdl.models.connecting",
    "deltas_from": "pdl.models.sdk_objects",
    "mcp_tools": "pdl.models.mcp",
    "reply_from": "pdl.models.sdk_objects",
    "run_tools": "pdl.models.tool_loop",
    "run_tools_async": "pdl.models.tool_loop",
}

__all__ = [
    "Answer",
    "AskError",
    "AskOptions",
    "AskPartial",
    "AskStream",
    "Attempt",
    "Backoff",
    "Budget",
    "Cache",
    "CacheWarning",
    "Delta",
    "Dropped",
    "Fault",
    "Hook",
    "Model",
    "Price",
    "Reply",
    "Request",
    "ToolRun",
    "ToolStep",
    "Usage",
    "ask",
    "ask_async",
    "connect",
    "deltas_from",
    "mcp_tools",
    "reply_from",
    "run_tools",
    "run_tools_async",
    "stream",
]

__getattr__ = lazy(__name__, _HOMES)
