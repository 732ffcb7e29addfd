"""A setting that the model does not take is left out, and the request goes again at once."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from models.conftest import KEY, QUICK, Serve, remote
from models.hostile import Hostile, Script, good, respond, stream, streamed
from models.scripted import VALUE, asked

from pdl.models import AskError, Cache, ask_async, connect

if TYPE_CHECKING:
    from pathlib import Path

    import pdl


def untaken(name: str, words: str = "") -> Script:
    words = words or f"Unsupported parameter: '{name}' is not supported with this model."
    error = {"message": words, "type": "invalid_request_error", "param": name, "code": None}
    return respond("400 Bad Request", json.dumps({"error": error}))


def settings(server: Hostile) -> list[dict[str, Any]]:
    """What was sent beside the prompt and its schema."""
    ours = ("model", "messages", "response_format", "stream", "stream_options")
    return [
        {key: one for key, one in received.body.items() if key not in ours}
        for received in server.received
    ]


def test_it_is_left_out_and_listed(serve: Serve, rendered: pdl.Rendered) -> None:
    """Not even one retry is needed for it."""
    server = serve(untaken("temperature"), good())
    config = {"temperature": 0, "seed": 7}
    answer = asked(rendered, remote(server), retries=0, config=config)
    assert answer.value == VALUE
    assert settings(server) == [config, {"seed": 7}]
    assert [one.key for one in answer.ignored] == ["temperature"]
    assert "'temperature' is not supported with this model" in answer.ignored[0].why
    assert len(answer.attempts) == 1
    assert answer.attempts[0].request.config == {"seed": 7}


def test_it_stays_left_out(serve: Serve, rendered: pdl.Rendered) -> None:
    """Later attempts do not send it either."""
    server = serve(untaken("temperature"), good('{"name": "Ann"}'), good())
    asked(rendered, remote(server), retries=1, config={"temperature": 0})
    assert settings(server) == [{"temperature": 0}, {}, {}]


def test_one_after_the_other(serve: Serve, rendered: pdl.Rendered) -> None:
    server = serve(untaken("temperature"), untaken("stop"), good())
    config = {"temperature": 0, "stop": ["x"], "seed": 7}
    answer = asked(rendered, remote(server), retries=0, config=config)
    assert settings(server)[-1] == {"seed": 7}
    assert [one.key for one in answer.ignored] == ["temperature", "stop"]


def test_each_once(serve: Serve, rendered: pdl.Rendered) -> None:
    """A server that goes on naming it has said its last word."""
    server = serve(untaken("temperature"))
    with pytest.raises(AskError) as caught:
        asked(rendered, remote(server), retries=3, config={"temperature": 0})
    assert len(server.received) == 2
    fault = caught.value.attempts[-1].fault
    assert fault is not None
    assert (fault.kind, fault.setting) == ("bad_request", "")


def refused(words: str, **more: str) -> Script:
    error = {"message": words, "type": "invalid_request_error", **more}
    return respond("400 Bad Request", json.dumps({"error": error}))


ANTHROPIC = (
    '{"content": [{"type": "text", "text": "{\\"name\\": \\"Ann\\", \\"age\\": 30}"}],'
    ' "stop_reason": "end_turn"}'
)
GEMINI = (
    '{"candidates": [{"content": {"parts": [{"text": "{\\"name\\": \\"Ann\\", \\"age\\": 30}"}]},'
    ' "finishReason": "STOP"}]}'
)


@pytest.mark.parametrize(
    ("provider", "key", "script", "reply"),
    [
        (
            "litellm",
            "response_format",
            refused("This response_format type is unavailable now"),
            good(),
        ),
        (
            "openai",
            "response_format",
            refused(
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported with"
                " this model.",
                param="response_format",
            ),
            good(),
        ),
        (
            "openai",
            "response_format",
            refused("Invalid value: 'json_schema'.", param="response_format.type"),
            good(),
        ),
        ("llama-server", "grammar", refused("grammars are not supported"), good()),
        (
            "anthropic",
            "output_config",
            refused("output_config.format: Extra inputs are not permitted"),
            respond("200 OK", ANTHROPIC),
        ),
        (
            "anthropic",
            "output_config",
            refused("This model does not support the output format."),
            respond("200 OK", ANTHROPIC),
        ),
        (
            "gemini",
            "generationConfig",
            refused("JSON mode is not enabled for models/tiny"),
            respond("200 OK", GEMINI),
        ),
    ],
)
def test_a_form_that_is_refused(  # noqa: PLR0913, PLR0917 - a server's part of it
    provider: str, key: str, script: Script, reply: Script, serve: Serve, rendered: pdl.Rendered
) -> None:
    """The schema is said in words at once, and listed as not held."""
    server = serve(script, reply)
    answer = asked(rendered, remote(server, provider), retries=0)
    assert answer.value == VALUE
    first, second = (received.body for received in server.received)
    assert key in first
    assert key not in second
    assert rendered.schema is not None
    assert json.dumps(rendered.schema.describe())[1:-1] in json.dumps(second)
    assert (answer.dropped[0].pointer, len(answer.attempts)) == ("#", 1)
    assert answer.dropped[0].why.startswith("the model rejects it, so it is only described: ")
    assert rendered.schema.describe() not in answer.messages[0].text


def test_a_form_stays_left_out(serve: Serve, rendered: pdl.Rendered) -> None:
    server = serve(
        refused("This response_format type is unavailable now"),
        untaken("temperature"),
        good('{"name": "Ann"}'),
        good(),
    )
    answer = asked(rendered, remote(server), retries=1, config={"temperature": 0})
    assert ["response_format" in one.body for one in server.received] == [True] + [False] * 3
    assert settings(server)[1:] == [{"temperature": 0}, {}, {}]
    assert answer.value == VALUE


def test_a_form_is_kept_where_a_setting_is_meant(serve: Serve, rendered: pdl.Rendered) -> None:
    told = "'temperature' is not supported with structured outputs"
    server = serve(refused(told), good())
    answer = asked(rendered, remote(server), retries=0, config={"temperature": 0})
    assert "response_format" in server.received[1].body
    assert answer.dropped == ()


def test_a_form_is_refused_once(serve: Serve, rendered: pdl.Rendered) -> None:
    server = serve(untaken("response_format"))
    with pytest.raises(AskError):
        asked(rendered, remote(server), retries=3)
    assert len(server.received) == 2


def test_what_was_not_set_is_no_setting(serve: Serve, rendered: pdl.Rendered) -> None:
    server = serve(untaken("top_p"))
    with pytest.raises(AskError):
        asked(rendered, remote(server), config={"temperature": 0})
    assert len(server.received) == 1


def test_a_limit_of_tokens_goes_under_its_other_name(serve: Serve, rendered: pdl.Rendered) -> None:
    """It is kept, since without it the model could write more than was allowed."""
    told = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    server = serve(untaken("max_tokens", told), good())
    answer = asked(rendered, remote(server), retries=0, config={"max_tokens": 99})
    assert settings(server) == [{"max_tokens": 99}, {"max_completion_tokens": 99}]
    assert answer.ignored == ()


def test_a_limit_that_is_too_high_stays(serve: Serve, rendered: pdl.Rendered) -> None:
    server = serve(untaken("max_tokens", "max_tokens is too large: this model has 4096."))
    with pytest.raises(AskError):
        asked(rendered, remote(server), config={"max_tokens": 9_999})
    assert len(server.received) == 1


def test_a_limit_that_goes_back_and_forth(serve: Serve, rendered: pdl.Rendered) -> None:
    """Two names that are refused for each other end it."""
    server = serve(
        untaken("max_tokens", "'max_tokens' is unsupported, use 'max_completion_tokens'"),
        untaken(
            "max_completion_tokens", "'max_completion_tokens' is unsupported, use 'max_tokens'"
        ),
        good(),
    )
    answer = asked(rendered, remote(server), retries=0, config={"max_tokens": 9})
    assert settings(server)[-1] == {}
    assert [one.key for one in answer.ignored] == ["max_completion_tokens"]


def test_a_stream(serve: Serve, rendered: pdl.Rendered) -> None:
    server = serve(untaken("temperature"), stream(*streamed('{"name": "Ann", "age": 30}')))
    answer = asyncio.run(
        ask_async(rendered, remote(server), config={"temperature": 0}, stream=True, backoff=QUICK)
    )
    assert answer.value == VALUE
    assert [one.key for one in answer.ignored] == ["temperature"]


def test_a_stored_reply_is_found_again(
    serve: Serve, rendered: pdl.Rendered, tmp_path: Path
) -> None:
    """It is kept as that to the request which was asked for."""
    server = serve(untaken("temperature"), good())
    model = connect("openai:tiny", base_url=server.url, key=KEY)
    for _ in range(2):
        asked(rendered, model, config={"temperature": 0}, cache=Cache(tmp_path / "kept.db"))
    assert len(server.received) == 2
