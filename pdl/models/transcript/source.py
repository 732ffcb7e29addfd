"""A run as the text of a prompt file, which renders to the messages that were sent.

`Run` is a prompt that was asked, and what came of it. It is written without the key of its model,
which a reply may have repeated (`hidden`).
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pdl.errors import PromptError
from pdl.models.secret import NO_MASK, Mask
from pdl.prompt.messages import Media, Message, Text
from pdl.reply.wording import count
from pdl.schema import Schema
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pdl._types import Json
    from pdl.errors import PdlError
    from pdl.models.answer import Answer, Attempt
    from pdl.models.exchange import Request
    from pdl.prompt.messages import Part


@dataclass(frozen=True)
class Run:
    """One prompt, asked until it was answered, given up or stopped.

    `prompt` is the file's name, `model` the model's, as a person would write it. `request` is the
    last one that was made, which holds all that was said before. There is an `answer`, or an
    `error`, or neither if somebody stopped it. `seconds` is its wall clock.
    """

    prompt: str
    model: str
    started: datetime
    request: Request = field(repr=False)
    attempts: tuple[Attempt, ...] = field(repr=False)
    answer: Answer | None = None
    error: PdlError | None = None
    seconds: float = 0.0

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        tried = count(len(self.attempts), "attempt")
        if self.answer is not None:
            given = "the default was taken" if self.answer.is_default else "answered"
            return f"{given} after {tried}"
        return f"{'no answer' if self.error is not None else 'stopped'} after {tried}"


_DATA = frozenset({"arguments", "value"})
"""What holds data of the model, in which a key of an object is no word of ours."""


def mask_of(run: Run) -> Mask:
    """What hides the key of a run; nothing if no attempt had one."""
    return run.attempts[0].mask if run.attempts else NO_MASK


def hidden(run: Run) -> Run:
    """The run, the messages and replies of which do not tell the key."""
    mask = mask_of(run)
    if mask is NO_MASK:
        return run
    messages = tuple(
        Message(message.role, tuple(_hidden_part(part, mask) for part in message.parts))
        for message in run.request.messages
    )
    attempts = tuple(_attempt(attempt, mask) for attempt in run.attempts)
    return replace(run, request=replace(run.request, messages=messages), attempts=attempts)


def hidden_in_record(value: Json, mask: Mask) -> Json:
    """A record whose texts do not tell the key, nor within data the keys of its objects."""
    if isinstance(value, list):
        return [hidden_in_record(one, mask) for one in value]
    if isinstance(value, dict):
        return {
            key: mask.hide_in(one) if key in _DATA else hidden_in_record(one, mask)
            for key, one in value.items()
        }
    return mask.hide_in(value)


def _attempt(attempt: Attempt, mask: Mask) -> Attempt:
    reply = attempt.reply
    if reply is None:
        return attempt
    text, reasoning = mask.hide(reply.text), mask.hide(reply.reasoning)
    return replace(attempt, reply=replace(reply, text=text, reasoning=reasoning))


def _hidden_part(part: Part, mask: Mask) -> Part:
    if isinstance(part, Text):
        return Text(mask.hide(part.text))
    if isinstance(part, ToolCall):
        return _call(part, mask)
    if isinstance(part, ToolResult):
        return replace(part, call=_call(part.call, mask), text=mask.hide(part.text))
    return part


def _call(call: ToolCall, mask: Mask) -> ToolCall:
    arguments = mask.hide_in(dict(call.arguments))
    return replace(call, name=mask.hide(call.name), arguments=arguments)


_SPECIAL = re.compile(r"\{*(?:\{[{%#]|<\||\|>|&lt;\||\|&gt;|&amp;|[\r\ud800-\udfff])")
"""What a prompt file takes otherwise than it stands there, with the braces in front of it, which
would run together with those that it is written with."""

_TOLD = (ToolCall, ToolResult)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_NO_ANSWER_YET = """\
{# The last reply. It is left out, so that this file asks for it again; to have it as well:
   pdl render THIS_FILE --set replied=true --prefill #}
{% if replied is defined and replied %}
"""


def prompt_source(run: Run) -> str:
    """The text of a prompt file: the last request's messages, its schema, tools and settings.

    Rendered, it gives the same messages, with the replies that were sent back among them; blanks at
    the ends of a message are lost, since a turn has none. The reply of the last attempt
    stands at the end, where it is rendered only if one asks for it.
    """
    run = hidden(run)
    request = run.request
    parts = [_heading(run), *_settings(run), *_conversation(run)]
    if request.schema is not None:
        parts.append(f"<|schema|>\n{escaped(_schema_text(request.schema))}\n")
    return "\n".join(part for part in parts if part)


def escaped(text: str) -> str:
    """A text as a template's source has it, so that it is rendered as it is."""
    return _SPECIAL.sub(lambda found: f"{{{{ {json.dumps(found.group())} }}}}", text)


def _heading(run: Run) -> str:
    when = run.started.strftime("%Y-%m-%d %H:%M:%S %Z").strip()
    words = f"{run.prompt}, asked of {run.model} on {when}: {run.outcome}."
    return f"{{# {words.replace('#}', '# }')}\n   It can be rendered and run again. #}}\n"


def _settings(run: Run) -> Iterator[str]:
    """The turns that are about the call."""
    config: Mapping[str, Json] = {"model": run.model, **run.request.config}
    lines = [f"{key}: {json.dumps(config[key])}" for key in config if _KEY.fullmatch(key)]
    yield f"<|config|>\n{escaped(chr(10).join(lines))}\n"
    if run.request.tools is not None:
        yield f"<|tools|>\n{escaped(run.request.tools.to_text())}\n"


def _conversation(run: Run) -> Iterator[str]:
    """The turns that are sent, with the reasoning of the replies, which is not; the last reply."""
    thoughts = _thoughts(run)
    for number, message in enumerate(run.request.messages):
        yield _reasoning(thoughts.get(number, ""))
        yield _turn(message.role, _parts(message.parts))
    last = run.attempts[-1].reply if run.attempts else None
    if last is not None and (last.text.strip() or last.reasoning.strip()):
        reply = _reasoning(last.reasoning) + _turn("assistant", escaped(last.text))
        yield f"{_NO_ANSWER_YET}{reply}{{% endif %}}\n"


def _thoughts(run: Run) -> dict[int, str]:
    """The reasoning of earlier replies, by the numbers of the messages that they became."""
    if not run.attempts:
        return {}
    start = len(run.attempts[0].request.messages)
    said = (one.reply for one in run.attempts[:-1] if one.reply is not None and one.fault is None)
    added = enumerate(run.request.messages[start:], start)
    places = (number for number, message in added if message.role == "assistant")
    return {number: reply.reasoning for number, reply in zip(places, said, strict=False)}


def _reasoning(text: str) -> str:
    return _turn("reasoning", escaped(text)) if text.strip() else ""


def _turn(role: str, content: str) -> str:
    return f"<|{role}|>\n{content}\n"


def _parts(parts: tuple[Part, ...]) -> str:
    """Parts as they follow each other; calls and results stand in lines of their own."""
    pieces: list[str] = []
    parts = tuple(_joined_texts(parts))
    for number, part in enumerate(parts):
        before = parts[number - 1] if number else None
        if before and (isinstance(part, _TOLD) or isinstance(before, _TOLD)):
            pieces.append("\n")
        pieces.append(_part(part))
    return "".join(pieces)


def _joined_texts(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts with texts that follow each other as one: `{` and `{` would open an expression."""
    for is_text, run in itertools.groupby(parts, lambda part: isinstance(part, Text)):
        if is_text:
            yield Text("".join(part.text for part in run if isinstance(part, Text)))
        else:
            yield from run


def _part(part: Part) -> str:
    if isinstance(part, Text):
        return escaped(part.text)
    if isinstance(part, Media):
        if part.url:
            return f"<|media({escaped(part.url)})|>"
        return f"<|raw_media({part.kind}:{part.base64})|>"
    # A prompt file has no turns for calls of tools: they are told in words.
    return escaped(_told(part))


def _told(part: ToolCall | ToolResult) -> str:
    if isinstance(part, ToolCall):
        return json.dumps({"name": part.name, "arguments": dict(part.arguments)})
    said = "failed" if part.failed else "returned"
    return f"{part.call.name} {said}:\n{part.text}"


def _schema_text(schema: Schema) -> str:
    """The notation, if it says all of the schema; else a JSON Schema."""
    try:
        text = schema.to_dsl()
        if Schema.parse(text) == schema:
            return text
    except PromptError:
        pass  # the notation has no words for it
    document = json.dumps(schema.document, ensure_ascii=False, indent=2)
    return f"```json\n{document}\n```"
