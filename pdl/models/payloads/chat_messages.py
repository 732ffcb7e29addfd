"""Messages in the shape of OpenAI's chat completions, which most servers take."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pdl.models.payloads.media import AUDIO, PDF, Takes, data_url
from pdl.models.payloads.turns import with_ids
from pdl.prompt.messages import Media, Message, Text
from pdl.tools.calls import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.prompt.messages import Role


def chat_messages(messages: Sequence[Message], takes: Takes) -> list[dict[str, Any]]:
    """The messages; results of tools are messages of their own, in front of the user's words.

    Raises MediaError for media that the server does not take.
    """
    return [one for message in with_ids(messages) for one in _messages(message, takes)]


def _messages(message: Message, takes: Takes) -> Iterator[dict[str, Any]]:
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    for result in results:
        yield {"role": "tool", "tool_call_id": result.call.id, "content": told(result)}
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    content = _content(message, takes)
    if calls:
        asked = [_call(call) for call in calls]
        yield {"role": "assistant", "content": content or None, "tool_calls": asked}
    elif content or not results:
        yield {"role": message.role, "content": content}


def told(result: ToolResult) -> str:
    """The text of a result, where the interface has no field for a failure."""
    return f"Error: {result.text}" if result.failed else result.text


def _content(message: Message, takes: Takes) -> Any:
    """The text, or with media the parts in their order."""
    if not any(isinstance(part, Media) for part in message.parts):
        return message.text
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, Text)
        else _media(part, message.role, takes)
        for part in message.parts
        if isinstance(part, Media) or (isinstance(part, Text) and part.text)
    ]


def _media(media: Media, role: Role, takes: Takes) -> dict[str, Any]:
    kind = takes.kind(media, role)
    if kind in AUDIO and media.url:
        return {"type": "audio_url", "audio_url": {"url": media.url}}
    if kind in AUDIO:
        return {"type": "input_audio", "input_audio": {"data": media.base64, "format": kind}}
    if kind in PDF:
        return {"type": "file", "file": {"filename": "file.pdf", "file_data": data_url(media)}}
    return {"type": "image_url", "image_url": {"url": data_url(media)}}


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}
