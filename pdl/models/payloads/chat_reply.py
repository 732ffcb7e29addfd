"""Replies in the shape of OpenAI's chat completions, whole and as streams of chunks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads.bad import BadPayload
from pdl.models.payloads.family import DONE
from pdl.models.payloads.halves import joined
from pdl.models.payloads.reading import Found, opened, readable
from pdl.tools.calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "model_length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "filter",
}
_UNFINISHED = frozenset({"abort", "insufficient_system_resource", "pause_turn"})
"""Words of servers of this shape for a reply that has not come to its end."""


def read(body: Json) -> Reply:
    """The reply that a body holds: its first choice. Raises BadPayload for another shape."""
    found = opened(body)
    choice = found["choices"].first()
    message = choice["message"]
    reason = choice["finish_reason"].text("stop")
    if message or _FINISH.get(reason) != "filter":  # Azure has none where all was filtered
        message.object()
    _refuse_error(choice)
    refusal = message["refusal"].text("")
    calls, unread = readable(message["tool_calls"], called)
    return Reply(
        text=_content(message),
        reasoning=_reasoning(message),
        calls=calls,
        finish=_finish(reason, refusal, has_calls=bool(calls or unread)),
        usage=usage(found["usage"]),
        model=found["model"].text(""),
        flaw=_flaw(reason, refusal) or unread,
    )


def _flaw(reason: str, refusal: str) -> Flaw | None:
    if refusal:
        return Flaw("refusal", refusal)
    return Flaw("unfinished", reason) if reason in _UNFINISHED else None


def _content(message: Found) -> str:
    """The text; some servers (Mistral's) give it in parts."""
    content = message["content"]
    if not isinstance(content.value, list):
        return content.text("")
    return "".join(part["text"].text("") for part in content if part["type"].text("") == "text")


def _reasoning(message: Found) -> str:
    """What DeepSeek, vLLM and llama-server call `reasoning_content`, others `reasoning`.

    Mistral gives it as parts of the content, each of them text or a list of texts.
    """
    content, thoughts = message["content"], []
    if isinstance(content.value, list):
        thoughts = [_thought(part) for part in content if part["type"].text("") == "thinking"]
    named = message["reasoning_content"].text("") or message["reasoning"].text("")
    return "".join(thoughts) or named


def _thought(part: Found) -> str:
    thinking = part["thinking"]
    if not isinstance(thinking.value, list):
        return thinking.text("")
    return "".join(inner["text"].text("") for inner in thinking)


def called(found: Found) -> ToolCall:
    """The call of a tool: `{"id", "function": {"name", "arguments"}}`."""
    function = found["function"]
    name = function["name"].text()
    return ToolCall(name, function["arguments"].arguments(name), found["id"].text(""))


def _finish(reason: str, refusal: str, *, has_calls: bool) -> Finish:
    finish = "filter" if refusal else _FINISH.get(reason, "other")
    return "tool" if has_calls and finish == "stop" else finish


def _refuse_error(choice: Found) -> None:
    """Raise BadPayload for a choice that tells an error of the provider behind a proxy."""
    if choice["error"] or choice["finish_reason"].text("") == "error":
        error = choice["error"]["message"] if isinstance(choice["error"].value, dict) else choice
        told = error.value if isinstance(error.value, str) else "it gives no reason"
        raise BadPayload(f"the provider tells an error: {told}", choice.path, kinds=("error",))


def usage(found: Found) -> Usage:
    """The counts of a `usage` object, or of none."""
    told = Usage(
        found["prompt_tokens"].count(),
        found["completion_tokens"].count(),
        found["prompt_tokens_details"]["cached_tokens"].count(),
        found["completion_tokens_details"]["reasoning_tokens"].count(),
    )
    return _billed(told, found["total_tokens"].count(), hears=bool(found["prompt_audio_seconds"]))


def _billed(told: Usage, total: int | None, *, hears: bool) -> Usage:
    """The counts with what only the total tells, so that both together come to it.

    xAI and Gemini's interface of this shape count reasoning apart from `completion_tokens`, Mistral
    audio (`hears`) apart from `prompt_tokens`.
    """
    read, written = told.input_tokens, told.output_tokens
    if read is None or written is None:
        return told
    thought = told.reasoning_tokens or 0
    least = read + written + (thought if thought > written else 0)
    apart = max(0, (least if total is None else total) - read - written)
    if hears:
        return replace(told, input_tokens=read + apart)
    return replace(told, output_tokens=written + apart)


class Deltas:
    """Reads a stream of chunks, which `[DONE]` ends; a reason to finish ends the reply."""

    def __init__(self) -> None:
        self._calls: dict[int, _Gathered] = {}
        self._refused: list[str] = []
        self._is_finished = False
        self.is_done = False

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - events have no names
        """What a chunk tells."""
        if data == DONE:
            self.is_done = True
            return
        chunk = opened(data)
        for choice in chunk["choices"]:
            if not choice["index"].count():
                yield from self._choice(choice, chunk["model"].text(""))
        if chunk["usage"]:
            yield Delta(usage=usage(chunk["usage"]), model=chunk["model"].text(""))

    def close(self) -> Iterator[Delta]:
        """Nothing is left, unless the stream was cut."""
        if not (self.is_done or self._is_finished):
            raise BadPayload("the stream was cut: it ended before the reply did", is_cut=True)
        calls, unread = self._taken()
        refusal = "".join(self._refused)
        if calls or unread or (refusal and not self._is_finished):
            finish: Finish = "filter" if refusal else "tool"
            yield Delta(calls=calls, finish=finish, flaw=_flaw("", refusal) or unread)

    def _choice(self, choice: Found, model: str) -> Iterator[Delta]:
        _refuse_error(choice)
        delta = choice["delta"]
        text, reasoning = _content(delta), _reasoning(delta)
        if text or reasoning:
            yield Delta(text=text, reasoning=reasoning)
        self._refused.append(delta["refusal"].text(""))
        for call in delta["tool_calls"]:
            self._gather(call)
        reason = choice["finish_reason"].text("")
        if not reason:
            return
        self._is_finished = True
        refusal = "".join(self._refused)
        calls, unread = self._taken()
        finish = _finish(reason, refusal, has_calls=bool(calls or unread))
        flaw = _flaw(reason, refusal) or unread
        yield Delta(calls=calls, finish=finish, model=model, flaw=flaw)

    def _gather(self, call: Found) -> None:
        index = call["index"].count()
        known = len(self._calls) if index is None else index
        gathered = self._calls.setdefault(known, _Gathered(call))
        gathered.add(call)

    def _taken(self) -> tuple[tuple[ToolCall, ...], Flaw | None]:
        gathered = [one.whole() for one in self._calls.values()]
        self._calls.clear()
        return readable(gathered, called)


class _Gathered:
    """A call of a tool whose pieces come one after the other."""

    def __init__(self, first: Found) -> None:
        self._path = first.path
        self._id = ""
        self._name = ""
        self._arguments: list[str] = []
        self._whole: Json = None

    def add(self, piece: Found) -> None:
        function = piece["function"]
        self._id = self._id or piece["id"].text("")
        # Some servers say the name with every piece, none in parts.
        self._name = self._name or function["name"].text("")
        arguments = function["arguments"]
        if isinstance(arguments.value, dict):
            self._whole = arguments.value
        else:
            self._arguments.append(arguments.text(""))

    def whole(self) -> Found:
        arguments = joined(self._arguments) if self._whole is None else self._whole
        function = {"name": self._name or None, "arguments": arguments}
        return Found({"id": self._id, "function": function}, self._path)
