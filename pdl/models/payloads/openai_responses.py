"""OpenAI's responses (reference "Create a model response")."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads.openai_chat import answer_schema, result_text
from pdl.models.payloads.openai_schema import STRICT, refuse_large
from pdl.models.payloads.provider_api import DONE, DeltaReader, Payload, ProviderApi
from pdl.models.payloads.reading import BadPayload, JsonNode, body_of, parsed_calls
from pdl.models.payloads.settings_map import CHAT_ONLY, SettingsMap
from pdl.models.payloads.tool_schemas import strict_function
from pdl.models.payloads.turns import IMAGES, PDF, MediaSupport, data_url, refuse_prefill, with_ids
from pdl.prompt.messages import FILE_NAME, Media, Message, Text
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.models.request import Request
    from pdl.prompt.messages import Part, Role

_NAME = "OpenAI Responses"
_MEDIA = MediaSupport(_NAME, IMAGES | PDF, IMAGES | PDF)
_NO_PLACE = f"{_NAME} has no such setting"


def _choice(value: Json) -> Json:
    """`tool_choice`, in which the name of a function is one level higher."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        return {"type": "function", **value["function"]}
    return value


def _format(value: Json) -> Json:
    """`response_format`, in which a schema with its name is one level higher."""
    named = value.get("json_schema") if isinstance(value, dict) else None
    return {"type": "json_schema", **named} if isinstance(named, dict) else value


_SHARED = frozenset({"prompt_cache_key", "prompt_cache_retention", "safety_identifier"})
_SETTINGS = SettingsMap(
    provider=_NAME,
    paths={
        "max_tokens": ("max_output_tokens",),
        "max_completion_tokens": ("max_output_tokens",),
        "reasoning_effort": ("reasoning", "effort"),
        "verbosity": ("text", "verbosity"),
        "response_format": ("text", "format"),
    },
    absent=dict.fromkeys(
        (
            *("stop", "seed", "frequency_penalty", "presence_penalty", "logit_bias", "logprobs"),
            *("top_k", "min_p", "top_a", "repetition_penalty", "repeat_penalty", "num_ctx"),
            *(name for name in CHAT_ONLY if name not in _SHARED),
        ),
        _NO_PLACE,
    ),
    converters={"tool_choice": _choice, "response_format": _format},
    reserved={"input": "the turns of the prompt are the input"},
)


def payload(request: Request, model: str) -> Payload:
    """Build the body of a request; OpenAI stores nothing (`store`) unless the settings ask for it.

    Raises MediaError for unsupported media, TurnError for a last assistant turn, ConfigError for
    contradictory settings.
    """
    refuse_prefill(request, _NAME)
    items = [item for one in with_ids(request.messages) for item in _items(one)]
    body: dict[str, Any] = {"model": model, "input": items}
    projected = answer_schema(request)
    if projected.schema:
        body["text"] = {"format": {"type": "json_schema", **projected.schema}}
    if request.constrain and request.tools:
        body["tools"] = [
            {"type": "function", **strict_function(tool, STRICT, refuse_large)}
            for tool in request.tools
        ]
    if request.stream:
        body["stream"] = True
    ignored = _SETTINGS.write(request.config, body)
    body.setdefault("store", False)
    return Payload(body, projected.dropped, ignored, decoder=projected.decoder)


def _items(message: Message) -> Iterator[dict[str, Any]]:
    """A turn: tool results, then what is said, then calls."""
    for part in message.parts:
        if isinstance(part, ToolResult):
            output = {"call_id": part.call.id, "output": result_text(part)}
            yield {"type": "function_call_output", **output}
    said = [_content(part, message.role) for part in message.parts if _is_said(part)]
    if said or not any(isinstance(part, ToolCall | ToolResult) for part in message.parts):
        said = said or [_content(Text(""), message.role)]
        yield {"role": message.role, "content": said}
    for part in message.parts:
        if isinstance(part, ToolCall):
            arguments = json.dumps(dict(part.arguments), ensure_ascii=False)
            call = {"call_id": part.id, "name": part.name, "arguments": arguments}
            yield {"type": "function_call", **call}


def _is_said(part: Part) -> bool:
    return isinstance(part, Media) or (isinstance(part, Text) and bool(part.text))


