"""A run without the key of its model, which a reply may have repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.models.secret import NO_MASK, Mask
from pdl.prompt.messages import Message, Text
from pdl.tools.calls import ToolCall, ToolResult

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.models.answer import Attempt
    from pdl.models.transcript.run import Run
    from pdl.prompt.messages import Part

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
        Message(message.role, tuple(_part(part, mask) for part in message.parts))
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


def _part(part: Part, mask: Mask) -> Part:
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
