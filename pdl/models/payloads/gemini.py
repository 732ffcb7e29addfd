"""Gemini's generateContent (reference "Generating content" of the Gemini API).

Schemas are those of `responseJsonSchema` (reference of `GenerationConfig` in the Gemini API).
Replies are whole, or streams of such bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pdl.models.exchange import Delta, Finish, Flaw, Reply, Usage
from pdl.models.payloads.effort import gemini_effort, is_gemini_3, with_effort
from pdl.models.payloads.provider_api import DeltaReader, Payload, ProviderApi
from pdl.models.payloads.reading import JsonNode, body_of, parsed_calls
from pdl.models.payloads.schema_dialect import SchemaDialect
from pdl.models.payloads.schema_projection import ProviderSchema, project
from pdl.models.payloads.settings_map import CHAT_ONLY, SettingsMap, listed
from pdl.models.payloads.tool_schemas import plain_function
from pdl.models.payloads.turns import (
    AUDIO,
    PDF,
    MediaSupport,
    enforceable,
    refuse_prefill,
    unsupported_with_tools,
    with_ids,
    without_system,
)
from pdl.prompt.messages import MIME_TYPES, Media, Message, Text
from pdl.schema import Schema
from pdl.schema.keywords import schemas
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.models.request import Request
    from pdl.prompt.messages import Part, Role
    from pdl.tools.tool import Tool


GEMINI = SchemaDialect(
    provider="Gemini",
    keywords=frozenset({"maxItems", "maximum", "minItems", "minimum"}),
    formats=frozenset({"date", "date-time", "time"}),
    enums=frozenset({"integer", "number", "string"}),
    has_tuples=True,
    is_closed=False,
    recursion="optional",
    keeps_order=True,
)


def gemini_schema(schema: Schema) -> ProviderSchema:
    """Project a schema to Gemini's dialect; what it can't express is any value there."""
    return project(schema.document, GEMINI)


_FINISH: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
            *("MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        "filter",
    ),
}
_BROKEN = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")

_MARK = "\n"


def signed(call_id: str) -> tuple[str, str]:
    """Split the id of a call from the signature of the reasoning that led to it.

    Gemini rejects calls that come back without the signature that it gave them. It isn't
    human-readable, so it travels in the id.
    """
    known, _, signature = call_id.partition(_MARK)
    return known, signature


def read(body: Json) -> Reply:
    """Read the reply in a body: its first candidate. Raises BadPayload for another shape."""
    found = body_of(body)
    usage, model = _usage(found["usageMetadata"]), found["modelVersion"].text("")
    blocked = _blocked(found)
    if blocked is not None:
        return Reply("", finish="filter", usage=usage, model=model, flaw=blocked)
    candidate = found["candidates"].first()
    text, reasoning, calls, unread = _parts(candidate)
    finish = _finish(candidate, has_calls=bool(calls or unread))
    return Reply(text, reasoning, calls, finish, usage, model, _flaw(candidate) or unread)


def _blocked(found: JsonNode) -> Flaw | None:
    """The flaw that the prompt was blocked, if so: then there are no candidates."""
    reason = found["promptFeedback"]["blockReason"].text("")
    told = found["promptFeedback"]["blockReasonMessage"].text("")
    if not reason:
        return None
    return Flaw("refusal", f"the prompt was blocked: {reason}{told and f' ({told})'}")


def _parts(candidate: JsonNode) -> tuple[str, str, tuple[ToolCall, ...], Flaw | None]:
    """The text, the reasoning and the calls of a candidate, which may have no content."""
    said: dict[bool, list[str]] = {False: [], True: []}
    called = []
    for part in candidate["content"]["parts"]:
        if part["functionCall"]:
            called.append(part)
        elif part["text"]:
            said[part["thought"].value is True].append(part["text"].text())
    return "".join(said[False]), "".join(said[True]), *parsed_calls(called, _call)


def _call(part: JsonNode) -> ToolCall:
    call = part["functionCall"]
    signature = part["thoughtSignature"].text("")
    mark = _MARK + signature if signature else ""
    name = call["name"].text()
    return ToolCall(name, call["args"].arguments(name), call["id"].text("") + mark)


def _finish(candidate: JsonNode, *, has_calls: bool) -> Finish:
    finish = _FINISH.get(candidate["finishReason"].text("STOP"), "other")
    return "tool" if has_calls and finish == "stop" else finish


def _flaw(candidate: JsonNode) -> Flaw | None:
    """Why a reply is not an answer, by its finish reason: a bad call, or more to come."""
    reason = candidate["finishReason"].text("STOP")
    if reason in _BROKEN:
        return Flaw("call", candidate["finishMessage"].text("") or reason)
    if reason in _FINISH and _FINISH[reason] != "filter":
        return None
    told = candidate["finishMessage"].text("") if reason in _FINISH else ""
    return Flaw("unfinished", f"{reason}{told and f' ({told})'}")


def _usage(counts: JsonNode) -> Usage:
    """The counts; Gemini counts the input of its own tools and the reasoning separately."""
    written, thoughts = counts["candidatesTokenCount"].count(), counts["thoughtsTokenCount"].count()
    return Usage(
        _sum(counts["promptTokenCount"].count(), counts["toolUsePromptTokenCount"].count()),
        _sum(written, thoughts),
        counts["cachedContentTokenCount"].count(),
        thoughts,
    )


def _sum(*parts: int | None) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


class GeminiDeltas(DeltaReader):
    """Reads a stream of bodies, of which one has a reason to finish; counts may follow it."""

    def feed(self, event: str, data: Json) -> Iterator[Delta]:  # noqa: ARG002 - events have no names
        """Yield the deltas of a body."""
        found = body_of(data)
        blocked = _blocked(found)
        usage = _usage(found["usageMetadata"]) if found["usageMetadata"] else None
        model = found["modelVersion"].text("")
        candidates = list(found["candidates"])
        if blocked is not None:
            self.is_finished = True
            yield Delta(finish="filter", usage=usage, model=model, flaw=blocked)
            return
        if not candidates:
            yield Delta(usage=usage, model=model)
            return
        text, reasoning, calls, unread = _parts(candidates[0])
        self.has_calls |= bool(calls or unread)
        finish, flaw = None, unread
        if candidates[0]["finishReason"]:
            self.is_finished = True
            finish = _finish(candidates[0], has_calls=self.has_calls)
            flaw = _flaw(candidates[0]) or unread
        # Counts are totals; those of the last body are valid.
        yield Delta(text, reasoning, calls, finish, usage if finish else None, model, flaw)


_KINDS = frozenset({"png", "jpeg", "webp"}) | PDF | AUDIO
_MEDIA = MediaSupport("Gemini", _KINDS, _KINDS)
_IN = "generationConfig"


def _choice(value: Json) -> Json:
    """OpenAI's `tool_choice`: a word, or the name of a function."""
    words = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
    if isinstance(value, str):
        return {"mode": words.get(value, value)}
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        return {"mode": "ANY", "allowedFunctionNames": [value["function"].get("name")]}
    return value


