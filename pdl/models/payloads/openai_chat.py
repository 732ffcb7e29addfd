"""OpenAI's chat completions, and servers of that shape (reference "Create chat completion")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.exchange import Payload
from pdl.models.payloads.chat_messages import chat_messages
from pdl.models.payloads.chat_reply import Deltas, read
from pdl.models.payloads.families import FAMILIES
from pdl.models.payloads.family import Family
from pdl.models.payloads.form import Form
from pdl.models.payloads.functions import strict_function
from pdl.models.payloads.media import AUDIO, IMAGES, PDF, Takes
from pdl.models.payloads.settings import Settings
from pdl.models.payloads.strict_schema import STRICT, refuse_large, strict_form
from pdl.models.payloads.turns import refuse_begun, unheld_form
from pdl.prompt.messages import Media

if TYPE_CHECKING:
    from pdl.models.exchange import Request


_TAKES = Takes("OpenAI", IMAGES | PDF | AUDIO, IMAGES)
_NOT_OURS = "OpenAI has no such setting"
_SETTINGS = Settings(
    provider="OpenAI",
    places={"max_tokens": ("max_completion_tokens",)},
    absent=dict.fromkeys(
        ("top_k", "min_p", "top_a", "repetition_penalty", "repeat_penalty", "num_ctx"), _NOT_OURS
    ),
)
_PROXY_TAKES = Takes("the server", IMAGES | PDF | AUDIO, IMAGES)
_PROXY_SETTINGS = Settings(provider="the server")


def payload(request: Request, model: str) -> Payload:
    """The body of a request to OpenAI.

    Raises MediaError for media that it does not take, TurnError for a last assistant turn,
    ConfigError for settings that contradict each other.
    """
    return _payload(request, model, _TAKES, _SETTINGS)


def proxy_payload(request: Request, model: str) -> Payload:
    """The body of a request to a server that speaks OpenAI's language: LiteLLM and others.

    Settings keep their names, since such servers know `max_tokens`, `top_k` and more. Raises what
    `payload` raises.
    """
    return _payload(request, model, _PROXY_TAKES, _PROXY_SETTINGS)


def _payload(request: Request, model: str, takes: Takes, settings: Settings) -> Payload:
    refuse_begun(request, settings.provider)
    body: dict[str, Any] = {"model": model, "messages": chat_messages(request.messages, takes)}
    form = answer_form(request)
    if form.schema:
        body["response_format"] = {"type": "json_schema", "json_schema": form.schema}
    if request.constrain and request.tools:
        body["tools"] = [
            {"type": "function", "function": strict_function(tool, STRICT, refuse_large)}
            for tool in request.tools
        ]
    add_stream(request, body)
    ignored = settings.write(request.config, body)
    return Payload(body, form.dropped, ignored, undo=form.undo)


def answer_form(request: Request) -> Form:
    """The schema with the name and `strict` that OpenAI wants beside it; empty if none is sent."""
    schema = request.schema
    if schema is None or not request.constrain:
        return Form({})
    if schema.form != "json":
        return Form({}, unheld_form(schema, "OpenAI"))
    form, is_strict = strict_form(schema)
    named = {"name": "answer", "strict": is_strict, "schema": form.schema}
    return Form(named, form.dropped, form.undo)


def add_stream(request: Request, body: dict[str, Any]) -> None:
    """Ask for a stream, with the counts of tokens at its end."""
    if request.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}


def _elsewhere(request: Request) -> Family | None:
    """The newest models take tools by responses alone, where in turn nothing is heard."""
    if not (request.tools and request.constrain):
        return None
    media = [part for one in request.messages for part in one.parts if isinstance(part, Media)]
    return None if any(one.kind in AUDIO for one in media) else FAMILIES["openai-responses"]


def path(model: str, stream: bool) -> str:  # noqa: ARG001, FBT001 - the same for all
    """Behind the base URL."""
    return "/chat/completions"


def headers(key: str) -> dict[str, str]:
    """The key; local servers take none."""
    return {"authorization": f"Bearer {key}"} if key else {}


OPENAI = Family(
    name="openai",
    base_url="https://api.openai.com/v1",
    path=path,
    payload=payload,
    read=read,
    deltas=Deltas,
    headers=headers,
    settings=_SETTINGS,
    key_variable="OPENAI_API_KEY",
    needs_key=True,
    elsewhere=_elsewhere,
)


LITELLM = Family(
    name="litellm",
    base_url="http://127.0.0.1:4000/v1",
    path=path,
    payload=proxy_payload,
    read=read,
    deltas=Deltas,
    headers=headers,
    settings=_PROXY_SETTINGS,
    key_variable="LITELLM_API_KEY",
)
