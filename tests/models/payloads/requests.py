"""The requests whose bodies are recorded: prompts from files, and conversations that went on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from snapshots import CASES

import pdl
from pdl.models.request import Request
from pdl.prompt.messages import Message, Text
from pdl.tools import ToolCall, ToolResult, ToolSet

if TYPE_CHECKING:
    from pdl.prompt import Rendered

PROMPTS = CASES / "payloads" / "prompts"

_TOOLS = ToolSet.parse('weather(city: str, unit?: "C" | "F") // The weather of a city\nnow()\n')
_UNIONS = ToolSet.from_mcp(
    [
        {
            "name": "find",
            "inputSchema": {
                "type": "object",
                "properties": {"limit": {"type": "integer"}},
                "anyOf": [
                    {
                        "properties": {"id": {"type": "integer"}, "deep": {"const": True}},
                        "required": ["id"],
                    },
                    {
                        "properties": {"name": {"type": "string"}, "deep": {"const": 1}},
                        "required": ["name"],
                    },
                ],
            },
        },
        {
            "name": "save",
            "description": "Save a note",
            "inputSchema": {
                "$ref": "#/$defs/Note",
                "$defs": {
                    "Note": {
                        "type": "object",
                        "properties": {"text": {"type": "string"}, "kids": {"$ref": "#/allOf/0"}},
                        "required": ["text"],
                    }
                },
                "allOf": [{"type": "object", "properties": {"of": {"$ref": "#/$defs/Note"}}}],
            },
        },
    ]
)
_ODD_KEYS = ToolSet.from_mcp(
    [
        {
            "name": "measure",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "Größe (cm)": {"type": "number"},
                    "$filter": {"type": "object", "properties": {"größe": {"type": "number"}}},
                    "filter": {"type": "string"},
                },
                "required": ["Größe (cm)", "filter"],
            },
        }
    ]
)
_MEASURE = ToolCall("measure", {"Größe (cm)": 5, "$filter": {"größe": 1}, "filter": "x"}, "call_m1")
_CALL = ToolCall("weather", {"city": "Lima"}, "call_a1")
_NAMELESS = ToolCall("now")


def rendered(name: str) -> Rendered:
    """A prompt of the folder, with a last assistant turn if it has one."""
    return pdl.load(PROMPTS / f"{name}.pdl").render(prefill=True)


def of_prompt(name: str) -> Request:
    """A prompt's request."""
    found = rendered(name)
    return Request(found.messages, found.schema, config=found.config)


def _said(role: str, *parts: str | ToolCall | ToolResult) -> Message:
    made = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Message(role, made)  # type: ignore[arg-type]


_ASKED = (_said("system", "Use the tools."), _said("user", "Is it warm in Lima?"))
_WENT_ON = (
    *_ASKED,
    _said("assistant", "Let me see.", _CALL, _NAMELESS),
    _said("user", ToolResult(_CALL, "19 C"), ToolResult(_NAMELESS, "no clock", failed=True)),
)


def requests() -> dict[str, Request]:
    """All requests, by name."""
    found = {path.stem: of_prompt(path.stem) for path in sorted(PROMPTS.glob("*.pdl"))}
    answer = pdl.Schema.parse("{ warm: bool }")
    choice = {"type": "function", "function": {"name": "weather"}}
    return found | {
        "streamed": replace(found["plain"], stream=True),
        "unconstrained": replace(found["schema"], constrain=False),
        "tools": Request(_ASKED, tools=_TOOLS, config={"tool_choice": choice}),
        "tools_and_schema": Request(_ASKED, answer, _TOOLS),
        "tools_and_map": Request(_ASKED, pdl.Schema.parse("{ [str]: int }"), _TOOLS),
        "tools_with_unions": Request(_ASKED, tools=_UNIONS),
        "tools_with_odd_keys": Request(
            (*_ASKED, _said("assistant", _MEASURE), _said("user", ToolResult(_MEASURE, "done"))),
            tools=_ODD_KEYS,
        ),
        "results": Request(_WENT_ON, tools=_TOOLS, config={"thinking": {"type": "adaptive"}}),
        "results_and_words": Request(
            (*_WENT_ON[:-1], _said("user", *_WENT_ON[-1].parts, "Be quick."))  # type: ignore[arg-type]
        ),
        "lost_result": Request((*_ASKED, _WENT_ON[-1])),
        "set_twice": Request(
            _ASKED, config={"max_tokens": 5, "max_completion_tokens": 6, "stream": True}
        ),
        "empty": Request((_said("user", ""),)),
    }
