"""Ollama's chat (its reference "Generate a chat message").

llama.cpp compiles Ollama's `format` to a grammar (its `json-schema-to-grammar.cpp`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads.effort import ollama_effort, with_effort
from pdl.models.payloads.openai_chat import called, result_text
from pdl.models.payloads.provider_api import DeltaReader, Payload, ProviderApi
from pdl.models.payloads.reading import BadPayload, JsonNode, body_of, parsed_calls
from pdl.models.payloads.schema_dialect import SCALARS, SchemaDialect
from pdl.models.payloads.schema_projection import ProviderSchema, project
from pdl.models.payloads.settings_map import CHAT_ONLY, SettingsMap, listed
from pdl.models.payloads.tool_schemas import plain_function
from pdl.models.payloads.turns import (
    MediaSupport,
    enforceable,
    prefill,
    with_ids,
)
from pdl.prompt.messages import Media, Message
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.models.request import Request


OLLAMA = SchemaDialect(
    provider="Ollama",
    keywords=frozenset({"maxItems", "maxLength", "minItems", "minLength"}),
    integers=frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"}),
    formats=frozenset({"date", "date-time", "time", "uuid"}),
    enums=SCALARS | {"array", "object"},
    has_tuples=True,
    is_closed=False,
)


_MEDIA = MediaSupport("Ollama", frozenset({"png", "jpeg", "webp"}))


def _format(value: Json) -> Json:
    """OpenAI's `response_format`: its words for JSON, or its schema."""
    if isinstance(value, dict) and value.get("type") == "json_object":
        return "json"
    named = value.get("json_schema") if isinstance(value, dict) else None
    return named["schema"] if isinstance(named, dict) and "schema" in named else value


_SETTINGS = SettingsMap(
    provider="Ollama",
    paths={
        "max_tokens": ("options", "num_predict"),
        "max_completion_tokens": ("options", "num_predict"),
        "reasoning_effort": ("think",),
        "repetition_penalty": ("options", "repeat_penalty"),
        "response_format": ("format",),
    },
    rest=("options",),
    top=frozenset(
        {
            *("format", "keep_alive", "logprobs", "options", "shift", "think", "tools"),
            *("top_logprobs", "truncate"),
        }
    ),
    absent=dict.fromkeys(
        (
            *("logit_bias", "user", "metadata", "parallel_tool_calls", "tool_choice", "store"),
            *("verbosity", "service_tier", *CHAT_ONLY),
        ),
        "Ollama has no such setting",
    ),
    converters={"stop": listed, "response_format": _format},
)


def payload(request: Request, model: str) -> Payload:
    """Build the body of a request; unknown settings go to the model's `options`.

    A last assistant turn begins the answer. Then no schema is enforced, nor is one next to tools.
    Raises MediaError for unsupported media, ConfigError for contradictory settings.
    """
    messages = [one for message in with_ids(request.messages) for one in _messages(message)]
    body: dict[str, Any] = {"model": model, "messages": messages}
    projected = _constrain(request, body) if request.constrain else ProviderSchema({})
    body["stream"] = request.stream
    config, ignored = with_effort(request.config, model, ollama_effort)
    ignored += _SETTINGS.write(config, body)
    return Payload(body, projected.dropped, ignored, prefill(request.messages))


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    for result in results:
        named = {"tool_name": result.call.name, "tool_call_id": result.call.id}
        yield {"role": "tool", "content": result_text(result), **named}
    media = [part for part in message.parts if isinstance(part, Media)]
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    if results and not (message.text or media or calls):
        return
    said: dict[str, Any] = {"role": message.role, "content": message.text}
    for one in media:
        _MEDIA.kind(one, message.role)
        said.setdefault("images", []).append(one.base64)
    for call in calls:
        asked = {"name": call.name, "arguments": dict(call.arguments)}
        said.setdefault("tool_calls", []).append({"id": call.id, "function": asked})
    yield said


def _constrain(request: Request, body: dict[str, Any]) -> ProviderSchema:
    """Write the tools or the schema."""
    if request.tools:
        body["tools"] = [
            {"type": "function", "function": plain_function(one)} for one in request.tools
        ]
    schema, dropped = enforceable(request, "Ollama", with_tools=False, with_prefill=False)
    if schema is None:
        return ProviderSchema({}, dropped)
    projected = project(schema.document, OLLAMA)
    body["format"] = projected.schema or "json"
    return projected


_FINISH: dict[str, Finish] = {"stop": "stop", "length": "length"}


def read(body: Json) -> Reply:
    """Read the reply in a body. Raises BadPayload for one of another shape."""
    found = body_of(body)
    message = found["message"]
    message.object()
    if found["done"].value is False:
        raise BadPayload("the reply is not done", ("done",))
    calls, unread = parsed_calls(message["tool_calls"], called)
    finish = _finish(found, has_calls=bool(calls or unread))
    text, thoughts = message["content"].text(""), message["thinking"].text("")
    usage, model = _usage(found), found["model"].text("")
    return Reply(text, thoughts, calls, finish, usage, model, _flaw(found) or unread)


def _finish(found: JsonNode, *, has_calls: bool) -> Finish:
    finish = _FINISH.get(found["done_reason"].text("stop"), "other")
    return "tool" if has_calls and finish == "stop" else finish


def _flaw(found: JsonNode) -> Flaw | None:
    reason = found["done_reason"].text("stop")
    return None if reason in _FINISH else Flaw("unfinished", reason)


def _usage(found: JsonNode) -> Usage:
    return Usage(found["prompt_eval_count"].count(), found["eval_count"].count())


class OllamaDeltas(DeltaReader):
    """Reads a stream of lines, the last of which is `done`."""

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - lines have no names
        """Yield the deltas of a line."""
        found = body_of(data)
        message = found["message"]
        calls, unread = parsed_calls(message["tool_calls"], called)
        self.has_calls |= bool(calls or unread)
        text, thoughts = message["content"].text(""), message["thinking"].text("")
        if text or thoughts or calls or unread:
            yield Delta(text=text, reasoning=thoughts, calls=calls, flaw=unread)
        if found["done"].value is True:
            self.is_done = True
            finish = _finish(found, has_calls=self.has_calls)
            usage, model = _usage(found), found["model"].text("")
            yield Delta(finish=finish, usage=usage, model=model, flaw=_flaw(found))


OLLAMA_CHAT = ProviderApi(
    name="ollama",
    base_url="http://127.0.0.1:11434",
    endpoint="/api/chat",
    payload=payload,
    read=read,
    deltas=OllamaDeltas,
    settings=_SETTINGS,
    key_variable="OLLAMA_API_KEY",
    framing="ndjson",
)
