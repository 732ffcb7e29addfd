"""Anthropic's messages (reference "Create a Message"), and the form of a schema that they take.

The form is that of `output_config.format` (guide "Structured outputs", section on limitations).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, TurnError
from pdl.models.exchange import Ignored, Payload
from pdl.models.payloads.anthropic_reply import Deltas, read
from pdl.models.payloads.effort import anthropic_effort, thinks_by_itself, with_effort
from pdl.models.payloads.family import CHAT_ONLY, Family, Settings, listed
from pdl.models.payloads.form import Form, narrowed
from pdl.models.payloads.functions import plain_function, strict_function
from pdl.models.payloads.renaming import renamed_calls, sent_tools
from pdl.models.payloads.subset import Subset, UnheldError
from pdl.models.payloads.turns import (
    IMAGES,
    PDF,
    Takes,
    begun,
    unheld_begun,
    unheld_form,
    with_ids,
    without_system,
    words_of,
)
from pdl.prompt.messages import Media, Message, Text
from pdl.schema.keywords import subschemas
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl._types import Json
    from pdl.models.exchange import Request
    from pdl.prompt.messages import Part, Role
    from pdl.schema import Schema
    from pdl.tools.tool import Tool


ANTHROPIC = Subset(
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


def anthropic_form(schema: Schema) -> Form:
    """A schema as Anthropic takes it. Raises UnheldError for one that has no such form."""
    form = narrowed(schema.document, ANTHROPIC)
    optional, unions = _weight([form.schema])
    for count, most, what in (
        (optional, _MOST_OPTIONAL, "keys that may be absent"),
        (unions, _MOST_UNIONS, "unions"),
    ):
        if count > most:
            raise UnheldError((), "", f"it has {count} {what}, and Anthropic takes {most}")
    return form


def anthropic_tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Tools as Anthropic takes them; with `strict` unless they are too many or too large for it."""
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


def _weight(schemas: Iterable[dict[str, Any]]) -> tuple[int, int]:
    """How many keys may be absent, and how many parts are unions."""
    optional = unions = 0
    pending = list(schemas)
    while pending:
        node = pending.pop()
        optional += len(node.get("properties", ())) - len(node.get("required", ()))
        unions += "anyOf" in node
        pending += [inner for _, inner in subschemas(node) if isinstance(inner, dict)]
    return optional, unions


_VERSION = "2023-06-01"
_TAKES = Takes("Anthropic", IMAGES | PDF, IMAGES | PDF)
_MOST_TOKENS = 8_192
"""The bound that a request must have, where the settings say none: what all models can write."""
_MORE_TOKENS = 32_000
"""The bound after a reply that was cut off by it: what all models that think can write."""


def _choice(value: Json) -> Json:
    """`tool_choice` of OpenAI's: a word, or the name of a function."""
    words = {"auto": "auto", "required": "any", "none": "none"}
    if isinstance(value, str) and value in words:
        return {"type": words[value]}
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        return {"type": "tool", **value["function"]}
    return value


