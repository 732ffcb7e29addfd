"""Spans by the GenAI conventions, where the program traces; what was said is in none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from models import hostile
from models.conftest import KEY, QUICK, Serve, remote

import pdl
from pdl.models import AskError, ask, stream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

sdk = pytest.importorskip("opentelemetry.sdk.trace")


@pytest.fixture(scope="module")
def provider() -> Any:
    """The tracer of the whole process, which can be set but once."""
    from opentelemetry import trace  # noqa: PLC0415 - a test of whether it is there comes first

    made = sdk.TracerProvider()
    trace.set_tracer_provider(made)
    return made


@pytest.fixture
def spans(provider: Any) -> Iterator[Any]:
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: PLC0415
        InMemorySpanExporter,
    )

    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield exporter
    exporter.clear()


@pytest.mark.parametrize("stream", [False, True])
def test_spans(stream: bool, serve: Serve, rendered: pdl.Rendered, spans: Any) -> None:  # noqa: FBT001
    good = hostile.stream(*hostile.streamed(hostile.GOOD)) if stream else hostile.good()
    server = serve(hostile.respond("503 Service Unavailable", ""), good)
    config = {"temperature": 0.5, "max_tokens": 90, "stop": "END"}
    ask(rendered, remote(server), config=config, seed=7, backoff=QUICK, stream=stream)
    failed, done = spans.get_finished_spans()
    assert failed.name == done.name == "chat tiny"
    assert dict(failed.attributes)["error.type"] == "server"
    assert failed.status.status_code.name == "ERROR"
    assert dict(done.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "tiny",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 90,
        "gen_ai.request.seed": 7,
        "gen_ai.request.stop_sequences": ("END",),
        "pdl.prompt.fingerprint": rendered.fingerprint,
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.response.model": "tiny-1",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 5,
    }
    assert done.kind.name == "CLIENT"


def test_nothing_said_is_recorded(serve: Serve, rendered: pdl.Rendered, spans: Any) -> None:
    with pytest.raises(AskError):
        ask(rendered, remote(serve(hostile.good("a secret"))), retries=1)
    told = " ".join(span.to_json() for span in spans.get_finished_spans())
    assert "secret" not in told
    assert "Who is it?" not in told
    assert KEY not in told


def test_a_span_of_a_stream_is_not_that_of_the_program(
    serve: Serve, rendered: pdl.Rendered, spans: Any
) -> None:
    """What the program does between two partials is not part of the call."""
    from opentelemetry import trace  # noqa: PLC0415 - see `provider`

    server = serve(hostile.stream(*hostile.streamed(hostile.GOOD)))
    for partial in stream(rendered, remote(server)):
        assert trace.get_current_span() is trace.INVALID_SPAN
        assert partial.final == (len(spans.get_finished_spans()) == 1)
    for _ in stream(rendered, remote(server)):
        break
    done, left = spans.get_finished_spans()
    assert dict(done.attributes)["gen_ai.usage.output_tokens"] == 5
    assert left.name == "chat tiny"


def test_the_name_of_a_prompt(tmp_path: Path, spans: Any) -> None:
    """A file has one, which is the same wherever the file is; chat messages have no prompt."""
    file = tmp_path / "who.pdl"
    file.write_text("<|user|>\nWho is it?\n", encoding="utf-8")
    prompt = pdl.load(file)
    chat = pdl.Rendered.from_messages([{"role": "user", "content": "Who is it?"}])
    for asked in (prompt.render(), chat):
        ask(asked, lambda _: "Ann")
    named, unnamed = (dict(span.attributes) for span in spans.get_finished_spans())
    assert named["gen_ai.prompt.name"] == "who"
    assert named["pdl.prompt.fingerprint"] == prompt.fingerprint
    assert not [key for key in unnamed if "prompt" in key]
