"""Spans for OpenTelemetry, one a call, where the program uses it.

The names are those of the GenAI semantic conventions
(https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/). What was said, by either side,
is not recorded. A program that traces has imported `opentelemetry` before it asks anything, so that
the package is looked for among the loaded modules: others pay nothing, and need not have it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json
    from pdl.models.exchange import Fault, Reply, Request

_PROVIDERS = {"gemini": "gcp.gemini", "openai-responses": "openai"}
"""The convention's names of providers, where ours are others."""
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
    """One call, as a tracer sees it; without a tracer it does nothing."""

    def __init__(self, inner: Any = None) -> None:
        self._inner = inner

    def tell(self, reply: Reply | None, fault: Fault | None) -> None:
        """Record what came of the call."""
        if self._inner is None:
            return
        if reply is not None:
            self._inner.set_attributes(dict(_of_reply(reply)))
        if fault is not None:
            self._inner.set_attribute("error.type", fault.kind)
            self._inner.set_status(_trace().StatusCode.ERROR, fault.problem.message)


@contextmanager
def span(name: str, request: Request) -> Iterator[Span]:
    """A span around a call of the model with this name (`openai:MODEL`)."""
    trace = _trace()
    if trace is None:
        yield Span()
        return
    family, _, model = name.partition(":")
    kind = trace.SpanKind.INTERNAL if family in _IN_PROCESS else trace.SpanKind.CLIENT
    attributes = dict(_of_request(family, model, request.config))
    tracer = trace.get_tracer("pdl")
    with tracer.start_as_current_span(
        f"chat {model}", kind=kind, attributes=attributes, record_exception=False
    ) as inner:
        yield Span(inner)


def _trace() -> Any:
    """The module `opentelemetry.trace`, if the program has loaded it."""
    return sys.modules.get("opentelemetry.trace")


def _of_request(
    family: str, model: str, config: Mapping[str, Json]
) -> Iterator[tuple[str, str | float | list[str]]]:
    yield "gen_ai.operation.name", "chat"
    yield "gen_ai.provider.name", _PROVIDERS.get(family, family)
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
