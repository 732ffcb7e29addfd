"""Tools that a model can call: described, enforced by a grammar, found in replies, run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.tools.formats import FORMATS, Format
    from pdl.tools.tool import Tool, ToolCall, ToolResult
    from pdl.tools.toolset import ToolSet
    from pdl.tools.validate_calls import CallError, CallsCheck

__all__ = [
    "FORMATS",
    "CallError",
    "CallsCheck",
    "Format",
    "Tool",
    "ToolCall",
    "ToolResult",
    "ToolSet",
]

__getattr__ = lazy(
    __name__,
    {
        "FORMATS": "pdl.tools.formats",
        "CallError": "pdl.tools.validate_calls",
        "CallsCheck": "pdl.tools.validate_calls",
        "Format": "pdl.tools.formats",
        "Tool": "pdl.tools.tool",
        "ToolCall": "pdl.tools.tool",
        "ToolResult": "pdl.tools.tool",
        "ToolSet": "pdl.tools.toolset",
    },
)