_SETTINGS = Settings(
    provider="Anthropic",
    places={
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
    forms={"stop": listed, "tool_choice": _choice},
    words={"service_tier": {"auto": "auto", "default": "standard_only"}},
    ours={"system": "write a <|system|> turn"},
)


def payload(request: Request, model: str) -> Payload:
    """The body of a request.

    A schema is held by `output_config.format` if it has a form that Anthropic takes. If not, the
    system's words describe it. A last assistant turn begins the answer; then no schema is held.
    Raises MediaError for media that Anthropic does not take, TurnError for an
    empty turn and without any but the system's, ConfigError for settings that contradict each
    other.
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
    config, ignored = _thinking(request, model)
    ignored += unsaid
    if tools:
        body["tools"] = anthropic_tools(tools)
    form = _constrain(request, body) if request.constrain else Form({})
    if request.stream:
        body["stream"] = True
    ignored += _SETTINGS.write(config, body)
    own = _MOST_TOKENS + (_budget(request.config) if "thinking" in config else 0)
    more = _MORE_TOKENS if "max_tokens" not in body and own < _MORE_TOKENS else None
    body.setdefault("max_tokens", own)
    start = _last_text(body["messages"])
    return Payload(body, form.dropped, ignored, start, form.undo, renamed, more)


def _message(said: Message) -> dict[str, Any]:
    """A turn; results of tools stand in front of what else the user says."""
    parts = sorted(said.parts, key=lambda part: not isinstance(part, ToolResult))
    blocks = [
        _block(part, said.role)
        for part in parts
        if not (isinstance(part, Text) and not part.text.strip())
    ]
    if not blocks:
        message = "Anthropic takes no empty turns"
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
    kind = "document" if _TAKES.kind(media, role) in PDF else "image"
    if media.url:
        return {"type": kind, "source": {"type": "url", "url": media.url}}
    source = {"type": "base64", "media_type": media.mime_type, "data": media.base64}
    return {"type": kind, "source": source}


def _strip_end(messages: list[dict[str, Any]]) -> None:
    """Anthropic refuses a last assistant turn that ends with blanks."""
    if messages[-1]["role"] == "assistant" and isinstance(messages[-1]["content"], str):
        messages[-1]["content"] = messages[-1]["content"].rstrip()


def _last_text(messages: list[dict[str, Any]]) -> str:
    last = messages[-1]
    is_begun = last["role"] == "assistant" and isinstance(last["content"], str)
    return str(last["content"]) if is_begun else ""


def _thinking(request: Request, model: str) -> tuple[Mapping[str, Json], tuple[Ignored, ...]]:
    """The settings, with `thinking` as the model takes it; without it after a tool's results.

    There Anthropic wants the thoughts that led to the calls, and reasoning is never sent.
    """
    last = request.messages[-1].parts if request.messages else ()
    if "thinking" in request.config and any(isinstance(one, ToolResult) for one in last):
        rest = {name: value for name, value in request.config.items() if name != "thinking"}
        why = (
            "after the results of tools Anthropic wants its thoughts back, and they are never sent"
        )
        return rest, (Ignored("thinking", why),)
    thinking = request.config.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":
        return request.config, ()
    return _adaptive(request.config, thinking) if thinks_by_itself(model) else (request.config, ())


def _adaptive(
    config: Mapping[str, Json], thinking: dict[str, Json]
) -> tuple[Mapping[str, Json], tuple[Ignored, ...]]:
    """The settings with an effort in place of a budget for thoughts."""
    kept = {name: value for name, value in thinking.items() if name != "budget_tokens"}
    found: dict[str, Json] = {**config, "thinking": {**kept, "type": "adaptive"}}
    why = "this model decides how long it thinks: `budget_tokens` is not sent"
    output = config.get("output_config", {})
    budget = thinking.get("budget_tokens")
    is_said = "reasoning_effort" in config or not isinstance(output, dict) or "effort" in output
    if is_said or not isinstance(budget, int):
        return found, (Ignored("thinking", why),)
    effort = next((name for most, name in _EFFORTS if budget <= most), "high")
    found["output_config"] = {**output, "effort": effort}
    return found, (Ignored("thinking", f"{why}, but the effort `{effort}`"),)


_EFFORTS = ((4_096, "low"), (16_384, "medium"))
"""Budgets for thoughts, and the efforts that come near to them."""


def _budget(config: Mapping[str, Json]) -> int:
    """The tokens for thoughts, which count as written."""
    thinking = config.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    return budget if isinstance(budget, int) else 0


def _constrain(request: Request, body: dict[str, Any]) -> Form:
    """Write the schema."""
    schema = request.schema
    if schema is None:
        return Form({})
    if schema.form != "json":
        return Form({}, unheld_form(schema, "Anthropic"))
    if begun(request.messages):
        return Form({}, (unheld_begun("Anthropic"),))
    try:
        form = anthropic_form(schema)
    except UnheldError as error:
        _describe(schema, request, body)
        why = "; so nothing of the schema is held, it is only described to the model"
        return Form({}, (error.dropped(why),))
    body["output_config"] = {"format": {"type": "json_schema", "schema": form.schema}}
    return form


def _describe(schema: Schema, request: Request, body: dict[str, Any]) -> None:
    """Say in the system's words what to answer with, unless the prompt shows it already.

    No tool takes the answer as its input: the newest models cannot be made to call one, nor can
    those that think.
    """
    words = words_of(schema, request)
    if words:
        body["system"] = f"{body['system']}\n\n{words}" if "system" in body else words


def path(model: str, stream: bool) -> str:  # noqa: ARG001, FBT001 - the same for all
    """Behind the base URL."""
    return "/messages"


def headers(key: str) -> dict[str, str]:
    """The version of the interface, and the key."""
    return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}


ANTHROPIC_MESSAGES = Family(
    name="anthropic",
    base_url="https://api.anthropic.com/v1",
    path=path,
    payload=payload,
    read=read,
    deltas=Deltas,
    headers=headers,
    settings=_SETTINGS,
    key_variable="ANTHROPIC_API_KEY",
    needs_key=True,
)