_SETTINGS = SettingsMap(
    provider="Gemini",
    paths={
        "max_tokens": (_IN, "maxOutputTokens"),
        "max_completion_tokens": (_IN, "maxOutputTokens"),
        "stop": (_IN, "stopSequences"),
        "top_p": (_IN, "topP"),
        "top_k": (_IN, "topK"),
        "presence_penalty": (_IN, "presencePenalty"),
        "frequency_penalty": (_IN, "frequencyPenalty"),
        "logprobs": (_IN, "responseLogprobs"),
        "top_logprobs": (_IN, "logprobs"),
        "reasoning_effort": (_IN, "thinkingConfig", "thinkingLevel"),
        "service_tier": ("serviceTier",),
        "tool_choice": ("toolConfig", "functionCallingConfig"),
        _IN: (_IN,),
    },
    rest=(_IN,),
    top=frozenset(
        {"cachedContent", "labels", "safetySettings", "serviceTier", "store", "toolConfig", "tools"}
    ),
    absent={
        **dict.fromkeys(
            (
                *("logit_bias", "min_p", "top_a", "repetition_penalty", "repeat_penalty"),
                *("num_ctx", "verbosity", "user", "metadata", "parallel_tool_calls"),
                *CHAT_ONLY,
            ),
            "Gemini has no such setting",
        ),
        "response_format": "Gemini does not have it: write a <|schema|> turn",
    },
    converters={"stop": listed, "tool_choice": _choice},
    words={"service_tier": {"default": "standard", "flex": "flex", "priority": "priority"}},
    reserved={
        "contents": "the turns of the prompt are the contents",
        "systemInstruction": "write a <|system|> turn",
    },
)


