"""A rendered prompt: as a transcript for people, as JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.cli.reports.json_text import json_document, problem_fields
from pdl.prompt.messages import Text
from pdl.tools.calls import ToolCall, ToolResult

if TYPE_CHECKING:
    from pdl.cli.screen import Screen
    from pdl.prompt import Message, Rendered
    from pdl.prompt.messages import Part


def transcript(rendered: Rendered, screen: Screen) -> str:
    """What `str(rendered)` is, for a screen."""
    return "\n\n".join(
        f"{screen.style(f'<|{role}|>', 'strong')}\n{screen.safe(text)}"
        for role, text in rendered.turns()
    )


def rendered_json(rendered: Rendered) -> str:
    """All of a rendered prompt, as an object; media with their bytes in base64, or their URL."""
    schema = rendered.schema
    return json_document(
        {
            "messages": [_message_fields(message) for message in rendered.messages],
            "schema": schema.to_json_schema() if schema is not None else None,
            "form": schema.form if schema is not None else None,
            "config": dict(rendered.config),
            "reasoning": list(rendered.reasoning),
            "tools": rendered.tools.to_openai() if rendered.tools is not None else None,
            "warnings": [problem_fields(problem) for problem in rendered.warnings],
        }
    )


def _message_fields(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": [_part_fields(part) for part in message.parts]}


def _part_fields(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall):
        call = {"id": part.id, "name": part.name, "arguments": dict(part.arguments)}
        return {"type": "tool_call", **call}
    if isinstance(part, ToolResult):
        result = {"id": part.call.id, "name": part.call.name, "text": part.text}
        return {"type": "tool_result", **result, "failed": part.failed}
    where = {"url": part.url} if part.url else {"data": part.base64}
    return {"type": "media", "mime_type": part.mime_type, **where}
