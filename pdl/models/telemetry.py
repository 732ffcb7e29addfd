"""Spans for OpenTelemetry, one per call, in programs that have imported it.

The names are those of the GenAI semantic conventions
(https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/). Neither prompts nor
replies are recorded.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json
    from pdl.models.exchange import Reply
    from pdl.models.faults import Fault
    from pdl.models.request import Request

_PROVIDERS = {"gemini": "gcp.gemini", "openai-responses": "openai"}
"""Names of providers in the convention, where ours differ."""
_SETTINGS = {
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "top_k": "gen_ai.request.top_k",
    "max_tokens": "gen_ai.request.max_tokens",
    "max_completion_tokens": "gen_ai.request.max_tokens",
    "frequency_penalty": "gen_ai.request.frequency_penalty",
    "presence_penalty": "gen_ai.request.presence_penalty",
    "seed": "gen_ai.request.seed",
}
_FINISHES = {"tool": "tool_calls", "filter": "content_filter"}
_IN_PROCESS = frozenset({"llama", "replay", "function"})


class Span:
    """One call, as a tracer sees it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def record(self, reply: Reply | None, fault: Fault | None) -> None:
        """Record the outcome of the call."""
        if reply is not None:
            self._inner.set_attributes(dict(_of_reply(reply)))
        if fault is not None:
            self._inner.set_attribute("error.type", fault.kind)
            self._inner.set_status(_trace().StatusCode.ERROR, fault.problem.message)


@contextmanager
def span(name: str, request: Request, *, is_current: bool = True) -> Iterator[Span]:
    """Open a span around a call of the model with this name (`openai:MODEL`).

    `is_current`: it is the current one of the program meanwhile.
    """
    trace = _trace()
    scheme, _, model = name.partition(":")
    kind = trace.SpanKind.INTERNAL if scheme in _IN_PROCESS else trace.SpanKind.CLIENT
    attributes = dict(_of_request(scheme, model, request.config)) | dict(_of_prompt(request))
    tracer = trace.get_tracer("pdl")
    title = f"chat {model}"
    if is_current:
        with tracer.start_as_current_span(
            title, kind=kind, attributes=attributes, record_exception=False
        ) as inner:
            yield Span(inner)
        return
    inner = tracer.start_span(title, kind=kind, attributes=attributes)
    try:
        yield Span(inner)
    finally:
        inner.end()


def _trace() -> Any:
    """The module `opentelemetry.trace`, which the program has loaded."""
    return sys.modules["opentelemetry.trace"]


def _of_request(
    scheme: str, model: str, config: Mapping[str, Json]
) -> Iterator[tuple[str, str | float | list[str]]]:
    yield "gen_ai.operation.name", "chat"
    yield "gen_ai.provider.name", _PROVIDERS.get(scheme, scheme)
    yield "gen_ai.request.model", model
    for key, attribute in _SETTINGS.items():
        value = config.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield attribute, value
    stop = config.get("stop")
    if isinstance(stop, str):
        yield "gen_ai.request.stop_sequences", [stop]
    elif isinstance(stop, list):
        yield "gen_ai.request.stop_sequences", [str(one) for one in stop]


def _of_prompt(request: Request) -> Iterator[tuple[str, str]]:
    """Which prompt was rendered: its name without directories, and its version."""
    if request.origin is None:
        return
    name = PurePath(request.origin.name)
    if name.suffix == ".pdl":
        yield "gen_ai.prompt.name", name.stem
    yield "pdl.prompt.fingerprint", request.fingerprint


def _of_reply(reply: Reply) -> Iterator[tuple[str, str | int | list[str]]]:
    yield "gen_ai.response.finish_reasons", [_FINISHES.get(reply.finish, reply.finish)]
    if reply.model:
        yield "gen_ai.response.model", reply.model
    counts = {
        "gen_ai.usage.input_tokens": reply.usage.input_tokens,
        "gen_ai.usage.output_tokens": reply.usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": reply.usage.cached_tokens,
        "gen_ai.usage.reasoning.output_tokens": reply.usage.reasoning_tokens,
    }
    for attribute, count in counts.items():
        if count is not None:
            yield attribute, count
