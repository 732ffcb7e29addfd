"""Replies of Anthropic's messages, whole and as streams of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads.reading import BadPayload, Found, joined, opened, readable
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "filter",
}


def read(body: Json) -> Reply:
    """The reply that a body holds. Raises BadPayload for a body of another shape."""
    found = opened(body)
    if not isinstance(found["content"].value, list):
        found["content"].refuse("an array")
    text, reasoning, called = "", "", []
    for block in found["content"]:
        kind = block["type"].text()
        if kind == "text":
            text += block["text"].text()
        elif kind == "thinking":
            reasoning += block["thinking"].text("")
        elif kind == "tool_use":
            called.append(block)
    calls, unread = readable(called, _call)
    finish = _finish(found["stop_reason"], has_calls=bool(calls or unread))
    usage, model = _usage(found["usage"]), found["model"].text("")
    return Reply(text, reasoning, calls, finish, usage, model, _flaw(found) or unread)


def _call(block: Found) -> ToolCall:
    name = block["name"].text()
    return ToolCall(name, block["input"].arguments(name), block["id"].text(""))


def _finish(reason: Found, *, has_calls: bool) -> Finish:
    finish = _FINISH.get(reason.text("end_turn"), "other")
    return "stop" if finish == "tool" and not has_calls else finish


def _flaw(ended: Found) -> Flaw | None:
    """What is against a reply by the reason for which it stopped: a refusal, or more to come."""
    reason = ended["stop_reason"].text("end_turn")
    if reason == "refusal":
        details = ended["stop_details"]
        return Flaw("refusal", details["explanation"].text("") or details["category"].text(""))
    return None if reason in _FINISH else Flaw("unfinished", reason)


def _usage(counts: Found) -> Usage:
    """The counts; Anthropic counts the tokens of its cache apart from the others."""
    parts = (
        counts["input_tokens"].count(),
        counts["cache_creation_input_tokens"].count(),
        counts["cache_read_input_tokens"].count(),
    )
    known = [part for part in parts if part is not None]
    thoughts = counts["output_tokens_details"]["thinking_tokens"].count()
    return Usage(sum(known) if known else None, counts["output_tokens"].count(), parts[2], thoughts)


class Deltas:
    """Reads a stream of events, which `message_stop` ends."""

    def __init__(self) -> None:
        self._block: Found | None = None
        self._input: list[str] = []
        self._has_calls = False
        self._model = ""
        self._usage: dict[str, Json] = {}
        self.is_done = False

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - the data name it
        """What an event tells."""
        found = opened(data)
        kind = found["type"].text()
        if kind == "message_start":
            self._count(found["message"]["usage"])
            self._model = found["message"]["model"].text("")
        elif kind == "content_block_start":
            yield from self._start(found["content_block"])
        elif kind == "content_block_delta":
            yield from self._piece(found["delta"])
        elif kind == "content_block_stop":
            yield from self._stop()
        elif kind == "message_delta":
            yield self._end(found)
        elif kind == "message_stop":
            self.is_done = True

    def close(self) -> Iterator[Delta]:
        """Nothing is left, unless the stream was cut."""
        if not self.is_done:
            message = "the stream was cut: it ended without `message_stop`"
            raise BadPayload(message, is_cut=True)
        yield from ()

    def _start(self, block: Found) -> Iterator[Delta]:
        block.object()
        self._block = block
        self._input.clear()
        text, thought = block["text"].text(""), block["thinking"].text("")
        if text or thought:
            yield Delta(text=text, reasoning=thought)

    def _piece(self, delta: Found) -> Iterator[Delta]:
        kind = delta["type"].text()
        if kind == "text_delta":
            yield Delta(text=delta["text"].text())
        elif kind == "thinking_delta":
            yield Delta(reasoning=delta["thinking"].text())
        elif kind == "input_json_delta":
            self._input.append(delta["partial_json"].text())

    def _stop(self) -> Iterator[Delta]:
        block, self._block = self._block, None
        if block is None or block["type"].text("") != "tool_use":
            return
        self._has_calls = True
        given = {"input": joined(self._input)} if self._input else {}
        calls, unread = readable([Found({**block.object(), **given}, block.path)], _call)
        yield Delta(calls=calls, flaw=unread)

    def _end(self, found: Found) -> Delta:
        self._count(found["usage"])
        delta, usage = found["delta"], _usage(Found(self._usage, ("usage",)))
        finish = _finish(delta["stop_reason"], has_calls=self._has_calls)
        return Delta(finish=finish, usage=usage, model=self._model, flaw=_flaw(delta))

    def _count(self, counts: Found) -> None:
        """Later counts stand for all until then, not for what came since."""
        if counts:
            told = {key: one for key, one in counts.object().items() if one is not None}
            self._usage.update(told)
