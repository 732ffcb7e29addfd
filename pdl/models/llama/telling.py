"""Tools told in words, since a grammar of ours and llama.cpp's own tools exclude each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.prompt.messages import Message, Text
from pdl.tools.calls import ToolCall, ToolResult
from pdl.tools.formats import FORMATS

if TYPE_CHECKING:
    from pdl.prompt.messages import Part
    from pdl.tools.formats import Format
    from pdl.tools.toolset import ToolSet


def format_for(chat_template: str) -> Format:
    """The format of calls that a model with this chat template was trained on, if it is text.

    Mistral's marks are tokens that are never printed; to such a model Hermes' are as good as any.
    """
    known = "hermes" if "<tool_call>" in chat_template else "llama3"
    return FORMATS[known if "<|python_tag|>" in chat_template else "hermes"]


def told(messages: tuple[Message, ...], tools: ToolSet | None, form: Format) -> tuple[Message, ...]:
    """The messages with the tools described in the first one, and calls and results as text."""
    spoken = tuple(_spoken(message, form) for message in messages)
    if tools is None:
        return spoken
    described = tools.describe(form)
    if spoken and spoken[0].role == "system":
        first = Message("system", (*spoken[0].parts, Text(f"\n\n{described}")))
        return (first, *spoken[1:])
    return (Message("system", (Text(described),)), *spoken)


def _spoken(message: Message, form: Format) -> Message:
    """A message without calls and results, which stand in its text."""
    if not any(isinstance(part, ToolCall | ToolResult) for part in message.parts):
        return message
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    parts = [part for part in message.parts if not isinstance(part, ToolCall)]
    if calls:
        text = form.between.join(_call(call, form) for call in calls)
        before = "\n" if parts else ""
        parts.append(Text(f"{before}{form.opener}{text}{form.closer}"))
    return Message(message.role, tuple(map(_result, parts)))


def _call(call: ToolCall, form: Format) -> str:
    arguments = dict(call.arguments)
    return json.dumps({form.name_key: call.name, form.arguments_key: arguments}, ensure_ascii=False)


def _result(part: Part) -> Part:
    if not isinstance(part, ToolResult):
        return part
    said = "failed" if part.failed else "returned"
    return Text(f"<tool_response>\n{part.call.name} {said}:\n{part.text}\n</tool_response>\n")
