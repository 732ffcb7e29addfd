"""Anthropic's messages (reference "Create a Message"): requests, replies, and schemas.

Schemas are those of `output_config.format` (guide "Structured outputs", section on limitations).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, TurnError
from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads.effort import (
    anthropic_effort,
    thinking_budget,
    with_effort,
    with_thinking,
)
from pdl.models.payloads.provider_api import DeltaReader, Payload, ProviderApi
from pdl.models.payloads.reading import JsonNode, body_of, joined, parsed_calls
from pdl.models.payloads.schema_dialect import SchemaDialect, UnsupportedSchemaError
from pdl.models.payloads.schema_projection import ProviderSchema, project
from pdl.models.payloads.settings_map import CHAT_ONLY, SettingsMap, listed
from pdl.models.payloads.tool_schemas import (
    plain_function,
    renamed_calls,
    sent_tools,
    strict_function,
)
from pdl.models.payloads.turns import (
    IMAGES,
    PDF,
    MediaSupport,
    enforceable,
    with_ids,
    without_system,
    words_of,
)
from pdl.prompt.messages import Media, Message, Text
from pdl.schema.keywords import schemas
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json
    from pdl.models.request import Request
    from pdl.prompt.messages import Part, Role
    from pdl.schema import Schema
    from pdl.tools.tool import Tool


ANTHROPIC = SchemaDialect(
    provider="Anthropic",
    keywords=frozenset({"minItems", "pattern"}),
    formats=frozenset(
        {
            *("date", "date-time", "time", "duration"),
            *("email", "hostname", "ipv4", "ipv6", "uri", "uuid"),
        }
    ),
    recursion="none",
    most_min_items=1,
    simple_patterns=True,
)

_MOST_TOOLS = 20
_MOST_OPTIONAL = 24
_MOST_UNIONS = 16


def anthropic_schema(schema: Schema) -> ProviderSchema:
    """Project a schema to Anthropic's dialect. Raises UnsupportedSchemaError if it has no form."""
    projected = project(schema.document, ANTHROPIC)
    optional, unions = _weight([projected.schema])
    for count, most, what in (
        (optional, _MOST_OPTIONAL, "optional keys"),
        (unions, _MOST_UNIONS, "unions"),
    ):
        if count > most:
            raise UnsupportedSchemaError(
                (), "", f"it has {count} {what}, and Anthropic allows {most}"
            )
    return projected


def anthropic_tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Declare tools, with `strict` unless they are too many or too large for it."""
    found = [strict_function(tool, ANTHROPIC) for tool in tools]
    strict = [one for one in found if one["strict"]]
    optional, unions = _weight(one["parameters"] for one in strict)
    if len(strict) > _MOST_TOOLS or optional > _MOST_OPTIONAL or unions > _MOST_UNIONS:
        found = [{**plain_function(tool), "strict": False} for tool in tools]
    return list(map(_tool, found))


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    renamed = {"input_schema": function["parameters"], "strict": True}
    left_out = {"parameters"} if function["strict"] else {"parameters", "strict"}
    return {key: one for key, one in {**function, **renamed}.items() if key not in left_out}


def _weight(found: Iterable[dict[str, Any]]) -> tuple[int, int]:
    """The numbers of optional keys and of unions."""
    optional = unions = 0
    for schema in found:
        for _, node in schemas(schema):
            optional += len(node.get("properties", ())) - len(node.get("required", ()))
            unions += "anyOf" in node
    return optional, unions


_VERSION = "2023-06-01"
_MEDIA = MediaSupport("Anthropic", IMAGES | PDF, IMAGES | PDF)
_MOST_TOKENS = 8_192
"""The limit where the settings have none, since a request must: what all models can write."""
_MORE_TOKENS = 32_000
"""The limit after a reply that was cut off by it: what all models that think can write."""


def _choice(value: Json) -> Json:
    """OpenAI's `tool_choice`: a word, or the name of a function."""
    words = {"auto": "auto", "required": "any", "none": "none"}
    if isinstance(value, str) and value in words:
        return {"type": words[value]}
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        return {"type": "tool", **value["function"]}
    return value