def payload(request: Request, model: str) -> Payload:
    """Build the body of a request; the model is named in the path.

    What Gemini's schemas can't express is any value there. Before Gemini 3, no schema is enforced
    next to tools. Raises MediaError for unsupported media, TurnError for a last assistant turn and
    for a prompt with only system turns, ConfigError for contradictory settings.
    """
    is_new = is_gemini_3(model)
    refuse_prefill(request, "Gemini")
    system, messages = without_system(request, "Gemini")
    body: dict[str, Any] = {}
    if system:
        body["systemInstruction"] = {"parts": [{"text": system}]}
    with_ids(messages)  # rejects results without a call; the ids are Gemini's own
    body["contents"] = [_content(one, is_new=is_new) for one in messages]
    projected = (
        _constrain(request, body, is_new=is_new) if request.constrain else ProviderSchema({})
    )
    config, ignored = with_effort(request.config, model, gemini_effort)
    ignored += _SETTINGS.write(config, body)
    if is_new and request.constrain and request.tools:
        _constrain_calls(body)
    return Payload(body, projected.dropped, ignored)


def _content(message: Message, *, is_new: bool) -> dict[str, Any]:
    role = "model" if message.role == "assistant" else "user"
    parts = [
        _part(part, message.role)
        for part in message.parts
        if not (isinstance(part, Text) and not part.text)
    ]
    calls = [part for part in parts if "functionCall" in part]
    if is_new and calls:
        calls[0].setdefault("thoughtSignature", _UNSIGNED)
    return {"role": role, "parts": parts or [{"text": ""}]}


_UNSIGNED = "skip_thought_signature_validator"
"""The signature of a first call that Gemini 3 didn't make (guide "Thought signatures")."""


def _part(part: Part, role: Role) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"text": part.text}
    if isinstance(part, Media):
        return _media(part, role)
    call = part if isinstance(part, ToolCall) else part.call
    known, signature = signed(call.id)
    named = {"name": call.name, **({"id": known} if known else {})}
    if isinstance(part, ToolResult):
        response = {"error" if part.failed else "output": part.text}
        return {"functionResponse": {**named, "response": response}}
    thought = {"thoughtSignature": signature} if signature else {}
    return {"functionCall": {**named, "args": dict(call.arguments)}, **thought}


def _media(media: Media, role: Role) -> dict[str, Any]:
    kind = _MEDIA.kind(media, role)
    if media.url:
        return {"fileData": {"mimeType": MIME_TYPES[kind], "fileUri": media.url}}
    return {"inlineData": {"mimeType": media.mime_type, "data": media.base64}}


def _constrain(request: Request, body: dict[str, Any], *, is_new: bool) -> ProviderSchema:
    """Write the tools or the schema."""
    if request.tools:
        declared = [_declared(tool) for tool in request.tools]
        body["tools"] = [{"functionDeclarations": declared}]
    schema, dropped = enforceable(request, "Gemini")
    if schema is None:
        return ProviderSchema({}, dropped)
    if request.tools and not is_new:
        return ProviderSchema({}, (unsupported_with_tools("Gemini before 3"),))
    projected = gemini_schema(schema)
    body[_IN] = {"responseMimeType": "application/json"}
    if projected.schema:
        body[_IN]["responseJsonSchema"] = projected.schema
    return projected


def _constrain_calls(body: dict[str, Any]) -> None:
    """Enforce the schemas of calls, unless the settings choose how tools are called.

    A request with large schemas would be rejected ("too many states for serving"), above all with
    bounds of arrays.
    """
    declared = [one["parametersJsonSchema"] for one in body["tools"][0]["functionDeclarations"]]
    weight = sum(_weight(node) for schema in declared for _, node in schemas(schema))
    config = body.setdefault("toolConfig", {})
    if weight <= _HEAVIEST and isinstance(config, dict):
        config.setdefault("functionCallingConfig", {"mode": "VALIDATED"})
    if config == {}:
        del body["toolConfig"]


def _weight(projected: dict[str, Any]) -> int:
    bounds = max(projected.get("minItems", 0), projected.get("maxItems", 0))
    return len(projected.get("properties", ())) + int(bounds)


_HEAVIEST = 100


def _declared(tool: Tool) -> dict[str, Any]:
    """A tool with what Gemini's schemas can express of its arguments, which are checked anyway."""
    found = plain_function(tool)
    projected = gemini_schema(Schema(found.pop("parameters")))
    return {**found, "parametersJsonSchema": projected.schema or {"type": "object"}}


def _endpoint(model: str, stream: bool) -> str:  # noqa: FBT001 - one of two calls
    """What follows the base URL."""
    name = quote(model.removeprefix("models/"), safe="")
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/models/{name}:{verb}"


def headers(key: str) -> dict[str, str]:
    """Return the key in a header: addresses appear in logs."""
    return {"x-goog-api-key": key} if key else {}


GEMINI_CONTENT = ProviderApi(
    name="gemini",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    endpoint=_endpoint,
    payload=payload,
    read=read,
    deltas=GeminiDeltas,
    headers=headers,
    settings=_SETTINGS,
    key_variable="GEMINI_API_KEY",
    needs_key=True,
)
