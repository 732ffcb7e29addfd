"""A rendered prompt: as a transcript for people, as JSON for programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.cli.reports.json_text import json_document, json_line, problem_fields
from pdl.errors import SchemaError
from pdl.prompt.messages import Media, Text
from pdl.tools.calls import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.cli.screen import Screen
    from pdl.prompt import Message, Rendered
    from pdl.prompt.messages import Part
    from pdl.schema import Schema

_SEPARATOR = re.compile(r"^([^\S\n]*)<\|(?=[^\S\n]*\w+[^\S\n]*\|>[^\S\n]*$)", re.MULTILINE)


def transcript(rendered: Rendered, screen: Screen) -> str:
    """What is sent, as turns: the messages, then the tools, the configuration and the schema.

    A line of data that looks like a separator is written `&lt;|name|>`, as an author would.
    """
    turns: list[tuple[str, str]] = [(m.role, _message_text(m)) for m in rendered.messages]
    turns += _extras(rendered)
    return "\n\n".join(
        f"{screen.style(f'<|{role}|>', 'strong')}\n{screen.safe(text)}" for role, text in turns
    )


def _extras(rendered: Rendered) -> Iterator[tuple[str, str]]:
    if rendered.tools is not None:
        yield "tools", _disarmed(rendered.tools.to_text())
    if rendered.config:
        yield "config", "\n".join(f"{k}: {json_line(v)}" for k, v in rendered.config.items())
    if rendered.schema is not None:
        yield "schema", _schema_text(rendered.schema)


def _message_text(message: Message) -> str:
    return "".join(map(_part_text, message.parts))


def _part_text(part: Part) -> str:
    if isinstance(part, Media):
        return f"[{part.kind or 'media'}, {part.url or f'{len(part.data):,} bytes'}]"
    if isinstance(part, ToolCall):
        return f"[call of {part.name}: {_disarmed(json_line(dict(part.arguments)))}]"
    if isinstance(part, ToolResult):
        return f"[result of {part.call.name}: {_disarmed(part.text)}]"
    return _disarmed(part.text)


def _disarmed(text: str) -> str:
    return _SEPARATOR.sub(r"\1&lt;|", text)


def _schema_text(schema: Schema) -> str:
    """The notation; a JSON Schema where the notation has no words for it."""
    try:
        return schema.to_dsl()
    except SchemaError:
        return f"```json\n{json_document(schema.to_json_schema())}\n```"


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