_SETTINGS = SettingsMap(
    provider="Anthropic",
    paths={
        "max_completion_tokens": ("max_tokens",),
        "stop": ("stop_sequences",),
        "reasoning_effort": ("output_config", "effort"),
        "user": ("metadata", "user_id"),
    },
    absent={
        **dict.fromkeys(
            (
                *("seed", "frequency_penalty", "presence_penalty", "logit_bias", "logprobs"),
                *("top_logprobs", "min_p", "top_a", "repetition_penalty", "repeat_penalty"),
                *("num_ctx", "verbosity", "store", *CHAT_ONLY),
            ),
            "Anthropic has no such setting",
        ),
        "response_format": "Anthropic has only schemas: write a <|schema|> turn",
        "parallel_tool_calls": "Anthropic says it in tool_choice: disable_parallel_tool_use",
    },
    converters={"stop": listed, "tool_choice": _choice},
    words={"service_tier": {"auto": "auto", "default": "standard_only"}},
    reserved={"system": "write a <|system|> turn"},
)


def payload(request: Request, model: str) -> Payload:
    """Build the body of a request.

    A schema is enforced by `output_config.format` if it can be projected. Otherwise the system
    prompt describes it. A last assistant turn begins the answer; then no schema is enforced.
    Raises MediaError for unsupported media, TurnError for an empty turn and for a prompt with only
    system turns, ConfigError for contradictory settings.
    """
    system, messages = without_system(request, "Anthropic")
    body: dict[str, Any] = {"model": model}
    if system:
        body["system"] = system
    tools, renamed = sent_tools(request.tools if request.constrain else None)
    body["messages"] = [_message(one) for one in renamed_calls(with_ids(messages), renamed)]
    _strip_end(body["messages"])
    config, unsaid = with_effort(request.config, model, anthropic_effort)
    request = replace(request, config=config)
    config, ignored = with_thinking(request, model)
    ignored += unsaid
    if tools:
        body["tools"] = anthropic_tools(tools)
    projected = _constrain(request, body) if request.constrain else ProviderSchema({})
    if request.stream:
        body["stream"] = True
    ignored += _SETTINGS.write(config, body)
    own = _MOST_TOKENS + (thinking_budget(request.config) if "thinking" in config else 0)
    more = _MORE_TOKENS if "max_tokens" not in body and own < _MORE_TOKENS else None
    body.setdefault("max_tokens", own)
    start = _last_text(body["messages"])
    return Payload(body, projected.dropped, ignored, start, projected.decoder, renamed, more)


def _message(said: Message) -> dict[str, Any]:
    """A turn; tool results precede the rest of what the user says."""
    parts = sorted(said.parts, key=lambda part: not isinstance(part, ToolResult))
    blocks = [
        _block(part, said.role)
        for part in parts
        if not (isinstance(part, Text) and not part.text.strip())
    ]
    if not blocks:
        message = "Anthropic does not support empty turns"
        raise TurnError(Problem("turn/empty", message, hint="leave the turn out"))
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        return {"role": said.role, "content": blocks[0]["text"]}
    return {"role": said.role, "content": blocks}


def _block(part: Part, role: Role) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall):
        call = {"id": part.id, "name": part.name, "input": dict(part.arguments)}
        return {"type": "tool_use", **call}
    if isinstance(part, ToolResult):
        failed = {"is_error": True} if part.failed else {}
        result = {"tool_use_id": part.call.id, "content": part.text, **failed}
        return {"type": "tool_result", **result}
    return _media(part, role)


def _media(media: Media, role: Role) -> dict[str, Any]:
    kind = "document" if _MEDIA.kind(media, role) in PDF else "image"
    if media.url:
        return {"type": kind, "source": {"type": "url", "url": media.url}}
    source = {"type": "base64", "media_type": media.mime_type, "data": media.base64}
    return {"type": kind, "source": source}


def _strip_end(messages: list[dict[str, Any]]) -> None:
    """Strip a last assistant turn: Anthropic rejects one that ends with white space."""
    if messages[-1]["role"] == "assistant" and isinstance(messages[-1]["content"], str):
        messages[-1]["content"] = messages[-1]["content"].rstrip()


def _last_text(messages: list[dict[str, Any]]) -> str:
    last = messages[-1]
    is_begun = last["role"] == "assistant" and isinstance(last["content"], str)
    return str(last["content"]) if is_begun else ""


