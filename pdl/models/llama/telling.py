"""Tools told in words, since a grammar of ours and llama.cpp's own tools exclude each other."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

from pdl.prompt.messages import Media, Message, Text
from pdl.tools.calls import ToolCall, ToolResult
from pdl.tools.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.models.llama.tokens import Plain
    from pdl.prompt.messages import Part
    from pdl.tools.formats import Format
    from pdl.tools.toolset import ToolSet


def format_for(chat_template: str) -> Format:
    """The format of calls that a model with this chat template was trained on, if it is text.

    Mistral's marks are tokens that are never printed; to such a model Hermes' are as good as any.
    """
    known = "hermes" if "<tool_call>" in chat_template else "llama3"
    return FORMATS[known if "<|python_tag|>" in chat_template else "hermes"]


def told(
    messages: tuple[Message, ...], tools: ToolSet | None, form: Format, plain: Plain
) -> tuple[Message, ...]:
    """The messages with the tools described in the first one, and calls and results as text.

    What they hold is made plain; the marks of calls are not.
    """
    spoken = tuple(_spoken(message, form, plain) for message in messages)
    if tools is None:
        return spoken
    described = plain(tools.describe(form), meant=form.opener + form.closer)
    if spoken and spoken[0].role == "system":
        first = Message("system", (*spoken[0].parts, Text(f"\n\n{described}")))
        return (first, *spoken[1:])
    return (Message("system", (Text(described),)), *spoken)


def _spoken(message: Message, form: Format, plain: Plain) -> Message:
    """A message without calls and results, which stand in its text."""
    calls = [plain(_call(part, form)) for part in message.parts if isinstance(part, ToolCall)]
    parts = _plain_parts(message.parts, plain)
    if calls:
        before = "\n" if parts else ""
        parts.append(Text(f"{before}{form.opener}{form.between.join(calls)}{form.closer}"))
    return Message(message.role, tuple(parts))


def _plain_parts(parts: Iterable[Part], plain: Plain) -> list[Part]:
    """Media, and the text between them in one piece each, since a name may stand in two."""
    found: list[Part] = []
    for is_media, run in itertools.groupby(parts, lambda part: isinstance(part, Media)):
        if is_media:
            found += run
        elif text := "".join(map(_text, run)):
            found.append(Text(plain(text)))
    return found


def _text(part: Part) -> str:
    if isinstance(part, ToolResult):
        said = "failed" if part.failed else "returned"
        return f"<tool_response>\n{part.call.name} {said}:\n{part.text}\n</tool_response>\n"
    return part.text if isinstance(part, Text) else ""


def _call(call: ToolCall, form: Format) -> str:
    arguments = dict(call.arguments)
    return json.dumps({form.name_key: call.name, form.arguments_key: arguments}, ensure_ascii=False)
