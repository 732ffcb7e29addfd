"""OpenAI's chat completions, and servers with that interface (reference "Create chat completion").

Most servers accept messages in this form. Replies are whole, or streams of chunks.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads import FAMILIES
from pdl.models.payloads.openai_schema import STRICT, refuse_large, strict_schema
from pdl.models.payloads.provider_api import DONE, DeltaReader, Payload, ProviderApi
from pdl.models.payloads.reading import BadPayload, JsonNode, body_of, joined, parsed_calls
from pdl.models.payloads.schema_projection import ProviderSchema
from pdl.models.payloads.settings_map import SettingsMap
from pdl.models.payloads.tool_schemas import strict_function
from pdl.models.payloads.turns import (
    AUDIO,
    IMAGES,
    PDF,
    MediaSupport,
    data_url,
    enforceable,
    refuse_prefill,
    with_ids,
)
from pdl.prompt.messages import FILE_NAME, Media, Message, Text
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl._types import Json
    from pdl.models.request import Request
    from pdl.prompt.messages import Role


def chat_messages(messages: Sequence[Message], supported: MediaSupport) -> list[dict[str, Any]]:
    """Return the messages; tool results are separate messages, before what the user says.

    Raises MediaError for unsupported media.
    """
    return [one for message in with_ids(messages) for one in _messages(message, supported)]


def _messages(message: Message, supported: MediaSupport) -> Iterator[dict[str, Any]]:
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    for result in results:
        yield {"role": "tool", "tool_call_id": result.call.id, "content": result_text(result)}
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    content = _message_content(message, supported)
    if calls:
        asked = [_call(call) for call in calls]
        yield {"role": "assistant", "content": content or None, "tool_calls": asked}
    elif content or not results:
        yield {"role": message.role, "content": content}


def result_text(result: ToolResult) -> str:
    """Return the text of a result, for interfaces without a field for a failure."""
    return f"Error: {result.text}" if result.failed else result.text


def _message_content(message: Message, supported: MediaSupport) -> Any:
    """The text, or with media the parts in their order."""
    if not any(isinstance(part, Media) for part in message.parts):
        return message.text
    return [
        {"type": "text", "text": part.text}
        if isinstance(part, Text)
        else _media(part, message.role, supported)
        for part in message.parts
        if isinstance(part, Media) or (isinstance(part, Text) and part.text)
    ]


def _media(media: Media, role: Role, supported: MediaSupport) -> dict[str, Any]:
    kind = supported.kind(media, role)
    if kind in AUDIO and media.url:
        return {"type": "audio_url", "audio_url": {"url": media.url}}
    if kind in AUDIO:
        return {"type": "input_audio", "input_audio": {"data": media.base64, "format": kind}}
    if kind in PDF:
        return {"type": "file", "file": {"filename": FILE_NAME, "file_data": data_url(media)}}
    return {"type": "image_url", "image_url": {"url": data_url(media)}}


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


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
"""Finish reasons of compatible servers for a reply that is not complete."""


def read(body: Json) -> Reply:
    """Read the reply in a body: its first choice. Raises BadPayload for another shape."""
    found = body_of(body)
    choice = found["choices"].first()
    message = choice["message"]
    reason = choice["finish_reason"].text("stop")
    if message or _FINISH.get(reason) != "filter":  # Azure has none where all was filtered
        message.object()
    _refuse_error(choice)
    refusal = message["refusal"].text("")
    calls, unread = parsed_calls(message["tool_calls"], called)
    return Reply(
        text=_reply_content(message),
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


def _reply_content(message: JsonNode) -> str:
    """The text; some servers (Mistral's) return it in parts."""
    content = message["content"]
    if not isinstance(content.value, list):
        return content.text("")
    return "".join(part["text"].text("") for part in content if part["type"].text("") == "text")


def _reasoning(message: JsonNode) -> str:
    """The reasoning: `reasoning_content` of DeepSeek, vLLM and llama-server, `reasoning` of others.

    Mistral returns it as parts of the content, each of them a string or a list of parts.
    """
    content, thoughts = message["content"], []
    if isinstance(content.value, list):
        thoughts = [_thought(part) for part in content if part["type"].text("") == "thinking"]
    named = message["reasoning_content"].text("") or message["reasoning"].text("")
    return "".join(thoughts) or named


def _thought(part: JsonNode) -> str:
    thinking = part["thinking"]
    if not isinstance(thinking.value, list):
        return thinking.text("")
    return "".join(inner["text"].text("") for inner in thinking)


def called(found: JsonNode) -> ToolCall:
    """Read a tool call: `{"id", "function": {"name", "arguments"}}`."""
    function = found["function"]
    name = function["name"].text()
    return ToolCall(name, function["arguments"].arguments(name), found["id"].text(""))


def _finish(reason: str, refusal: str, *, has_calls: bool) -> Finish:
    finish = "filter" if refusal else _FINISH.get(reason, "other")
    return "tool" if has_calls and finish == "stop" else finish


def _refuse_error(choice: JsonNode) -> None:
    """Raise BadPayload for a choice that reports an error of the provider behind a proxy."""
    if choice["error"] or choice["finish_reason"].text("") == "error":
        error = choice["error"]["message"] if isinstance(choice["error"].value, dict) else choice
        told = error.value if isinstance(error.value, str) else "it gives no reason"
        raise BadPayload(f"the provider reports an error: {told}", choice.path, kinds=("error",))


def usage(found: JsonNode) -> Usage:
    """Read the counts of a `usage` object, or of none."""
    told = Usage(
        found["prompt_tokens"].count(),
        found["completion_tokens"].count(),
        found["prompt_tokens_details"]["cached_tokens"].count(),
        found["completion_tokens_details"]["reasoning_tokens"].count(),
    )
    return _billed(told, found["total_tokens"].count(), hears=bool(found["prompt_audio_seconds"]))


def _billed(told: Usage, total: int | None, *, hears: bool) -> Usage:
    """The counts, corrected so that input and output add up to the total.

    xAI and Gemini's compatible interface count reasoning outside `completion_tokens`, Mistral audio
    (`hears`) outside `prompt_tokens`.
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


class ChatDeltas(DeltaReader):
    """Reads a stream of chunks, which `[DONE]` ends; a reason to finish ends the reply."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[int, _CallPieces] = {}
        self._refused: list[str] = []

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - events have no names
        """Yield the deltas of a chunk."""
        if data == DONE:
            self.is_done = True
            return
        chunk = body_of(data)
        for choice in chunk["choices"]:
            if not choice["index"].count():
                yield from self._choice(choice, chunk["model"].text(""))
        if chunk["usage"]:
            yield Delta(usage=usage(chunk["usage"]), model=chunk["model"].text(""))

    def close(self) -> Iterator[Delta]:
        """Yield the calls that no reason to finish followed."""
        yield from super().close()
        calls, unread = self._taken()
        refusal = "".join(self._refused)
        if calls or unread or (refusal and not self.is_finished):
            finish: Finish = "filter" if refusal else "tool"
            yield Delta(calls=calls, finish=finish, flaw=_flaw("", refusal) or unread)

    def _choice(self, choice: JsonNode, model: str) -> Iterator[Delta]:
        _refuse_error(choice)
        delta = choice["delta"]
        text, reasoning = _reply_content(delta), _reasoning(delta)
        if text or reasoning:
            yield Delta(text=text, reasoning=reasoning)
        self._refused.append(delta["refusal"].text(""))
        for call in delta["tool_calls"]:
            self._add_call(call)
        reason = choice["finish_reason"].text("")
        if not reason:
            return
        self.is_finished = True
        refusal = "".join(self._refused)
        calls, unread = self._taken()
        finish = _finish(reason, refusal, has_calls=bool(calls or unread))
        flaw = _flaw(reason, refusal) or unread
        yield Delta(calls=calls, finish=finish, model=model, flaw=flaw)

    def _add_call(self, call: JsonNode) -> None:
        index = call["index"].count()
        known = len(self._calls) if index is None else index
        pieces = self._calls.setdefault(known, _CallPieces(call))
        pieces.add(call)

    def _taken(self) -> tuple[tuple[ToolCall, ...], Flaw | None]:
        pieces = [one.whole() for one in self._calls.values()]
        self._calls.clear()
        return parsed_calls(pieces, called)


class _CallPieces:
    """A tool call whose pieces arrive one at a time."""

    def __init__(self, first: JsonNode) -> None:
        self._path = first.path
        self._id = ""
        self._name = ""
        self._arguments: list[str] = []
        self._whole: Json = None

    def add(self, piece: JsonNode) -> None:
        function = piece["function"]
        self._id = self._id or piece["id"].text("")
        # Some servers repeat the name with every piece; none sends it in parts.
        self._name = self._name or function["name"].text("")
        arguments = function["arguments"]
        if isinstance(arguments.value, dict):
            self._whole = arguments.value
        else:
            self._arguments.append(arguments.text(""))

    def whole(self) -> JsonNode:
        arguments = joined(self._arguments) if self._whole is None else self._whole
        function = {"name": self._name or None, "arguments": arguments}
        return JsonNode({"id": self._id, "function": function}, self._path)


ENDPOINT = "/chat/completions"
_MEDIA = MediaSupport("OpenAI", IMAGES | PDF | AUDIO, IMAGES)
_NOT_OURS = "OpenAI has no such setting"
_SETTINGS = SettingsMap(
    provider="OpenAI",
    paths={"max_tokens": ("max_completion_tokens",)},
    absent=dict.fromkeys(
        ("top_k", "min_p", "top_a", "repetition_penalty", "repeat_penalty", "num_ctx"), _NOT_OURS
    ),
)
_PROXY_MEDIA = MediaSupport("the server", IMAGES | PDF | AUDIO, IMAGES)
_PROXY_SETTINGS = SettingsMap(provider="the server")


def payload(request: Request, model: str) -> Payload:
    """Build the body of a request to OpenAI.

    Raises MediaError for unsupported media, TurnError for a last assistant turn, ConfigError for
    contradictory settings.
    """
    return _payload(request, model, _MEDIA, _SETTINGS)


def proxy_payload(request: Request, model: str) -> Payload:
    """Build the body of a request to an OpenAI-compatible server: LiteLLM and others.

    Settings keep their names, since such servers know `max_tokens`, `top_k` and more. Raises what
    `payload` raises.
    """
    return _payload(request, model, _PROXY_MEDIA, _PROXY_SETTINGS)


def _payload(
    request: Request, model: str, supported: MediaSupport, settings: SettingsMap
) -> Payload:
    refuse_prefill(request, settings.provider)
    body: dict[str, Any] = {"model": model, "messages": chat_messages(request.messages, supported)}
    projected = answer_schema(request)
    if projected.schema:
        body["response_format"] = {"type": "json_schema", "json_schema": projected.schema}
    if request.constrain and request.tools:
        body["tools"] = [
            {"type": "function", "function": strict_function(tool, STRICT, refuse_large)}
            for tool in request.tools
        ]
    add_stream(request, body)
    ignored = settings.write(request.config, body)
    return Payload(body, projected.dropped, ignored, decoder=projected.decoder)


def answer_schema(request: Request) -> ProviderSchema:
    """Return the schema with the name and `strict` that OpenAI requires; empty if none is sent."""
    schema, dropped = enforceable(request, "OpenAI")
    if schema is None:
        return ProviderSchema({}, dropped)
    projected, is_strict = strict_schema(schema)
    named = {"name": "answer", "strict": is_strict, "schema": projected.schema}
    return ProviderSchema(named, projected.dropped, projected.decoder)


def add_stream(request: Request, body: dict[str, Any]) -> None:
    """Request a stream, with the token counts at its end."""
    if request.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}


def _alternative(request: Request) -> ProviderApi | None:
    """The newest models support tools only in responses, which in turn don't support audio."""
    if not (request.tools and request.constrain):
        return None
    media = [part for one in request.messages for part in one.parts if isinstance(part, Media)]
    return None if any(one.kind in AUDIO for one in media) else FAMILIES["openai-responses"]


OPENAI = ProviderApi(
    name="openai",
    base_url="https://api.openai.com/v1",
    endpoint=ENDPOINT,
    payload=payload,
    read=read,
    deltas=ChatDeltas,
    settings=_SETTINGS,
    key_variable="OPENAI_API_KEY",
    needs_key=True,
    alternative=_alternative,
)


LITELLM = ProviderApi(
    name="litellm",
    base_url="http://127.0.0.1:4000/v1",
    endpoint=ENDPOINT,
    payload=proxy_payload,
    read=read,
    deltas=ChatDeltas,
    settings=_PROXY_SETTINGS,
    key_variable="LITELLM_API_KEY",
)