def _constrain(request: Request, body: dict[str, Any]) -> ProviderSchema:
    schema, dropped = enforceable(request, "Anthropic", with_prefill=False)
    if schema is None:
        return ProviderSchema({}, dropped)
    try:
        projected = anthropic_schema(schema)
    except UnsupportedSchemaError as error:
        # No tool takes it as input: models that think, and the newest, can't be made to call one.
        words = words_of(schema, request)
        if words:
            body["system"] = f"{body['system']}\n\n{words}" if "system" in body else words
        why = "; so nothing of the schema is enforced, it is only described to the model"
        return ProviderSchema({}, (error.dropped(why),))
    body["output_config"] = {"format": {"type": "json_schema", "schema": projected.schema}}
    return projected


def headers(key: str) -> dict[str, str]:
    """Return the version of the interface, and the key."""
    return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}


_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "filter",
}


def read(body: Json) -> Reply:
    """Read the reply in a body. Raises BadPayload for a body of another shape."""
    found = body_of(body)
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
    calls, unread = parsed_calls(called, _call)
    finish = _finish(found["stop_reason"], has_calls=bool(calls or unread))
    usage, model = _usage(found["usage"]), found["model"].text("")
    return Reply(text, reasoning, calls, finish, usage, model, _flaw(found) or unread)


def _call(block: JsonNode) -> ToolCall:
    name = block["name"].text()
    return ToolCall(name, block["input"].arguments(name), block["id"].text(""))


def _finish(reason: JsonNode, *, has_calls: bool) -> Finish:
    finish = _FINISH.get(reason.text("end_turn"), "other")
    return "stop" if finish == "tool" and not has_calls else finish


def _flaw(ended: JsonNode) -> Flaw | None:
    """Why a reply is not an answer, by its stop reason: a refusal, or more to come."""
    reason = ended["stop_reason"].text("end_turn")
    if reason == "refusal":
        details = ended["stop_details"]
        return Flaw("refusal", details["explanation"].text("") or details["category"].text(""))
    return None if reason in _FINISH else Flaw("unfinished", reason)


def _usage(counts: JsonNode) -> Usage:
    """The counts; Anthropic counts the tokens of its cache separately."""
    parts = (
        counts["input_tokens"].count(),
        counts["cache_creation_input_tokens"].count(),
        counts["cache_read_input_tokens"].count(),
    )
    known = [part for part in parts if part is not None]
    thoughts = counts["output_tokens_details"]["thinking_tokens"].count()
    return Usage(sum(known) if known else None, counts["output_tokens"].count(), parts[2], thoughts)


class AnthropicDeltas(DeltaReader):
    """Reads a stream of events, which `message_stop` ends."""

    def __init__(self) -> None:
        super().__init__()
        self._block: JsonNode | None = None
        self._input: list[str] = []
        self._model = ""
        self._usage: dict[str, Json] = {}

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - the data name it
        """Yield the deltas of an event."""
        found = body_of(data)
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

    def _start(self, block: JsonNode) -> Iterator[Delta]:
        block.object()
        self._block = block
        self._input.clear()
        text, thought = block["text"].text(""), block["thinking"].text("")
        if text or thought:
            yield Delta(text=text, reasoning=thought)

    def _piece(self, delta: JsonNode) -> Iterator[Delta]:
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
        self.has_calls = True
        given = {"input": joined(self._input)} if self._input else {}
        calls, unread = parsed_calls([JsonNode({**block.object(), **given}, block.path)], _call)
        yield Delta(calls=calls, flaw=unread)

    def _end(self, found: JsonNode) -> Delta:
        self._count(found["usage"])
        delta, usage = found["delta"], _usage(JsonNode(self._usage, ("usage",)))
        finish = _finish(delta["stop_reason"], has_calls=self.has_calls)
        return Delta(finish=finish, usage=usage, model=self._model, flaw=_flaw(delta))

    def _count(self, counts: JsonNode) -> None:
        """Later counts are totals, not increments."""
        if counts:
            told = {key: one for key, one in counts.object().items() if one is not None}
            self._usage.update(told)


ANTHROPIC_MESSAGES = ProviderApi(
    name="anthropic",
    base_url="https://api.anthropic.com/v1",
    endpoint="/messages",
    payload=payload,
    read=read,
    deltas=AnthropicDeltas,
    headers=headers,
    settings=_SETTINGS,
    key_variable="ANTHROPIC_API_KEY",
    needs_key=True,
)
