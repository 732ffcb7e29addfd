"""How a conversation goes on behind a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.models.spoken import shortened, spoken
from pdl.prompt.messages import Message, Part, Text
from pdl.tools.calls import ToolResult

if TYPE_CHECKING:
    from pdl.models.exchange import Reply
    from pdl.reply import Dialects
    from pdl.tools.calls import ToolCall


def with_complaint(
    messages: tuple[Message, ...], reply: Reply, complaint: str, dialects: Dialects
) -> tuple[Message, ...]:
    """The messages, the reply without its reasoning, and what is wrong with it.

    Calls of tools are answered each by a failed result that says so. A reply that holds nothing
    cannot be sent (providers refuse empty messages), so that the complaint then goes to the end of
    the last message.
    """
    said = assistant(shortened(spoken(reply.text, dialects)), _known(reply.calls))
    before = _without_prefill(messages)
    if said.parts:
        results = [ToolResult(call, complaint, failed=True) for call in _known(reply.calls)]
        told: tuple[Part, ...] = tuple(results) or (Text(complaint),)
        return (*before, said, Message("user", told))
    if before and before[-1].role == "user":
        last = before[-1]
        return (*before[:-1], Message("user", (*last.parts, Text(f"\n\n{complaint}"))))
    return (*before, Message("user", (Text(complaint),)))


def with_reply(
    messages: tuple[Message, ...], reply: Reply, calls: tuple[ToolCall, ...], dialects: Dialects
) -> tuple[Message, ...]:
    """The messages and a good reply: a conversation that can go on."""
    said = assistant(spoken(reply.text, dialects), calls if reply.calls else ())
    return (*_without_prefill(messages), said)


def assistant(text: str, calls: tuple[ToolCall, ...]) -> Message:
    """What a model said, and the tools that it wants called."""
    return Message("assistant", (*((Text(text),) if text else ()), *calls))


def _known(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    return tuple(call for call in calls if call.name)


def _without_prefill(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages less a last one that began the reply, which is part of the reply by now."""
    return messages[:-1] if messages and messages[-1].role == "assistant" else messages