def _content(part: Part, role: Role) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "output_text" if role == "assistant" else "input_text", "text": part.text}
    assert isinstance(part, Media)
    if _MEDIA.kind(part, role) not in PDF:
        return {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
    if part.url:
        return {"type": "input_file", "file_url": part.url}
    return {"type": "input_file", "filename": FILE_NAME, "file_data": data_url(part)}


def read(body: Json) -> Reply:
    """Read the reply in a body. Raises BadPayload for another shape, and for a failure."""
    found = body_of(body)
    text, reasoning, called = "", "", []
    if not isinstance(found["output"].value, list):
        found["output"].refuse("an array")
    for item in found["output"]:
        kind = item["type"].text("")
        if kind == "message":
            text += "".join(map(_said, item["content"]))
        elif kind == "reasoning":
            reasoning += _thought(item)
        elif kind == "function_call":
            called.append(item)
    calls, unread = parsed_calls(called, _call)
    finish, flaw = _finish(found, has_calls=bool(calls or unread))
    usage, model = _usage(found), found["model"].text("")
    return Reply(text, reasoning, calls, finish, usage, model, flaw or unread)


def _said(part: JsonNode) -> str:
    return part["text"].text() if part["type"].text("") == "output_text" else ""


def _thought(item: JsonNode) -> str:
    """A summary of the reasoning, or its text if a model shows it."""
    parts = [*item["summary"], *item["content"]]
    return "\n\n".join(part["text"].text("") for part in parts)


def _call(item: JsonNode) -> ToolCall:
    name = item["name"].text()
    return ToolCall(name, item["arguments"].arguments(name), item["call_id"].text(""))


def _usage(found: JsonNode) -> Usage:
    counts = found["usage"]
    return Usage(
        counts["input_tokens"].count(),
        counts["output_tokens"].count(),
        counts["input_tokens_details"]["cached_tokens"].count(),
        counts["output_tokens_details"]["reasoning_tokens"].count(),
    )


_REASONS: dict[str, Finish] = {"max_output_tokens": "length", "content_filter": "filter"}


def _finish(found: JsonNode, *, has_calls: bool) -> tuple[Finish, Flaw | None]:
    """Why it ended, and why it is not an answer, if so.

    Raises BadPayload for a response that failed or never ended.
    """
    status = found["status"].text("completed")
    if status not in ("completed", "incomplete"):
        raise BadPayload(f"the response is not completed but {status}", ("status",))
    refused = [
        part["refusal"].text("")
        for item in found["output"]
        for part in item["content"]
        if part["type"].text("") == "refusal"
    ]
    if refused:
        return "filter", Flaw("refusal", "".join(refused))
    if status == "completed":
        return "tool" if has_calls else "stop", None
    reason = found["incomplete_details"]["reason"].text("") or status
    return _REASONS.get(reason, "other"), None if reason in _REASONS else Flaw("unfinished", reason)


class ResponsesDeltas(DeltaReader):
    """Reads a stream of events, which `response.completed` or `response.incomplete` ends."""

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - the data name it
        """Yield the deltas of an event; most repeat what later ones report.

        Nothing follows the event that ends the response, except OpenRouter's `[DONE]`.
        """
        if self.is_done or data == DONE:
            return
        if not isinstance(data, dict):
            JsonNode(data).refuse("an object")
        if data.get("type") == "error":
            body_of({"error": data.get("error") or data})
        yield from self._deltas(body_of(data))

    def _deltas(self, found: JsonNode) -> Iterator[Delta]:
        kind = found["type"].text()
        if kind == "response.output_text.delta":
            yield Delta(text=found["delta"].text())
        elif kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
            yield Delta(reasoning=found["delta"].text())
        elif kind == "response.reasoning_summary_part.added" and found["summary_index"].count():
            yield Delta(reasoning="\n\n")
        elif kind == "response.refusal.done":
            self.is_finished = True
            yield Delta(finish="filter", flaw=Flaw("refusal", found["refusal"].text("")))
        elif kind == "response.output_item.done":
            item = found["item"]
            if item["type"].text("") == "function_call":
                calls, unread = parsed_calls([item], _call)
                yield Delta(calls=calls, flaw=unread)
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            yield self._end(found["response"])

    def _end(self, response: JsonNode) -> Delta:
        body_of(response.object())
        self.is_done = True
        kinds = [item["type"].text("") for item in response["output"]]
        finish, flaw = _finish(response, has_calls="function_call" in kinds)
        usage, model = _usage(response), response["model"].text("")
        return Delta(finish=finish, usage=usage, model=model, flaw=flaw)


OPENAI_RESPONSES = ProviderApi(
    name="openai-responses",
    base_url="https://api.openai.com/v1",
    endpoint="/responses",
    payload=payload,
    read=read,
    deltas=ResponsesDeltas,
    settings=_SETTINGS,
    key_variable="OPENAI_API_KEY",
    needs_key=True,
)
